import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { components } from '../../../generated/schema.d.ts';
import type { IntegrationEnvironment } from '../../../server/platform/integrations/calls/environment.ts';
import { type LoopbackServer, serveOnLoopback } from '../http/loopback.ts';

/** A call that a receiver received. */
export interface ReceivedCall {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
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
 * Starts a receiver on loopback. Its URL has a path of its own: an integration of an earlier test still sends events to
 * the port of its receiver, which this one may get.
 *
 * @param answer returns the answer to a call; `OK` by default
 */
export async function startReceiver(
  answer: (call: ReceivedCall) => Response | Promise<Response> = () => new Response('OK'),
): Promise<IntegrationReceiver> {
  const calls: ReceivedCall[] = [];
  const base = `/${randomUUID()}`;
  const server = await serveOnLoopback(async (request, response) => {
    if (!request.url?.startsWith(base)) {
      response.writeHead(404).end();
      return;
    }
    const form = await new Response(new Uint8Array(await buffer(request)), {
      headers: { 'Content-Type': request.headers['content-type'] ?? '' },
    }).formData();
    const body = form.get('fetch-body');
    const call: ReceivedCall = {
      method: request.method,
      path: request.url.slice(base.length),
      headers: request.headers,
      event: JSON.parse(String(form.get('event'))),
      environment: JSON.parse(String(form.get('environment'))),
      fetchBody: body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : undefined,
    };
    calls.push(call);
    const answered = await answer(call);
    response.writeHead(answered.status, [...answered.headers].flat());
    response.end(Buffer.from(await answered.arrayBuffer()));
  });
  return { ...server, url: `${server.url}${base}`, calls };
}
