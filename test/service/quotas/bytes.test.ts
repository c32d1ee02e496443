import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, RunFailedError, waitForRun } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { branch, edit, requestMerge } from '../../support/content/branches.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { publish } from '../../support/integrations/integrations.ts';
import { untilJobsEnd } from '../../support/jobs.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { importContent, useSites } from '../content/websites.ts';
import { createLimited, expectExceeded, type LimitedOrganization, statusesOf } from './organizations.ts';

let server: TestServer;
let git: GitServer;
const serve = useSites();
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
});
afterAll(() => Promise.all([server.stop(), git.close()]));

/** An SVG image with a number of bytes. */
function image(bytes: number, name: string): string {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" id="${name}"/>`;
  return `${text}${' '.repeat(bytes - text.length)}`;
}

const at = (spaceId: string) => ({ params: { path: { spaceId } } });
const createSpace = async ({ client, params }: LimitedOrganization) =>
  (await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body: {} }))).id;
const upload = ({ client, params }: LimitedOrganization, bytes: number, name: string) =>
  client.POST('/v1/orgs/{organizationId}/files', {
    params,
    body: { name: `${name}.svg`, base64: btoa(image(bytes, name)) },
  });

/** Adds files to a new change request of a space. Returns the response. */
async function insertFiles(
  { client }: LimitedOrganization,
  spaceId: string,
  files: readonly components['schemas']['NewFile'][],
) {
  const { id: changeRequestId } = await branch(client, spaceId);
  return await client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
    params: { path: { spaceId, changeRequestId } },
    body: { changes: [{ operation: 'insert_files', files: [...files] }] },
  });
}

describe('a quota of bytes', () => {
  test('limits images of the organization, and is freed by their deletion', async () => {
    const organization = await createLimited(server, { bytes: 250 });
    const { client, params, organizationId } = organization;
    const { id } = await ok(upload(organization, 150, 'a'));
    expect((await organization.read()).bytes).toEqual({ used: 150, limit: 250 });
    await expectExceeded(upload(organization, 101, 'b'), { name: 'bytes', limit: 250, used: 150 });
    // The same content is stored once.
    await ok(upload(organization, 150, 'a'));
    expect(await statusesOf([upload(organization, 100, 'b'), upload(organization, 100, 'c')])).toEqual([
      201, 403,
    ]);
    expect(await organization.used('bytes')).toBe(250);
    await ok(
      client.DELETE('/v1/orgs/{organizationId}/files/{organizationFileId}', {
        params: { path: { organizationId, organizationFileId: id } },
      }),
    );
    await untilJobsEnd(server.database, params.path.organizationId);
    expect(await organization.used('bytes')).toBe(100);
  });

  test('limits files of content, of which none is stored then', async () => {
    const organization = await createLimited(server, { bytes: 250 });
    const space = await createSpace(organization);
    const files = ['a', 'b', 'c'].map((name) => ({ name: `${name}.svg`, base64: btoa(image(100, name)) }));
    await expectExceeded(insertFiles(organization, space, files), { name: 'bytes', limit: 250, used: 0 });
    expect(await organization.used('bytes')).toBe(0);
    await ok(insertFiles(organization, space, files.slice(0, 2)));
    await ok(insertFiles(organization, space, files.slice(0, 2)));
    expect(await organization.used('bytes')).toBe(200);
    const { url } = await serve({
      '/d.svg': (response) => void response.setHeader('Content-Type', 'image/svg+xml').end(image(60, 'd')),
    });
    await expectExceeded(insertFiles(organization, space, [{ name: 'd.svg', url: `${url}/d.svg` }]), {
      name: 'bytes',
      limit: 250,
      used: 200,
    });
    await organization.limit({ bytes: 260 });
    await ok(insertFiles(organization, space, [{ name: 'd.svg', url: `${url}/d.svg` }]));
    expect(await organization.used('bytes')).toBe(260);
  });

  test('limits imports, which write nothing then', async () => {
    const organization = await createLimited(server, { bytes: 100 });
    const { client, organizationId } = organization;
    const space = await createSpace(organization);
    const { url } = await serve({
      '/docs/': (response) =>
        void response
          .setHeader('Content-Type', 'text/html')
          .end('<h1>Docs</h1><p>Text.</p><p><img src="large.svg" alt="Large"></p>'),
      '/docs/large.svg': (response) =>
        void response.setHeader('Content-Type', 'image/svg+xml').end(image(150, 'large')),
    });
    const full = { name: 'bytes', limit: 100, used: 0 } as const;
    await expectExceeded(importContent(client, space, { url: `${url}/docs/`, source: 'website' }), full);
    const repository = await git.createRepository({
      'README.md': '# Docs\n\n![Large](large.svg)\n',
      'large.svg': image(150, 'large'),
      'small.svg': image(60, 'small'),
    });
    const started = () =>
      client.POST('/v1/spaces/{spaceId}/git/import', {
        ...at(space),
        body: { url: repository.url, ref: 'refs/heads/main' },
      });
    const error = await waitForRun(client, started(), { timeout: 60_000 }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({ run: { failure: { reason: 'quota_exceeded' } } });
    await untilJobsEnd(server.database, organizationId);
    expect(await organization.used('bytes')).toBe(0);
    await organization.limit({ bytes: 210 });
    await waitForRun(client, started(), { timeout: 60_000 });
    expect(await organization.used('bytes')).toBeLessThanOrEqual(210);
    expect(await organization.used('bytes')).toBeGreaterThan(0);
  });

  test('limits integrations and transfers', async () => {
    const [source, target] = [await createLimited(server), await createLimited(server, { bytes: 150 })];
    const script = `export default {}; // ${'x'.repeat(200)}`;
    await expectExceeded(publish(server.admin, 'large', { organization: target.organizationId, script }), {
      name: 'bytes',
      limit: 150,
      used: 0,
    });
    const space = await createSpace(source);
    const { client } = source;
    const { id } = await branch(client, space);
    await edit(client, space, id, {
      operation: 'insert_files',
      files: [{ name: 'a.svg', base64: btoa(image(151, 'a')) }],
    });
    await ok(requestMerge(client, space, id));
    const transfer = () =>
      client.POST('/v1/spaces/{spaceId}/transfer', {
        ...at(space),
        body: { organization: target.organizationId },
      });
    await expectExceeded(transfer(), { name: 'bytes', limit: 150, used: 0 });
    expect([await source.used('bytes'), await target.used('bytes')]).toEqual([151, 0]);
    await target.limit({ bytes: 151 });
    await ok(transfer());
    expect(await target.used('bytes')).toBe(151);
  });
});
