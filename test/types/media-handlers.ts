// Checked by `tsc`, never run: what handlers of bodies, parameters and responses of all kinds receive and return.
import type { Readable } from 'node:stream';
import {
  type Handlers,
  type MultipartBody,
  type RequestContext,
  reply,
  type ServerSentEvent,
} from '../../server/contract/index.ts';
import type { Operations, Order } from '../contract/bodies/media-contract.ts';

type Principals = { Token: { user: string } };
type Table = { createOrder: { secured: true; defaults: Record<never, never> } };
type All = Handlers<Operations, Table, RequestContext<Principals>>;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <_ extends true>() => {};
declare const bytes: Uint8Array;
declare const events: AsyncIterable<ServerSentEvent>;

export const bodies: Partial<All> = {
  async createOrder({ body }, { principals }) {
    same<Equal<typeof body, Order>>();
    // The operation requires a credential of the only scheme.
    return principals.Token.user;
  },
  async replaceOrders({ body }, { principals }) {
    same<
      Equal<
        typeof body,
        | { readonly contentType: 'application/json'; readonly value: Order[] }
        | { readonly contentType: 'application/vnd.orders+json'; readonly value: { orders: unknown[] } }
        | { readonly contentType: 'text/csv'; readonly value: string }
      >
    >();
    // @ts-expect-error: the operation has no row that requires a credential
    principals.Token.user;
    return body.contentType === 'text/csv' ? body.value.length : null;
  },
  async createNote({ body }) {
    same<Equal<typeof body, string | undefined>>();
    return body;
  },
  async replaceFile({ body }) {
    same<Equal<typeof body, Readable>>();
    return null;
  },
  async createImage({ body }) {
    same<Equal<NonNullable<typeof body>['contentType'], `image/${string}` | 'application/pdf'>>();
    return null;
  },
  async createImport({ body }) {
    const form: Awaited<ReturnType<(typeof body)['read']>> = await body.read();
    same<Equal<typeof form.title, string>>();
    same<Equal<typeof form.cover, File | undefined>>();
    same<Equal<typeof form.pages, File[]>>();
    for await (const part of body) {
      if (part.name === 'count') {
        same<Equal<typeof part.value, number>>();
      }
      if (part.name === 'labels') {
        same<Equal<typeof part.value, string>>();
      }
      if (part.name === 'pages') {
        same<Equal<typeof part.stream, Readable>>();
      }
    }
    return null;
  },
  async getParameters({ headers, cookies }) {
    same<Equal<(typeof headers)['X-Trace'], string>>();
    same<Equal<(typeof headers)['X-Tags'], number[] | undefined>>();
    same<Equal<typeof cookies.session, string>>();
    // @ts-expect-error: no such header
    headers['X-Other'];
    return null;
  },
  async getExport({ responseType }) {
    same<Equal<typeof responseType, 'application/json' | 'text/csv' | `image/${string}`>>();
    return { status: 303, headers: { location: '/' } };
  },
};

export const exports: Record<string, All['getExport']> = {
  json: async () => ({ status: 200, contentType: 'application/json', body: { id: 1 } }),
  csv: async () => ({ status: 200, contentType: 'text/csv', body: 'id' }),
  image: async () => ({ status: 200, contentType: 'image/png', body: bytes }),
  accepted: async () => ({ status: 202, body: 'soon' }),
  // @ts-expect-error: the status of several is required
  noStatus: async () => ({ contentType: 'text/csv', body: 'id' }),
  // @ts-expect-error: the media type of several is required
  untyped: async () => ({ status: 200, body: { id: 1 } }),
  // @ts-expect-error: the body of another media type
  crossed: async () => ({ status: 200, contentType: 'text/csv', body: bytes }),
  // @ts-expect-error: a redirect without its header
  redirect: async () => ({ status: 303 }),
};

export const files: Record<string, All['getFile']> = {
  plain: async () => bytes,
  withHeaders: async () => reply({ headers: { ETag: '"1"', 'X-Parts': 1 }, body: bytes }),
  // @ts-expect-error: a header of another type
  wrongHeader: async () => reply({ headers: { ETag: '"1"', 'X-Parts': 'one' }, body: bytes }),
  // @ts-expect-error: a required header is missing
  missingHeader: async () => reply({ headers: {}, body: bytes }),
  // @ts-expect-error: a body that is not binary
  text: async () => 'text',
};

export const others: Partial<All> = {
  listEvents: async () => events,
  listLines: async () =>
    (async function* () {
      yield { n: 1 };
    })(),
  getPage: async () => '<p>',
  getLink: async () => ({ headers: { Location: '/' } }),
  getAnything: async () => ({ status: 418, body: null }),
  deleteParameters: async () => undefined,
};
export const wrong: Partial<All> = {
  // @ts-expect-error: text instead of events
  listEvents: async () => 'data: a',
  // @ts-expect-error: a redirect without Location
  getLink: async () => ({ status: 302 }),
  // @ts-expect-error: a default response requires a status
  getAnything: async () => null,
};

export const multipart = (body: MultipartBody<{ title: string }>) => body.read();
