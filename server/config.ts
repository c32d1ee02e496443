import { isIP } from 'node:net';
import { isWellFormedToken } from './identity/tokens.ts';
import { type AllowedRanges, parseAllowedRanges } from './outgoing/addresses.ts';

/** How a process runs: read once from the environment by `readConfig`. */
export interface Config {
  port: number;
  host: string;
  /** Folder of the embedded database, files and caches. */
  dataFolder: string;
  /** `postgres://…`, or undefined for the embedded database. */
  databaseUrl: string | undefined;
  /** The address that callers see, without a slash at its end; undefined: wherever the server listens. */
  publicUrl: string | undefined;
  bootstrapToken: string | undefined;
  /** Address ranges (CIDR) beyond public ones that the server may call. */
  outgoingAllow: AllowedRanges;
  /** Requests per minute of a token or an address; undefined for no limit. */
  rateLimit: number | undefined;
  /** Days that audit events are retained. */
  auditRetentionDays: number;
  /** Addresses and ranges (CIDR) of the proxies in front. */
  trustedProxies: readonly string[];
  secretKey: string | undefined;
  translateUrl: string | undefined;
  validateResponses: boolean;
  logLevel: string;
}

/** A variable of the environment with a value that it may not have. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Variable {
  name: string;
  /** What it is, for `--help` and for the complaint about a wrong value. */
  is: string;
  /** What it may be. */
  takes: string;
  otherwise: string;
}

/** The longest time that audit events are kept where it is limited: a hundred years. */
export const MAX_AUDIT_RETENTION_DAYS = 36_500;

/** Every variable that the server reads. */
export const VARIABLES = [
  { name: 'PORT', is: 'the port to listen on', takes: 'a number from 0 to 65535', otherwise: '3000' },
  {
    name: 'HOST',
    is: 'the address to listen on',
    takes: 'an IP address or localhost',
    otherwise: '127.0.0.1',
  },
  {
    name: 'COLOPHON_DATA',
    is: 'the folder of the embedded database, files and caches',
    takes: 'a path',
    otherwise: '.colophon',
  },
  {
    name: 'DATABASE_URL',
    is: 'the PostgreSQL database to use instead of the embedded one',
    takes: 'a postgres:// or postgresql:// address',
    otherwise: 'the embedded database',
  },
  {
    name: 'COLOPHON_PUBLIC_URL',
    is: 'the address that callers see, for every urls field',
    takes: 'an http:// or https:// address',
    otherwise: 'http://HOST:PORT',
  },
  {
    name: 'COLOPHON_BOOTSTRAP_TOKEN',
    is: "the first admin's token on a new database",
    takes:
      'at least 32 characters without white space; one in the form of generated tokens needs their checksum',
    otherwise: 'a random one, printed once',
  },
  {
    name: 'COLOPHON_OUTGOING_ALLOW',
    is: 'address ranges beyond public ones that the server may call',
    takes: 'comma-separated ranges such as 127.0.0.0/8',
    otherwise: 'none',
  },
  {
    name: 'COLOPHON_RATE_LIMIT',
    is: 'requests per minute of a token, and of an address without one',
    takes: 'a whole number from 1, or off',
    otherwise: '6000',
  },
  {
    name: 'COLOPHON_AUDIT_RETENTION_DAYS',
    is: 'the days that audit events are retained',
    takes: `a whole number from 1 to ${MAX_AUDIT_RETENTION_DAYS}`,
    otherwise: '400',
  },
  {
    name: 'COLOPHON_TRUST_PROXY',
    is: "the proxies in front, whose X-Forwarded-For states the caller's address",
    takes: 'comma-separated addresses and ranges such as 10.0.0.0/8',
    otherwise: 'none',
  },
  {
    name: 'COLOPHON_SECRET_KEY',
    is: 'the key that encrypts stored credentials and signs links',
    takes: 'at least 32 characters; required with DATABASE_URL',
    otherwise: 'a private file in the data folder',
  },
  {
    name: 'COLOPHON_TRANSLATE_URL',
    is: 'the LibreTranslate-compatible service',
    takes: 'an http:// or https:// address',
    otherwise: 'no translation',
  },
  {
    name: 'COLOPHON_VALIDATE_RESPONSES',
    is: 'whether responses are held against the contract',
    takes: 'on or off',
    otherwise: 'on, except with NODE_ENV=production',
  },
  {
    name: 'LOG_LEVEL',
    is: 'the least level that is logged',
    takes: 'trace, debug, info, warn, error, fatal or silent',
    otherwise: 'info',
  },
] as const satisfies Variable[];

type Name = (typeof VARIABLES)[number]['name'];

/**
 * Reads the configuration; the only place that reads the environment.
 *
 * @throws ConfigError one line that names the variable, what it is and what it may be
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const read = <Value>(name: Name, parse: (text: string) => Value | undefined): Value | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') return undefined;
    const value = parse(text);
    if (value === undefined) throw wrong(name, 'is not usable');
    return value;
  };
  // The driver reads addresses that a URL parser refuses, such as those of a local socket.
  const databaseUrl = read('DATABASE_URL', (text) => (/^postgres(ql)?:\/\/./.test(text) ? text : undefined));
  const secretKey = read('COLOPHON_SECRET_KEY', (text) => (text.length >= 32 ? text : undefined));
  if (databaseUrl && !secretKey) throw wrong('COLOPHON_SECRET_KEY', 'is missing');
  const rateLimit = read('COLOPHON_RATE_LIMIT', (text) =>
    text === 'off' ? 'off' : wholeNumber(text, 1, 1e9),
  );
  return {
    port: read('PORT', (text) => wholeNumber(text, 0, 65_535)) ?? 3000,
    host:
      read('HOST', (text) => (isIP(text) !== 0 || text === 'localhost' ? text : undefined)) ?? '127.0.0.1',
    dataFolder: read('COLOPHON_DATA', (text) => text) ?? '.colophon',
    databaseUrl,
    publicUrl: read('COLOPHON_PUBLIC_URL', addressOf('http:', 'https:'))?.replace(/\/+$/, ''),
    bootstrapToken: read('COLOPHON_BOOTSTRAP_TOKEN', (text) =>
      /^\S{32,}$/.test(text) && isWellFormedToken(text) ? text : undefined,
    ),
    outgoingAllow: read('COLOPHON_OUTGOING_ALLOW', rangesOf) ?? [],
    rateLimit: rateLimit === 'off' ? undefined : (rateLimit ?? 6000),
    auditRetentionDays:
      read('COLOPHON_AUDIT_RETENTION_DAYS', (text) => wholeNumber(text, 1, MAX_AUDIT_RETENTION_DAYS)) ?? 400,
    trustedProxies: read('COLOPHON_TRUST_PROXY', proxiesOf) ?? [],
    secretKey,
    translateUrl: read('COLOPHON_TRANSLATE_URL', addressOf('http:', 'https:')),
    validateResponses: read('COLOPHON_VALIDATE_RESPONSES', onOrOff) ?? environment.NODE_ENV !== 'production',
    logLevel: read('LOG_LEVEL', (text) => (LEVELS.has(text) ? text : undefined)) ?? 'info',
  };
}

const LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

const onOrOff = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined);

function wrong(name: Name, how: string): ConfigError {
  const variable = VARIABLES.find((candidate) => candidate.name === name);
  return new ConfigError(`${name} ${how}: it is ${variable?.is}, and takes ${variable?.takes}.`);
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined;
}

const addressOf =
  (...protocols: string[]) =>
  (text: string): string | undefined =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined;

function rangesOf(text: string): AllowedRanges | undefined {
  try {
    return parseAllowedRanges(text);
  } catch {
    return undefined;
  }
}

/** The addresses and ranges of a list, as they are written. */
const proxiesOf = (text: string): string[] | undefined =>
  rangesOf(text) && text.split(',').flatMap((part) => part.trim() || []);

/** What `npm start -- --help` says of the variables. */
export function describeVariables(): string {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  return VARIABLES.map(
    ({ name, is, takes, otherwise }) => `  ${name.padEnd(width)}  ${is}: ${takes} (default: ${otherwise})`,
  ).join('\n');
}
