import fc from 'fast-check';
import { codePoint } from './code-points.ts';

/*
 * Texts of URLs, with the characters and weights of `fc.webUrl` and `fc.webPath`. Those list all 1.1 million code
 * points in memory with their first text, which takes two seconds and 100 MB.
 */

const LETTERS_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const SEGMENT_SIGNS = "-._~!$&'()*+,;=:@";
const MAX_SEGMENTS = 3;

const encoded = codePoint.map((text) => {
  const escaped = encodeURIComponent(text);
  return escaped === text ? `%${text.charCodeAt(0).toString(16)}` : escaped;
});

const urlText = (signs: string): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof(
      { arbitrary: fc.constantFrom(...LETTERS_AND_DIGITS, ...signs), weight: 10 },
      { arbitrary: encoded, weight: 1 },
    ),
  });

/** Creates absolute paths, and the empty one. */
export function urlPath(): fc.Arbitrary<string> {
  return fc
    .array(urlText(SEGMENT_SIGNS), { maxLength: MAX_SEGMENTS })
    .map((segments) => segments.map((segment) => `/${segment}`).join(''));
}

/** Creates absolute URLs of the web. @param options.withQuery whether some have a query and a fragment */
export function webUrl(options: { withQuery?: boolean } = {}): fc.Arbitrary<string> {
  const scheme = fc.constantFrom('http', 'https');
  const parts = options.withQuery ? fc.option(urlText(`${SEGMENT_SIGNS}/?`)) : fc.constant(null);
  return fc
    .tuple(scheme, fc.domain(), urlPath(), parts, parts)
    .map(
      ([protocol, host, path, query, fragment]) =>
        `${protocol}://${host}${path}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`,
    );
}
