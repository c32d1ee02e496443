import { isIP } from 'node:net';
import { isWellFormedToken } from './identity/tokens.ts';
import { type AllowedRanges, parseAllowedRanges } from './outgoing/addresses.ts';

/** Configuration of a process, read once from the environment by `readConfig`. */
export interface Config {
  port: number;
  host: string;
  /** Folder of the embedded database, files and caches. */
  dataFolder: string;
  /** `postgres://…`, or undefined for the embedded database. */
  databaseUrl: string | undefined;
  /** URL that clients use, without a trailing slash; undefined for the URL that the server listens on. */
  publicUrl: string | undefined;
  /** Domain of the published sites: each organization has a subdomain. Undefined to serve them at the public URL. */
  sitesDomain: string | undefined;
  /** URL of the documents of integrations, without a trailing slash. Undefined to serve them at the public URL. */
  integrationContentUrl: string | undefined;
  bootstrapToken: string | undefined;
  /** Non-public address ranges (CIDR) that the server can connect to. */
  outgoingAllow: AllowedRanges;
  /** Requests per minute of a token or an address; undefined for no limit. */
  rateLimit: number | undefined;
  /** Days that audit events are retained. */
  auditRetentionDays: number;
  /** Addresses and ranges (CIDR) of trusted reverse proxies. */
  trustedProxies: readonly string[];
  secretKey: string | undefined;
  translateUrl: string | undefined;
  validateResponses: boolean;
  /** Whether validators are compiled after startup instead of with the first request that uses them. */
  compileAhead: boolean;
  logLevel: string;
  /** Format of log lines; undefined for text in a terminal, and JSON otherwise. */
  logFormat: 'json' | 'text' | undefined;
}

/** An environment variable is missing or invalid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Variable {
  name: string;
  /** Noun phrase for `--help` and for error messages. */
  description: string;
  /** Valid values, as a noun phrase. */
  values: string;
  /** Value or behavior without the variable. */
  default: string;
}

/** Maximum retention of audit events: a hundred years. */
export const MAX_AUDIT_RETENTION_DAYS = 36_500;

/** Every environment variable that the server reads. */
export const VARIABLES = [
  { name: 'PORT', description: 'port to listen on', values: 'an integer from 0 to 65535', default: '3000' },
  {
    name: 'HOST',
    description: 'IP address to listen on',
    values: 'an IP address or localhost',
    default: '127.0.0.1',
  },
  {
    name: 'COLOPHON_DATA',
    description: 'folder of the embedded database, files and caches',
    values: 'a path',
    default: '.colophon',
  },
  {
    name: 'DATABASE_URL',
    description: 'URL of a PostgreSQL database to use instead of the embedded database',
    values: 'a postgres:// or postgresql:// URL',
    default: 'the embedded database',
  },
  {
    name: 'COLOPHON_PUBLIC_URL',
    description: 'URL that clients use, for every urls field',
    values: 'an http:// or https:// URL',
    default: 'http://HOST:PORT',
  },
  {
    name: 'COLOPHON_SITES_DOMAIN',
    description: 'domain of the published sites, with a subdomain for each hostname of an organization',
    values: 'a domain name in lower case, such as sites.example.com, without a scheme or port',
    default: 'sites are served at the public URL',
  },
  {
    name: 'COLOPHON_INTEGRATION_CONTENT_URL',
    description: 'URL of the documents that integrations show in pages, with a host of its own',
    values: 'an http:// or https:// URL without a path',
    default: 'they are served at the public URL',
  },
  {
    name: 'COLOPHON_BOOTSTRAP_TOKEN',
    description: 'access token of the first admin of a new database',
    values:
      'at least 32 characters without whitespace, with a valid checksum if it has the format of generated tokens',
    default: 'a random token, printed once',
  },
  {
    name: 'COLOPHON_OUTGOING_ALLOW',
    description: 'non-public address ranges that the server can connect to',
    values: 'a comma-separated list of ranges such as 127.0.0.0/8',
    default: 'none',
  },
  {
    name: 'COLOPHON_RATE_LIMIT',
    description: 'requests per minute of each access token, and of each address without a token',
    values: 'an integer from 1, or off',
    default: '6000',
  },
  {
    name: 'COLOPHON_AUDIT_RETENTION_DAYS',
    description: 'days that audit events are retained',
    values: `an integer from 1 to ${MAX_AUDIT_RETENTION_DAYS}`,
    default: '400',
  },
  {
    name: 'COLOPHON_TRUST_PROXY',
    description: 'reverse proxies whose X-Forwarded-For header is trusted',
    values: 'a comma-separated list of addresses and ranges such as 10.0.0.0/8',
    default: 'none',
  },
  {
    name: 'COLOPHON_SECRET_KEY',
    description: 'key that encrypts stored credentials and signs URLs',
    values: 'at least 32 characters',
    default: 'a private file in the data folder; required with DATABASE_URL',
  },
  {
    name: 'COLOPHON_TRANSLATE_URL',
    description: 'URL of a LibreTranslate-compatible service',
    values: 'an http:// or https:// URL',
    default: 'translation is disabled',
  },
  {
    name: 'NODE_ENV',
    description: 'name of the environment; in production, responses are not validated by default',
    values: 'production, or any other text',
    default: 'none',
  },
  {
    name: 'COLOPHON_VALIDATE_RESPONSES',
    description: 'whether responses are validated against the contract',
    values: 'on or off',
    default: 'on, or off with NODE_ENV=production',
  },
  {
    name: 'COLOPHON_COMPILE_AHEAD',
    description: 'whether validators are compiled after startup, not with the first request',
    values: 'on or off',
    default: 'on',
  },
  {
    name: 'LOG_LEVEL',
    description: 'minimum level of log lines',
    values: 'trace, debug, info, warn, error, fatal or silent',
    default: 'info',
  },
  {
    name: 'LOG_FORMAT',
    description: 'format of log lines',
    values: 'json or text',
    default: 'text in a terminal, json otherwise',
  },
] as const satisfies Variable[];

type Name = (typeof VARIABLES)[number]['name'];

/**
 * Reads the configuration. No other file reads settings from the environment.
 *
 * @throws {ConfigError} One line with the name, description and valid values of the variable.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const read = <Value>(name: Name, parse: (text: string) => Value | undefined): Value | undefined => {
    const text = environment[name];
    if (text === undefined || text === '') {
      return undefined;
    }
    const value = parse(text);
    if (value === undefined) {
      throw invalid(name, 'is invalid');
    }
    return value;
  };
  // The driver accepts URLs that a URL parser rejects, such as those of a local socket.
  const databaseUrl = read('DATABASE_URL', (text) => (/^postgres(ql)?:\/\/./.test(text) ? text : undefined));
  const secretKey = read('COLOPHON_SECRET_KEY', (text) => (text.length >= 32 ? text : undefined));
  if (databaseUrl && !secretKey) {
    throw invalid('COLOPHON_SECRET_KEY', 'is required with DATABASE_URL');
  }
  const host =
    read('HOST', (text) => (isIP(text) !== 0 || text === 'localhost' ? text : undefined)) ?? '127.0.0.1';
  const publicUrl = read('COLOPHON_PUBLIC_URL', urlParser('http:', 'https:'))?.replace(/\/+$/, '');
  const integrationContentUrl = read('COLOPHON_INTEGRATION_CONTENT_URL', (text) => {
    const url = urlParser('http:', 'https:')(text);
    return url !== undefined && new URL(url).pathname === '/' ? new URL(url).origin : undefined;
  });
  // This host serves nothing else, and its documents must not share the origin of the API.
  const publicHost = publicUrl === undefined ? host : new URL(publicUrl).hostname;
  if (integrationContentUrl !== undefined && new URL(integrationContentUrl).hostname === publicHost) {
    throw invalid('COLOPHON_INTEGRATION_CONTENT_URL', 'must have another host than the public URL');
  }
  const rateLimit = read('COLOPHON_RATE_LIMIT', (text) =>
    text === 'off' ? 'off' : parseInteger(text, 1, 1e9),
  );
  return {
    port: read('PORT', (text) => parseInteger(text, 0, 65_535)) ?? 3000,
    host,
    dataFolder: read('COLOPHON_DATA', (text) => text) ?? '.colophon',
    databaseUrl,
    publicUrl,
    sitesDomain: read('COLOPHON_SITES_DOMAIN', (text) => (isDomain(text) ? text : undefined)),
    integrationContentUrl,
    bootstrapToken: read('COLOPHON_BOOTSTRAP_TOKEN', (text) =>
      /^\S{32,}$/.test(text) && isWellFormedToken(text) ? text : undefined,
    ),
    outgoingAllow: read('COLOPHON_OUTGOING_ALLOW', parseRanges) ?? [],
    rateLimit: rateLimit === 'off' ? undefined : (rateLimit ?? 6000),
    auditRetentionDays:
      read('COLOPHON_AUDIT_RETENTION_DAYS', (text) => parseInteger(text, 1, MAX_AUDIT_RETENTION_DAYS)) ?? 400,
    trustedProxies: read('COLOPHON_TRUST_PROXY', parseProxies) ?? [],
    secretKey,
    translateUrl: read('COLOPHON_TRANSLATE_URL', urlParser('http:', 'https:')),
    validateResponses:
      read('COLOPHON_VALIDATE_RESPONSES', parseSwitch) ?? environment.NODE_ENV !== 'production',
    compileAhead: read('COLOPHON_COMPILE_AHEAD', parseSwitch) ?? true,
    logLevel: read('LOG_LEVEL', (text) => (LOG_LEVELS.has(text) ? text : undefined)) ?? 'info',
    logFormat: read('LOG_FORMAT', (text) => (text === 'json' || text === 'text' ? text : undefined)),
  };
}

const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

/** Whether a text is a domain name that leaves room for a subdomain (RFC 1035, section 2.3.4). */
const isDomain = (text: string): boolean =>
  text.length <= 189 &&
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text);

const parseSwitch = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined);

function invalid(name: Name, problem: string): ConfigError {
  const variable = VARIABLES.find((candidate) => candidate.name === name);
  return new ConfigError(`${name} ${problem}. Set it to ${variable?.values} (${variable?.description}).`);
}

function parseInteger(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
}

const urlParser =
  (...protocols: string[]) =>
  (text: string): string | undefined =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined;

function parseRanges(text: string): AllowedRanges | undefined {
  try {
    return parseAllowedRanges(text);
  } catch {
    return undefined;
  }
}

/** Returns the addresses and ranges of a valid list, unparsed. */
const parseProxies = (text: string): string[] | undefined =>
  parseRanges(text) && text.split(',').flatMap((part) => part.trim() || []);

/** Describes the variables for `npm start -- --help`. */
export function describeVariables(): string {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  return VARIABLES.map(
    (variable) =>
      `  ${variable.name.padEnd(width)}  ${variable.description}: ${variable.values} (default: ${variable.default})`,
  ).join('\n');
}
