/**
 * Finds the tags in a text that include files of its repository: `{% include "file.md" %}` (GitBook, HonKit),
 * `{{#include file.rs:2:10}}` and the like (mdBook), and `[import:2-10](file.js)` (include-codeblock, a plugin of
 * GitBook and HonKit).
 */
import { literalRanges } from '../expressions/literal-ranges.ts';
import { readImportLabel } from './import-labels.ts';
import { type IncludedPart, readPart } from './parts.ts';

/** A tag that is replaced with a file, or with a part of it. */
export interface IncludeTag {
  /** Range of the tag in the text. */
  start: number;
  end: number;
  /** The path as written, without the part; empty for a tag that only disappears. */
  path: string;
  part?: IncludedPart;
  syntax: 'gitbook' | 'mdbook' | 'link';
  /** `block`: alone on its line. `code`: in code, where many texts show such tags without using them. */
  place: 'block' | 'inline' | 'code';
  /** Language and properties of the code block around the file, if the tag adds one. */
  code?: string;
  /** Whether the indentation that all lines have in common is removed. */
  unindented?: true;
  /** Whether the tag is escaped with a backslash, so that it is text. */
  isEscaped?: true;
}

const TAGS =
  /\{%-?[ \t]{0,16}(include|raw|endraw)\b[ \t]{0,16}(?:"([^"\n]{1,2048})"|'([^'\n]{1,2048})'|([^\s"'{}%]{1,2048}))?[ \t]{0,16}-?%\}|(\\?)\{\{[ \t]{0,16}#([a-z_]{1,20})[ \t]([^{}\n]{1,2048})\}\}|(?<!!)\[(?:import|include)([:,][^[\]\n]{1,512})?\]\(([^()\s<>]{1,2048})\)/g;
const CODE_TAGS: ReadonlySet<string> = new Set(['playground', 'playpen']);
const TEXT_TAGS: ReadonlySet<string> = new Set(['include', 'rustdoc_include']);

/** Returns whether a text may contain tags that include files. */
export const mayIncludeFiles = (markdown: string): boolean =>
  markdown.includes('{{') || /\{%-?\s{0,16}include\b|\[(?:import|include)[\]:,]/.test(markdown);

/** Returns the tags of a text in order. Those in comments and, for `{% include %}`, in code spans are text. */
export function includeTagsIn(markdown: string): IncludeTag[] {
  if (!mayIncludeFiles(markdown)) {
    return [];
  }
  const tags: IncludeTag[] = [];
  const literals = literalRanges(markdown);
  let at = 0;
  let isRaw = false;
  for (const match of markdown.matchAll(TAGS)) {
    const { 0: all, 1: name, 2: double, 3: single, 4: bare, 5: backslash, 6: kind, 9: linked, index } = match;
    while ((literals[at]?.end ?? Infinity) <= index) {
      at += 1;
    }
    const start = literals[at]?.start ?? Infinity;
    const isLiteral = start <= index;
    const isComment = isLiteral && markdown.startsWith('<!--', start);
    const isSpan = isLiteral && !isComment && isCodeSpan(markdown, literals[at]);
    if (name === 'raw' || name === 'endraw') {
      isRaw = isLiteral ? isRaw : name === 'raw';
      continue;
    }
    const range = { start: index, end: index + all.length };
    const place = isLiteral ? 'code' : isAlone(markdown, range) ? 'block' : 'inline';
    const path = double ?? single ?? bare;
    if (name !== undefined) {
      if (path !== undefined && !isComment && !isSpan && !isRaw) {
        tags.push({ ...range, path, syntax: 'gitbook', place });
      }
      continue;
    }
    if (linked !== undefined) {
      const include = place === 'block' && !isRaw ? readImportLabel(match[8] ?? '', linked) : undefined;
      tags.push(
        ...(include ? [{ ...range, ...include, syntax: 'link' as const, place: 'block' as const }] : []),
      );
      continue;
    }
    const tag = isComment || isRaw ? undefined : bracedTag(kind ?? '', (match[7] ?? '').trim());
    if (tag) {
      tags.push({
        ...range,
        ...tag,
        syntax: 'mdbook',
        place,
        ...(backslash === '\\' && { isEscaped: true }),
      });
    }
  }
  return tags;
}

/** Returns what a tag of mdBook includes; undefined for a tag of another tool. */
function bracedTag(kind: string, value: string): Pick<IncludeTag, 'path' | 'part' | 'code'> | undefined {
  if (kind === 'title') {
    return { path: '' };
  }
  if (CODE_TAGS.has(kind)) {
    const [path = '', ...properties] = value.split(/[ \t]+/);
    return { path, code: ['rust', ...properties].join(',') };
  }
  if (!TEXT_TAGS.has(kind)) {
    return undefined;
  }
  const colon = value.indexOf(':');
  const part = colon < 0 ? undefined : readPart(value.slice(colon + 1));
  const path = colon < 0 ? value : value.slice(0, colon);
  return { path: path.trim(), ...(part && { part }) };
}

/** Whether a literal range is a code span. */
const isCodeSpan = (markdown: string, range: { start: number; end: number } | undefined): boolean =>
  range !== undefined && markdown[range.start] === '`' && markdown[range.end - 1] === '`';

/** Whether a line contains only a tag, apart from markers of quotations. */
function isAlone(markdown: string, { start, end }: { start: number; end: number }): boolean {
  const after = markdown.indexOf('\n', end);
  return (
    linePrefix(markdown, start) !== undefined &&
    markdown.slice(end, after < 0 ? undefined : after).trim() === ''
  );
}

/** Maximum length of the indentation of a tag that the lines of its file receive. */
export const MAX_PREFIX_CHARACTERS = 256;

/** Returns the indentation and the markers of quotations before a position in a line; undefined after other text. */
export function linePrefix(markdown: string, position: number): string | undefined {
  const before = markdown.slice(Math.max(0, position - MAX_PREFIX_CHARACTERS), position);
  const prefix = before.slice(before.lastIndexOf('\n') + 1);
  return /^[ \t>]*$/.test(prefix) ? prefix : undefined;
}
