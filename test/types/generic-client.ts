// Checked by `tsc`, never run: the client of another contract, with errors and lists of its own.
import {
  ApiError,
  createClient,
  cursorPages,
  type Data,
  linkPages,
  offsetPages,
  ok,
  paginate,
} from '../../client/index.ts';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_ extends true>() => {};

interface Issue {
  number: number;
  title: string;
}

interface Conflict {
  conflict: { with: string };
}

interface Json<Body> {
  headers: Record<string, unknown>;
  content: { 'application/json': Body };
}

/** As `openapi-typescript` writes it. */
interface Paths {
  '/issues': {
    get: {
      parameters: { query?: { page?: number; per_page?: number } };
      responses: { 200: Json<Issue[]> };
    };
    post: {
      parameters: { query?: never };
      requestBody: { content: { 'application/json': { title: string } } };
      responses: { 201: Json<Issue>; 409: Json<Conflict>; default: Json<{ message: string }> };
    };
  };
  '/charges': {
    get: {
      parameters: { query?: { starting_after?: string } };
      responses: { 200: Json<{ data: { id: string }[]; has_more: boolean }> };
    };
  };
  '/orders': {
    get: {
      parameters: { query?: { offset?: number } };
      responses: { 200: Json<{ results: { sku: string }[]; total: number }> };
    };
  };
  '/messages': {
    get: {
      parameters: { query?: { page?: string } };
      responses: { 200: Json<{ items: Issue[]; next?: { page: string } | null }> };
    };
  };
  '/tokens': {
    get: {
      parameters: { query?: never };
      responses: { 200: Json<{ items: Issue[]; next: string | null }> };
    };
  };
  '/events': {
    get: {
      parameters: { query?: never };
      responses: { 200: { content: { 'application/jsonl': Issue; 'application/json-seq': Issue } } };
    };
    post: {
      parameters: { query?: never };
      requestBody: { content: { 'application/stream+json': Issue; 'text/json': Issue } };
      responses: {
        200: { content: { 'application/vnd.issue+json; v=1': Issue; 'application/stream+json': Conflict } };
      };
    };
  };
  '/health': { head: { parameters: { query?: never }; responses: { 204: { content?: never } } } };
}

const client = createClient<Paths>({ baseUrl: 'https://api.example.com' });

export async function errors() {
  const { data, error } = await client.POST('/issues', { body: { title: 'Broken' } });
  if (error?.status === 409) {
    same<Equal<typeof error.body, Conflict | undefined>>();
  } else if (error) {
    same<Equal<typeof error.body, { message: string } | undefined>>();
  } else {
    same<Equal<typeof data, Issue>>();
  }
  // @ts-expect-error: no status of an error response
  error?.status === 200;

  const listed = await client.GET('/issues');
  same<Equal<NonNullable<typeof listed.error>['body'], unknown>>();

  const own = createClient<Paths, { problem: string }>({ baseUrl: 'https://api.example.com' });
  const result = await own.GET('/issues');
  same<Equal<NonNullable<typeof result.error>['body'], { problem: string } | undefined>>();
  same<Equal<Awaited<ReturnType<typeof client.HEAD<'/health'>>>['data'], undefined>>();
}

export async function lists() {
  for await (const issue of paginate(
    client,
    '/issues',
    { params: { query: { per_page: 100 } } },
    linkPages(),
  )) {
    same<Equal<typeof issue, Issue>>();
  }
  const charges = cursorPages({
    items: (page: Data<Paths, '/charges', 'get'>) => page.data,
    cursor: (page) => (page.has_more ? page.data.at(-1)?.id : undefined),
    parameter: 'starting_after',
  });
  for await (const charge of paginate(client, '/charges', {}, charges)) {
    same<Equal<typeof charge, { id: string }>>();
  }
  const orders = paginate(
    client,
    '/orders',
    {},
    offsetPages({ items: (page) => page.results, parameter: 'offset' }),
  );
  for await (const order of orders) {
    same<Equal<typeof order, { sku: string }>>();
  }
  for await (const page of orders.pages()) {
    same<Equal<typeof page.total, number>>();
  }
  for await (const message of paginate(client, '/messages')) {
    same<Equal<typeof message, Issue>>();
  }
  // @ts-expect-error: its next is a cursor, not an object with a page
  paginate(client, '/tokens');
  // @ts-expect-error: without a shape, only pages with items and next are lists
  paginate(client, '/issues');
  // @ts-expect-error: the items of another shape
  paginate(client, '/orders', {}, linkPages());
}

export async function lines(stream: ReadableStream<Uint8Array>, issue: Issue) {
  const events = await ok(client.GET('/events', { parseAs: 'text' }));
  same<Equal<typeof events, string>>();
  // @ts-expect-error: lines of JSON are not JSON, so how to read them is required
  await client.GET('/events');
  const created = await ok(client.POST('/events', { body: stream, contentType: 'application/stream+json' }));
  same<Equal<typeof created, Issue>>();
  // @ts-expect-error: lines of JSON are sent as bytes
  await client.POST('/events', { body: issue, contentType: 'application/stream+json' });
  await client.POST('/events', { body: '{}', contentType: 'text/json' });
  // @ts-expect-error: the media types of JSON are application/json and those that end with +json
  await client.POST('/events', { body: issue, contentType: 'text/json' });
}

export async function styles() {
  await client.GET('/issues', { params: { query: { page: 1 } }, styles: { query: { page: ',' } } });
  // @ts-expect-error: no such parameter
  await client.GET('/issues', { styles: { query: { pages: ',' } } });
  // @ts-expect-error: no such style
  await client.GET('/issues', { styles: { query: { page: ';' } } });
  // @ts-expect-error: the operation has no query parameters
  await client.GET('/tokens', { styles: { query: { page: ',' } } });
}

export function caught(error: unknown): string | undefined {
  return error instanceof ApiError ? error.reason : undefined;
}

export function cookieDetails({ details }: ApiError): boolean {
  return details.some((detail) => detail.in === 'cookie');
}

export const issue = (): Promise<Issue> => ok(client.POST('/issues', { body: { title: 'Broken' } }));
