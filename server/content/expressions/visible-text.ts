/**
 * The text of a page as a visitor sees it. Whatever visitors receive is made of texts that were divided here: pages,
 * documents, Markdown, search, PDFs, titles and descriptions.
 */
import { normalizedText, parseOnce } from '../markdown/markdown.ts';
import { containsConditionTag, mayContainTags, type TagReading } from './condition-tags.ts';
import { type Branch, type ConditionProblemReason, divideText, type TextPart } from './conditional-text.ts';
import { type Claims, holds } from './conditions.ts';
import { joinParts } from './joined-parts.ts';
import { evaluateMarkdown, type PageVariables } from './markdown.ts';
import { readsAsLiteral } from './remaining-tags.ts';

/** A text to be shown to a visitor. */
export interface ReadableText {
  markdown: string;
  /** Values for its expressions and conditions; without them, expressions are unchanged. */
  variables?: PageVariables | undefined;
  /** Claims about the visitor; without them, the text is for its authors, and contains all conditions as written. */
  claims?: Claims | undefined;
}

/**
 * Returns a text with the values of its expressions, and with only what the visitor sees of its conditions.
 *
 * @param isParsed whether the result will be parsed. Otherwise the tags of conditions in code are read, too, because
 *   only the parser determines what is code
 */
export function readableText({ markdown, variables, claims }: ReadableText, isParsed = true): string {
  const text = claims ? visibleText(markdown, claims, variables, isParsed) : markdown;
  return variables ? evaluateMarkdown(text, variables) : text;
}

function visibleText(
  markdown: string,
  claims: Claims,
  variables: PageVariables | undefined,
  isParsed: boolean,
): string {
  if (!mayContainTags(markdown)) {
    return markdown;
  }
  const visible = new Map<Branch, boolean>();
  const isVisible = (branch: Branch | undefined): boolean => {
    if (!branch) {
      return true;
    }
    const cached = visible.get(branch);
    if (cached !== undefined) {
      return cached;
    }
    const { condition, expressions } = branch;
    const result =
      !condition.isHidden &&
      isVisible(condition.outer) &&
      expressions.every((expression) => holds(expression, claims, variables));
    visible.set(branch, result);
    return result;
  };
  const [text = ''] = settled(markdown, isParsed, (parts) => [
    joinParts(parts, ({ branch }) => isVisible(branch)),
  ]);
  return text;
}

/** The text that visitors see if all its conditions hold. */
export interface ConditionalPart {
  conditions: readonly string[];
  markdown: string;
}

/** Divides a text. The first part is unconditional. What is hidden from everyone is in no part. */
export function conditionalParts(markdown: string): ConditionalPart[] {
  let branches: Branch[] = [];
  const [unconditional = '', ...texts] = settled(markdown, true, (parts) => {
    const byBranch = partsByBranch(parts);
    branches = [...byBranch.keys()];
    return [
      joinParts(parts, ({ branch }) => branch === undefined),
      ...Array.from(byBranch.values(), (own) => joinParts(own, () => true)),
    ];
  });
  return [
    { conditions: [], markdown: unconditional },
    ...branches.map((branch, at) => ({ conditions: conditionsOf(branch) ?? [], markdown: texts[at] ?? '' })),
  ];
}

/** Returns the parts of each branch that is not hidden from everyone. */
function partsByBranch(parts: readonly TextPart[]): Map<Branch, TextPart[]> {
  const byBranch = new Map<Branch, TextPart[]>();
  for (const part of parts) {
    const existing = part.branch && byBranch.get(part.branch);
    if (existing) {
      existing.push({ ...part, followsTag: true });
    } else if (part.branch && conditionsOf(part.branch)) {
      byBranch.set(part.branch, [part]);
    }
  }
  return byBranch;
}

/** Returns the expressions that have to hold for a branch, outermost first; undefined if it is hidden from everyone. */
function conditionsOf({ condition, expressions }: Branch): readonly string[] | undefined {
  const outer = condition.isHidden ? undefined : condition.outer ? conditionsOf(condition.outer) : [];
  return outer && [...outer, ...expressions];
}

/**
 * Returns the part of a text that does not depend on conditions: titles and descriptions are the same for all visitors.
 */
export function unconditionalText(text: string): string {
  return mayContainTags(text)
    ? joinParts(divideText(text, 'precise').parts, (part) => !isConditional(part)).trim()
    : text;
}

/** Returns a text of the same length, with spaces in place of conditions and of what depends on them. */
export function blankConditions(text: string): string {
  if (!mayContainTags(text)) {
    return text;
  }
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  let result = '';
  for (const part of divideText(text, 'precise').parts) {
    const { start } = part;
    result += isOtherTag(part) ? text.slice(result.length, start) : blank(text.slice(result.length, start));
    result += isConditional(part) ? blank(part.text) : part.text;
  }
  return result;
}

/** Returns whether a part depends on a condition: a tag of another kind is part of a title or an entry. */
const isConditional = (part: TextPart): boolean => part.branch !== undefined && !isOtherTag(part);

const isOtherTag = ({ branch }: TextPart): boolean =>
  branch?.condition.tag.kind === 'unknown' && branch.condition.outer === undefined;

/** A condition of a text that cannot be evaluated, so that what depends on it is hidden from everyone. */
export interface LocatedProblem {
  /** Line of its tag, from 1. */
  line: number;
  reason: ConditionProblemReason;
  message: string;
}

/** Maximum number of problems that are reported for a text. */
export const MAX_CONDITION_PROBLEMS = 20;

/** Returns the first conditions of a text that cannot be evaluated, in order. */
export function conditionProblems(markdown: string): LocatedProblem[] {
  if (!mayContainTags(markdown)) {
    return [];
  }
  const text = normalizedText(markdown);
  let line = 1;
  let from = 0;
  return divideText(text, 'precise')
    .problems.slice(0, MAX_CONDITION_PROBLEMS)
    .map(({ start, reason, message }) => {
      for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', from)) {
        line++;
        from = at + 1;
      }
      return { line, reason, message };
    });
}

/**
 * Divides a text, and creates texts of its parts. Tags in code and escaped tags are text, and remain; if the parser reads
 * one of them as a tag, so that its text could be visible, all tags are read.
 */
function settled(
  markdown: string,
  isParsed: boolean,
  textsOf: (parts: readonly TextPart[]) => string[],
): string[] {
  const text = normalizedText(markdown);
  const read = (reading: TagReading) => textsOf(divideText(text, reading).parts);
  const texts = read('precise');
  const isSettled = texts.every(
    (part) => !containsConditionTag(part) || (isParsed && readsAsLiteral(part, parseOnce(part))),
  );
  return isSettled ? texts : read('strict');
}
