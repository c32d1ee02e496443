import { buffer } from 'node:stream/consumers';
import type { components } from '../../generated/schema.d.ts';
import type { IntegrationEnvironment } from '../../server/models/integration-calls/environment.ts';
import { type LoopbackServer, serveOnLoopback } from './loopback.ts';

/** A call that a receiver received. */
export interface ReceivedCall {
  method: string | undefined;
  path: string | undefined;
  event: components['schemas']['IntegrationEventPayload'];
  environment: IntegrationEnvironment;
  /** Undefined if the call has none. */
  fetchBody: Uint8Array | undefined;
}

/** A server of a developer that receives the calls of an integration in development. */
export interface IntegrationReceiver extends LoopbackServer {
  calls: ReceivedCall[];
}

/**
 * Starts a receiver on loopback.
 *
 * @param answer returns the answer to a call; `OK` by default
 */
export async function startReceiver(
  answer: (call: ReceivedCall) => Response | Promise<Response> = () => new Response('OK'),
): Promise<IntegrationReceiver> {
  const calls: ReceivedCall[] = [];
  const server = await serveOnLoopback(async (request, response) => {
    const form = await new Response(new Uint8Array(await buffer(request)), {
      headers: { 'Content-Type': request.headers['content-type'] ?? '' },
    }).formData();
    const body = form.get('fetch-body');
    const call: ReceivedCall = {
      method: request.method,
      path: request.url,
      event: JSON.parse(String(form.get('event'))),
      environment: JSON.parse(String(form.get('environment'))),
      fetchBody: body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : undefined,
    };
    calls.push(call);
    const answered = await answer(call);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(Buffer.from(await answered.arrayBuffer()));
  });
  return { ...server, calls };
}
