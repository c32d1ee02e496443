// Checked by `tsc`, never run: valid handlers of a contract, their input, and handlers that must not compile.
import type { Handlers, ReplyOf, RequestOf } from '../../server/contract/types.ts';
import type { Operations, operations, Widget } from '../contract/small-contract.ts';

type Table = typeof operations;
type Context = { user: string };
type All = Handlers<Operations, Table, Context>;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_ extends true>() => {};

declare const handlers: All;
declare const widget: Widget;

export const complete: All = handlers;

const { getWidget: _left, ...incomplete } = handlers;
// @ts-expect-error: an operation without a handler
export const missing: All = incomplete;
// @ts-expect-error: a handler without an operation
export const extra: All = { ...handlers, getPlanet: async () => widget };
export const misspelt: Partial<All> = {
  // @ts-expect-error: no such operation
  getWidgets: async () => widget,
};

export const responses: Partial<All> = {
  getWidget: async () => widget,
  // @ts-expect-error: a body that lacks a field
  updateWidget: async () => ({ id: 'a' }),
  // @ts-expect-error: no body where one is declared
  createWidget: async () => undefined,
  // @ts-expect-error: a body where none is declared
  deleteWidget: async () => widget,
  // @ts-expect-error: a field of another type
  listWidgets: async () => ({ items: [{ id: 7, title: 'A' }] }),
  // @ts-expect-error: a handler returns a promise
  getStatus: () => ({ status: 'ok' }),
};

export const withoutContent: Partial<All> = {
  deleteWidget: async () => undefined,
  replaceTree: async () => {},
};

export const replies: Record<string, All['runWidget']> = {
  ran: async () => ({ status: 200, body: { result: 'x' } }),
  willRun: async () => ({ status: 202, body: { job: 'x' } }),
  nothing: async () => ({ status: 204, body: undefined }),
  // @ts-expect-error: a status that the contract does not declare
  undeclared: async () => ({ status: 201, body: { result: 'x' } }),
  // @ts-expect-error: the body of another status
  crossed: async () => ({ status: 202, body: { result: 'x' } }),
  // @ts-expect-error: a body with 204
  full: async () => ({ status: 204, body: { result: 'x' } }),
  // @ts-expect-error: several success statuses are declared, and none is specified
  bare: async () => ({ result: 'x' }),
};
same<
  Equal<
    ReplyOf<Operations['runWidget']>,
    | { status: 200; body: { result: string } }
    | { status: 202; body: { job: string } }
    | { status: 204; body?: undefined }
  >
>();

export const requests: Partial<All> = {
  async listWidgets({ query, path, body }, context) {
    // Parameters with a default are defined; others may be undefined.
    same<Equal<typeof query.limit, number>>();
    same<Equal<typeof query.nested, boolean>>();
    same<Equal<typeof query.sort, 'asc' | 'desc'>>();
    same<Equal<typeof query.page, string | undefined>>();
    same<Equal<typeof query.tags, ('red' | 'green')[] | undefined>>();
    same<Equal<typeof body, undefined>>();
    same<Equal<typeof context, Context>>();
    // @ts-expect-error: no such query parameter
    query.pages;
    // @ts-expect-error: the path has no parameters
    path.widgetId;
    // @ts-expect-error: may be missing
    query.page.length;
    return { items: [] };
  },
  async updatePart({ path, query, body }) {
    same<Equal<typeof path, { widgetId: string; number: number }>>();
    same<Equal<typeof body.title, string | null | undefined>>();
    same<Equal<typeof query.dry, boolean | undefined>>();
    // @ts-expect-error: no such path parameter
    path.partId;
    return { number: path.number };
  },
  async searchWidgets({ query }) {
    same<Equal<typeof query.query, string>>();
    return { items: [] };
  },
  async deleteWidget(request) {
    // @ts-expect-error: a request is not to be changed
    request.path = { widgetId: 'b' };
  },
  async updateWidget({ body }) {
    // @ts-expect-error: the body is optional
    body.title;
    same<Equal<NonNullable<typeof body>['size'], number | undefined>>();
    return widget;
  },
  async createWidget({ body }) {
    same<Equal<typeof body.title, string>>();
    // @ts-expect-error: no such field
    body.name;
    // @ts-expect-error: the variants have no radius in common
    body.shape?.radius;
    return widget;
  },
};

/** OpenAPI ignores parameters with the names of these headers, so that handlers do not receive them. */
interface Negotiated {
  parameters: { header: { accept: 'image/png'; Authorization?: string; 'X-Id': string; 'x-more'?: number } };
  responses: { 204: { content?: never } };
}
same<Equal<RequestOf<Negotiated>['headers'], { 'X-Id': string; 'x-more'?: number }>>();
