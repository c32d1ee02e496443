import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../../server/app/config.ts';
import { describeVariables, MAX_MODEL_CHARACTERS, VARIABLES } from '../../../server/app/config-variables.ts';

const KEY = 'a secret key of at least 32 characters';

describe('without any variable', () => {
  test('a server listens only on this machine and keeps its data in the working folder', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataFolder: '.colophon',
      databaseUrl: undefined,
      publicUrl: undefined,
      bootstrapToken: undefined,
      rateLimit: 6000,
      auditRetentionDays: 400,
      secretKey: undefined,
      translateUrl: undefined,
      languageModel: undefined,
      validateResponses: true,
      compileAhead: true,
      logLevel: 'info',
      logFormat: undefined,
    });
  });

  test('an empty one counts as unset', () => {
    const empty = Object.fromEntries(VARIABLES.map(({ name }) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  test('responses are not validated in production unless it is configured', () => {
    expect(readConfig({ NODE_ENV: 'production' }).validateResponses).toBe(false);
    const requested = { NODE_ENV: 'production', COLOPHON_VALIDATE_RESPONSES: 'on' };
    expect(readConfig(requested).validateResponses).toBe(true);
  });
});

describe('valid values', () => {
  test.each([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65_535 }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ HOST: 'localhost' }, { host: 'localhost' }],
    [{ COLOPHON_DATA: '/srv/docs' }, { dataFolder: '/srv/docs' }],
    [{ COLOPHON_PUBLIC_URL: 'https://docs.example.com/api/' }, { publicUrl: 'https://docs.example.com/api' }],
    [{ COLOPHON_SITES_DOMAIN: 'sites.example.com' }, { sitesDomain: 'sites.example.com' }],
    [
      { COLOPHON_INTEGRATION_CONTENT_URL: 'https://content.example.com/' },
      { integrationContentUrl: 'https://content.example.com' },
    ],
    [
      { COLOPHON_FILES: 's3://acme-docs' },
      {
        objectStorage: {
          bucket: 'acme-docs',
          prefix: '',
          endpoint: undefined,
          region: undefined,
          usesPathStyle: false,
          redirectsDownloads: false,
          receivesFiles: true,
        },
      },
    ],
    [
      {
        COLOPHON_FILES:
          's3://docs/colophon/files/?endpoint=https://s3.example.com:9000&downloads=redirect&new-files=database',
      },
      {
        objectStorage: {
          bucket: 'docs',
          prefix: 'colophon/files/',
          endpoint: 'https://s3.example.com:9000',
          region: 'us-east-1',
          usesPathStyle: true,
          redirectsDownloads: true,
          receivesFiles: false,
        },
      },
    ],
    [
      {
        COLOPHON_FILES:
          's3://docs?endpoint=https://s3.example.com&path-style=off&region=eu-1&downloads=stream',
      },
      { objectStorage: { usesPathStyle: false, region: 'eu-1', redirectsDownloads: false } },
    ],
    [{ COLOPHON_RATE_LIMIT: 'off' }, { rateLimit: undefined }],
    [{ COLOPHON_RATE_LIMIT: '60' }, { rateLimit: 60 }],
    [{ COLOPHON_AUDIT_RETENTION_DAYS: '30' }, { auditRetentionDays: 30 }],
    [{ COLOPHON_REVISION_RETENTION_DAYS: '30' }, { revisionRetentionDays: 30 }],
    [{ COLOPHON_BOOTSTRAP_TOKEN: 'x'.repeat(32) }, { bootstrapToken: 'x'.repeat(32) }],
    [{ COLOPHON_SECRET_KEY: KEY }, { secretKey: KEY }],
    [{ COLOPHON_TRANSLATE_URL: 'http://127.0.0.1:5000' }, { translateUrl: 'http://127.0.0.1:5000' }],
    [
      { COLOPHON_ASK_URL: 'http://127.0.0.1:8000/v1', COLOPHON_ASK_MODEL: 'acme/small:7b' },
      { languageModel: { url: 'http://127.0.0.1:8000/v1', model: 'acme/small:7b', key: undefined } },
    ],
    [
      { COLOPHON_ASK_URL: 'https://ai.example.com', COLOPHON_ASK_MODEL: 'm', COLOPHON_ASK_KEY: 'sk-1' },
      { languageModel: { url: 'https://ai.example.com', model: 'm', key: 'sk-1' } },
    ],
    [{ COLOPHON_VALIDATE_RESPONSES: 'off' }, { validateResponses: false }],
    [{ COLOPHON_COMPILE_AHEAD: 'off' }, { compileAhead: false }],
    [{ COLOPHON_PREPARED_STATEMENTS: 'off' }, { preparedStatements: false }],
    [{ COLOPHON_METRICS_ADDRESS: '127.0.0.1:9464' }, { metricsAddress: { host: '127.0.0.1', port: 9464 } }],
    [{ COLOPHON_METRICS_ADDRESS: '[::1]:0' }, { metricsAddress: { host: '::1', port: 0 } }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ LOG_FORMAT: 'text' }, { logFormat: 'text' }],
    [
      { DATABASE_URL: 'postgres://ada@/docs?host=%2Frun%2Fpostgresql', COLOPHON_SECRET_KEY: KEY },
      { databaseUrl: 'postgres://ada@/docs?host=%2Frun%2Fpostgresql' },
    ],
  ])('are accepted: %j', (environment, expected) => {
    expect(readConfig(environment)).toMatchObject(expected);
  });
});

describe('an invalid value', () => {
  test.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['HOST', 'docs.example.com'],
    ['DATABASE_URL', 'mysql://ada@127.0.0.1/docs'],
    ['DATABASE_URL', 'postgres://'],
    ['COLOPHON_REVISION_RETENTION_DAYS', '29'],
    ['DATABASE_READ_URL', 'postgres://ada@127.0.0.1/docs'],
    ['COLOPHON_FILES', 'https://s3.example.com/docs'],
    ['COLOPHON_FILES', 's3://'],
    ['COLOPHON_FILES', 's3://key:secret@docs'],
    ['COLOPHON_FILES', 's3://Docs_'],
    ['COLOPHON_FILES', 's3://docs/a%20b'],
    ['COLOPHON_FILES', 's3://docs?endpoint=s3.example.com'],
    ['COLOPHON_FILES', 's3://docs?endpoint=https://key:secret@s3.example.com'],
    ['COLOPHON_FILES', 's3://docs?downloads=signed'],
    ['COLOPHON_FILES', 's3://docs?path-style=yes'],
    ['COLOPHON_FILES', 's3://docs?region=eu-1&region=eu-2'],
    ['COLOPHON_FILES', 's3://docs?secret-key=x'],
    ['COLOPHON_PUBLIC_URL', 'docs.example.com'],
    ['COLOPHON_PUBLIC_URL', 'ftp://docs.example.com'],
    ['COLOPHON_SITES_DOMAIN', 'https://sites.example.com'],
    ['COLOPHON_SITES_DOMAIN', 'sites.example.com:8080'],
    ['COLOPHON_SITES_DOMAIN', 'Sites.example.com'],
    ['COLOPHON_SITES_DOMAIN', 'sites..example.com'],
    ['COLOPHON_INTEGRATION_CONTENT_URL', 'content.example.com'],
    ['COLOPHON_INTEGRATION_CONTENT_URL', 'https://content.example.com/path'],
    ['COLOPHON_BOOTSTRAP_TOKEN', 'x'.repeat(31)],
    ['COLOPHON_BOOTSTRAP_TOKEN', `${'x'.repeat(32)} y`],
    ['COLOPHON_OUTGOING_ALLOW', '10.0.0.0/33'],
    ['COLOPHON_OUTGOING_ALLOW', 'docs.example.com'],
    ['COLOPHON_RATE_LIMIT', '0'],
    ['COLOPHON_RATE_LIMIT', 'none'],
    ['COLOPHON_AUDIT_RETENTION_DAYS', '0'],
    ['COLOPHON_AUDIT_RETENTION_DAYS', '36501'],
    ['COLOPHON_SECRET_KEY', 'short'],
    ['COLOPHON_TRANSLATE_URL', 'localhost:5000'],
    ['COLOPHON_ASK_URL', 'ftp://ai.example.com'],
    ['COLOPHON_ASK_URL', 'https://user:secret@ai.example.com'],
    ['COLOPHON_ASK_MODEL', 'two words'],
    ['COLOPHON_ASK_MODEL', 'x'.repeat(MAX_MODEL_CHARACTERS + 1)],
    ['COLOPHON_ASK_KEY', 'secret\r\nX-Other: 1'],
    ['COLOPHON_ASK_KEY', 'sécret'],
    ['COLOPHON_VALIDATE_RESPONSES', 'yes'],
    ['COLOPHON_COMPILE_AHEAD', 'yes'],
    ['COLOPHON_PREPARED_STATEMENTS', 'yes'],
    ['COLOPHON_METRICS_ADDRESS', '9464'],
    ['COLOPHON_METRICS_ADDRESS', '::1:9464'],
    ['COLOPHON_METRICS_ADDRESS', '[127.0.0.1]:9464'],
    ['COLOPHON_METRICS_ADDRESS', '127.0.0.1:65536'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
  ])('of %s (%s) is reported in one line, without the value', (name, value) => {
    const variable = VARIABLES.find((candidate) => candidate.name === name);
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`${name} is invalid. Set it to ${variable?.values} (${variable?.description}).`);
  });

  test('is a database server without a key, which several processes would have to share', () => {
    const read = () => readConfig({ DATABASE_URL: 'postgres://ada@127.0.0.1/docs' });
    expect(read).toThrow(/^COLOPHON_SECRET_KEY is required with DATABASE_URL\. /);
  });

  test.each([
    [{ COLOPHON_ASK_URL: 'https://ai.example.com' }, 'COLOPHON_ASK_MODEL', 'COLOPHON_ASK_URL'],
    [
      { COLOPHON_ASK_URL: 'https://ai.example.com', COLOPHON_ASK_KEY: 'sk-1' },
      'COLOPHON_ASK_MODEL',
      'COLOPHON_ASK_URL',
    ],
    [{ COLOPHON_ASK_MODEL: 'small' }, 'COLOPHON_ASK_URL', 'COLOPHON_ASK_MODEL'],
    [{ COLOPHON_ASK_KEY: 'sk-1' }, 'COLOPHON_ASK_URL', 'COLOPHON_ASK_KEY'],
  ])('is a part of the settings of a language model: %j', (environment, missing, other) => {
    expect(() => readConfig(environment)).toThrow(`${missing} is required with ${other}. Set it to `);
  });
});

test.each([
  [{ COLOPHON_INTEGRATION_CONTENT_URL: 'http://127.0.0.1:4000' }],
  [
    {
      COLOPHON_PUBLIC_URL: 'https://docs.example.com',
      COLOPHON_INTEGRATION_CONTENT_URL: 'https://docs.example.com:8443',
    },
  ],
])('the documents of integrations cannot have the public host: %o', (environment) => {
  expect(() => readConfig(environment)).toThrow(
    'COLOPHON_INTEGRATION_CONTENT_URL must have another host than the public URL.',
  );
});

test('the help has a line for each variable', () => {
  const lines = describeVariables().split('\n');
  expect(lines.map((line) => line.trim().split(' ')[0])).toEqual(VARIABLES.map(({ name }) => name));
});
