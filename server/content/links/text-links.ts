/**
 * Finds the links in a page's text. Like the sections for search, it uses a few patterns instead of parsing a document,
 * which takes a hundred times as long: an import runs it on every text of a space.
 */
import { LRUCache } from 'lru-cache';
import { MAX_EXPANDED_INCLUDES } from '../includes/limits.ts';
import { includeTagsIn } from '../includes/tags.ts';
import { includedAddress, readTag } from '../markdown/attributes.ts';
import { htmlTokens, NOTE_LINK } from '../markdown/html.ts';
import { MAX_DOCUMENT_NODES, MAX_PARSED_CHARACTERS } from '../markdown/limits.ts';
import { isEmbedded } from '../markdown/read/html/html-blocks.ts';
import { addAutolinks } from './autolinks.ts';
import { withoutDefinitions, withoutLinks } from './markdown-links.ts';
import { withoutCode, withoutDelimited } from './without-code.ts';
import { withoutFormulas } from './without-formulas.ts';

/** Maximum length of a link destination in documents. */
const MAX_DESTINATION_CHARACTERS = 2048;
/** Maximum number of cached destinations. An edit reads the text before and after it. */
const MAX_CACHED_DESTINATIONS = 50_000;

const cache = new LRUCache<string, readonly string[]>({ maxSize: MAX_CACHED_DESTINATIONS });

/** Returns the cached destinations of the text with a hash, see {@link indexedAddressesIn}; undefined if it is not cached. */
export function cachedAddresses(hash: string): readonly string[] | undefined {
  return cache.get(hash);
}

/** Caches the destinations of a text under its hash. */
export function cacheAddresses(hash: string, addresses: readonly string[]): void {
  cache.set(hash, addresses, { size: addresses.length + 1 });
}

/** Finds what the index contains of a text, see {@link indexedAddressesIn}. */
export type FindAddresses = (markdown: string) => readonly string[] | Promise<readonly string[]>;

/** The start of the paths of included files among the destinations of a text. No destination starts with it. */
const INCLUDED = '\0';

/** Returns the path of the file that a text includes; undefined for a link destination. */
export const includedPath = (address: string): string | undefined =>
  address.startsWith(INCLUDED) ? address.slice(INCLUDED.length) : undefined;

/** Link destinations indexed per text. A text with more links exceeds the limit of documents and is shown verbatim. */
export const MAX_TEXT_ADDRESSES = MAX_DOCUMENT_NODES;

/** A text without any of these contains no links. */
const POSSIBLE_LINK = /\]\(|\]:|<|\{%|:\/\/|www\.|@/i;

/**
 * Lists the destinations of the links, images and blocks of a text, as documents contain them, without duplicates.
 * Returns none for a text that is too long to be parsed, as it is shown verbatim, and at most {@link
 * MAX_TEXT_ADDRESSES} for others.
 */
export function addressesIn(markdown: string): string[] {
  if (markdown.length > MAX_PARSED_CHARACTERS || !POSSIBLE_LINK.test(markdown)) {
    return [];
  }
  const addresses = new Set<string>();
  const add = (address: string | undefined) => {
    if (addresses.size >= MAX_TEXT_ADDRESSES) {
      return;
    }
    if (address === undefined || address === '' || address.length > MAX_DESTINATION_CHARACTERS) {
      return;
    }
    if (!address.startsWith(NOTE_LINK) && !address.startsWith(INCLUDED)) {
      addresses.add(address);
    }
  };
  let text = withoutFormulas(withoutDelimited(withoutCode(markdown), '<!--', '-->'));
  text = withoutTags(text, (tag) => {
    for (const address of addressesOfTag(tag)) {
      add(address);
    }
  });
  if (text.includes(']:')) {
    text = withoutDefinitions(text, add);
  }
  if (text.includes('](')) {
    text = withoutLinks(text, add);
  }
  if (text.includes('<')) {
    text = withoutHtml(text, add);
  }
  addAutolinks(text, add);
  return [...addresses];
}

/** Lists what the index contains of a text: {@link addressesIn}, and the files that it includes, see {@link includedPath}. */
export const indexedAddressesIn = (markdown: string): string[] => [
  ...addressesIn(markdown),
  ...includesIn(markdown),
];

function includesIn(markdown: string): Set<string> {
  const tags = markdown.length > MAX_PARSED_CHARACTERS ? [] : includeTagsIn(markdown);
  const used = tags
    .filter(({ path, isEscaped }) => path !== '' && !isEscaped)
    .slice(0, MAX_EXPANDED_INCLUDES);
  return new Set(used.map(({ path }) => `${INCLUDED}${path}`));
}

/** Removes the tags from a text: they end on their line. */
function withoutTags(text: string, onRemoved: (tag: string) => void): string {
  return text.includes('{%')
    ? text
        .split('\n')
        .map((line) => withoutDelimited(line.replaceAll('\\{%', ' '), '{%', '%}', onRemoved))
        .join('\n')
    : text;
}

/** The attributes of tags that contain a link destination. */
const TAG_ATTRIBUTES: Record<string, string> = {
  'content-ref': 'url',
  'page-ref': 'page',
  embed: 'url',
  file: 'src',
  swagger: 'src',
  openapi: 'src',
};
const SPECIFICATION = /^openapi-(?:operation|schemas|webhook)$/;
const IDENTIFIER = /^[a-zA-Z0-9_-]{1,128}$/;

function addressesOfTag(source: string): string[] {
  const tag = readTag(source);
  const { name, attributes } = tag;
  const attribute = Object.hasOwn(TAG_ATTRIBUTES, name) ? TAG_ATTRIBUTES[name] : undefined;
  const address = attribute === undefined ? undefined : attributes.get(attribute);
  if (address !== undefined) {
    return [address];
  }
  if (name === 'include') {
    return [includedAddress(tag) ?? ''];
  }
  const spec = SPECIFICATION.test(name) ? attributes.get('spec') : undefined;
  return spec !== undefined && IDENTIFIER.test(spec) ? [`openapi:${spec}`] : [];
}

// CommonMark, section 6.5. An email address has no scheme.
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]{0,2048})>/gi;
const AUTOLINK_MAIL = /<([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8})>/gi;

/** Elements with their content at the address in the attribute `src`. */
const SOURCE_ELEMENTS = new Set(['img', 'audio', 'video', 'embed', 'source']);

function withoutHtml(text: string, add: (address: string | undefined) => void): string {
  let result = '';
  let isHidden = false;
  // Comments are already removed. An unclosed one would be searched to the end of the text each time.
  for (const token of htmlTokens(text.replace(/<[!?]/g, ' '))) {
    if (token.kind !== 'open') {
      result += token.kind === 'html' ? token.source : ' ';
      continue;
    }
    const { name, attributes } = token;
    if (SOURCE_ELEMENTS.has(name)) {
      add(attributes.get('src'));
    }
    if (name === 'iframe' && isEmbedded(attributes.get('src'))) {
      add(attributes.get('src'));
    }
    // An `<a>` with an ID is the anchor of a heading.
    if (name === 'a' && !(attributes.has('id') && attributes.get('href')?.startsWith('#'))) {
      add(attributes.get('href'));
    }
    if (name === 'picture') {
      isHidden = false;
    }
    if (name === 'source' && !isHidden && attributes.get('media')?.includes('dark')) {
      add(attributes.get('srcset'));
      isHidden = true;
    }
    result += ' ';
  }
  return result
    .replace(AUTOLINK, (_, address: string) => {
      add(address);
      return ' ';
    })
    .replace(AUTOLINK_MAIL, (_, address: string) => {
      add(`mailto:${address}`);
      return ' ';
    });
}
