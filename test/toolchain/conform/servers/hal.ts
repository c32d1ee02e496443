import {
  body,
  closed,
  counter,
  documentOf,
  found,
  type Habit,
  inPath,
  inQuery,
  ref,
  reject,
  responses,
} from '../habit.ts';

const link = closed({ href: { type: 'string' } }, ['href']);

/** HAL: items in `_embedded`, and the address of the next page in `_links`. */
export const hal: Habit = {
  document: documentOf(
    {
      '/orders': {
        get: {
          operationId: 'listOrders',
          parameters: [
            inQuery('after', { type: 'string' }),
            inQuery('limit', { type: 'integer', minimum: 1, maximum: 20, default: 2 }),
          ],
          responses: responses(200, ref('OrderPage'), 'application/hal+json'),
        },
        post: {
          operationId: 'createOrder',
          requestBody: body(closed({ total: { type: 'integer' } }, ['total'])),
          responses: responses(201, ref('Order'), 'application/hal+json'),
        },
      },
      '/orders/{orderId}': {
        parameters: [inPath('orderId')],
        get: { operationId: 'getOrder', responses: responses(200, ref('Order'), 'application/hal+json') },
        delete: { operationId: 'deleteOrder', responses: responses(204) },
      },
    },
    {
      Order: closed({ id: { type: 'string' }, total: { type: 'integer' }, _links: closed({ self: link }) }, [
        'id',
        'total',
      ]),
      OrderPage: closed(
        {
          _links: closed({ self: link, next: link }),
          _embedded: closed({ orders: { type: 'array', items: ref('Order') } }, ['orders']),
        },
        ['_links', '_embedded'],
      ),
    },
  ),
  faults: { 'repeats the last order of a page': 'pages-complete', 'loses orders': 'read-after-create' },
  handlers(fault) {
    const orders = new Map<string, { id: string; total: unknown; _links: object }>();
    const next = counter('order');
    return {
      listOrders: ({ query }) => {
        const all = [...orders.values()];
        const limit = Number(query.limit ?? 2);
        const found = all.findIndex(({ id }) => id === query.after) + 1;
        const from = fault === 'repeats the last order of a page' && found > 0 ? found - 1 : found;
        const page = all.slice(from, from + limit);
        const last = page.at(-1)?.id;
        const more = all.length > from + limit && last !== undefined;
        const links = {
          self: { href: '/orders' },
          ...(more && { next: { href: `/orders?after=${last}&limit=${limit}` } }),
        };
        return { status: 200, body: { _links: links, _embedded: { orders: page } } };
      },
      createOrder: ({ body }) => {
        const id = next();
        const order = {
          id,
          total: (body as { total: number }).total,
          _links: { self: { href: `/orders/${id}` } },
        };
        if (fault !== 'loses orders') {
          orders.set(id, order);
        }
        return { status: 201, body: order };
      },
      getOrder: ({ path }) => ({ status: 200, body: found(orders.get(path.orderId ?? '')) }),
      deleteOrder: ({ path }) => (orders.delete(path.orderId ?? '') ? { status: 204 } : reject(404)),
    };
  },
};
