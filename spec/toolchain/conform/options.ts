import { InvalidArgumentError } from 'commander';
import { headerVariable, quote } from './report/shell.ts';

/** Options of the command. */
export interface ConformOptions {
  /** Base URL of the server; undefined only with `listChecks`. */
  url?: URL;
  /** Path before the paths of the contract. */
  basePath?: string;
  contract?: string;
  /** Headers of every request. */
  header?: [name: string, value: string][];
  /** File with certificates of authorities to trust. */
  ca?: string;
  token?: string;
  secondToken?: string;
  seed?: number;
  maxSeconds: number;
  maxRequests?: number;
  rate?: number;
  /** Timeout of a request in seconds. */
  timeout: number;
  restart?: string;
  only?: string;
  exclude?: string[];
  /** File with known failures; written if it does not exist. */
  baseline?: string;
  excludeChecks?: string[];
  touchExisting?: true;
  json?: string;
  junit?: string;
  html?: string;
  replay?: string;
  saveReplay?: string;
  listChecks?: true;
}

/** Default timeout of a request. */
export const DEFAULT_TIMEOUT_SECONDS = 30;

/** Default file for the plans of failures. */
export const DEFAULT_REPLAY_FILE = 'colophon-conform-replay.json';

/** Parses the base URL of the server. @throws {InvalidArgumentError} */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Pass a URL that begins with http:// or https://.');
  }
  if (url.username || url.password) {
    throw new InvalidArgumentError('The URL contains credentials. Pass them with --token.');
  }
  if (url.search || url.hash) {
    throw new InvalidArgumentError('The URL contains a query or fragment. Omit it.');
  }
  return url;
}

/** Parses a path before the paths of the contract: `/api/v1`, or `/` for none. @throws {InvalidArgumentError} */
export function parseBasePath(text: string): string {
  if (!/^\/[^?#\s]*$/.test(text)) {
    throw new InvalidArgumentError('Pass a path that begins with a slash: /api/v1.');
  }
  return text.replace(/\/+$/, '');
}

/** Collects headers of the form `Name: value`. @throws {InvalidArgumentError} */
export function collectHeaders(
  text: string,
  previous: [name: string, value: string][] = [],
): [name: string, value: string][] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*?)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined || !/^[\t\x20-\x7e\x80-\uffff]*$/.test(value)) {
    throw new InvalidArgumentError('Pass a header as "Name: value".');
  }
  if (/^(authorization|cookie|content-type|content-length)$/i.test(name)) {
    throw new InvalidArgumentError(`${name} depends on the request. Pass credentials with --token.`);
  }
  return [...previous, [name, value]];
}

/** Returns a parser of integers from `min` to `max`. */
export const parseInteger =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) {
      return value;
    }
    throw new InvalidArgumentError(`Pass an integer from ${min} to ${max}.`);
  };

/** Parses a number greater than 0. @throws {InvalidArgumentError} */
export function parsePositiveNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value > 0 && value < 1e9) {
    return value;
  }
  throw new InvalidArgumentError('Pass a number greater than 0.');
}

/** Collects the names of an option that can be repeated, with one or several names or a comma-separated list. */
export const collectNames = (text: string, previous: string[] = []): string[] => [
  ...previous,
  ...text.split(',').map((name) => name.trim()),
];

/** Returns the command that repeats a run. Tokens come from the environment. */
export function repeatCommand(run: string, options: ConformOptions, seed: number): string {
  const {
    url,
    basePath,
    contract,
    header = [],
    ca,
    maxSeconds,
    maxRequests,
    rate,
    timeout,
    restart,
    only,
    exclude = [],
    baseline,
    excludeChecks = [],
    touchExisting,
    replay,
  } = options;
  const candidates: [name: string, value: string | number | undefined][] = [
    ['--url', url?.href],
    ['--base-path', basePath === '' ? '/' : basePath],
    ['--contract', contract],
    ['--ca', ca],
    ['--seed', seed],
    ['--max-seconds', maxSeconds],
    ['--max-requests', maxRequests],
    ['--rate', rate],
    ['--timeout', timeout === DEFAULT_TIMEOUT_SECONDS ? undefined : timeout],
    ['--restart', restart],
    ['--only', only],
    ...exclude.map((pattern): [string, string] => ['--exclude', pattern]),
    ['--baseline', baseline],
    ...excludeChecks.map((name): [string, string] => ['--exclude-checks', name]),
    ['--replay', replay],
  ];
  const specified = candidates.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${quote(String(value))}`],
  );
  // Values of headers may be secrets, so they come from the environment, like tokens.
  const headers = header.map(([name]) => `--header "${name}: $${headerVariable(name)}"`);
  const command = run === 'npm run' ? 'npm run conform --' : `${run} conform`;
  return [command, ...specified, ...headers, ...(touchExisting ? ['--touch-existing'] : [])].join(' ');
}
