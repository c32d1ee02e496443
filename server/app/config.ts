import { isIP } from 'node:net';
import type { DatabaseLocation } from '../database/database.ts';
import { isWellFormedToken } from '../identity/tokens.ts';
import { type AllowedRanges, parseAllowedRanges } from '../outgoing/addresses.ts';
import type { LanguageModelSettings } from '../outgoing/language-model.ts';
import { type ObjectStorageSettings, parseObjectStorageUrl } from '../outgoing/object-storage/settings.ts';
import { parseLimits, type QuotaLimits } from '../quotas/names.ts';
import {
  MAX_AUDIT_RETENTION_DAYS,
  MAX_MODEL_CHARACTERS,
  MIN_REVISION_RETENTION_DAYS,
  VARIABLES,
  type VariableName,
} from './config-variables.ts';

/** Configuration of a process, read once from the environment by `readConfig`. */
export interface Config {
  port: number;
  host: string;
  /** Folder of the embedded database, files and caches. */
  dataFolder: string;
  /** `postgres://…`, or undefined for the embedded database. */
  databaseUrl: string | undefined;
  /** URLs of replicas of that database. */
  databaseReadUrls: readonly string[];
  /** Whether connections to PostgreSQL prepare statements. */
  preparedStatements: boolean;
  /** Storage of files outside of the database; undefined for the database. */
  objectStorage: ObjectStorageSettings | undefined;
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
  /** Quotas of the organizations without quotas of their own. */
  quotas: QuotaLimits;
  /** Days that audit events are retained. */
  auditRetentionDays: number;
  /** Days that replaced revisions are retained; undefined to retain them. */
  revisionRetentionDays: number | undefined;
  /** Addresses and ranges (CIDR) of trusted reverse proxies. */
  trustedProxies: readonly string[];
  secretKey: string | undefined;
  translateUrl: string | undefined;
  /** Answers questions about published sites; undefined for no answers. */
  languageModel: LanguageModelSettings | undefined;
  validateResponses: boolean;
  /** Whether validators are compiled after startup instead of with the first request that uses them. */
  compileAhead: boolean;
  /** Address that serves metrics; undefined to count nothing. */
  metricsAddress: { host: string; port: number } | undefined;
  /** Whether traces are recorded. OpenTelemetry reads its other variables itself. */
  isTraced: boolean;
  logLevel: string;
  /** Format of log lines; undefined for text in a terminal, and JSON otherwise. */
  logFormat: 'json' | 'text' | undefined;
}

/** Environment variables of a process. */
type Environment = Readonly<Record<string, string | undefined>>;

/** An environment variable is missing or invalid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration. No other file reads settings from the environment.
 *
 * @throws {ConfigError} One line with the name, description and valid values of the variable.
 */
export function readConfig(environment: Environment): Config {
  const read: Read = (name, parse) => {
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
  const databaseUrl = read('DATABASE_URL', (text) => (isPostgresUrl(text) ? text : undefined));
  const databaseReadUrls = read('DATABASE_READ_URL', (text) => {
    const urls = text.trim().split(/\s+/);
    return databaseUrl !== undefined && urls.every(isPostgresUrl) ? urls : undefined;
  });
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
    databaseReadUrls: databaseReadUrls ?? [],
    preparedStatements: read('COLOPHON_PREPARED_STATEMENTS', parseSwitch) ?? true,
    objectStorage: read('COLOPHON_FILES', parseObjectStorageUrl),
    publicUrl,
    sitesDomain: read('COLOPHON_SITES_DOMAIN', (text) => (isDomain(text) ? text : undefined)),
    integrationContentUrl,
    bootstrapToken: read('COLOPHON_BOOTSTRAP_TOKEN', (text) =>
      /^\S{32,}$/.test(text) && isWellFormedToken(text) ? text : undefined,
    ),
    outgoingAllow: read('COLOPHON_OUTGOING_ALLOW', parseRanges) ?? [],
    rateLimit: rateLimit === 'off' ? undefined : (rateLimit ?? 6000),
    quotas: read('COLOPHON_QUOTAS', parseLimits) ?? {},
    auditRetentionDays:
      read('COLOPHON_AUDIT_RETENTION_DAYS', (text) => parseInteger(text, 1, MAX_AUDIT_RETENTION_DAYS)) ?? 400,
    revisionRetentionDays: read('COLOPHON_REVISION_RETENTION_DAYS', (text) =>
      parseInteger(text, MIN_REVISION_RETENTION_DAYS, MAX_AUDIT_RETENTION_DAYS),
    ),
    trustedProxies: read('COLOPHON_TRUST_PROXY', parseProxies) ?? [],
    secretKey,
    translateUrl: read('COLOPHON_TRANSLATE_URL', urlParser('http:', 'https:')),
    languageModel: readLanguageModel(read),
    validateResponses:
      read('COLOPHON_VALIDATE_RESPONSES', parseSwitch) ?? environment.NODE_ENV !== 'production',
    compileAhead: read('COLOPHON_COMPILE_AHEAD', parseSwitch) ?? true,
    metricsAddress: read('COLOPHON_METRICS_ADDRESS', parseAddress),
    isTraced: isTraced(environment),
    logLevel: read('LOG_LEVEL', (text) => (LOG_LEVELS.has(text) ? text : undefined)) ?? 'info',
    logFormat: read('LOG_FORMAT', (text) => (text === 'json' || text === 'text' ? text : undefined)),
  };
}

const isPostgresUrl = (text: string): boolean => /^postgres(ql)?:\/\/./.test(text);

/** Returns the location of the database. */
export const databaseLocation = ({
  databaseUrl,
  preparedStatements,
  dataFolder,
}: Pick<Config, 'databaseUrl' | 'preparedStatements' | 'dataFolder'>): DatabaseLocation =>
  databaseUrl === undefined
    ? { folder: dataFolder }
    : { url: databaseUrl, preparesStatements: preparedStatements };

/** Whether the variables of OpenTelemetry specify a collector of traces. */
const isTraced = (environment: Environment): boolean =>
  environment.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  environment.OTEL_TRACES_EXPORTER !== 'none' &&
  Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);

/** Reads a variable. Returns undefined if it is not set. */
type Read = <Value>(name: VariableName, parse: (text: string) => Value | undefined) => Value | undefined;

function readLanguageModel(read: Read): LanguageModelSettings | undefined {
  const url = read('COLOPHON_ASK_URL', (text) => {
    const parsed = URL.parse(urlParser('http:', 'https:')(text) ?? '');
    return parsed && parsed.username === '' && parsed.password === '' ? text : undefined;
  });
  const model = read('COLOPHON_ASK_MODEL', (text) =>
    text.length <= MAX_MODEL_CHARACTERS && /^\S+$/.test(text) ? text : undefined,
  );
  const key = read('COLOPHON_ASK_KEY', (text) => (/^[!-~]+$/.test(text) ? text : undefined));
  if (url !== undefined && model !== undefined) {
    return { url, model, key };
  }
  if (url !== undefined) {
    throw invalid('COLOPHON_ASK_MODEL', 'is required with COLOPHON_ASK_URL');
  }
  if (model !== undefined || key !== undefined) {
    const other = model === undefined ? 'COLOPHON_ASK_KEY' : 'COLOPHON_ASK_MODEL';
    throw invalid('COLOPHON_ASK_URL', `is required with ${other}`);
  }
  return undefined;
}

const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);

/** Whether a text is a domain name that leaves room for a subdomain (RFC 1035, section 2.3.4). */
const isDomain = (text: string): boolean =>
  text.length <= 189 &&
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/.test(text);

const parseSwitch = (text: string) => (text === 'on' ? true : text === 'off' ? false : undefined);

function invalid(name: VariableName, problem: string): ConfigError {
  const variable = VARIABLES.find((candidate) => candidate.name === name);
  return new ConfigError(`${name} ${problem}. Set it to ${variable?.values} (${variable?.description}).`);
}

function parseInteger(text: string, min: number, max: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
}

/** Parses an address such as `127.0.0.1:9464` or `[::1]:9464`. */
function parseAddress(text: string): { host: string; port: number } | undefined {
  const colon = text.lastIndexOf(':');
  const name = text.slice(0, colon);
  const host = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  const port = parseInteger(text.slice(colon + 1), 0, 65_535);
  const isHost = host === 'localhost' || isIP(host) === (host === name ? 4 : 6);
  return isHost && port !== undefined ? { host, port } : undefined;
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
