// Runs on one engine: sources are rejected before they are stored.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSpace } from '../../support/content/imports.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let spaceId: string;

beforeAll(async () => {
  server = await startTestServer({ COLOPHON_OUTGOING_ALLOW: '' });
  spaceId = (await createSpace(server)).id;
});
afterAll(() => server.stop());

const ref = 'refs/heads/main';
const url = 'https://git.example/docs.git';

/** Operations with the URL of a source, and its path in their body. */
const OPERATIONS = {
  'Git import': {
    field: 'url',
    call: (body: Record<string, string>) =>
      server.admin.client.POST('/v1/spaces/{spaceId}/git/import', {
        params: { path: { spaceId } },
        body: { url, ref, ...body },
      }),
  },
  'Git export': {
    field: 'url',
    call: (body: Record<string, string>) =>
      server.admin.client.POST('/v1/spaces/{spaceId}/git/export', {
        params: { path: { spaceId } },
        body: { url, ref, commitMessage: 'Export', ...body },
      }),
  },
  'content import': {
    field: 'url',
    call: ({ url = '' }: Record<string, string>) =>
      server.admin.client.POST('/v1/spaces/{spaceId}/content/import', {
        params: { path: { spaceId } },
        body: { url, source: 'website' },
      }),
  },
  'wiki import': {
    field: 'url',
    call: ({ url = '' }: Record<string, string>) =>
      server.admin.client.POST('/v1/spaces/{spaceId}/content/import', {
        params: { path: { spaceId } },
        body: { url, source: 'github-wiki' },
      }),
  },
  'OpenAPI source': {
    field: 'source.url',
    call: ({ url = '' }: Record<string, string>) =>
      server.admin.client.PUT('/v1/orgs/{organizationId}/openapi/{specSlug}', {
        params: { path: { organizationId: server.organization, specSlug: 'refused' } },
        body: { source: { url } },
      }),
  },
};
type Operation = keyof typeof OPERATIONS;

const jobs = () =>
  server.database.query.selectFrom('jobs').select('id').where('kind', '!=', 'index-space').execute();

/** Returns the error of a request with such a URL, which must not be left to a job. */
async function refusal(operation: Operation, body: Record<string, string>) {
  const before = await jobs();
  const { error, response } = await OPERATIONS[operation].call(body);
  expect(await jobs()).toEqual(before);
  return { status: response.status, details: error?.details, text: JSON.stringify(error) };
}

const ANY_ADDRESS = [
  'file:///etc/passwd',
  'ftp://example.com/docs',
  'data:text/plain,docs',
  'http://',
  'http://10.0.0.1/docs.git',
  'http://127.0.0.1/docs.git',
  'http://2130706433/docs.git',
  'http://0x7f.1/docs.git',
  'http://[::1]/docs.git',
  'http://[::ffff:10.0.0.1]/docs.git',
  'http://169.254.169.254/latest/meta-data',
  'https://example.com:0/docs.git',
  'https://example.com:65536/docs.git',
  'https://-example.com/docs.git',
  'https://example.com./docs.git',
  'https://exa$mple.com/docs.git',
];

const REPOSITORY_ADDRESS = [
  'git://example.com/docs.git',
  'ext::sh -c touch% /tmp/x',
  'git@example.com:docs.git',
  '--upload-pack=touch /tmp/x',
  'https://example.com/',
  'https://example.com/docs?branch=main',
  'https://ada:secret@example.com/?branch=main',
  'https://example.com/-docs',
  'https://example.com/%2Ddocs',
  'ssh://-oProxyCommand=touch/docs',
  'ssh://%2doProxyCommand=touch/docs',
  'ssh://-oProxyCommand=touch@example.com/docs',
  'ssh://git@-oProxyCommand=touch/docs',
  'ssh://git@example.com/-oProxyCommand=touch',
  'ssh://git@example.com:0/docs',
  'ssh://git@example.com:99999/docs',
  'ssh://git@10.0.0.8/docs',
  'ssh://git@[::1]/docs',
  "ssh://git@exa'mple.com/docs",
];

const REF = [
  'main',
  'HEAD',
  '-refs/heads/x',
  'refs/heads/',
  'refs/tags/v1',
  'refs/pull/1/head',
  'refs/heads/-x',
  'refs/heads/--upload-pack=touch',
  'refs/heads/.x',
  'refs/heads/a/.x',
  'refs/heads/a..b',
  'refs/heads/a//b',
  'refs/heads/a/',
  'refs/heads/a.',
  'refs/heads/a.lock',
  'refs/heads/a.lock/b',
  'refs/heads/a b',
  'refs/heads/a~1',
  'refs/heads/a^',
  'refs/heads/a:b',
  'refs/heads/a?',
  'refs/heads/*',
  'refs/heads/[a]',
  'refs/heads/a\\b',
  'refs/heads/a@{1}',
  'refs/heads/a\nb',
  'refs/heads/a\u0000b',
  'refs/heads/a\u007fb',
  `refs/heads/${'a'.repeat(1001)}`,
];

// They are rejected before any query.
describe.each(Object.keys(OPERATIONS) as Operation[])('a %s', (operation) => {
  test.each(ANY_ADDRESS)('from %s is a 400', async (address) => {
    const { status, details } = await refusal(operation, { url: address });
    expect({ status, details }).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: OPERATIONS[operation].field }],
    });
  });
});

describe.each(['Git import', 'Git export', 'wiki import'] as const)('a %s', (operation) => {
  test.each(REPOSITORY_ADDRESS)('from %s is a 400 without the credentials', async (address) => {
    const { status, details, text } = await refusal(operation, { url: address });
    expect({ status, details }).toMatchObject({ status: 400, details: [{ in: 'body', path: 'url' }] });
    expect(text).not.toContain('secret');
  });
});

describe.each(['Git import', 'Git export'] as const)('a %s', (operation) => {
  test.each(REF)('of the ref %j is a 400', async (wrong) => {
    const { status, details } = await refusal(operation, { ref: wrong });
    expect({ status, details }).toMatchObject({ status: 400, details: [{ in: 'body', path: 'ref' }] });
  });

  test('of a folder with a control character is a 400', async () => {
    const { status, details } = await refusal(operation, { repoProjectDirectory: 'docs\u0000' });
    expect({ status, details }).toMatchObject({ status: 400, details: [{ path: 'repoProjectDirectory' }] });
  });

  test.each([
    ['refs/heads/feature/a-b_c.d', 'https://example.com/docs.git'],
    ['refs/heads/é@', 'ssh://git@example.com:2222/~ada/docs.git'],
    // Sent in a header: a token may start with any character.
    ['refs/heads/main', 'https://-token@example.com/docs.git'],
    ['refs/heads/main', 'https://ada:s3cret%2F@example.com/group/-/docs.git'],
  ])('of %s at %s is left to the job', async (right, address) => {
    const { response } = await OPERATIONS[operation].call({ ref: right, url: address });
    expect(response.status).toBe(204);
  });
});
