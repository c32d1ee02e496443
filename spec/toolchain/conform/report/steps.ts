import { truncate } from '../checks/location.ts';
import type { Exchange, WireRequest, WireResponse } from '../wire/exchange.ts';
import { isJsonType } from '../wire/response.ts';

/** Step of a report: request and response, without tokens. */
export interface PresentedStep {
  caller: string;
  request: { method: string; target: string; headers: [name: string, value: string][]; body?: string };
  response?: { status: number; headers: Record<string, string>; body?: string };
  failure?: string;
}

/** Maximum length of a body in a report. */
const MAX_BODY_CHARACTERS = 4_000;

/** Presents an exchange for JSON. Bodies are truncated; binary bodies are replaced by their length. */
export function presentStep({ request, response, failure }: Exchange): PresentedStep {
  const { method, target, headers, caller } = request;
  const sent = bodyOf(request.body, headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]);
  return {
    caller,
    request: { method, target, headers, ...(sent !== undefined && { body: sent }) },
    ...(response && { response: presentResponse(response) }),
    ...(failure !== undefined && { failure }),
  };
}

/** Presents an exchange in two lines of text. */
export function stepLines(exchange: Exchange, number: number): string[] {
  const { request, response, failure } = exchange;
  const body = presentStep(exchange).request.body;
  const callers = {
    own: '',
    second: ' (second token)',
    anonymous: ' (no token)',
    malformed: ' (malformed token)',
    unknown: ' (unknown token)',
  };
  const sent = `${number}. ${request.method} ${truncate(request.target, 300)}${callers[request.caller]}${body === undefined ? '' : ` ${truncate(body, 400)}`}`;
  if (!response) {
    return [sent, `   → ${failure ?? 'no response'}`];
  }
  const responseBody = presentResponse(response).body;
  return [
    sent,
    `   → ${response.status}${responseBody === undefined ? '' : ` ${truncate(responseBody, 400)}`}`,
  ];
}

function presentResponse({ status, headers, body }: WireResponse): NonNullable<PresentedStep['response']> {
  const text = bodyOf(body, headers['content-type']);
  // Cookies are as secret as tokens.
  const { 'set-cookie': _, ...publicHeaders } = headers;
  return { status, headers: publicHeaders, ...(text !== undefined && { body: text }) };
}

function bodyOf(body: WireRequest['body'], mediaType = ''): string | undefined {
  if (body === undefined || body.length === 0) {
    return undefined;
  }
  if (typeof body === 'string') {
    return truncateBody(body);
  }
  const isText = isJsonType(mediaType) || /^text\/|[+/](xml|yaml)\b|x-www-form-urlencoded/i.test(mediaType);
  try {
    if (isText) {
      return truncateBody(new TextDecoder('utf-8', { fatal: true }).decode(body));
    }
  } catch {
    // Presented by its length like other binary bodies.
  }
  return `(${body.length} bytes${mediaType === '' ? '' : ` of ${mediaType}`})`;
}

const truncateBody = (text: string): string =>
  (text.length > MAX_BODY_CHARACTERS
    ? `${text.slice(0, MAX_BODY_CHARACTERS)}… (${text.length} characters)`
    : text
  ).toWellFormed();
