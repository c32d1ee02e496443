// Runs on one engine: it uses operations with tests that run on both.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import { type CheckedOutIntegration, readCheckout } from '../../interop/integrations/checkout.ts';
import type { FakeServices } from '../../interop/integrations/fakes/services.ts';
import { startFakeServices } from '../../interop/integrations/fakes/services.ts';
import { redirectConnections } from '../../interop/integrations/redirect.ts';
import {
  createReplies,
  type IntegrationResults,
  runIntegration,
  STEPS,
} from '../../interop/integrations/run.ts';
import type { Scenario } from '../../interop/integrations/scenarios/scenario.ts';
import type { Step } from '../../interop/integrations/step.ts';
import { formatResults } from '../../interop/integrations/table.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../support/git/git-server.ts';
import { bundledIntegration, INTEGRATIONS } from '../../support/integrations/bundled-integrations.ts';
import { publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

// The pieces of `npm run interop`, over integrations of the tests: one of each kind of step.

const HOST = 'courier.example.com';

const COURIER: Scenario = {
  settings: { channel: 'interop-channel' },
  unfurls: [`https://${HOST}/messages/1`],
  props: { message: { url: `https://${HOST}/messages/1` } },
  shows: 'The harbor is open.',
  events: { space_content_updated: HOST, site_view: HOST },
  replies: ({ method, url }) =>
    url.host !== HOST
      ? undefined
      : url.pathname === '/channels'
        ? { json: [{ id: 'interop-channel', label: 'Harbor' }] }
        : url.pathname.startsWith('/messages')
          ? { json: { text: method === 'GET' ? 'The harbor is open.' : '' } }
          : undefined,
};
const GATE: Scenario = { settings: { provider: 'https://accounts.example.com', client: 'interop' } };

let server: TestServer;
let git: GitServer;
let repository: ServedRepository;
let fakes: FakeServices;
let restore: () => void;
let integrations: CheckedOutIntegration[];
const { replies, use } = createReplies();
beforeAll(async () => {
  [server, git, fakes, integrations] = await Promise.all([
    startTestServer(),
    startGitServer(),
    startFakeServices(replies),
    readCheckout(INTEGRATIONS),
  ]);
  restore = redirectConnections(fakes.ports);
  repository = await git.createRepository({ 'README.md': '# Interop\n\nInterop content.\n' });
});
afterAll(async () => {
  restore();
  await Promise.all([server.stop(), git.close(), fakes[Symbol.asyncDispose]()]);
});

/** The command line of the platform has tests of its own. */
const bundle: Step = {
  name: 'publish',
  run: async ({ manifest: { name }, service }) => {
    const { organization } = service;
    await ok(publish(server.admin, name, { ...(await bundledIntegration(name)), organization }));
    return 'ok';
  },
};
const [, ...others] = STEPS;

const statesOf = (results: IntegrationResults) =>
  Object.fromEntries(
    Object.entries(results).map(([step, result]) => [step, 'reason' in result ? result : result.state]),
  );

async function run(
  name: string,
  scenario: Scenario,
  steps: readonly Step[] = others,
): Promise<IntegrationResults> {
  const integration = integrations.find(({ folder }) => folder === name);
  if (!integration) {
    throw new Error(`${name} is missing`);
  }
  return await runIntegration(integration, {
    service: server,
    fakes,
    use,
    repository,
    steps: [bundle, ...steps],
    scenario,
  });
}

test('an integration with an account of another service, a form with steps, blocks, a script and events works', async () => {
  expect(statesOf(await run('courier', COURIER))).toEqual({
    publish: 'ok',
    install: 'ok',
    oauth: 'ok',
    configure: 'ok',
    unfurl: 'ok',
    blocks: 'ok',
    frame: 'ok',
    script: 'ok',
    events: 'ok',
    visitors: '-',
    trace: 'ok',
  });
});

test('an integration admits the visitors whom an identity provider authenticates', async () => {
  expect(statesOf(await run('gate', GATE))).toMatchObject({ configure: 'ok', visitors: 'ok', trace: 'ok' });
});

test('a step without its outcome has a reason', async () => {
  const steps = STEPS.filter(({ name }) => ['install', 'oauth', 'blocks'].includes(name));
  const results = await run('courier', { ...COURIER, shows: 'Nothing shows this.' }, steps);
  expect(results.oauth).toEqual({ state: 'ok' });
  expect(results.blocks).toMatchObject({
    state: 'failed',
    reason: 'the block message does not show Nothing shows this.',
  });
  const table = formatResults([['courier', results]], ['oauth', 'blocks', 'visitors']);
  expect(table).toContain('total        1/1    0/1     0/0');
  expect(table).toContain('courier · blocks · failed: the block message does not show Nothing shows this.');
});
