import type { components } from '../../../../../generated/schema.d.ts';
import { joinParts, repairTranslation, textParts } from '../../../../content/translation/repair.ts';
import { OutgoingError } from '../../../../outgoing/errors.ts';
import { JsonApi, type JsonResponse } from '../../../../outgoing/json-api.ts';

type Language = components['schemas']['Language'];

/** Time limit of a request to the translation service. */
export const TRANSLATION_TIMEOUT_MS = 60_000;
/** Maximum size of a response of the translation service. */
export const MAX_TRANSLATION_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Maximum delay that the translation service can request. */
export const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/** Codes of the service for our languages, if they differ, in the order of preference. */
const CODES: Partial<Record<Language, readonly string[]>> = {
  'pt-br': ['pt-BR', 'pb', 'pt'],
  zh: ['zh', 'zh-Hans'],
  no: ['nb', 'no'],
  he: ['he', 'iw'],
};

/** A failure of the translation service. */
export class TranslationServiceError extends Error {
  override readonly name = 'TranslationServiceError';
  /** Whether the same request may succeed later. */
  readonly isTransient: boolean;
  /** The delay in milliseconds that the service requested. */
  readonly retryAfterMs: number;

  constructor(message: string, { isTransient = true, retryAfterMs = 0, cause = undefined as unknown } = {}) {
    super(message, { cause });
    this.isTransient = isTransient;
    this.retryAfterMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  }
}

/** The service rejected a text because of its length. */
class TextTooLong extends Error {}

/**
 * Client of a LibreTranslate-compatible service: `GET /languages`, if the service has it, and `POST /translate` with
 * `q` (several texts), `source`, `target`, `format: html` and, if the configured URL has the parameter `api_key`, that
 * key. The protocol has no parameter for instructions or glossaries.
 */
export class TranslationService implements AsyncDisposable {
  readonly #api = new JsonApi();
  readonly #base: URL;
  readonly #key: string | null;
  readonly #languages: { source: Language; target: Language };
  readonly #signal: AbortSignal;
  #codes: Promise<{ source: string; target: string }> | undefined;

  constructor(url: string, languages: { source: Language; target: Language }, signal: AbortSignal) {
    this.#base = new URL(url);
    this.#key = this.#base.searchParams.get('api_key');
    this.#languages = languages;
    this.#signal = signal;
  }

  /**
   * Translates segments. A segment that is returned with broken elements is sent again in parts.
   *
   * @returns the translations in order; null for a segment that the service cannot translate
   * @throws TranslationServiceError
   */
  async translate(segments: readonly string[]): Promise<Array<string | null>> {
    const translated = await this.#request(segments);
    const results: Array<string | null> = [];
    for (const [at, source] of segments.entries()) {
      const text = translated[at];
      const repaired =
        typeof text === 'string' ? repairTranslation(source, text, this.#languages.target) : undefined;
      results.push(repaired ?? (text === null ? null : await this.#translateParts(source)));
    }
    return results;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api[Symbol.asyncDispose]();
  }

  async #translateParts(source: string): Promise<string | null> {
    const parts = await this.#request(textParts(source));
    const texts = parts.filter((part) => part !== null);
    return texts.length === parts.length ? (joinParts(source, texts) ?? null) : null;
  }

  /** Sends texts together, or each alone if the service does not accept them together. */
  async #request(texts: readonly string[]): Promise<Array<string | null>> {
    if (texts.length === 0) {
      return [];
    }
    try {
      const translated = await this.#send(texts.length === 1 ? texts[0] : texts);
      const list = Array.isArray(translated) ? translated : [translated];
      if (list.length === texts.length && list.every((text) => typeof text === 'string')) {
        return list;
      }
      if (texts.length === 1) {
        throw new TranslationServiceError('The translation service returned no translation.');
      }
    } catch (error) {
      if (!(error instanceof TextTooLong)) {
        throw error;
      }
      if (texts.length === 1) {
        return [null];
      }
    }
    const results: Array<string | null> = [];
    for (const text of texts) {
      results.push(...(await this.#request([text])));
    }
    return results;
  }

  async #send(q: string | readonly string[] | undefined): Promise<unknown> {
    this.#codes ??= this.#findCodes();
    const key = this.#key === null ? {} : { api_key: this.#key };
    const response = await this.#call('translate', { q, ...(await this.#codes), format: 'html', ...key });
    const { status, body } = response;
    if (status === 200) {
      return field(body, 'translatedText');
    }
    const message = String(field(body, 'error') ?? `status ${status}`).slice(0, 200);
    if (status === 413 || (status === 400 && /\blimit\b/i.test(message))) {
      throw new TextTooLong();
    }
    throw new TranslationServiceError(`The translation service returned the status ${status}: ${message}`, {
      isTransient: status === 408 || status === 429 || status >= 500,
      retryAfterMs: response.retryAfterMs ?? 0,
    });
  }

  /** Determines the codes of the languages, from those that the service lists. */
  async #findCodes(): Promise<{ source: string; target: string }> {
    const { status, body } = await this.#call('languages');
    const listed =
      status === 200 && Array.isArray(body) ? body.map((item) => field(item, 'code')) : undefined;
    const codeOf = (language: Language): string => {
      const codes = CODES[language] ?? [language];
      const code = listed ? codes.find((candidate) => listed.includes(candidate)) : codes[0];
      if (code === undefined) {
        throw new TranslationServiceError(
          `The translation service does not support the language ${language}.`,
          {
            isTransient: false,
          },
        );
      }
      return code;
    };
    return { source: codeOf(this.#languages.source), target: codeOf(this.#languages.target) };
  }

  async #call(operation: string, body?: object): Promise<JsonResponse> {
    const url = new URL(operation, this.#base.href.replace(/[?#].*$/, '').replace(/\/*$/, '/'));
    try {
      return await this.#api.send(
        url,
        { maxBytes: MAX_TRANSLATION_RESPONSE_BYTES, timeout: TRANSLATION_TIMEOUT_MS, signal: this.#signal },
        { body },
      );
    } catch (error) {
      if (error instanceof OutgoingError && error.code !== 'aborted') {
        throw new TranslationServiceError(`The translation service failed: ${error.message}`, {
          cause: error,
        });
      }
      throw error;
    }
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? // The key was just checked.
      (value as Record<string, unknown>)[name]
    : undefined;
