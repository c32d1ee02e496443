import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { LoopbackServer } from '../http/loopback.ts';
import type { Person } from '../server.ts';
import { type ReceivedCall, startReceiver } from './integration-receiver.ts';
import { named } from './integrations.ts';

type Payload = components['schemas']['IntegrationEventPayload'];

/** An event that a receiver got, with the environment of its integration. */
export interface ReceivedEvent {
  payload: Payload;
  environment: ReceivedCall['environment'];
}

/** The program of a developer: receives the events of integrations in development. */
export interface EventReceiver extends LoopbackServer {
  /** All attempts, in order. */
  received: ReceivedEvent[];
  /** Returns the payloads of a type, in order. */
  of<Type extends Payload['type']>(type: Type): Extract<Payload, { type: Type }>[];
  /** Status of the answer to an event; 200 by default. A promise delays it. */
  answer: (payload: Payload) => number | Promise<number>;
}

/** Starts a receiver on loopback. */
export async function startEventReceiver(): Promise<EventReceiver> {
  const received: ReceivedEvent[] = [];
  const server = await startReceiver(async ({ event, environment }) => {
    received.push({ payload: event, environment });
    const status = await receiver.answer(event);
    return new Response(status === 200 ? 'OK' : 'Not handled.', { status });
  });
  const receiver: EventReceiver = {
    url: server.url,
    close: server.close,
    received,
    of: <Type extends Payload['type']>(type: Type) =>
      received
        .map(({ payload }) => payload)
        .filter((payload): payload is Extract<Payload, { type: Type }> => payload.type === type),
    answer: () => 200,
  };
  return receiver;
}

/** Sends the events of an integration to a receiver. */
export async function develop(
  person: Pick<Person, 'client'>,
  name: string,
  tunnelUrl: string,
  all = false,
): Promise<void> {
  const params = { ...named(name), body: { tunnelUrl, all } };
  await ok(person.client.PUT('/v1/integrations/{integrationName}/dev', params));
}

/** Lists the events of an integration. */
export const eventsOf = async (person: Pick<Person, 'client'>, name: string) =>
  (
    await ok(
      person.client.GET('/v1/integrations/{integrationName}/events', {
        params: { ...named(name).params, query: { limit: 1000 } },
      }),
    )
  ).items;
