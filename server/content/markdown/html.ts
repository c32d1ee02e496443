/**
 * The HTML that pages mix with markdown: its tokens, its elements, and its escapes. It knows the elements
 * that stand for something in a document; everything else stays as it was written.
 */

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
interface CloseTag {
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

/** Anything else, such as a comment. */
interface HtmlOther {
  kind: 'other';
  source: string;
  start: number;
}

export type HtmlToken = OpenTag | CloseTag | HtmlText | HtmlOther;

/** What is no element, by its start: the end that it goes on to. */
const OTHERS: readonly (readonly [start: RegExp, end: string])[] = [
  [/<!--/y, '-->'],
  [/<!\[CDATA\[/y, ']]>'],
  [/<\?/y, '?>'],
  [/<![a-zA-Z]/y, '>'],
];
const OPEN = /<([a-zA-Z][a-zA-Z0-9-]*)/y;
const CLOSE = /<\/([a-zA-Z][a-zA-Z0-9-]*)\s*>/y;
const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y;
const END = /\s*\/?>/y;

function at(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** The tokens of a piece of HTML. What is not well-formed is text. */
export function htmlTokens(html: string): HtmlToken[] {
  const tokens: HtmlToken[] = [];
  const missing = new Set<string>();
  let textStart = 0;
  let index = html.indexOf('<');
  while (index >= 0) {
    const token = tokenAt(html, index, missing);
    if (token === undefined) {
      index = html.indexOf('<', index + 1);
      continue;
    }
    if (index > textStart)
      tokens.push({ kind: 'html', source: html.slice(textStart, index), start: textStart });
    tokens.push(token);
    textStart = index + token.source.length;
    index = html.indexOf('<', textStart);
  }
  if (textStart < html.length) tokens.push({ kind: 'html', source: html.slice(textStart), start: textStart });
  return tokens;
}

/** `missing` remembers the ends that no longer come, lest they be looked for again and again. */
function tokenAt(html: string, start: number, missing: Set<string>): HtmlToken | undefined {
  const open = at(OPEN, html, start);
  if (open) {
    const attributes = new Map<string, string>();
    let index = start + open[0].length;
    for (let match = at(ATTRIBUTE, html, index); match; match = at(ATTRIBUTE, html, index)) {
      const [all, name = '', double, single, bare] = match;
      const key = name.toLowerCase();
      if (!attributes.has(key)) attributes.set(key, decodeHtml(double ?? single ?? bare ?? ''));
      index += all.length;
    }
    const end = at(END, html, index);
    if (!end) return undefined;
    const source = html.slice(start, index + end[0].length);
    return { kind: 'open', name: (open[1] ?? '').toLowerCase(), attributes, source, start };
  }
  const close = at(CLOSE, html, start);
  if (close) return { kind: 'close', name: (close[1] ?? '').toLowerCase(), source: close[0], start };
  for (const [pattern, end] of OTHERS) {
    const from = at(pattern, html, start)?.[0].length;
    if (from === undefined || missing.has(end)) continue;
    const last = html.indexOf(end, start + from);
    if (last >= 0) return { kind: 'other', source: html.slice(start, last + end.length), start };
    missing.add(end);
  }
  return undefined;
}

/** Replaces character references. */
export function decodeHtml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z][a-z0-9]{1,31}));/gi,
    (all, hex, decimal, name) => {
      if (name !== undefined) return decodeNamedCharacterReference(name) || all;
      const code = hex === undefined ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
      const invalid = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
      return invalid ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

/** Escapes text for HTML, so that it is neither markup, an emoji nor a formula. */
export function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&#x26;')
    .replace(/</g, '&#x3C;')
    .replace(/>/g, '&#x3E;')
    .replace(/\$\$/g, '&#x24;&#x24;')
    .replace(/:(?=[a-z0-9+-])/g, '&#x3A;');
}

/** Writes an opening tag; attributes that are undefined are left out. */
export function htmlOpen(
  name: string,
  attributes: Iterable<readonly [string, string | undefined]> = [],
): string {
  let tag = `<${name}`;
  for (const [key, value] of attributes) {
    if (value === undefined) continue;
    const escaped = value.replace(/&/g, '&#x26;').replace(/"/g, '&#x22;').replace(/</g, '&#x3C;');
    tag += ` ${key}="${escaped.replace(/[\r\n]+/g, ' ')}"`;
  }
  return `${tag}>`;
}
