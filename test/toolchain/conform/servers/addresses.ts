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

const name = { type: 'string', maxLength: 9 };
const invoiceWrite = closed({ name }, ['name']);

/** Resources without ids: their own URLs identify them, as links (HAL) or as a field. Their names identify nothing. */
export const addresses: Habit = {
  document: documentOf(
    {
      '/invoices': {
        get: {
          operationId: 'listInvoices',
          responses: responses(
            200,
            closed(
              { _embedded: closed({ invoices: { type: 'array', items: ref('Invoice') } }, ['invoices']) },
              ['_embedded'],
            ),
            'application/hal+json',
          ),
        },
        post: {
          operationId: 'createInvoice',
          requestBody: body(invoiceWrite),
          responses: responses(201, ref('Invoice'), 'application/hal+json'),
        },
      },
      '/invoices/{invoiceId}': {
        parameters: [inPath('invoiceId')],
        get: { operationId: 'getInvoice', responses: responses(200, ref('Invoice'), 'application/hal+json') },
        delete: { operationId: 'deleteInvoice', responses: responses(204) },
      },
      '/invoices/{invoiceId}/payments': {
        parameters: [inPath('invoiceId')],
        post: {
          operationId: 'createPayment',
          requestBody: body(closed({ name }, ['name'])),
          responses: responses(201, ref('Payment')),
        },
      },
      '/invoices/{invoiceId}/payments/{paymentId}': {
        parameters: [inPath('invoiceId'), inPath('paymentId')],
        get: { operationId: 'getPayment', responses: responses(200, ref('Payment')) },
      },
    },
    {
      Invoice: closed(
        { name, _links: closed({ self: closed({ href: { type: 'string' } }, ['href']) }, ['self']) },
        ['name', '_links'],
      ),
      Payment: closed({ name, self: { type: 'string' } }, ['name', 'self']),
    },
  ),
  faults: {
    'loses invoices': 'read-after-create',
    'loses payments': 'read-after-create',
    'omits invoices': 'list-contains-created',
  },
  handlers(fault) {
    const next = counter('n');
    const invoices = new Map<string, { invoice: object; payments: Map<string, object> }>();
    const invoiceOf = ({ invoiceId = '' }: Record<string, string>) => found(invoices.get(invoiceId));
    return {
      listInvoices: () => ({
        status: 200,
        body: {
          _embedded: {
            invoices: fault === 'omits invoices' ? [] : [...invoices.values()].map(({ invoice }) => invoice),
          },
        },
      }),
      createInvoice: ({ body }) => {
        const id = next();
        const invoice = {
          ...(body as object),
          _links: { self: { href: `https://api.example.com/v1/invoices/${id}` } },
        };
        if (fault !== 'loses invoices') {
          invoices.set(id, { invoice, payments: new Map() });
        }
        return { status: 201, body: invoice };
      },
      getInvoice: ({ path }) => ({ status: 200, body: invoiceOf(path).invoice }),
      deleteInvoice: ({ path }) => (invoices.delete(path.invoiceId ?? '') ? { status: 204 } : reject(404)),
      createPayment: ({ path, body }) => {
        const id = next();
        const payment = {
          ...(body as object),
          self: `/invoices/${path.invoiceId}/payments/${id}?expand=all`,
        };
        const { payments } = invoiceOf(path);
        if (fault !== 'loses payments') {
          payments.set(id, payment);
        }
        return { status: 201, body: payment };
      },
      getPayment: ({ path }) => ({
        status: 200,
        body: found(invoiceOf(path).payments.get(path.paymentId ?? '')),
      }),
    };
  },
};
