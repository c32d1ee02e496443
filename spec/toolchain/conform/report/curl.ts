import type { Contract, Operation } from '../contract/contract.ts';
import type { Plan, Reference } from '../plan/plan.ts';
import { type Credential, credentialsOf, UNKNOWN_END } from '../wire/credentials.ts';
import type { Exchange, WireRequest } from '../wire/exchange.ts';
import { requestWith } from '../wire/request.ts';
import { quoted } from './shell.ts';
import { type Form, Variables } from './variables.ts';

/** Longer words than this are no arguments of a program on Linux (MAX_ARG_STRLEN), so they come through a pipe. */
const LONGEST_WORD = 100_000;

/** With other methods Node says that a body is empty, and curl does not. */
const BODILESS = /^(GET|HEAD|DELETE|OPTIONS|TRACE|CONNECT)$/;

/**
 * The requests of a plan as lines for bash, which send what the wire sent; they need curl, and jq where a request
 * takes a value from an earlier answer. Tokens stay out: `$TOKEN` and `$SECOND_TOKEN` stand for them.
 * @param exchanges what became of the steps; a step that was not sent any more is left out
 */
export function curlLines(
  plan: Plan,
  contract: Contract,
  exchanges: readonly Exchange[],
  baseUrl: string,
): string[] {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const variables = new Variables();
  const lines = plan.steps.slice(0, exchanges.length).flatMap((step, index): (() => string)[] => {
    const operation = operations.get(step.operation);
    if (!operation) return [];
    const line = commandOf(operation, step, variables, baseUrl);
    // Which variables an answer fills shows only after the later steps.
    return [() => variables.filledBy(line, index, exchanges[index])];
  });
  return lines.map((line) => line());
}

function commandOf(
  operation: Operation,
  step: Plan['steps'][number],
  variables: Variables,
  baseUrl: string,
): string {
  // Letters and digits alone come out of percent-encoding and of JSON as they went in.
  const marks = new Map<string, Reference>();
  const request = requestWith(operation, step, (reference) => {
    const mark = `colophonQ${marks.size}Qreference`;
    marks.set(mark, reference);
    return mark;
  });
  const put = (text: string, form: Form): string => withVariables(text, form, marks, variables);

  const address = new URL(baseUrl);
  const target = address.pathname.replace(/\/$/, '') + request.target;
  const { headers, query, cookie } = credentialWords(request);
  const sign = target.includes('?') ? '&' : '?';
  const path = put(target, 'uri') + (query === '' ? '' : `"${sign}${query}"`);
  const words = ['curl -sS --globoff --path-as-is'];
  if (request.method === 'HEAD') words.push('--head');
  else if (request.method !== 'GET' || request.body !== undefined) words.push(`-X ${quoted(request.method)}`);
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  for (const [name, value] of request.headers) {
    // A colon without a value would take the header away.
    const more = cookie !== '' && name.toLowerCase() === 'cookie' ? `"; ${cookie}"` : '';
    words.push(`-H ${value === '' ? quoted(`${name};`) : put(`${name}: ${value}`, 'text')}${more}`);
  }
  words.push(...headers);
  if (cookie !== '' && !names.has('cookie')) words.push(`-H "Cookie: ${cookie}"`);
  if (request.body !== undefined) {
    if (!names.has('content-type')) words.push("-H 'Content-Type:'");
    words.push(bodyWord(request.body, (text) => put(text, 'json')));
  } else if (!BODILESS.test(request.method)) words.push("-H 'Content-Length: 0'");
  // curl takes a fragment off, and a target that does not begin with a slash for part of the host.
  if (target.includes('#') || !target.startsWith('/'))
    words.push(`--request-target ${path}`, quoted(`${address.origin}/`));
  else
    words.push(path.startsWith("'") ? `'${address.origin}${path.slice(1)}` : quoted(address.origin) + path);
  return words.join(' ');
}

/** A text in quotes, with variables in place of marks. As JSON, the quotes around a mark belong to the value. */
function withVariables(
  text: string,
  form: Form,
  marks: ReadonlyMap<string, Reference>,
  variables: Variables,
): string {
  const parts = text.split(form === 'json' ? /("colophonQ\d+Qreference")/ : /(colophonQ\d+Qreference)/);
  return parts
    .map((part) => {
      const reference = marks.get(form === 'json' ? part.replaceAll('"', '') : part);
      return reference ? `"$${variables.nameFor(reference, form)}"` : part === '' ? '' : quoted(part);
    })
    .join('');
}

function bodyWord(body: string | Uint8Array, put: (text: string) => string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: The shell would lose or change some of them.
  if (typeof body !== 'string' || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(body)) {
    const base64 = Buffer.from(body).toString('base64');
    return `--data-binary @<(base64 -d <<<${quoted(base64)})`;
  }
  const text = put(body.toWellFormed()) || "''";
  return body.length > LONGEST_WORD ? `--data-binary @<(printf %s ${text})` : `--data-raw ${text}`;
}

/** The words that say who the caller is: whose token it is stands in a variable, never the token. */
function credentialWords(request: WireRequest): { headers: string[]; query: string; cookie: string } {
  const headers: string[] = [];
  const query: string[] = [];
  const cookies: string[] = [];
  for (const credential of credentialsOf(request)) {
    const value = credential.prefix + tokenWord(credential);
    if (credential.in === 'header')
      headers.push(
        value === '' ? `-H ${quoted(`${credential.name};`)}` : `-H "${credential.name}: ${value}"`,
      );
    else if (credential.in === 'cookie') cookies.push(`${credential.name}=${value}`);
    else query.push(`${encodeURIComponent(credential.name)}=${encoded(credential, value)}`);
  }
  return { headers, query: query.join('&'), cookie: cookies.join('; ') };
}

/** A caller's token between double quotes. */
function tokenWord({ token, base64 }: Credential): string {
  if (typeof token === 'object') return token.text.replace(/["$`\\]/g, '\\$&');
  const variable =
    token === 'second' ? '$SECOND_TOKEN' : token === 'own' ? '$TOKEN' : `\${TOKEN%????????}${UNKNOWN_END}`;
  return base64 ? `$(printf %s "${variable}" | base64 -w0)` : variable;
}

function encoded({ token }: Credential, word: string): string {
  return typeof token === 'object'
    ? encodeURIComponent(token.text)
    : `$(jq -rn --arg token "${word}" '$token | @uri')`;
}
