import { ok } from '../../client/platform/index.ts';
import type { components } from '../../generated/schema.d.ts';
import { named } from './integrations.ts';
import { type LoopbackServer, serveOnLoopback } from './loopback.ts';
import type { Person } from './server.ts';

type Payload = components['schemas']['IntegrationEventPayload'];

/** An event that a receiver got, with the environment of its integration. */
export interface ReceivedEvent {
  payload: Payload;
  environment: Record<string, unknown>;
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
  const server = await serveOnLoopback(async (req, res) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of req) {
      chunks.push(chunk);
    }
    const headers = { 'Content-Type': req.headers['content-type'] ?? '' };
    const form = await new Response(Buffer.concat(chunks), { headers }).formData();
    const payload: Payload = JSON.parse(String(form.get('event')));
    received.push({ payload, environment: JSON.parse(String(form.get('environment'))) });
    const status = await receiver.answer(payload);
    res.writeHead(status, { 'Content-Type': 'text/plain' }).end(status === 200 ? 'OK' : 'Not handled.');
  });
  const receiver: EventReceiver = {
    ...server,
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
export const develop = async (
  person: Pick<Person, 'client'>,
  name: string,
  tunnelUrl: string,
  all = false,
): Promise<void> => {
  const { response } = await person.client.PUT('/v1/integrations/{integrationName}/dev', {
    ...named(name),
    body: { tunnelUrl, all },
  });
  if (!response.ok) {
    throw new Error(`The tunnel was refused with status ${response.status}.`);
  }
};

/** Lists the events of an integration. */
export const eventsOf = async (person: Pick<Person, 'client'>, name: string) =>
  (
    await ok(
      person.client.GET('/v1/integrations/{integrationName}/events', {
        params: { ...named(name).params, query: { limit: 1000 } },
      }),
    )
  ).items;
