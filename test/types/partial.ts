// Checked by `tsc`, never run: operations that the router refuses, and a part of a contract.
import type { RequestHandler } from 'express';
import { createContractRouter, type Handlers, type OpenApiDocument } from '../../server/contract/index.ts';
import type { Operations, operations } from '../contract/small-contract.ts';

type Served = typeof operations;
/** The table of a contract with an operation that the router refuses. */
type Table = Omit<Served, 'getWidget'> & { getWidget: Served['getWidget'] & { unsupported: 'A reason.' } };
type Context = { user: string };
type All = Handlers<Operations, Table, Context>;

declare const complete: All;
declare const table: Table;
declare const document: OpenApiDocument;
declare const plain: RequestHandler;

const { getWidget: _refused, ...handlers } = complete;
export const withoutRefused: All = handlers;
const { updateWidget: _served, ...incomplete } = complete;
// @ts-expect-error: an operation that is served requires a handler
export const withoutServed: All = incomplete;
// @ts-expect-error: a handler without an operation
export const extra: All = { ...handlers, getPlanet: async () => undefined };

const options = {
  ...{ document, operations: table, security: {}, validateResponses: true },
  context: () => ({ user: 'Ada' }),
};

createContractRouter<Operations, Table, Context>({
  ...options,
  handlers,
  express: {
    getWidget: (req, res) => {
      const id: string = req.params.widgetId;
      const user: string = res.locals.context.user;
      // @ts-expect-error: no such parameter
      const _other: string = req.params.id;
      // @ts-expect-error: a body that the contract does not declare
      res.json({ user });
      res.json({ id, title: user });
    },
  },
});
createContractRouter<Operations, Table, Context>({ ...options, handlers, express: { getWidget: plain } });
createContractRouter<Operations, Table, Context>({
  ...options,
  handlers,
  // @ts-expect-error: the router serves this operation
  express: { updateWidget: plain },
});

const { deleteWidget, listWidgets } = complete;
createContractRouter<Operations, Table, Context>({
  ...options,
  only: ['deleteWidget'],
  handlers: { deleteWidget },
});
createContractRouter<Operations, Table, Context, Record<never, never>, 'deleteWidget' | 'listWidgets'>({
  ...options,
  only: ['deleteWidget', 'listWidgets'],
  handlers: { deleteWidget, listWidgets },
});
createContractRouter<Operations, Table, Context, Record<never, never>, 'deleteWidget' | 'listWidgets'>({
  ...options,
  only: ['deleteWidget', 'listWidgets'],
  // @ts-expect-error: each of these operations requires a handler
  handlers: { deleteWidget },
});
createContractRouter<Operations, Table, Context>({
  ...options,
  // @ts-expect-error: no such operation
  only: ['deleteWidgets'],
  handlers: {},
});
