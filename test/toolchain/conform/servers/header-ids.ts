import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  ref,
  reject,
  responses,
} from '../habit.ts';

const location = { Location: { required: true, schema: { type: 'string' } } };
const key = inPath('ticketKey', { type: 'string', pattern: '^T-[0-9]+$' });

/** Identifiers only in the address of a created resource. A field with their usual name contradicts the parameter. */
export const headerIds: Habit = {
  document: documentOf(
    {
      '/tickets': {
        post: {
          operationId: 'createTicket',
          requestBody: body(closed({ text: { type: 'string', maxLength: 9 } }, ['text'])),
          responses: responses(201, closed({ key: { type: 'string' } }), undefined, location),
        },
      },
      '/tickets/{ticketKey}': {
        parameters: [key],
        get: { operationId: 'getTicket', responses: responses(200, ref('Ticket')) },
        delete: { operationId: 'deleteTicket', responses: responses(204) },
      },
    },
    { Ticket: closed({ text: { type: 'string', maxLength: 9 } }, ['text']) },
  ),
  faults: { 'loses tickets': 'read-after-create', 'stores another text': 'read-after-create' },
  handlers(fault) {
    const tickets = new Map<string, { text: string }>();
    const next = counter('T-');
    return {
      createTicket: ({ body }) => {
        const id = next();
        const { text } = body as { text: string };
        if (fault !== 'loses tickets') {
          tickets.set(id, { text: fault === 'stores another text' ? `${text.slice(0, 4)}!` : text });
        }
        return { status: 201, body: { key: `internal ${id}` }, headers: { Location: `/tickets/${id}` } };
      },
      getTicket: ({ path }) => ({ status: 200, body: found(tickets.get(path.ticketKey ?? '')) }),
      deleteTicket: ({ path }) => (tickets.delete(path.ticketKey ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
