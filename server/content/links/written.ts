/**
 * Finds the links in a page's text. Like the sections for search, it uses a few patterns instead of parsing a document,
 * which takes a hundred times as long: an import runs it on every text of a space.
 */
import { LRUCache } from 'lru-cache';
import { readTag } from '../markdown/attributes.ts';
import { FencedLines } from '../markdown/fences.ts';
import { decodeHtml, htmlTokens } from '../markdown/html.ts';
import { MAX_DOCUMENT_NODES, MAX_PARSED_CHARACTERS } from '../markdown/limits.ts';
import { isEmbedded } from '../markdown/read/html-blocks.ts';
import { NOTE_LINK } from '../markdown/read/inlines.ts';

/** Maximum length of a link destination in documents. */
const MAX_DESTINATION_CHARACTERS = 2048;
/** Maximum number of cached destinations. An edit reads the text before and after it. */
const MAX_CACHED_DESTINATIONS = 50_000;

const cache = new LRUCache<string, readonly string[]>({ maxSize: MAX_CACHED_DESTINATIONS });

/** Returns the cached destinations of the text with a hash, see {@link addressesIn}; undefined if it is not cached. */
export function cachedAddresses(hash: string): readonly string[] | undefined {
  return cache.get(hash);
}

/** Caches the destinations of a text under its hash. */
export function cacheAddresses(hash: string, addresses: readonly string[]): void {
  cache.set(hash, addresses, { size: addresses.length + 1 });
}

/** Finds the link destinations in a text, see {@link addressesIn}. */
export type FindAddresses = (markdown: string) => readonly string[] | Promise<readonly string[]>;

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
    if (!address.startsWith(NOTE_LINK)) {
      addresses.add(address);
    }
  };
  let text = without(prose(markdown), '<!--', '-->');
  text = without(text, '$$', '$$');
  text = without(text, '{%', '%}', (tag) => {
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
  addPlain(text, add);
  return [...addresses];
}

const ITEM = /^[ \t>]*(?:[*+-]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {4}| {0,3}\t)/;

/** Removes the code from a text. */
function prose(markdown: string): string {
  const lines: string[] = [];
  const fences = new FencedLines();
  let afterBlank = true;
  let inList = false;
  for (const line of markdown.split(/\r\n?|\n/)) {
    const role = fences.next(line);
    if (role === 'code' || role === 'close') {
      continue;
    }
    const isFence = role === 'open';
    const isBlank = line.trim() === '';
    const isCode: boolean = !isBlank && afterBlank && !inList && INDENTED.test(line);
    lines.push(isFence || isCode ? '' : line);
    if (ITEM.test(line)) {
      inList = true;
    } else if (!isBlank && afterBlank && !/^\s/.test(line)) {
      inList = false;
    }
    afterBlank = isBlank || isCode || isFence;
  }
  const text = lines.join('\n');
  return text.includes('`')
    ? text
        .split(/\n[ \t]*\n/)
        .map(withoutCode)
        .join('\n\n')
    : text;
}

/** Removes the code spans from a paragraph (CommonMark, section 6.1). */
function withoutCode(paragraph: string): string {
  if (!paragraph.includes('`')) {
    return paragraph;
  }
  const runs = [...paragraph.matchAll(/\\.|`+/gs)].filter(([run]) => run.startsWith('`'));
  // The last run of each length, to skip searches for a missing end.
  const lastIndexes = new Map(runs.map(([run], at) => [run.length, at]));
  let text = '';
  let from = 0;
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at];
    if (!run || (lastIndexes.get(run[0].length) ?? 0) <= at) {
      continue;
    }
    let end = at + 1;
    while (runs[end]?.[0].length !== run[0].length) {
      end++;
    }
    const close = runs[end];
    text += `${paragraph.slice(from, run.index)} `;
    from = (close?.index ?? run.index) + run[0].length;
    at = end;
  }
  return text + paragraph.slice(from);
}

/** Removes text between two delimiters, and passes it to `onRemoved`. */
function without(text: string, open: string, close: string, onRemoved?: (inner: string) => void): string {
  let result = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) {
      return result + text.slice(from);
    }
    onRemoved?.(text.slice(start, end + close.length));
    result += `${text.slice(from, start)} `;
    from = end + close.length;
  }
}

/** The attributes of tags that contain a link destination. */
const TAG_ATTRIBUTES: Record<string, string> = {
  'content-ref': 'url',
  embed: 'url',
  file: 'src',
  swagger: 'src',
  openapi: 'src',
};
const SPECIFICATION = /^openapi-(?:operation|schemas|webhook)$/;
const IDENTIFIER = /^[a-zA-Z0-9_-]{1,128}$/;

function addressesOfTag(source: string): string[] {
  const { name, rest, attributes } = readTag(source);
  const attribute = Object.hasOwn(TAG_ATTRIBUTES, name) ? TAG_ATTRIBUTES[name] : undefined;
  const address = attribute === undefined ? undefined : attributes.get(attribute);
  if (address !== undefined) {
    return [address];
  }
  if (name === 'include') {
    return [/^"([^"]+)"$/.exec(rest)?.[1] ?? ''];
  }
  const spec = SPECIFICATION.test(name) ? attributes.get('spec') : undefined;
  return spec !== undefined && IDENTIFIER.test(spec) ? [`openapi:${spec}`] : [];
}

// CommonMark, section 6.5. An email address has no scheme.
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]{0,2048})>/gi;
const AUTOLINK_MAIL = /<([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8})>/gi;

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
    if (name === 'img') {
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

const DESTINATION =
  '(?:<([^<>\\n]{0,2048})>|((?:\\\\.|[^\\s()<>\\\\]|\\((?:\\\\.|[^\\s()\\\\])*\\)){1,2048}))';
/** Tokens of links: escapes, brackets, and ends of paragraphs, which end a link. */
const LINK = new RegExp(
  `\\\\.|\\[|\\](?:\\([ \\t]*\\n?[ \\t]*${DESTINATION}(?=\\s*\\)|\\s+["'(]))?|\\n[ \\t]*(?=\\n)`,
  'gs',
);
const DEFINITION = new RegExp(
  `^(?: {0,3}|[ \\t>]*)\\[(?!\\^)((?:\\\\.|[^[\\]\\\\]){1,999})\\]:[ \\t]*\\n?[ \\t]*${DESTINATION}`,
  'gm',
);
const LABEL = /\[((?:\\.|[^[\]\\]){1,999})\]/g;

function withoutLinks(text: string, add: (address: string) => void): string {
  let open = 0;
  return text.replace(LINK, (match: string, pointed: string | undefined, bare: string | undefined) => {
    if (match.startsWith('\n')) {
      open = 0;
    } else if (match === '[') {
      open++;
    } else if (match.startsWith(']') && open > 0) {
      open--;
      if (pointed === undefined && bare === undefined) {
        return match;
      }
      add(unescaped(pointed ?? bare ?? ''));
      return '] ';
    }
    return match;
  });
}

/** Removes the link reference definitions, and adds the destinations of those that are referenced. */
function withoutDefinitions(text: string, add: (address: string) => void): string {
  const defined = new Map<string, string>();
  const rest = text.replace(DEFINITION, (_, label: string, pointed?: string, bare?: string) => {
    const name = labelOf(label);
    if (!defined.has(name)) {
      defined.set(name, unescaped(pointed ?? bare ?? ''));
    }
    return ' ';
  });
  if (defined.size === 0) {
    return rest;
  }
  for (const [, label = ''] of rest.matchAll(LABEL)) {
    const address = defined.get(labelOf(label));
    if (address !== undefined) {
      add(address);
    }
  }
  return rest;
}

/** Labels are matched ignoring case and repeated whitespace (CommonMark, section 4.7). */
const labelOf = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

function unescaped(address: string): string {
  const text = address.includes('\\') ? address.replace(/\\([!-/:-@[-`{-~])/g, '$1') : address;
  return text.includes('&') ? decodeHtml(text) : text;
}

// GFM, autolinks (extension). The character before a URL must not be part of a word.
const PLAIN = /(?<=^|[\s*_~(])(https?:\/\/|www\.)[^\s<[\]]{1,2048}/gim;
const PLAIN_MAIL = /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,8}/gi;

/** Adds the URLs and email addresses in a text without markup. */
function addPlain(text: string, add: (address: string) => void): void {
  if (/:\/\/|www\./i.test(text)) {
    for (const [match, start = ''] of text.matchAll(PLAIN)) {
      const address = withoutTrail(match);
      if (address.length <= start.length || !/^[^/?#]*[a-z0-9]/i.test(address.slice(start.length))) {
        continue;
      }
      add(/^www\./i.test(start) ? `http://${address}` : address);
    }
  }
  if (!text.includes('@')) {
    return;
  }
  for (const [address] of text.matchAll(PLAIN_MAIL)) {
    if (!/[-_]$/.test(address)) {
      add(`mailto:${address}`);
    }
  }
}

/** Removes the punctuation of the sentence that a URL ends. */
function withoutTrail(address: string): string {
  let text = address;
  for (;;) {
    const trimmed = text.replace(/[?!.,:*_~'"]+$|&[a-z0-9]{2,32};$/i, '');
    const closes = trimmed.endsWith(')') && count(trimmed, ')') > count(trimmed, '(');
    const next = closes ? trimmed.slice(0, -1) : trimmed;
    if (next === text) {
      return text;
    }
    text = next;
  }
}

const count = (text: string, character: string): number => text.split(character).length - 1;
