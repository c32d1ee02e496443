/**
 * The patterns of URLs that integrations list for their blocks, such as `https://*.example.com/boards/**`: `**`, and `*` at
 * the end, are any text, and any other `*` is any text within a part of the path or within the host. A pattern without a
 * wildcard also matches all URLs below it, and one without a scheme is for the web.
 */

/** Maximum length of a URL that is compared with patterns. */
export const MAX_MATCHED_URL_CHARACTERS = 2048;

/** Blocks of an integration with patterns for URLs. */
export interface UrlPatterns {
  /** Name of the integration. */
  integration: string;
  /** ID of the block within the integration. */
  block: string;
  patterns: readonly string[];
}

/** Returns the block with the most specific pattern that matches a URL of the web; the first one of several. */
export function blockForUrl(url: string, blocks: readonly UrlPatterns[]): UrlPatterns | undefined {
  const address = url.length > MAX_MATCHED_URL_CHARACTERS ? null : URL.parse(url);
  if (address?.protocol !== 'https:' && address?.protocol !== 'http:') {
    return undefined;
  }
  let best: { block: UrlPatterns; length: number } | undefined;
  for (const block of blocks) {
    for (const pattern of block.patterns) {
      const { length } = pattern.replaceAll('*', '');
      if (length > (best?.length ?? -1) && matches(pattern, address.href)) {
        best = { block, length };
      }
    }
  }
  return best?.block;
}

/** Characters that no part of a path, no host and no user name of a URL contains. */
const DELIMITERS = new Set('/?#@');

function matches(pattern: string, href: string): boolean {
  const [, scheme, host = '', rest = ''] = /^(?:(https?|\*):\/\/)?([^/?#]*)(.*)$/is.exec(pattern) ?? [];
  const [, ownScheme = '', below = ''] = /^(https?):\/\/(.*)$/s.exec(href) ?? [];
  if (host === '' || (scheme !== undefined && scheme !== '*' && scheme.toLowerCase() !== ownScheme)) {
    return false;
  }
  // A host without a path is one with any path.
  return matchesGlob(`${host.toLowerCase()}${rest || '/**'}`, below);
}

/**
 * Compares a text with a pattern, one character at a time with all positions in the pattern that are possible there, in
 * time proportional to the lengths of both.
 */
function matchesGlob(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (!text.startsWith(star < 0 ? pattern : pattern.slice(0, star))) {
    return false;
  }
  if (star < 0) {
    const next = text.charAt(pattern.length);
    return next === '' || /[/?#]$/.test(pattern) || /[/?#]/.test(next);
  }
  const tokens = pattern.slice(star).match(/\*+|[^*]/g) ?? [];
  let positions = new Uint8Array(tokens.length + 1);
  positions[0] = 1;
  passWildcards(positions, tokens);
  for (const character of text.slice(star)) {
    const next = new Uint8Array(tokens.length + 1);
    tokens.forEach((token, position) => {
      if (positions[position] === 0) {
        return;
      }
      if (token === character) {
        next[position + 1] = 1;
      } else if (token.startsWith('*') && (isAnyText(tokens, position) || !DELIMITERS.has(character))) {
        next[position] = 1;
      }
    });
    passWildcards(next, tokens);
    positions = next;
  }
  return positions[tokens.length] === 1;
}

const isAnyText = (tokens: readonly string[], position: number): boolean =>
  position === tokens.length - 1 || (tokens[position]?.length ?? 0) > 1;

/** Adds the positions after wildcards, which can be empty. */
function passWildcards(positions: Uint8Array, tokens: readonly string[]): void {
  tokens.forEach((token, position) => {
    if (positions[position] === 1 && token.startsWith('*')) {
      positions[position + 1] = 1;
    }
  });
}
