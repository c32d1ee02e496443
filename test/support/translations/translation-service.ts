import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, serveOnLoopback } from '../http/loopback.ts';

/** A request for translations, as LibreTranslate receives it. */
export interface TranslationRequest {
  q: string | string[];
  source: string;
  target: string;
  format: string;
  api_key?: string;
}

/** Writes another response than a translation. */
export type Fault = (response: ServerResponse, request: TranslationRequest) => void;

/** A LibreTranslate-compatible service on loopback. Its language is the reversed words in capital letters. */
export interface FakeTranslationService extends LoopbackServer {
  /** All requests for translations, including those with faults. */
  requests: TranslationRequest[];
  /** The texts that were translated, in order. */
  translated: string[];
  /** The responses to the next requests, instead of translations. */
  faults: Fault[];
  /** Changes translated texts, as real translators do. */
  mangle: (html: string, request: TranslationRequest) => string;
  /** Called before each translation; the response waits for it. */
  before: () => Promise<void>;
  /** Codes of `GET /languages`; a 404 if undefined. */
  languages: string[] | undefined;
  /** Forgets requests and faults. */
  reset(): void;
}

const PARTS = /(<span [^<>]*translate="no"[^<>]*>[^<]*<\/span>|<[^<>]*>|&#?\w+;)|([\p{L}\p{M}]+)/gu;

/** Returns a text in the language of the service. Elements with `translate="no"` are unchanged. */
export const reversed = (html: string): string =>
  html.replace(PARTS, (part, markup: string | undefined) =>
    markup === undefined ? [...part].reverse().join('').toUpperCase() : part,
  );

/** Responds with a status, and with an error as the service reports it. */
export const failing =
  (status: number, headers: Record<string, string> = {}): Fault =>
  (response) =>
    void response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify({ error: `Simulated status ${status}` }));

const initial = (): Omit<FakeTranslationService, keyof LoopbackServer | 'reset'> => ({
  requests: [],
  translated: [],
  faults: [],
  mangle: (html) => html,
  before: async () => {},
  languages: undefined,
});

/** Starts a service on loopback. */
export async function startTranslationService(): Promise<FakeTranslationService> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET' && request.url === '/languages') {
      const { languages } = service;
      const listed = languages?.map((code) => ({ code, name: code, targets: languages }));
      response.writeHead(listed ? 200 : 404, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(listed ?? { error: 'Not found' }));
      return;
    }
    if (request.method !== 'POST' || request.url !== '/translate') {
      response.writeHead(404).end();
      return;
    }
    // Written by the server under test.
    const body = JSON.parse(await text(request)) as TranslationRequest;
    service.requests.push(body);
    const fault = service.faults.shift();
    if (fault) {
      fault(response, body);
      return;
    }
    await service.before();
    const texts = [body.q].flat();
    const results = texts.map((html) => service.mangle(reversed(html), body));
    service.translated.push(...texts);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ translatedText: Array.isArray(body.q) ? results : results[0] }));
  };
  const server = await serveOnLoopback((request, response) => void respond(request, response));
  const service: FakeTranslationService = {
    ...server,
    ...initial(),
    reset: () => void Object.assign(service, initial()),
  };
  return service;
}
