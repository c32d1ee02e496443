// Runs on one engine: processes of scripts read no rows.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { install, named, publish } from '../../support/integrations/integrations.ts';
import { startTestServer } from '../../support/server.ts';

// The only test of this file, because the temporary folder is that of all servers of a file.
test('a server starts processes with the first call, and ends them when it stops', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rendering-'));
  vi.stubEnv('TMPDIR', folder);
  const own = await startTestServer();
  try {
    const script = 'export default { fetch: () => Response.json({ type: "complete" }) };';
    await ok(publish(own.admin, 'stopped', { organization: own.organization, script }));
    expect(await readdir(folder)).toEqual([]);
    await install(own.admin, 'stopped', own.organization);
    const context = {
      type: 'configuration_account',
      organizationId: own.organization,
      theme: 'light',
    } as const;
    const body = { componentId: 'form', props: {}, context };
    await ok(
      own.admin.client.POST('/v1/integrations/{integrationName}/render', { ...named('stopped'), body }),
    );
    expect(await readdir(folder)).toHaveLength(1);
  } finally {
    await own.stop();
    vi.unstubAllEnvs();
  }
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
