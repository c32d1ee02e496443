/** The services that integrations call, on loopback. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PROVIDER_KEY } from '../../../support/saml/keys.ts';
import type { FakePorts } from '../redirect.ts';

/** A request that a fake service received. */
export interface FakeRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
  /** Whether a fake service replied; false if it has no reply to such a request. */
  isKnown: boolean;
}

/** Reply of a fake service: JSON, or a text of a media type. */
export type FakeReply = { json: unknown; status?: number } | { text: string; type: string; status?: number };

/** Returns the reply to a request; undefined if there is none. */
export type Replies = (request: Omit<FakeRequest, 'isKnown'>) => FakeReply | undefined;

/** Fake services, with the requests that they received. */
export interface FakeServices extends AsyncDisposable {
  ports: FakePorts;
  requests: FakeRequest[];
}

/** Starts the fake services. They reply with 501 to requests without a reply. */
export async function startFakeServices(replies: Replies): Promise<FakeServices> {
  const requests: FakeRequest[] = [];
  const listener =
    (scheme: string): RequestListener =>
    async (request, response) => {
      const received = {
        method: request.method ?? '',
        url: new URL(request.url ?? '/', `${scheme}://${request.headers.host ?? 'unknown'}`),
        headers: request.headers,
        body: await text(request),
      };
      const reply = replies(received);
      requests.push({ ...received, isKnown: reply !== undefined });
      const [type, body] =
        reply === undefined
          ? ['text/plain', 'No fake service replies to this request.']
          : 'json' in reply
            ? ['application/json', JSON.stringify(reply.json)]
            : [reply.type, reply.text];
      response
        .writeHead(reply === undefined ? 501 : (reply.status ?? 200), { 'Content-Type': type })
        .end(body);
    };
  const plain = createServer(listener('http'));
  const secure = createSecureServer(
    { key: PROVIDER_KEY.key, cert: PROVIDER_KEY.certificate },
    listener('https'),
  );
  const [http, https] = await Promise.all([plain, secure].map(listen));
  return {
    ports: { http: http ?? 0, https: https ?? 0 },
    requests,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([plain, secure].map(close));
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
