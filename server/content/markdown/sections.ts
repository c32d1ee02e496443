/**
 * Splits a page into sections for full-text search. Reads lines and removes markup with a few patterns, without
 * building the page's document: a search index is created for thousands of pages at once, and remaining markup does no
 * harm.
 */
import { readTag, textOfTag } from './attributes.ts';
import { CommentedLines } from './comments.ts';
import { FencedLines } from './fences.ts';
import { decodeHtml } from './html.ts';
import { splitHeadingId } from './read/heading-id.ts';
import { isKnownElement } from './read/html/elements.ts';
import { TABLE_RULE } from './read/tables.ts';
import { anchorsOfHeadings } from './slug.ts';
import { SHOWN_VALUES } from './tags/earlier.ts';
import { endedBy, tagReader } from './tags/tags.ts';

/** A part of a page under one heading. */
export interface SearchSection {
  /** Unique within the page: the anchor of the heading, or `''` before the first heading. */
  id: string;
  /** Text of the heading; `''` before the first heading. */
  title: string;
  /** Suffix of the page's own path in URLs: `#anchor`, or `''`. */
  path: string;
  /** Text under the heading without markup; lines are separated by line feeds. */
  body: string;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s;
const HTML_HEADING = /^ {0,3}<h[1-6]([^<>]*)>(.*)<\/h[1-6]>[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** Lines that cannot be underlined headings: lists, quotations, tables and indented code. */
const NO_UNDERLINE = /^(?: {4}|[ \t]*(?:[>|]|[*+-][ \t]|\d{1,9}[.)][ \t]))/;
const TAG_LINE = /^[ \t>]*\{%.*%\}[ \t]*$/;
/** Maximum length of the heading text that is searched for an anchor: it is at the start. */
export const MAX_ANCHOR_TEXT_CHARACTERS = 2048;
const ANCHOR = /<a\b[^<>]*\s(?:id|name)=["']?([^"'<>\s]*)[^<>]*>\s*<\/a>/;
/** First characters of rules. */
const RULERS = '-*_|:>';
const RULE = /^[ \t>]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;

const anchorIn = (text: string): string | undefined =>
  ANCHOR.exec(text.slice(0, MAX_ANCHOR_TEXT_CHARACTERS))?.[1];

/** Splits a page at its headings. Empty parts without a heading are omitted. */
export function searchSections(markdown: string): SearchSection[] {
  const sections: SearchSection[] = [];
  const headings: Array<{ id: string | undefined; title: string }> = [];
  let current: SearchSection = { id: '', title: '', path: '', body: '' };
  let isHeading = false;
  let lines: string[] = [];
  const fences = new FencedLines();
  const comments = new CommentedLines(markdown);
  // Text of the preceding line, if it may be an underlined heading.
  let above: string | undefined;
  const finish = () => {
    current.body = lines.join('\n');
    if (isHeading || current.body !== '') {
      sections.push(current);
    }
    lines = [];
  };
  const begin = (title: string, anchor: string | undefined) => {
    finish();
    headings.push({ id: anchor, title });
    isHeading = true;
    current = { id: '', title, path: '', body: '' };
  };
  for (const written of markdown.split(/\r\n?|\n/)) {
    const role = comments.isOpen ? 'text' : fences.next(written);
    if (role !== 'text') {
      above = undefined;
      if (role === 'code' && written.trim() !== '') {
        lines.push(written.trim());
      }
      continue;
    }
    const line = comments.next(written);
    const first = line.trimStart().charAt(0);
    const heading = above;
    above = undefined;
    if (first === '') {
      continue;
    }
    if (first === '#') {
      const match = HEADING.exec(line);
      if (match) {
        const { text, id } = splitHeadingId(withoutClosing(match[2] ?? ''));
        begin(textOfHeading(text), anchorIn(text) ?? id);
        continue;
      }
    }
    if (first === '<') {
      const match = HTML_HEADING.exec(line);
      if (match) {
        const [, attributes = '', source = ''] = match;
        begin(textOfHeading(source), /\bid="([^"]*)"/.exec(attributes)?.[1] ?? anchorIn(source));
        continue;
      }
    }
    if (first === '{' || first === '>') {
      if (TAG_LINE.test(line)) {
        lines.push(...textsOfTag(line));
        continue;
      }
    }
    if (heading !== undefined && (first === '=' || first === '-') && UNDERLINE.test(line)) {
      lines.pop();
      begin(heading, undefined);
      continue;
    }
    if (RULERS.includes(first) && (RULE.test(line) || TABLE_RULE.test(line))) {
      continue;
    }
    const text = plain(line);
    if (text === '') {
      continue;
    }
    lines.push(text);
    if (!NO_UNDERLINE.test(line)) {
      above = text;
    }
  }
  finish();
  const first = sections.length - headings.length;
  for (const [at, id] of anchorsOfHeadings(headings).entries()) {
    const section = sections[first + at];
    if (section) {
      section.id = id;
      section.path = `#${id}`;
    }
  }
  return sections;
}

/** Attributes of tags of the contract that are visible. */
const TITLES = ['title', 'summary', 'description'];

/** Returns the visible texts of a tag: its titles, or everything in a tag that the contract does not define. */
function textsOfTag(line: string): string[] {
  const source = line.slice(line.indexOf('{%')).trimEnd();
  const { name, rest, attributes } = readTag(source);
  if ((tagReader(name) !== undefined || endedBy(name) !== undefined) && !SHOWN_VALUES.test(name)) {
    return TITLES.flatMap((title) => attributes.get(title) || []);
  }
  const text = textOfTag({ name, content: rest });
  return text === '' ? [] : [text];
}

/** Removes the optional number signs at the end of a heading. */
function withoutClosing(source: string): string {
  const text = source.trim();
  return text.endsWith('#') ? text.replace(/(?:^|[ \t])#+$/, '') : text;
}

const PREFIX = /^[ \t>]*(?:[*+-][ \t]+|\d{1,9}[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?/;
const DEFINITION = /^ {0,3}\[(?!\^)[^[\]]+\]:/;
const ICON = /<i class="fa-[^"<>]*"[^<>]*>:[^:<>]*:<\/i>/g;
const LINK = /!?\[([^[\]]*)\]\((?:<[^<>]*>|[^()\s<>]*(?:\([^()\s<>]*\)[^()\s<>]*)*)(?:\s+"[^"]*")?\)/g;

const MARKUP = /[\\`*_~[\]<&|${]/;

/** Returns the text of a line without markup, of a list or quotation either. */
function plain(line: string): string {
  return DEFINITION.test(line) ? '' : textOfLine(line.replace(PREFIX, ''));
}

const TAG = /(\\?)<(\/?([a-zA-Z][a-zA-Z0-9-]*)(?=[\s/>]))/g;

/** Returns the text of a heading without markup. Its anchor contains the tags that pages show, and vertical bars. */
const textOfHeading = (text: string): string =>
  textOfLine(text, (part) => (/[<|]/.test(part) ? withoutAmbiguity(part) : part));

const withoutAmbiguity = (text: string): string =>
  text
    .replace(/\\?\|/g, '&#124;')
    .replace(TAG, (tag, backslash: string, shown: string, name: string) =>
      backslash === '' && isKnownElement(name.toLowerCase(), true) ? tag : `&lt;${shown}`,
    );

/** Returns the text of a line of a heading or paragraph without markup. */
function textOfLine(text: string, prepare = (part: string): string => part): string {
  if (!MARKUP.test(text)) {
    return text.trim();
  }
  if (!text.includes('`')) {
    return oneSpaced(strip(prepare(text)));
  }
  // Between backticks, every second part is code, which is unchanged.
  const parts = text.split(/`+/);
  const last = parts.length - 1;
  return oneSpaced(
    parts.map((part, index) => (index % 2 === 1 && index < last ? part : strip(prepare(part)))).join(''),
  );
}

const oneSpaced = (text: string): string => text.replace(/\s{2,}|[^\S ]/g, ' ').trim();

function strip(source: string): string {
  let text = source;
  if (text.includes('{%')) {
    text = text.replace(/\{%[^%]*%\}/g, ' ');
  }
  if (text.includes('<')) {
    text = text.replace(ICON, '');
  }
  if (text.includes('[')) {
    // Twice, for images within links.
    if (text.includes('](')) {
      text = text.replace(LINK, '$1').replace(LINK, '$1');
    }
    text = text.replace(/\[\^[^[\]]*\]:?/g, '').replace(/\[([^[\]]*)\]\[[^[\]]*\]/g, '$1');
  }
  if (text.includes('<')) {
    text = text
      .replace(/<(?:br|\/(?:p|li|td|th|tr|summary|h[1-6]|figcaption))\b[^<>]*>/gi, ' ')
      .replace(/<(?:[a-zA-Z][a-zA-Z0-9-]*(?:[\s/][^<>]*)?|\/[a-zA-Z][^<>]*|!--[^<>]*--)>/g, '')
      .replace(/<([a-z][a-z0-9+.-]*:[^<>\s]*)>/gi, '$1');
  }
  if (text.includes('|')) {
    text = text.replace(/(?<!\\)\|/g, ' ');
  }
  text = text.replace(/(?<!\\)\*+|(?<!\\)~~|\$\$/g, '');
  if (text.includes('_')) {
    text = text.replace(/(?<![\p{L}\p{N}\\])_+|(?<!\\)_+(?![\p{L}\p{N}])/gu, '');
  }
  if (text.includes('\\')) {
    text = text.replace(/\\([!-/:-@[-`{-~]|$)/g, '$1');
  }
  return text.includes('&') ? decodeHtml(text) : text;
}
