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
/** Minimum retention of replaced revisions: that of links to their files and PDFs. */
export const MIN_REVISION_RETENTION_DAYS = 30;
/** Maximum length of the name of the language model, in characters. */
export const MAX_MODEL_CHARACTERS = 256;

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
    name: 'DATABASE_READ_URL',
    description: 'URLs of streaming replicas of that database, which execute reads',
    values: 'postgres:// or postgresql:// URLs, separated by spaces, with DATABASE_URL',
    default: 'the primary executes all reads',
  },
  {
    name: 'COLOPHON_PREPARED_STATEMENTS',
    description:
      'whether connections to PostgreSQL prepare statements, which some poolers in transaction mode do not support',
    values: 'on or off',
    default: 'on',
  },
  {
    name: 'COLOPHON_FILES',
    description: 'bucket with the API of Amazon S3 that stores files instead of the database',
    values:
      's3://BUCKET/PREFIX, optionally with the parameters endpoint, region, path-style (on or off), downloads (stream or redirect) and new-files (s3 or database)',
    default: 'the database',
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
    name: 'COLOPHON_QUOTAS',
    description: 'quotas of each organization',
    values:
      'a comma-separated list of limits of spaces, pages, bytes, members, integrations and jobs, such as spaces=100,bytes=10GB',
    default: 'no quotas',
  },
  {
    name: 'COLOPHON_AUDIT_RETENTION_DAYS',
    description: 'days that audit events are retained',
    values: `an integer from 1 to ${MAX_AUDIT_RETENTION_DAYS}`,
    default: '400',
  },
  {
    name: 'COLOPHON_REVISION_RETENTION_DAYS',
    description: 'days that replaced revisions are retained to which nothing refers',
    values: `an integer from ${MIN_REVISION_RETENTION_DAYS} to ${MAX_AUDIT_RETENTION_DAYS}`,
    default: 'until their space is purged',
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
    name: 'COLOPHON_ASK_URL',
    description: 'URL of a service with the chat completions of OpenAI, which answers questions about sites',
    values: 'an http:// or https:// URL without credentials, such as https://api.openai.com/v1',
    default: 'questions are not answered',
  },
  {
    name: 'COLOPHON_ASK_MODEL',
    description: 'name of the language model of that service',
    values: `up to ${MAX_MODEL_CHARACTERS} characters without whitespace`,
    default: 'none; required with COLOPHON_ASK_URL',
  },
  {
    name: 'COLOPHON_ASK_KEY',
    description: 'key of that service, sent as a bearer token',
    values: 'visible ASCII characters',
    default: 'none',
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
    name: 'COLOPHON_METRICS_ADDRESS',
    description: 'IP address and port of the metrics for Prometheus',
    values: 'an IP address or localhost, and a port, such as 127.0.0.1:9464',
    default: 'no metrics',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    description: 'URL of an OpenTelemetry collector that receives traces',
    values: 'an http:// or https:// URL, such as http://127.0.0.1:4318',
    default: 'no traces',
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

/** Name of a variable. */
export type VariableName = (typeof VARIABLES)[number]['name'];

/** Describes the variables for `npm start -- --help`. */
export function describeVariables(): string {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  return VARIABLES.map(
    (variable) =>
      `  ${variable.name.padEnd(width)}  ${variable.description}: ${variable.values} (default: ${variable.default})`,
  ).join('\n');
}
