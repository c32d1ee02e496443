/** Reads and writes the HTML in Markdown: tokens, tags and escapes. */

import { decodeNamedCharacterReference } from 'decode-named-character-reference';

/** An opening tag. */
export interface OpenTag {
  kind: 'open';
  name: string;
  attributes: Map<string, string>;
  source: string;
  start: number;
}

/** A closing tag. */
export interface CloseTag {
  kind: 'close';
  name: string;
  source: string;
  start: number;
}

/** Text between tags, as written. */
interface HtmlText {
  kind: 'html';
  source: string;
  start: number;
}

/** Other markup, such as a comment. */
interface HtmlOther {
  kind: 'other';
  source: string;
  start: number;
}

export type HtmlToken = OpenTag | CloseTag | HtmlText | HtmlOther;

/** Markup other than elements: its start and its end. */
const NON_ELEMENT_MARKUP: readonly (readonly [start: RegExp, end: string])[] = [
  [/<!--/y, '-->'],
  [/<!\[CDATA\[/y, ']]>'],
  [/<\?/y, '?>'],
  [/<![a-zA-Z]/y, '>'],
];
const OPEN = /<([a-zA-Z][a-zA-Z0-9-]*)/y;
const CLOSE = /<\/([a-zA-Z][a-zA-Z0-9-]*)\s*>/y;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
/** An attribute as browsers read it: after a value without a space, and with stray quotation marks in its name. */
const LENIENT_ATTRIBUTE = /[\s/]*([^\s/>=<]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
const END = /\s*\/?>/y;

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** Splits HTML into tokens. Malformed markup is text. */
export function htmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  const missingEnds = new Set<string>();
  let textStart = 0;
  let index = html.indexOf('<');
  while (index >= 0) {
    const token = tokenAt(html, index, missingEnds);
    if (token === undefined) {
      index = html.indexOf('<', index + 1);
      continue;
    }
    if (index > textStart) {
      tokens.push({ kind: 'html', source: html.slice(textStart, index), start: textStart });
    }
    tokens.push(token);
    textStart = index + token.source.length;
    index = html.indexOf('<', textStart);
  }
  if (textStart < html.length) {
    tokens.push({ kind: 'html', source: html.slice(textStart), start: textStart });
  }
  return tokens;
}

/**
 * Reads the attributes of an opening tag from an index to its end; undefined if the tag does not end. Lenient reading
 * omits attributes without a value.
 */
function attributesAt(html: string, start: number, pattern: RegExp) {
  const isLenient = pattern === LENIENT_ATTRIBUTE;
  const attributes = new Map<string, string>();
  let index = start;
  for (let match = matchAt(pattern, html, index); match; match = matchAt(pattern, html, index)) {
    const [all, name = '', double, single, bare] = match;
    const key = name.toLowerCase();
    const value = double ?? single ?? bare;
    if (!attributes.has(key) && !(isLenient && value === undefined)) {
      attributes.set(key, decodeHtml(value ?? ''));
    }
    index += all.length;
  }
  const end = matchAt(END, html, index);
  return end ? { attributes, isLenient, end: index + end[0].length } : undefined;
}

/** Reads the token at an index. `missingEnds` caches the ends that do not occur any more, to avoid repeated searches. */
function tokenAt(html: string, start: number, missingEnds: Set<string>): HtmlToken | undefined {
  const [open, name = ''] = matchAt(OPEN, html, start) ?? [];
  if (open !== undefined) {
    const from = start + open.length;
    const tag = attributesAt(html, from, ATTRIBUTE) ?? attributesAt(html, from, LENIENT_ATTRIBUTE);
    if (!tag || (tag.isLenient && tag.attributes.size === 0)) {
      return undefined;
    }
    const source = html.slice(start, tag.end);
    return { kind: 'open', name: name.toLowerCase(), attributes: tag.attributes, source, start };
  }
  const close = matchAt(CLOSE, html, start);
  if (close) {
    return { kind: 'close', name: (close[1] ?? '').toLowerCase(), source: close[0], start };
  }
  for (const [pattern, end] of NON_ELEMENT_MARKUP) {
    const from = matchAt(pattern, html, start)?.[0].length;
    if (from === undefined || missingEnds.has(end)) {
      continue;
    }
    const last = html.indexOf(end, start + from);
    if (last >= 0) {
      return { kind: 'other', source: html.slice(start, last + end.length), start };
    }
    missingEnds.add(end);
  }
  return undefined;
}

/** Prefix of the URLs of links that mark the text of a note. */
export const NOTE_LINK = '#user-content-fn-';

/** Decodes character references. */
export function decodeHtml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]{1,31}));/gi,
    (all, hex, decimal, name) => {
      if (name !== undefined) {
        return decodeNamedCharacterReference(name) || all;
      }
      const code = hex === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
      const invalid = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
      return invalid ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

/** Escapes text for HTML, so that it contains no markup, emoji or formulas. */
export function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&#x26;')
    .replace(/</g, '&#x3C;')
    .replace(/>/g, '&#x3E;')
    .replace(/\$\$/g, '&#x24;&#x24;')
    .replace(/:(?=[a-z0-9+-])/g, '&#x3A;');
}

/** Formats an opening tag. Attributes that are undefined are omitted. */
export function htmlOpen(
  name: string,
  attributes: Iterable<readonly [string, string | undefined]> = [],
): string {
  let tag = `<${name}`;
  for (const [key, value] of attributes) {
    if (value === undefined) {
      continue;
    }
    const escaped = value.replace(/&/g, '&#x26;').replace(/"/g, '&#x22;').replace(/</g, '&#x3C;');
    tag += ` ${key}="${escaped.replace(/[\r\n]+/g, ' ')}"`;
  }
  return `${tag}>`;
}
