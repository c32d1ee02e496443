import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { operations } from '../../../generated/operations.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { keyToBackUp } from '../../../server/app/secret-keys/secret-key.ts';
import { writeBackup } from '../../../server/database/backup/write-backup.ts';
import { branch, edit, editSpace, pageInsertion } from '../content/branches.ts';
import { ADMIN_TOKEN, SECRET_KEY } from '../environment.ts';
import { startGitServer } from '../git/git-server.ts';
import { fillPath } from '../http/requests.ts';
import { publishSite, TestResources } from '../resources.ts';
import { startTestServer } from '../server.ts';
import { RELEASE_URL, releaseFile } from './releases.ts';
import { READS, readResponses } from './responses.ts';

/*
 * Records the data of a release: `npm run record-release`, in the commit that is released. The tests of later releases
 * migrate them.
 */

test(`data of release ${manifest.version}`, async () => {
  const [server, git] = await Promise.all([
    startTestServer({ COLOPHON_PUBLIC_URL: RELEASE_URL }),
    startGitServer(),
  ]);
  const resources = await TestResources.ofServer(server, git);
  const paths = new Map<string, string>();
  for (const [operation, { path }] of Object.entries(operations)) {
    paths.set(operation, fillPath(path, await resources.pathValues(path)));
  }
  await publishSite(resources);
  const invited = { emails: ['invited@example.com'], role: 'edit' as const, sso: false };
  const inOrganization = { params: { path: { organizationId: server.organization } } };
  await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/invites', { ...inOrganization, body: invited }),
  );
  const { client } = server.admin;
  const space = await resources.idFor('spaceId');
  await editSpace(client, space, pageInsertion('Merged', '# Merged\n\nBy an earlier release: `code`.\n'));
  const { id: draft } = await branch(client, space);
  await edit(client, space, draft, pageInsertion('Draft', 'Not merged yet.\n'));
  const body = { title: 'Deleted later' };
  const deleted = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization, body }));
  await ok(client.DELETE('/v1/spaces/{spaceId}', { params: { path: { spaceId: deleted.id } } }));

  const reads = READS.map(([operation]) => [operation, paths.get(operation) ?? ''] as const);
  const responses = await readResponses(server.url, ADMIN_TOKEN, reads);
  expect(responses.length).toBeGreaterThan(100);
  const [backup, recorded] = [releaseFile(manifest.version, 'backup'), releaseFile(manifest.version, 'json')];
  const { file = '' } = server.database.threadAccess;
  await writeBackup(backup, {
    location: { folder: dirname(file) },
    secretKey: (setting) => keyToBackUp({ secretKey: SECRET_KEY, dataFolder: '' }, setting),
    now: new Date(),
  });
  await writeFile(recorded, `${JSON.stringify({ space, draft, responses }, undefined, 1)}\n`);
  await Promise.all([server.stop(), git.close()]);
});
