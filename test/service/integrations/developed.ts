import { afterAll, beforeAll, beforeEach } from 'vitest';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import {
  develop,
  type EventReceiver,
  startEventReceiver,
} from '../../support/integrations/event-receiver.ts';
import { install, installed, publish } from '../../support/integrations/integrations.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** Path of an installation. */
export const INSTALLATION = '/v1/integrations/{integrationName}/installations/{installationId}';

/** Server of the current test file. */
export let server: TestServer;
/** Receiver of the current test. */
export let receiver: EventReceiver;
let integrations = 0;

/** Starts a server for the tests of a file, and a receiver for each test. Call it once, at the top of the file. */
export function useReceivers(): void {
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    receiver = await startEventReceiver();
    return () => receiver.close();
  });
}

/** Publishes an integration with a developer that receives its events, and installs it. */
export async function developed(
  body: components['schemas']['IntegrationPublication'] = {},
  tunnelUrl = receiver.url,
) {
  integrations += 1;
  const name = `developed-${integrations}`;
  await ok(publish(server.admin, name, { organization: server.organization, ...body }));
  await develop(server.admin, name, tunnelUrl);
  const { id } = await install(server.admin, name, server.organization);
  return { name, id, path: installed(name, id) };
}
