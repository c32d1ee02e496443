import { short } from '../checks/place.ts';
import { isJsonType } from '../wire/answer.ts';
import type { Exchange, WireAnswer, WireRequest } from '../wire/exchange.ts';

/** One step as reports tell it: what was sent and what came, without tokens. */
export interface ToldStep {
  caller: string;
  request: { method: string; target: string; headers: [name: string, value: string][]; body?: string };
  answer?: { status: number; headers: Record<string, string>; body?: string };
  failure?: string;
}

/** The most signs of a body that a report holds. */
const MOST = 4_000;

/** Tells what was sent and what came. Bodies are cut, and such as are no text told by their length. */
export function toldStep({ request, answer, failure }: Exchange): ToldStep {
  const { method, target, headers, caller } = request;
  const sent = bodyOf(request.body, headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]);
  return {
    caller,
    request: { method, target, headers, ...(sent !== undefined && { body: sent }) },
    ...(answer && { answer: toldAnswer(answer) }),
    ...(failure !== undefined && { failure }),
  };
}

/** The same in two lines for people. */
export function stepLines(exchange: Exchange, place: number): string[] {
  const { request, answer, failure } = exchange;
  const body = toldStep(exchange).request.body;
  const who = {
    own: '',
    second: ' (second token)',
    nobody: ' (no token)',
    malformed: ' (malformed token)',
    unknown: ' (unknown token)',
  };
  const sent = `${place}. ${request.method} ${short(request.target, 300)}${who[request.caller]}${body === undefined ? '' : ` ${short(body, 400)}`}`;
  if (!answer) return [sent, `   → ${failure ?? 'no answer'}`];
  const came = toldAnswer(answer).body;
  return [sent, `   → ${answer.status}${came === undefined ? '' : ` ${short(came, 400)}`}`];
}

function toldAnswer({ status, headers, body }: WireAnswer): NonNullable<ToldStep['answer']> {
  const text = bodyOf(body, headers['content-type']);
  // What a server gives to keep is as secret as a token.
  const { 'set-cookie': _, ...open } = headers;
  return { status, headers: open, ...(text !== undefined && { body: text }) };
}

function bodyOf(body: WireRequest['body'], mediaType = ''): string | undefined {
  if (body === undefined || body.length === 0) return undefined;
  if (typeof body === 'string') return cut(body);
  const isText = isJsonType(mediaType) || /^text\/|[+/](xml|yaml)\b|x-www-form-urlencoded/i.test(mediaType);
  try {
    if (isText) return cut(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // It is told by its length, as other bytes are.
  }
  return `(${body.length} bytes${mediaType === '' ? '' : ` of ${mediaType}`})`;
}

const cut = (text: string): string =>
  (text.length > MOST ? `${text.slice(0, MOST)}… (${text.length} signs)` : text).toWellFormed();
