import { OutgoingError } from './errors.ts';
import { JsonApi, type JsonResponse } from './json-api.ts';

/** Time limit of a request to the language model. */
export const LANGUAGE_MODEL_TIMEOUT_MS = 30_000;
/** Maximum size of a response of the language model. */
export const MAX_LANGUAGE_MODEL_RESPONSE_BYTES = 256 * 1024;

/** A language model, and the service that has it. */
export interface LanguageModelSettings {
  /** Base URL of a service that is compatible with the chat completions of OpenAI. */
  url: string;
  model: string;
  /** Secret. */
  key: string | undefined;
}

/** A message to a language model. */
export interface ChatMessage {
  role: 'system' | 'user';
  content: string;
}

/** What a language model responds to. */
export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** Maximum length of the response, in tokens of the model. */
  maxTokens: number;
  signal: AbortSignal;
  /** Time limit in milliseconds. */
  timeout?: number;
}

/**
 * A failure of the language model. The message completes a sentence about it, and may be shown to visitors: it contains
 * neither the address of the service nor any part of its response, which can repeat the key. The cause is for the log.
 */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError';
}

/**
 * Sends messages to a language model, and returns the text of its response.
 *
 * @throws LanguageModelError
 */
export async function completeChat(
  { url, model, key }: LanguageModelSettings,
  { messages, maxTokens, signal, timeout = LANGUAGE_MODEL_TIMEOUT_MS }: ChatRequest,
): Promise<string> {
  const limits = { maxBytes: MAX_LANGUAGE_MODEL_RESPONSE_BYTES, timeout, signal };
  const request = {
    body: { model, messages, max_tokens: maxTokens },
    authorization: key === undefined ? undefined : `Bearer ${key}`,
  };
  await using api = new JsonApi();
  let response: JsonResponse;
  try {
    response = await api.send(completionsUrl(url), limits, request);
  } catch (error) {
    if (error instanceof OutgoingError) {
      throw new LanguageModelError(causeOf(error, timeout), { cause: error });
    }
    throw error;
  }
  if (response.status !== 200) {
    throw new LanguageModelError(`its service returned the status ${response.status}.`);
  }
  const text = firstChoiceText(response.body);
  if (text === undefined) {
    throw new LanguageModelError('its response contains no text.');
  }
  return text;
}

function causeOf({ code }: OutgoingError, timeout: number): string {
  switch (code) {
    case 'timeout':
      return `it did not respond within ${timeout / 1000} seconds.`;
    case 'unreachable':
      return 'its service could not be reached.';
    case 'too-large':
      return 'its response is too large.';
    case 'aborted':
      return 'the request was aborted.';
    default:
      return 'its response is invalid.';
  }
}

/** Returns the URL of the operation below the base URL, with the query of the base URL. */
function completionsUrl(base: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname}${url.pathname.endsWith('/') ? '' : '/'}chat/completions`;
  url.hash = '';
  return url;
}

/** Returns the text of the first choice; undefined if the response has none. */
function firstChoiceText(body: unknown): string | undefined {
  const choices = field(body, 'choices');
  const message = Array.isArray(choices) ? field(choices[0], 'message') : undefined;
  const content = field(message, 'content');
  return typeof content === 'string' && content.trim() !== '' ? content.trim() : undefined;
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
