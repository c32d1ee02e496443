/**
 * Finds the tags of conditions in the text of a page: `{% if … %}`, `{% elif … %}`, `{% else %}` and `{% endif %}`, in
 * any place of a line, in any case, and with the signs of other template languages that remove spaces (`{%- if … -%}`).
 * Reads characters, not blocks, so that no construct of Markdown or HTML can make a tag ineffective.
 */
import { isDeepStrictEqual } from 'node:util';
import { isEscaped } from '../markdown/escapes.ts';
import { endedBy, tagReader } from '../markdown/tags/tags.ts';
import { literalRanges, type TextRange } from './literal-ranges.ts';

/** A tag of a condition, or a tag that could be one. */
export interface ConditionTag {
  /** `foreign` starts a condition of another template language; `unknown` is any other tag. */
  kind: 'if' | 'elif' | 'else' | 'endif' | 'foreign' | 'endforeign' | 'unknown';
  /** Whether the end of the tag is missing, or it is a tag of another kind that extends over lines. */
  isUnfinished: boolean;
  /** The name as written, such as `if`. */
  name: string;
  /** The text after the name. */
  expression: string;
  start: number;
  end: number;
}

/** How tags are read: `precise` skips code, comments and escaped tags, where tags are text; `strict` skips nothing. */
export type TagReading = 'precise' | 'strict';

const OPEN = '{%';
const CLOSE = '%}';

/** The name of a tag, after the start of the tag. `else if` and `end if` are one name. */
const NAME = /[\s\p{Cf}]*(?:[-+~][\s\p{Cf}]*)?((?:else|end)[ \t]+if(?![\p{L}\p{N}_])|[\p{L}\p{N}_@/.:-]*)/iuy;

/** The start of the tag of a condition in any form that {@link conditionTags} recognizes. */
const CONDITION_START =
  /\{%[\s\p{Cf}]*(?:[-+~][\s\p{Cf}]*)?(?:(?:(?:end|else)[ \t]*)?if|elif|else|elsif|(?:end)?(?:unless|case|switch|when))/giu;

/** Returns whether a text may contain tags. */
export const mayContainTags = (text: string): boolean => text.includes(OPEN);

/** Returns whether a text contains the tag of a condition, wherever it is. */
export const containsConditionTag = (text: string): boolean => text.search(CONDITION_START) >= 0;

/** Returns the number of tags of conditions in a text, wherever they are. */
export const countConditionTags = (text: string): number => text.match(CONDITION_START)?.length ?? 0;

/** Returns whether conditions may divide a text: it has tags that are not only those of blocks. */
export const mayContainConditions = (text: string): boolean => conditionTags(text, 'strict').length > 0;

/** Returns whether a tag that the parser read is that of a condition. */
export const isCondition = ({
  name,
  content = '',
}: {
  name: string;
  content?: string | undefined;
}): boolean => containsConditionTag(`${OPEN} ${name} ${content}`);

/**
 * Returns the tags of a text in order, in linear time. The tags that blocks are written with are not included, but those
 * in their attributes are.
 */
export function conditionTags(text: string, reading: TagReading): ConditionTag[] {
  const all = mayContainTags(text) ? tagsOutside([], text, 'strict') : [];
  // Most texts have only tags of blocks: to find their code takes many times as long.
  return all.length === 0 || reading === 'strict' ? all : tagsOutside(literalRanges(text), text, reading);
}

/** @param literal the ranges in which tags are text */
function tagsOutside(literal: readonly TextRange[], text: string, reading: TagReading): ConditionTag[] {
  const tags: ConditionTag[] = [];
  let range = 0;
  for (let start = text.indexOf(OPEN); start >= 0; ) {
    while ((literal[range]?.end ?? Number.POSITIVE_INFINITY) <= start) {
      range++;
    }
    const skipped = literal[range];
    if (skipped && skipped.start <= start) {
      start = text.indexOf(OPEN, skipped.end);
    } else if (reading === 'precise' && isEscaped(text, start)) {
      start = text.indexOf(OPEN, start + OPEN.length);
    } else {
      const tag = tagAt(text, start);
      if (!isDefined(tag)) {
        tags.push(tag);
      }
      start = text.indexOf(OPEN, isDefined(tag) ? start + OPEN.length : tag.end);
    }
  }
  return tags;
}

/** Returns whether two texts have the same conditions in the same order. */
export function hasSameConditions(text: string, other: string): boolean {
  const conditionsOf = (written: string) =>
    conditionTags(written, 'precise').flatMap(({ kind, expression, isUnfinished }) =>
      kind === 'unknown' ? [] : [`${kind} ${isUnfinished} ${expression}`],
    );
  return (
    !(mayContainTags(text) || mayContainTags(other)) ||
    isDeepStrictEqual(conditionsOf(text), conditionsOf(other))
  );
}

function tagAt(text: string, start: number): ConditionTag {
  NAME.lastIndex = start + OPEN.length;
  const name = NAME.exec(text)?.[1] ?? '';
  const nameEnd = NAME.lastIndex;
  const kind = kindOf(name.toLowerCase().replace(/\s+/g, ''));
  const next = text.indexOf(OPEN, nameEnd);
  const content = text.slice(nameEnd, next < 0 ? undefined : next);
  const close = endOf(content);
  if (close === undefined) {
    return { kind, isUnfinished: true, name, expression: '', start, end: nameEnd };
  }
  const expression = content
    .slice(0, close)
    .trim()
    .replace(/[-+~]$/, '')
    .trimEnd();
  const end = nameEnd + close + CLOSE.length;
  const isUnfinished = kind === 'unknown' && text.slice(start, end).includes('\n');
  return { kind, isUnfinished, name, expression, start, end };
}

/** Returns whether a tag that is no condition belongs to a block of the platform. */
const isDefined = ({ kind, name }: ConditionTag): boolean =>
  kind === 'unknown' && (tagReader(name) !== undefined || endedBy(name) !== undefined);

const KINDS: Readonly<Record<string, ConditionTag['kind']>> = {
  if: 'if',
  elif: 'elif',
  elseif: 'elif',
  elsif: 'elif',
  else: 'else',
  endif: 'endif',
};

function kindOf(name: string): ConditionTag['kind'] {
  if (Object.hasOwn(KINDS, name)) {
    return KINDS[name] ?? 'unknown';
  }
  const isEnd = name.startsWith('end');
  if (!/^(?:if(?!rame)|unless|case|switch|when)/.test(isEnd ? name.slice(3) : name)) {
    return 'unknown';
  }
  return isEnd ? 'endforeign' : 'foreign';
}

/**
 * Returns the index of the end of a tag in the text after its name: the first one outside quotes or, if a quote has no
 * end, the first one.
 */
function endOf(content: string): number | undefined {
  const first = content.indexOf(CLOSE);
  if (first < 0) {
    return undefined;
  }
  let quote = '';
  for (let at = 0; at < content.length; at++) {
    const character = content.charAt(at);
    if (quote !== '') {
      if (character === '\\') {
        at++;
      } else if (character === quote) {
        quote = '';
      }
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (character === '%' && content.charAt(at + 1) === '}') {
      return at;
    }
  }
  return first;
}
