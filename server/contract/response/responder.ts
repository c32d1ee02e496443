import type { Request } from 'express';
import type { OpenApiDocument, OperationObject, ResponseObject } from '../document.ts';
import { notAcceptable } from '../errors.ts';
import { isObject } from '../json-values.ts';
import { isMediaRange, type MediaKind, matchMediaType, mediaKindOf, parseMediaType } from '../media-types.ts';
import { textCheck } from '../request/bodies/text.ts';
import type { CheckValue } from '../validation/schema-check.ts';
import type { Validation } from '../validation/validation.ts';
import { preferredType } from './accept.ts';
import { JsonBody } from './json.ts';
import { isReply, type ReplyParts } from './reply.ts';

/** A response that conforms to the contract, as far as it is checked. */
export interface CheckedResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Undefined if there is no body. */
  kind: MediaKind | undefined;
  /** The media type of the body. */
  contentType: string;
  /** In JSON, a {@link JsonBody}. */
  body: unknown;
}

/** Turns the results of one operation's handler into responses. */
export interface Responder {
  /**
   * Returns the media type that the caller prefers, as declared; undefined if no success response has a body.
   *
   * @throws ContractError 406 if the caller accepts none
   */
  negotiate(req: Request): string | undefined;
  /**
   * Checks a result against the contract.
   *
   * @param headersOf returns response headers that the handler does not return itself
   * @throws Error if the status, the presence of a body or its media type is undeclared; with validation, also if the
   *   body or the headers are invalid
   */
  check(result: unknown, headersOf: (body: unknown) => Record<string, string>): CheckedResponse;
}

/** A declared success response. */
interface Success {
  key: string;
  content: ReadonlyMap<string, { declared: string; kind: MediaKind; check: CheckValue }>;
  /** The media type, if there is only one. */
  onlyType: string | undefined;
  headers: ReadonlyMap<string, DeclaredHeader>;
  declaresHeaders: boolean;
}

interface DeclaredHeader {
  isRequired: boolean;
  check: (text: string) => string | undefined;
}

/**
 * Creates the responder of an operation.
 *
 * @param validation validates bodies; undefined if responses are not validated
 */
export function createResponder(
  document: OpenApiDocument,
  { operationId: id, responses }: OperationObject,
  validation: Validation | undefined,
): Responder {
  const successes = new Map(
    successesOf(responses).map((key) => [key, successOf(document, key, responses[key])]),
  );
  const all = [...successes.values()];
  const types = [...new Set(all.flatMap(({ content }) => [...content.keys()]))];
  const isNegotiable = types.length > 0 && !types.some(isMediaRange);
  const [first] = all;
  const plain = all.length === 1 && first && isPlain(first) ? first : undefined;
  // Not a number for a range and `default`.
  const onlyStatus = all.length === 1 ? Number(first?.key) : Number.NaN;

  return {
    negotiate(req) {
      if (!isNegotiable) {
        return types[0];
      }
      const preferred = preferredType(req, types);
      if (preferred === undefined) {
        throw notAcceptable(types);
      }
      return preferred;
    },
    check(result, headersOf) {
      if (all.length === 0) {
        return undeclaredSuccess(id, result);
      }
      // Without a declared body, an object with a status is no body.
      const isBody =
        plain !== undefined && !(plain.content.size === 0 && isObject(result) && 'status' in result);
      const parts = partsOf(id, result, isBody);
      const status = parts.status ?? onlyStatus;
      const success = plain && status === onlyStatus ? plain : declaredFor(successes, status);
      if (!success) {
        throw new Error(`${id} returned status ${status}, which the contract does not declare.`);
      }
      const { body } = parts;
      if ((success.content.size === 0) !== (body === undefined)) {
        throw new Error(
          `${id} returned status ${status} ${body === undefined ? 'without a body' : 'with a body'}, contrary to the contract.`,
        );
      }
      const contentType = parts.contentType ?? success.onlyType ?? '';
      const media = body === undefined ? undefined : matchMediaType(success.content, contentType);
      if (body !== undefined && !media) {
        throw new Error(
          `${id} returned the media type "${contentType}", which the contract does not declare.`,
        );
      }
      const headers =
        success.declaresHeaders || parts.headers
          ? { ...(success.declaresHeaders && headersOf(body)), ...textHeaders(parts.headers) }
          : NO_HEADERS;
      const sent = media?.kind === 'json' ? new JsonBody(body) : body;
      if (validation) {
        if (media) {
          checkBody(validation, success.key, media, sent, `${id} returned status ${status} with a body`);
        }
        checkHeaders(success, headers, `${id} returned status ${status}`);
      }
      return { status, headers, kind: media?.kind, contentType, body: sent };
    },
  };
}

/**
 * Returns the response of an operation that declares only errors. Its successes are not documented, and not forbidden
 * (OpenAPI 3.1, Responses Object).
 */
function undeclaredSuccess(id: string, result: unknown): CheckedResponse {
  const { status = 204, body, contentType, headers } = partsOf(id, result ?? {}, false);
  if (!Number.isInteger(status) || status < 200 || status > 399) {
    throw new Error(`${id} returned status ${status}. Errors are thrown.`);
  }
  const type = contentType ?? 'application/json';
  const kind = body === undefined ? undefined : mediaKindOf(parseMediaType(type).essence);
  const sent = kind === 'json' ? new JsonBody(body) : body;
  return { status, headers: textHeaders(headers), kind, contentType: type, body: sent };
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** Returns the statuses that a handler may return: 2xx and 3xx, or `default` if the contract declares no other success. */
export function successesOf(responses: Readonly<Record<string, unknown>>): string[] {
  const statuses = Object.keys(responses).filter((status) => /^[23](?:\d\d|XX)$/i.test(status));
  return statuses.length > 0 || !('default' in responses) ? statuses : ['default'];
}

function successOf(document: OpenApiDocument, key: string, response: ResponseObject = {}): Success {
  const content = Object.entries(response.content ?? {}).map(
    ([declared, { schema }]) =>
      [declared, { declared, kind: mediaKindOf(declared), check: textCheck(document, schema) }] as const,
  );
  const types = content.map(([type]) => type);
  const headers = Object.entries(response.headers ?? {}).map(([name, { required, schema }]) => {
    const check = textCheck(document, schema);
    return [
      name.toLowerCase(),
      { isRequired: required === true, check: (text: string) => check(text)[0]?.message },
    ] as const;
  });
  return {
    key,
    content: new Map(content),
    onlyType: types.length === 1 && !types.some(isMediaRange) ? types[0] : undefined,
    headers: new Map(headers),
    declaresHeaders: headers.length > 0,
  };
}

/** A single success (2xx) with at most one media type: the body alone determines the response. */
const isPlain = ({ key, content, onlyType }: Success) =>
  /^2\d\d$/.test(key) && (content.size === 0 || onlyType !== undefined);

function partsOf(id: string, result: unknown, isBody: boolean): ReplyParts {
  if (isReply(result)) {
    return result.parts;
  }
  if (isBody) {
    return { body: result };
  }
  if (typeof result !== 'object' || result === null) {
    throw new Error(`${id} returned no object with a status, which the contract does not declare as a body.`);
  }
  // The type of the handler requires these parts, and each part is checked.
  return result;
}

function declaredFor(successes: ReadonlyMap<string, Success>, status: number): Success | undefined {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return undefined;
  }
  const range = `${Math.floor(status / 100)}XX`;
  return (
    successes.get(String(status)) ??
    successes.get(range) ??
    successes.get(range.toLowerCase()) ??
    successes.get('default')
  );
}

function textHeaders(headers: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function checkBody(
  validation: Validation,
  key: string,
  { declared, kind, check }: { declared: string; kind: MediaKind; check: CheckValue },
  body: unknown,
  subject: string,
): void {
  if (body instanceof JsonBody) {
    validation.response(key, declared, body.received());
  } else if (kind === 'text' && typeof body === 'string') {
    const [fault] = check(body);
    if (fault) {
      throw new Error(`${subject} that violates the contract: it ${fault.message}`);
    }
  }
}

/** `Location` is permitted in every redirect, and required except in those that offer a choice or confirm a copy. */
const REDIRECTS = /^3(?:01|02|03|07|08)$/;

function checkHeaders(
  { key, headers }: Success,
  sent: Readonly<Record<string, string>>,
  subject: string,
): void {
  const names = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, { isRequired, check }] of headers) {
    const value = names.get(name);
    const problem = value === undefined ? isRequired && 'is missing' : check(value);
    if (problem) {
      throw new Error(`${subject} with headers that violate the contract: ${name} ${problem}`);
    }
  }
  const isRedirect = REDIRECTS.test(key);
  if (isRedirect && !names.has('location')) {
    throw new Error(`${subject} without the header Location.`);
  }
  for (const name of names.keys()) {
    if (!headers.has(name) && !(isRedirect && name === 'location')) {
      throw new Error(`${subject} with the header ${name}, which the contract does not declare.`);
    }
  }
}
