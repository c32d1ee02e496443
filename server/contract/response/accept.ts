import type { Request } from 'express';

/**
 * Maximum length of an `Accept`, `Accept-Encoding` or `Accept-Language` header. Longer headers are ignored: parsing them
 * would cost more than the request.
 */
export const MAX_ACCEPT_CHARACTERS = 4096;

const isParsed = (header: string | undefined): boolean =>
  header === undefined || header.length <= MAX_ACCEPT_CHARACTERS;

/**
 * Returns which of the media types of a response the caller prefers (RFC 9110, section 12.5.1): the first one for a
 * request without `Accept`, and undefined if it accepts none. Only an `Accept` with several media types is parsed in
 * full.
 *
 * @param types without ranges, and not empty
 */
export function preferredType(req: Request, types: readonly string[]): string | undefined {
  const accept = req.headers.accept;
  const [first] = types;
  if (!accept || !isParsed(accept) || accept === '*/*' || accept === first) {
    return first;
  }
  return req.accepts([...types]) || undefined;
}

/**
 * Returns which of some compressions the caller prefers (RFC 9110, section 12.5.3): the first one if it has no preference,
 * and undefined if it accepts none.
 */
export function preferredEncoding<Encoding extends 'br' | 'gzip'>(
  req: Request,
  encodings: readonly Encoding[],
): Encoding | undefined {
  if (!isParsed(req.get('Accept-Encoding'))) {
    return undefined;
  }
  const preferred = req.acceptsEncodings(...encodings, 'identity');
  return encodings.find((encoding) => encoding === preferred);
}

/** Returns the language that the caller prefers (RFC 9110, section 12.5.4); undefined if it states none. */
export function preferredLanguage(req: Request): string | undefined {
  const [language] = isParsed(req.get('Accept-Language')) ? req.acceptsLanguages() : [];
  return language === '*' ? undefined : language;
}
