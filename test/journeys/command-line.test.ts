import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { runCommandLine } from '../support/command-line.ts';
import { runsCommandLine } from '../support/find-command-line.ts';
import { INTEGRATIONS } from '../support/integrations/bundled-integrations.ts';
import { named } from '../support/integrations/integrations.ts';
import { ROOT } from '../support/processes/program.ts';
import { TEMPORARY_FOLDER } from '../support/processes/temporary.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-command-line-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Runs a command with the token of the admin. Returns its output if it succeeds. */
async function command(...parameters: string[]): Promise<string> {
  const { token } = server.admin;
  const program = runCommandLine(parameters, { endpoint: server.url, token, folder });
  const { code } = await program.ended;
  expect(code, program.output.stderr).toBe(0);
  return program.output.stdout;
}

test.runIf(runsCommandLine)('the public command line identifies its user', async () => {
  const output = await command('whoami');
  expect(output).toContain(`ID: ${server.admin.id}`);
  expect(output).toContain(`Email: ${server.admin.email}`);
});

test.runIf(runsCommandLine).each(['poll', 'banner', 'diagram', 'digest', 'abusive'])(
  'the public command line publishes the integration %s',
  async (name) => {
    const path = named(name);
    const manifest = join(INTEGRATIONS, name, 'gitbook-manifest.yaml');
    const output = await command('publish', manifest, '--organization', server.organization);
    const { client } = server.admin;
    const published = await ok(client.GET('/v1/integrations/{integrationName}', path));
    expect(output).toContain(`"${name}" published`);
    expect(output).toContain(published.urls.app);
    expect(published).toMatchObject({ name, version: 1, owner: { id: server.organization } });

    await command('publish', manifest, '--organization', server.organization);
    expect(await ok(client.GET('/v1/integrations/{integrationName}', path))).toMatchObject({ version: 2 });
  },
);

test.runIf(runsCommandLine)('the public command line publishes an OpenAPI specification', async () => {
  const file = join(ROOT, 'generated/openapi.json');
  const output = await command(
    ...['openapi', 'publish', file, '--spec', 'platform', '--organization', server.organization],
  );
  expect(output).toContain('OpenAPI specification "platform" published');
  const params = { path: { organizationId: server.organization, specSlug: 'platform' } };
  const spec = await ok(server.admin.client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}', { params }));
  expect(spec.slug).toBe('platform');
});
