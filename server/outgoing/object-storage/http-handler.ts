import { type Agent, request as send } from 'undici';

/** A signed request of the client of Amazon. */
export interface SignedRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: Uint8Array | string | undefined;
}

/**
 * Returns what sends the requests of the client of Amazon: the HTTP client of the other outgoing requests, whose time
 * limits apply to each attempt, and whose requests are counted and traced.
 *
 * @param timeoutMs returns the time limit of a request until its response starts; the agent limits the pauses of the
 *   response
 */
export const httpHandler = (agent: Agent, timeoutMs: (request: SignedRequest) => number) => ({
  metadata: { handlerProtocol: 'http/1.1' },
  async handle(request: SignedRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
    const started = new AbortController();
    const timer = setTimeout(
      () => started.abort(new Error('There was no response in time.')),
      timeoutMs(request),
    );
    try {
      const { statusCode, headers, body } = await send(urlOf(request), {
        dispatcher: agent,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        signal: abortSignal ? AbortSignal.any([started.signal, abortSignal]) : started.signal,
      });
      return { response: { statusCode, headers: joined(headers), body } };
    } catch (error) {
      // The client repeats requests that failed with an error of this name.
      throw Object.assign(new Error('The request failed.', { cause: error }), { name: 'TimeoutError' });
    } finally {
      clearTimeout(timer);
    }
  },
  destroy: () => void agent.destroy(),
  updateHttpClientConfig: () => {},
  httpHandlerConfigs: () => ({}),
});

function urlOf({ protocol, hostname, port, path, query = {} }: SignedRequest): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((text) => `${encode(name)}=${encode(text)}`),
  );
  const host = port === undefined ? hostname : `${hostname}:${port}`;
  return `${protocol}//${host}${path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`;
}

/** Encodes a text as the signature requires. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const joined = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
