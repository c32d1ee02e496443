import {
  type Address,
  contentOf,
  type MockApi,
  type MockForm,
  type MockLibrary,
  pathOf,
} from './mock-apis.ts';

/** A request as it is sent. */
export interface RawRequest {
  method: string;
  path: string;
  /** Names and texts of the parameters of the query. */
  query: [name: string, text: string][];
  headers: Record<string, string>;
  body: RawBody | undefined;
}

/** A body, and its media type unless it is a form: its boundary is not known before it is sent. */
export type RawBody =
  | { contentType: string; content: string | Buffer }
  | { contentType: 'multipart/form-data'; form: FormData };

const REQUEST_TIMEOUT_MS = 10_000;

/** Returns the request that a mock API declares. */
export function rawRequest(
  api: MockApi,
  { expandDyns }: MockLibrary,
  address: Address,
  other?: OtherBody,
): RawRequest {
  const { query = {}, headers = {}, body } = api.request ?? {};
  const texts = Object.entries(expandDyns(headers, address)).map(([name, value]) => [name, String(value)]);
  const sent = other ?? body;
  return {
    method: api.method.toUpperCase(),
    path: pathOf(api),
    query: Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
    ),
    headers: Object.fromEntries(
      // The body has its own.
      texts.filter(([name = '']) => sent === undefined || name.toLowerCase() !== 'content-type'),
    ),
    body:
      sent === undefined
        ? undefined
        : 'kind' in sent
          ? { contentType: 'multipart/form-data', form: formOf(sent) }
          : { contentType: sent.contentType, content: contentOf(sent, address) ?? '' },
  };
}

/** A body that a mock API verifies, but does not declare, or not as the contract does. */
export type OtherBody = { contentType: string; rawContent: string } | MockForm;

function formOf({ parts = {}, files = [] }: MockForm): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const { fieldname, originalname, buffer, mimetype } of files) {
    form.append(fieldname, new Blob([Uint8Array.from(buffer)], { type: mimetype }), originalname);
  }
  return form;
}

/**
 * Writes a query. Commas and pipes separate the items of lists, so that they are not encoded (RFC 6570, section 3.2.8):
 * encoded ones are part of an item.
 */
const searchOf = (query: RawRequest['query']): string =>
  query
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text).replaceAll('%2C', ',')}`)
    .join('&');

/** A response as it is received. */
export interface RawResponse {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** Sends a request. */
export async function sendRaw(baseUrl: string, request: RawRequest): Promise<RawResponse> {
  const { method, path, query, headers, body } = request;
  const response = await fetch(`${baseUrl}${path}${query.length > 0 ? `?${searchOf(query)}` : ''}`, {
    method,
    headers: { ...headers, ...(body && 'content' in body && { 'Content-Type': body.contentType }) },
    body: body === undefined ? null : 'form' in body ? body.form : bytesOf(body.content),
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

const bytesOf = (content: string | Buffer) => Uint8Array.from(Buffer.from(content));
