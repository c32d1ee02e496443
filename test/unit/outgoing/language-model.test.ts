import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  completeChat,
  LanguageModelError,
  MAX_LANGUAGE_MODEL_RESPONSE_BYTES,
} from '../../../server/outgoing/language-model.ts';
import {
  ANSWER,
  completion,
  endless,
  type FakeLanguageModel,
  json,
  startLanguageModel,
} from '../../support/translations/language-model.ts';

const KEY = 'sk-secret-of-the-operator';

let model: FakeLanguageModel;
beforeAll(async () => {
  model = await startLanguageModel();
});
afterAll(() => model.close());
beforeEach(() => model.reset());

const messages = [{ role: 'user', content: 'Why?' }] as const;

const complete = (
  path = '',
  { url = model.url, timeout = 20_000, signal = new AbortController().signal } = {},
): Promise<string> =>
  completeChat(
    { url: `${url}${path}`, model: 'small', key: KEY },
    { messages, maxTokens: 50, signal, timeout },
  );

const failureOf = async (completed: Promise<string>): Promise<LanguageModelError> => {
  const error = await completed.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(LanguageModelError);
  return error as LanguageModelError;
};

test.each([
  ['', '/chat/completions'],
  ['/', '/chat/completions'],
  ['/v1', '/v1/chat/completions'],
  ['/v1/?version=2#part', '/v1/chat/completions?version=2'],
])('requests a completion below the base URL %s', async (path, url) => {
  expect(await complete(path)).toBe(ANSWER);
  expect(model.requests).toMatchObject([
    { url, headers: { authorization: `Bearer ${KEY}` }, body: { model: 'small', messages, max_tokens: 50 } },
  ]);
});

test('sends no authorization without a key', async () => {
  const signal = new AbortController().signal;
  await completeChat({ url: model.url, model: 'small', key: undefined }, { messages, maxTokens: 1, signal });
  expect(model.requests[0]?.headers).not.toHaveProperty('authorization');
});

describe('a failure', () => {
  const echo = { error: { message: `Incorrect API key: ${KEY}` } };

  test.each<[string, FakeLanguageModel['respond'], string]>([
    ['an error', json(echo, 500), 'its service returned the status 500.'],
    ['a rejected key', json(echo, 401), 'its service returned the status 401.'],
    ['a rate limit', json(echo, 429), 'its service returned the status 429.'],
    ['another status of success', json(completion('x'), 202), 'its service returned the status 202.'],
    [
      'a redirect',
      (response) => void response.writeHead(307, { Location: '/other' }).end(),
      'its service returned the status 307.',
    ],
    ['an error with the status 200', json(echo), 'its response contains no text.'],
    ['text', (response) => void response.end(`It is ${KEY}`), 'its response contains no text.'],
    ['nothing', (response) => void response.end(), 'its response contains no text.'],
    ['null', json(null), 'its response contains no text.'],
    ['no choices', json({ choices: [] }), 'its response contains no text.'],
    ['choices that are no list', json({ choices: { 0: completion('x') } }), 'its response contains no text.'],
    ['no message', json({ choices: [{ text: 'x' }] }), 'its response contains no text.'],
    ['a refusal', json(completion(null)), 'its response contains no text.'],
    ['whitespace', json(completion(' \n')), 'its response contains no text.'],
    ['content that is no text', json(completion({ toString: 1 })), 'its response contains no text.'],
    [
      'an answer that is too large',
      json(completion('x'.repeat(MAX_LANGUAGE_MODEL_RESPONSE_BYTES))),
      'its response is too large.',
    ],
    ['a response without an end', endless, 'its response is too large.'],
    [
      'a connection that is closed',
      (response) => void response.destroy(),
      'its service could not be reached.',
    ],
    [
      'an unknown encoding',
      (response) => void response.writeHead(200, { 'Content-Encoding': 'zstd' }).end('x'),
      'its response is invalid.',
    ],
  ])('is %s, which is reported without the key', async (_name, respond, message) => {
    model.respond = respond;
    const error = await failureOf(complete());
    expect(error.message).toBe(message);
    // As in the log.
    expect(JSON.stringify(pino.stdSerializers.err(error))).not.toContain(KEY);
    expect(model.requests).toHaveLength(1);
  });

  test.each<[string, FakeLanguageModel['respond']]>([
    ['no response', () => undefined],
    ['a response that stops', (response) => void response.writeHead(200).write('{"choices":')],
  ])('is %s in time', async (_name, respond) => {
    model.respond = respond;
    const error = await failureOf(complete('', { timeout: 100 }));
    expect(error.message).toBe('it did not respond within 0.1 seconds.');
  });

  test('is a service that does not run', async () => {
    const stopped = await startLanguageModel();
    await stopped.close();
    const error = await failureOf(complete('', { url: stopped.url }));
    expect(error.message).toBe('its service could not be reached.');
  });

  test('is a caller that disconnects, and ends the request', async () => {
    const caller = new AbortController();
    const closed = new Promise((resolve) => {
      model.respond = (response) => {
        response.on('close', resolve);
        caller.abort();
      };
    });
    const error = await failureOf(complete('', { signal: caller.signal }));
    expect(error.message).toBe('the request was aborted.');
    await closed;
  });
});
