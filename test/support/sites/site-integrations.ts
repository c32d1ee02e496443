/** Integrations in development on a published site: a receiver of the test answers their events. */
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import {
  type IntegrationReceiver,
  type ReceivedCall,
  startReceiver,
} from '../integrations/integration-receiver.ts';
import { install, named, publish } from '../integrations/integrations.ts';
import type { Person, TestServer } from '../server.ts';

type Schemas = components['schemas'];

/** An integration of a test, and the calls that it received. */
export interface DevelopedIntegration {
  name: string;
  installation: string;
  /** Calls that a visitor waits for. */
  calls: ReceivedCall[];
}

/** Events that a visitor of a site waits for. All others are accepted. */
const AWAITED: ReadonlySet<string> = new Set(['ui_render', 'fetch_published_script', 'fetch']);

/** Publishes and installs integrations, and closes their receivers. */
export class DevelopedIntegrations implements AsyncDisposable {
  readonly #server: TestServer;
  readonly #receivers: IntegrationReceiver[] = [];

  constructor(server: TestServer) {
    this.#server = server;
  }

  async add(
    name: string,
    publication: Schemas['IntegrationPublication'],
    answer: (call: ReceivedCall) => Response | Promise<Response>,
    { organization = this.#server.organization, admin = this.#server.admin as Pick<Person, 'client'> } = {},
  ): Promise<DevelopedIntegration> {
    const calls: ReceivedCall[] = [];
    const receiver = await startReceiver((call) => {
      if (!AWAITED.has(call.event.type)) {
        return new Response('OK');
      }
      calls.push(call);
      return answer(call);
    });
    this.#receivers.push(receiver);
    await ok(publish(admin, name, { organization, ...publication }));
    await admin.client.PUT('/v1/integrations/{integrationName}/dev', {
      ...named(name),
      body: { tunnelUrl: receiver.url },
    });
    const { id } = await install(admin, name, organization);
    return { name, installation: id, calls };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
  }
}

/** Answers with the element of a component. */
export const rendered = (
  element: Schemas['RenderRoot'],
  { state = {}, props = {} }: { state?: Record<string, unknown>; props?: Record<string, unknown> } = {},
): Response => Response.json({ type: 'element', element, state, props });
