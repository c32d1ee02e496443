import { mediaKindOf } from '../../../server/contract/media-types.ts';
import type { ReplyParts } from '../../../server/contract/response/reply.ts';
import type { DeclaredResponse, MediaType, Operation } from '../model/contract/contract.ts';
import type { SampleValues } from '../model/sample/values.ts';

/** The parts of a validated request that a mock reads. */
export interface MockRequest {
  path: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  /** The media type of the response that the caller prefers, if there are several. */
  responseType?: string | undefined;
  /** URL that the paths of the contract are appended to. */
  baseUrl: string;
  /** Path and query, relative to `baseUrl`. */
  target: string;
}

/** A response. */
export type MockReply = ReplyParts & { status: number };

/** The content of a response in one media type. */
interface ChosenContent {
  type: string;
  media: MediaType;
}

/** The declared response that an operation of a mock returns. */
export interface ChosenResponse {
  status: number;
  /** Declared headers with values, by name in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Names of the declared headers that may be omitted. */
  optional: readonly string[];
  /** Whether a header may have a value. */
  accepts: (name: string, value: string) => boolean;
  content: ChosenContent | undefined;
}

/** Returns the lowest success of an operation, or else its first redirect, or else its `default` response. */
export function chooseResponse(
  operation: Operation,
  request: MockRequest,
  values: SampleValues,
): ChosenResponse {
  const keys = Object.keys(operation.responses).sort();
  const key =
    keys.find((candidate) => candidate.startsWith('2')) ??
    keys.find((candidate) => candidate.startsWith('3')) ??
    'default';
  const declared = operation.responses[key] ?? { headers: {}, content: {}, links: [] };
  const status = /^\d{3}$/.test(key) ? Number(key) : key === 'default' ? 200 : Number(key[0]) * 100;
  const headers = Object.entries(declared.headers);
  return {
    status,
    headers: {
      ...(status >= 300 && status !== 304 && { location: '/' }),
      ...Object.fromEntries(
        headers.flatMap(([name, { required, schema }]) =>
          required ? [[name, String(values.value(schema ?? true, name, 1))]] : [],
        ),
      ),
    },
    optional: headers.flatMap(([name, { required }]) => (required ? [] : [name])),
    accepts: (name, value) => values.accepts(declared.headers[name]?.schema ?? true, value),
    content: chooseContent(declared, request.responseType),
  };
}

function chooseContent(
  { content }: DeclaredResponse,
  preferred: string | undefined,
): ChosenContent | undefined {
  const types = Object.keys(content);
  const type =
    types.find((candidate) => candidate === preferred) ??
    types.find((candidate) => mediaKindOf(candidate) === 'json') ??
    types[0];
  const media = type === undefined ? undefined : content[type];
  return type === undefined || media === undefined ? undefined : { type, media };
}

/**
 * Returns a response.
 *
 * @param json makes the body of a JSON response
 * @param available headers that are sent if they are declared: the first value that the contract permits
 */
export function replyWith(
  { status, headers, optional, accepts }: Omit<ChosenResponse, 'content'>,
  content: ChosenContent | undefined,
  json: () => unknown,
  available: Readonly<Record<string, readonly string[]>>,
): MockReply {
  const permitted = Object.entries(available).flatMap(([name, candidates]) => {
    const isDeclared = name in headers || optional.includes(name);
    const value = isDeclared ? candidates.find((candidate) => accepts(name, candidate)) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const all = { ...headers, ...Object.fromEntries(permitted) };
  return {
    status,
    ...(Object.keys(all).length > 0 && { headers: all }),
    ...(content && { contentType: concreteType(content.type), body: bodyOf(content, json) }),
  };
}

const concreteType = (type: string): string =>
  type.replace('*/*', 'application/octet-stream').replace('/*', '/plain');

function bodyOf({ type, media: { examples } }: ChosenContent, json: () => unknown): unknown {
  const text = examples.find((example) => typeof example === 'string') ?? 'text';
  switch (mediaKindOf(type)) {
    case 'json':
      return json();
    case 'text':
      return scalarText(json()) ?? text;
    case 'events':
      return streamOf([{ data: json() }]);
    case 'lines':
      return streamOf([json()]);
    default:
      return Buffer.from(String(text));
  }
}

/** Returns the text of a text, number or boolean; undefined for values that are not written in this way, as in XML. */
const scalarText = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;

async function* streamOf(values: readonly unknown[]): AsyncGenerator<unknown> {
  yield* values;
}
