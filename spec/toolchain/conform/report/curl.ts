import type { Contract, Operation } from '../../model/contract/contract.ts';
import type { Plan, Reference } from '../../model/plan/plan.ts';
import { type Credential, credentialsOf, UNKNOWN_END } from '../wire/credentials.ts';
import type { Exchange, WireRequest } from '../wire/exchange.ts';
import { requestWith } from '../wire/request.ts';
import { quote } from './shell.ts';
import { type Encoding, Variables } from './variables.ts';

/** Maximum length of an argument on Linux (MAX_ARG_STRLEN), rounded down. Longer bodies are piped. */
const MAX_ARGUMENT_LENGTH = 100_000;

/** For other methods, Node sends `Content-Length: 0` without a body, and curl does not. */
const BODILESS = /^(GET|HEAD|DELETE|OPTIONS|TRACE|CONNECT)$/;

/**
 * Formats the requests of a plan as lines for bash that send the same requests. They need curl, and jq for values from
 * earlier responses. Tokens are replaced by `$TOKEN` and `$SECOND_TOKEN`.
 * @param exchanges exchanges of the steps; steps without an exchange are omitted
 * @param constantArguments arguments of every command
 */
export function curlLines(
  plan: Plan,
  contract: Contract,
  exchanges: readonly Exchange[],
  baseUrl: string,
  constantArguments: readonly string[] = [],
): string[] {
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const variables = new Variables();
  const lines = plan.steps.slice(0, exchanges.length).flatMap((step, index): (() => string)[] => {
    const operation = operations.get(step.operation);
    if (!operation) {
      return [];
    }
    const line = commandOf(operation, step, variables, { baseUrl, constantArguments });
    // The variables of a response are only known after the later steps.
    return [() => variables.assignFrom(line, index, exchanges[index])];
  });
  return lines.map((line) => line());
}

function commandOf(
  operation: Operation,
  step: Plan['steps'][number],
  variables: Variables,
  { baseUrl, constantArguments }: { baseUrl: string; constantArguments: readonly string[] },
): string {
  // Percent-encoding and JSON leave letters and digits unchanged.
  const placeholders = new Map<string, Reference>();
  const request = requestWith(operation, step, (reference) => {
    const placeholder = `colophonQ${placeholders.size}Qreference`;
    placeholders.set(placeholder, reference);
    return placeholder;
  });
  const substitute = (text: string, encoding: Encoding): string =>
    withVariables(text, encoding, placeholders, variables);

  const address = new URL(baseUrl);
  const target = address.pathname.replace(/\/$/, '') + request.target;
  const { headers, query, cookie } = credentialArguments(request);
  const separator = target.includes('?') ? '&' : '?';
  const path = substitute(target, 'uri') + (query === '' ? '' : `"${separator}${query}"`);
  const args = ['curl -sS --globoff --path-as-is', ...constantArguments];
  if (request.method === 'HEAD') {
    args.push('--head');
  } else if (request.method !== 'GET' || request.body !== undefined) {
    args.push(`-X ${quote(request.method)}`);
  }
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  for (const [name, value] of request.headers) {
    // A colon without a value would remove the header.
    const suffix = cookie !== '' && name.toLowerCase() === 'cookie' ? `"; ${cookie}"` : '';
    args.push(`-H ${value === '' ? quote(`${name};`) : substitute(`${name}: ${value}`, 'text')}${suffix}`);
  }
  args.push(...headers);
  if (cookie !== '' && !names.has('cookie')) {
    args.push(`-H "Cookie: ${cookie}"`);
  }
  if (request.body !== undefined) {
    if (!names.has('content-type')) {
      args.push("-H 'Content-Type:'");
    }
    args.push(bodyArgument(request.body, (text) => substitute(text, 'json')));
  } else if (!BODILESS.test(request.method)) {
    args.push("-H 'Content-Length: 0'");
  }
  // curl removes a fragment, and treats a target without a leading slash as part of the host.
  if (target.includes('#') || !target.startsWith('/')) {
    args.push(`--request-target ${path}`, quote(`${address.origin}/`));
  } else {
    args.push(path.startsWith("'") ? `'${address.origin}${path.slice(1)}` : quote(address.origin) + path);
  }
  return args.join(' ');
}

/** Quotes a text and replaces placeholders by variables. In JSON, the quotes around a placeholder are replaced too. */
function withVariables(
  text: string,
  encoding: Encoding,
  placeholders: ReadonlyMap<string, Reference>,
  variables: Variables,
): string {
  const parts = text.split(encoding === 'json' ? /("colophonQ\d+Qreference")/ : /(colophonQ\d+Qreference)/);
  return parts
    .map((part) => {
      const reference = placeholders.get(encoding === 'json' ? part.replaceAll('"', '') : part);
      return reference ? `"$${variables.nameFor(reference, encoding)}"` : part === '' ? '' : quote(part);
    })
    .join('');
}

function bodyArgument(body: string | Uint8Array, substitute: (text: string) => string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: The shell would drop or change some of them.
  if (typeof body !== 'string' || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(body)) {
    const base64 = Buffer.from(body).toString('base64');
    return `--data-binary @<(base64 -d <<<${quote(base64)})`;
  }
  const text = substitute(body.toWellFormed()) || "''";
  return body.length > MAX_ARGUMENT_LENGTH ? `--data-binary @<(printf %s ${text})` : `--data-raw ${text}`;
}

/** Arguments that authenticate the caller. They contain variables, never tokens. */
function credentialArguments(request: WireRequest): { headers: string[]; query: string; cookie: string } {
  const headers: string[] = [];
  const query: string[] = [];
  const cookies: string[] = [];
  for (const credential of credentialsOf(request)) {
    const value = credential.prefix + tokenArgument(credential);
    if (credential.in === 'header') {
      headers.push(value === '' ? `-H ${quote(`${credential.name};`)}` : `-H "${credential.name}: ${value}"`);
    } else if (credential.in === 'cookie') {
      cookies.push(`${credential.name}=${value}`);
    } else {
      query.push(`${encodeURIComponent(credential.name)}=${encodeToken(credential, value)}`);
    }
  }
  return { headers, query: query.join('&'), cookie: cookies.join('; ') };
}

/** Returns the token of a caller, for use within double quotes. */
function tokenArgument({ token, base64 }: Credential): string {
  if (typeof token === 'object') {
    return token.text.replace(/["$`\\]/g, '\\$&');
  }
  const variable =
    token === 'second' ? '$SECOND_TOKEN' : token === 'own' ? '$TOKEN' : `\${TOKEN%????????}${UNKNOWN_END}`;
  return base64 ? `$(printf %s "${variable}" | base64 -w0)` : variable;
}

function encodeToken({ token }: Credential, word: string): string {
  return typeof token === 'object'
    ? encodeURIComponent(token.text)
    : `$(jq -rn --arg token "${word}" '$token | @uri')`;
}
