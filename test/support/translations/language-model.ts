import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, serveOnLoopback } from '../http/loopback.ts';

/** A request for a completion, as a service with the chat completions of OpenAI receives it. */
export interface CompletionRequest {
  url: string;
  headers: IncomingHttpHeaders;
  body: { model: string; max_tokens: number; messages: { role: string; content: string }[] };
}

/** A service with a language model on loopback. */
export interface FakeLanguageModel extends LoopbackServer {
  requests: CompletionRequest[];
  /** Writes the response to a request. */
  respond: (response: ServerResponse, request: CompletionRequest) => void;
  /** Forgets requests, and answers as after the start. */
  reset(): void;
}

/** The answer of the model. */
export const ANSWER = 'Run **setup**.';

/** Responds with JSON. */
export const json =
  (body: unknown, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** Returns a completion with a content. */
export const completion = (content: unknown) => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
});

/** Responds with a body that never ends. */
export function endless(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(16_384))) {}
  };
  response.on('drain', more);
  more();
}

const initial = () => ({ requests: [], respond: json(completion(`\n${ANSWER}\n`)) });

/** Starts a service on loopback. */
export async function startLanguageModel(): Promise<FakeLanguageModel> {
  const server = await serveOnLoopback(async (request, response) => {
    const { url = '', headers } = request;
    // Written by the server under test.
    const body = JSON.parse(await text(request)) as CompletionRequest['body'];
    const received = { url, headers, body };
    model.requests.push(received);
    model.respond(response, received);
  });
  const model: FakeLanguageModel = {
    ...server,
    ...initial(),
    reset: () => void Object.assign(model, initial()),
  };
  return model;
}
