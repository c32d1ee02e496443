import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

// A server that shares only HTTP with the library: an older version of OpenAPI, integer ids in snake case, an API key
// in a header, an envelope, creations that return only a `Location`, and lists by offset.

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string) => ({
  description: name,
  content: { 'application/json': { schema: ref(name) } },
});
const number = (name: string) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'integer', minimum: 1 },
});
const rejected = {
  '400': json('problem'),
  '401': json('problem'),
  '404': json('problem'),
  '409': json('problem'),
  '415': json('problem'),
};
const createdResponse = {
  description: 'Created',
  headers: { Location: { required: true, schema: { type: 'string' } } },
};
const body = (name: string) => ({ required: true, content: { 'application/json': { schema: ref(name) } } });
const strict = { type: 'object', additionalProperties: false };

/** Contract of the server. */
export const garageDocument = {
  openapi: '3.0.3',
  info: { title: 'Garage', version: '2' },
  security: [{ key: [] }],
  paths: {
    '/api/customers': {
      get: {
        parameters: [
          { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } },
          {
            name: 'per_page',
            in: 'query',
            schema: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
          },
        ],
        responses: { '200': json('customer_page'), ...rejected },
      },
      post: { requestBody: body('new_customer'), responses: { '201': createdResponse, ...rejected } },
    },
    '/api/customers/{customer_id}': {
      parameters: [number('customer_id')],
      get: { responses: { '200': json('customer_envelope'), ...rejected } },
      put: {
        requestBody: body('new_customer'),
        responses: { '204': { description: 'Updated' }, ...rejected },
      },
      delete: { responses: { '204': { description: 'Deleted' }, ...rejected } },
    },
    '/api/cars': {
      post: { requestBody: body('new_car'), responses: { '201': createdResponse, ...rejected } },
    },
    '/api/cars/{number}': {
      parameters: [number('number')],
      get: { responses: { '200': json('car'), ...rejected } },
      delete: { responses: { '204': { description: 'Deleted' }, ...rejected } },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    schemas: {
      problem: { type: 'object', properties: { reason: { type: 'string' } } },
      new_customer: {
        ...strict,
        required: ['full_name'],
        properties: {
          full_name: { type: 'string', minLength: 2, maxLength: 30 },
          nickname: { type: 'string', nullable: true, maxLength: 10 },
        },
      },
      customer: {
        ...strict,
        required: ['customer_id', 'full_name'],
        properties: {
          customer_id: { type: 'integer' },
          full_name: { type: 'string', minLength: 2, maxLength: 30 },
          nickname: { type: 'string', nullable: true, maxLength: 10 },
        },
      },
      customer_envelope: { ...strict, required: ['data'], properties: { data: ref('customer') } },
      customer_page: {
        ...strict,
        required: ['data', 'total'],
        properties: { data: { type: 'array', items: ref('customer') }, total: { type: 'integer' } },
      },
      new_car: {
        ...strict,
        required: ['customer_id', 'doors'],
        properties: { customer_id: { type: 'integer' }, doors: { type: 'integer', enum: [2, 3, 5] } },
      },
      car: {
        ...strict,
        required: ['number', 'customer_id', 'doors'],
        properties: {
          number: { type: 'integer' },
          customer_id: { type: 'integer' },
          doors: { type: 'integer', enum: [2, 3, 5] },
        },
      },
    },
  },
};

/** Possible bugs of the garage. */
export type GarageBug = 'omits the last item of a page' | 'ignores updates';

/** API key that it requires. */
export const garageKey = 'key-of-the-garage';

interface Customer {
  customer_id: number;
  full_name: string;
  nickname?: string | null;
}
interface Car {
  number: number;
  customer_id: number;
  doors: number;
}
type Result = [status: number, body?: unknown, headers?: Record<string, string>];

/** A garage on loopback, in memory. */
export async function startGarage(
  ...bugs: GarageBug[]
): Promise<AsyncDisposable & { url: URL; count(): number }> {
  const customers = new Map<number, Customer>();
  const cars = new Map<number, Car>();
  let last = 100;
  const next = () => {
    last += 1;
    return last;
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const [status, value, headers = {}] = reply(request, Buffer.concat(chunks));
    response.writeHead(status, {
      ...headers,
      ...(value !== undefined && { 'content-type': 'application/json' }),
    });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  });

  function reply(request: IncomingMessage, content: Buffer): Result {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server/');
    const [, collection, id, ...more] = pathname.split('/').slice(1);
    const method = request.method ?? '';
    if (!pathname.startsWith('/api/') || more.length > 0) {
      return problem(404);
    }
    if (collection !== 'customers' && collection !== 'cars') {
      return problem(404);
    }
    const methods =
      id !== undefined
        ? ['GET', ...(collection === 'customers' ? ['PUT'] : []), 'DELETE']
        : [...(collection === 'customers' ? ['GET'] : []), 'POST'];
    if (!methods.includes(method)) {
      return [405, undefined, { allow: methods.join(', ') }];
    }
    if (request.headers['x-key'] !== garageKey) {
      return problem(401);
    }
    if (id !== undefined && !/^[1-9]\d{0,15}$/.test(id)) {
      return problem(400);
    }
    const fields = method === 'POST' || method === 'PUT' ? read(request, content) : {};
    if (typeof fields === 'number') {
      return problem(fields);
    }
    return collection === 'cars'
      ? serveCars(method, id, fields)
      : serveCustomers(method, id, fields, searchParams);
  }

  function serveCars(method: string, id: string | undefined, fields: Record<string, unknown>): Result {
    if (method === 'POST') {
      const { customer_id: customerId, doors, ...surplus } = fields;
      const isValid =
        Number.isInteger(customerId) &&
        [2, 3, 5].includes(doors as number) &&
        Object.keys(surplus).length === 0;
      if (!isValid) {
        return problem(400);
      }
      if (!customers.has(customerId as number)) {
        return problem(409);
      }
      const car = { number: next(), customer_id: customerId as number, doors: doors as number };
      cars.set(car.number, car);
      return [201, undefined, { location: `/api/cars/${car.number}` }];
    }
    const car = cars.get(Number(id));
    if (!car) {
      return problem(404);
    }
    if (method === 'GET') {
      return [200, car];
    }
    cars.delete(car.number);
    return [204];
  }

  function serveCustomers(
    method: string,
    id: string | undefined,
    fields: Record<string, unknown>,
    query: URLSearchParams,
  ): Result {
    if (method === 'GET' && id === undefined) {
      if (new Set(query.keys()).size !== [...query.keys()].length) {
        return problem(400);
      }
      const [offset, limit] = [query.get('offset') ?? '0', query.get('per_page') ?? '10'];
      if (!/^\d{1,16}$/.test(offset) || !/^[1-9]\d?$/.test(limit) || Number(limit) > 50) {
        return problem(400);
      }
      const all = [...customers.values()];
      const page = all.slice(Number(offset), Number(offset) + Number(limit));
      const shown =
        bugs.includes('omits the last item of a page') && page.length > 1 ? page.slice(0, -1) : page;
      return [200, { data: shown, total: all.length }];
    }
    const { full_name: name, nickname, ...surplus } = fields;
    if (method === 'POST' || method === 'PUT') {
      const length = typeof name === 'string' ? [...name].length : 0;
      const short =
        nickname === undefined ||
        nickname === null ||
        (typeof nickname === 'string' && [...nickname].length <= 10);
      if (length < 2 || length > 30 || !short || Object.keys(surplus).length > 0) {
        return problem(400);
      }
    }
    if (method === 'POST') {
      const id = next();
      customers.set(id, { customer_id: id, ...(fields as Omit<Customer, 'customer_id'>) });
      return [201, undefined, { location: `http://garage.test/api/customers/${id}` }];
    }
    const customer = customers.get(Number(id));
    if (!customer) {
      return problem(404);
    }
    if (method === 'GET') {
      return [200, { data: customer }];
    }
    if (method === 'DELETE') {
      customers.delete(customer.customer_id);
    } else if (!bugs.includes('ignores updates')) {
      customers.set(customer.customer_id, {
        customer_id: customer.customer_id,
        ...(fields as Omit<Customer, 'customer_id'>),
      });
    }
    return [204];
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    count: () => customers.size + cars.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const problem = (status: number): Result => [status, { reason: `status ${status}` }];

/** Returns the object of a body, or the status of its rejection. */
function read({ headers }: IncomingMessage, content: Buffer): Record<string, unknown> | number {
  if (!/^application\/json(; charset=utf-8)?$/i.test(headers['content-type'] ?? '')) {
    return 415;
  }
  if (headers['content-encoding']) {
    return 415;
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return 400;
    }
    return { ...value };
  } catch {
    return 400;
  }
}
