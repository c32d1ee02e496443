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

const fields = {
  email: { type: 'string', format: 'email', maxLength: 200 },
  reference: { type: 'string', format: 'uuid' },
  tags: { type: 'array', uniqueItems: true, maxItems: 3, items: { type: 'string', maxLength: 5 } },
  name: { type: 'string', maxLength: 9 },
  starts: { type: 'string', format: 'date-time' },
};

/** Equivalent forms: addresses and UUIDs in lower case, lists without an order, and times in UTC. */
export const normalized: Habit = {
  document: documentOf(
    {
      '/guests': {
        post: {
          operationId: 'createGuest',
          requestBody: body(closed(fields, ['email', 'name'])),
          responses: responses(201, ref('Guest')),
        },
      },
      '/guests/{guestId}': {
        parameters: [inPath('guestId')],
        get: { operationId: 'getGuest', responses: responses(200, ref('Guest')) },
        delete: { operationId: 'deleteGuest', responses: responses(204) },
      },
    },
    { Guest: closed({ id: { type: 'string' }, ...fields }, ['id', 'email', 'name']) },
  ),
  faults: { 'lowers names': 'read-after-create', 'drops a tag': 'read-after-create' },
  handlers(fault) {
    const guests = new Map<string, object>();
    const next = counter('guest');
    return {
      createGuest: ({ body }) => {
        const sent = body as {
          email: string;
          name: string;
          reference?: string;
          tags?: string[];
          starts?: string;
        };
        const guest = {
          id: next(),
          ...sent,
          email: sent.email.toLowerCase(),
          name: fault === 'lowers names' ? sent.name.toUpperCase() : sent.name,
          ...(sent.reference && { reference: sent.reference.toLowerCase() }),
          ...(sent.tags && { tags: sent.tags.toSorted().slice(fault === 'drops a tag' ? 1 : 0) }),
          ...(sent.starts && { starts: new Date(sent.starts).toISOString() }),
        };
        guests.set(guest.id, guest);
        return { status: 201, body: guest };
      },
      getGuest: ({ path }) => ({ status: 200, body: found(guests.get(path.guestId ?? '')) }),
      deleteGuest: ({ path }) => (guests.delete(path.guestId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
