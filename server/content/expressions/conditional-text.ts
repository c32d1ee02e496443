/**
 * Divides the text of a page by its conditions. A part is visible only if all conditions around it can be evaluated and
 * hold: what is under a condition without an end, with an invalid expression, or of another template language is hidden
 * from everyone.
 */
import { type ConditionTag, conditionTags, type TagReading } from './condition-tags.ts';
import { expressionOf } from './conditions.ts';
import { ExpressionError } from './expressions.ts';

/** Maximum nesting depth of conditions; deeper ones are hidden from everyone. */
export const MAX_CONDITION_DEPTH = 40;
/** Maximum number of branches of a condition; one with more is hidden from everyone. */
export const MAX_CONDITION_BRANCHES = 50;

/** Why the text under a condition is hidden from everyone. */
export type ConditionProblemReason = 'unclosed' | 'unmatched' | 'invalid_expression' | 'unsupported';

/** A condition that cannot be evaluated. */
export interface ConditionProblem {
  reason: ConditionProblemReason;
  /** Offset of its tag in the text. */
  start: number;
  /** What happened, and how to fix it. */
  message: string;
}

/** A condition: its branches, and what they are in. */
export interface Condition {
  readonly tag: ConditionTag;
  readonly outer: Branch | undefined;
  /** Whether all branches are hidden from everyone. */
  isHidden: boolean;
}

/** A branch of a condition, which is visible if all its expressions hold, and what it is in is visible. */
export interface Branch {
  readonly condition: Condition;
  readonly expressions: readonly string[];
}

/** A part of a text. */
export interface TextPart {
  text: string;
  /** Its offset. */
  start: number;
  /** The branch that it is in; undefined outside of conditions. */
  branch: Branch | undefined;
  /** Whether a tag before it was removed. */
  followsTag: boolean;
}

/** A text divided by its conditions, without their tags. */
export interface DividedText {
  parts: readonly TextPart[];
  problems: readonly ConditionProblem[];
}

/** Divides a text, in linear time. */
export function divideText(source: string, reading: TagReading): DividedText {
  const divider = new Divider();
  const tags = conditionTags(source, reading);
  let from = 0;
  let followsTag = false;
  for (const [at, tag] of tags.entries()) {
    divider.add({ text: source.slice(from, tag.start), start: from, followsTag });
    followsTag = true;
    from = tag.end;
    if (tag.kind !== 'unknown') {
      divider.tag(tag);
    } else if (tag.isUnfinished) {
      const text = source.slice(tag.start, tags[at + 1]?.start);
      const rest = text.split(BLANK_LINE, 1)[0] ?? '';
      from = tag.start + rest.length;
      divider.unreadable(tag, { text: rest, start: tag.start, followsTag });
    } else {
      divider.unknown();
      from = tag.start;
      followsTag = false;
    }
  }
  divider.add({ text: source.slice(from), start: from, followsTag });
  return divider.end();
}

/** The end of a paragraph. */
const BLANK_LINE = /\n[ \t]*\n/;

const MESSAGES: Readonly<Record<ConditionProblemReason, string>> = {
  unclosed: 'The text after it is hidden from all visitors, because its end is missing. Add {% endif %}.',
  unmatched:
    'The text around it is hidden from all visitors if its condition cannot be determined. Remove it, or add the missing tag.',
  invalid_expression: 'The text under it is hidden from all visitors.',
  unsupported: 'The text under it is hidden from all visitors, because only {% if %} is supported.',
};

/** An open condition with its current branch. */
interface OpenCondition extends Condition {
  branch: Branch;
  /** Expressions of the branches so far. */
  expressions: string[];
  hasElse: boolean;
}

class Divider {
  readonly #parts: TextPart[] = [];
  readonly #problems: ConditionProblem[] = [];
  readonly #stack: OpenCondition[] = [];
  /** Index of the part that starts with the last unknown tag outside of conditions. */
  #unknownAt: number | undefined;

  add(part: Omit<TextPart, 'branch'>): void {
    this.#parts.push({ ...part, branch: this.#branch });
  }

  /** A tag that the platform does not define, which may be the start of a condition. */
  unknown(): void {
    if (this.#stack.length === 0) {
      this.#unknownAt = this.#parts.length;
    }
  }

  /** A tag that cannot be read, with the rest of its paragraph. */
  unreadable(tag: ConditionTag, part: Omit<TextPart, 'branch'>): void {
    this.#problems.push({
      reason: 'unmatched',
      start: tag.start,
      message: `{% ${tag.name} has no end, %}, in its line. The rest of its paragraph is hidden from all visitors. Add the end, or write \\{%.`,
    });
    this.#parts.push({ ...part, branch: hiddenBranch(tag, this.#branch) });
  }

  tag(tag: ConditionTag): void {
    switch (tag.kind) {
      case 'if':
      case 'foreign':
        this.#start(tag);
        break;
      case 'elif':
      case 'else':
        this.#next(tag);
        break;
      default:
        this.#finish(tag);
    }
  }

  end(): DividedText {
    for (const condition of this.#stack) {
      condition.isHidden = true;
      this.#problem('unclosed', condition.tag);
    }
    const problems = this.#problems.toSorted((a, b) => a.start - b.start);
    return { parts: this.#parts, problems };
  }

  get #branch(): Branch | undefined {
    return this.#stack.at(-1)?.branch;
  }

  #start(tag: ConditionTag): void {
    const condition = { tag, outer: this.#branch, isHidden: false, expressions: [], hasElse: false };
    const branch: Branch = { condition, expressions: [] };
    // The branch refers to the same object, so it reflects later changes.
    const open: OpenCondition = Object.assign(condition, { branch });
    this.#stack.push(open);
    if (tag.kind === 'foreign') {
      open.isHidden = true;
      this.#problem('unsupported', tag);
    } else if (this.#stack.length > MAX_CONDITION_DEPTH) {
      open.isHidden = true;
      this.#problem('unsupported', tag, `Conditions can be nested up to ${MAX_CONDITION_DEPTH} levels.`);
    } else {
      this.#select(open, tag);
    }
  }

  #next(tag: ConditionTag): void {
    const open = this.#stack.at(-1);
    if (!open) {
      this.#hideBefore(tag);
      this.#stack.push(hiddenCondition(tag));
      return;
    }
    if (tag.isUnfinished || open.hasElse || open.expressions.length >= MAX_CONDITION_BRANCHES) {
      open.isHidden = true;
      this.#problem('unmatched', tag);
    } else if (!open.isHidden) {
      this.#select(open, tag);
    }
  }

  /** Starts the branch of a tag. */
  #select(open: OpenCondition, tag: ConditionTag): void {
    const negated = open.expressions.map((expression) => `!(${expression})`);
    if (tag.kind === 'else') {
      open.hasElse = true;
      open.branch = { condition: open, expressions: negated };
      if (tag.expression !== '') {
        open.isHidden = true;
        this.#problem('invalid_expression', tag, 'else has no expression.');
      }
      return;
    }
    const problem = tag.isUnfinished ? 'Its end, %}, is missing.' : expressionProblem(tag.expression);
    if (problem !== undefined) {
      open.isHidden = true;
      this.#problem('invalid_expression', tag, problem);
      return;
    }
    open.branch = { condition: open, expressions: [...negated, tag.expression] };
    open.expressions.push(tag.expression);
  }

  #finish(tag: ConditionTag): void {
    const open = this.#stack.at(-1);
    if (!open) {
      this.#hideBefore(tag);
      return;
    }
    const isItsEnd =
      open.tag.kind === 'foreign'
        ? tag.name.toLowerCase() === `end${open.tag.name.toLowerCase()}`
        : tag.kind === 'endif';
    if (isItsEnd && !tag.isUnfinished) {
      this.#stack.pop();
      if (this.#stack.length === 0) {
        this.#unknownAt = undefined;
      }
      return;
    }
    // The end of a condition that overlaps another one: it is not certain which text both are about.
    open.isHidden = true;
    this.#problem('unmatched', tag);
  }

  /** Hides the text between an unknown tag and a tag without a start: the unknown tag may be its start. */
  #hideBefore(tag: ConditionTag): void {
    this.#problem('unmatched', tag);
    if (this.#unknownAt !== undefined) {
      const branch = hiddenBranch(tag, undefined);
      for (const part of this.#parts.slice(this.#unknownAt)) {
        part.branch = branch;
      }
      this.#unknownAt = undefined;
    }
  }

  #problem(reason: ConditionProblemReason, { start, name }: ConditionTag, cause = ''): void {
    const message = [`{% ${name} %} is not valid.`, cause, MESSAGES[reason]]
      .filter((part) => part !== '')
      .join(' ');
    this.#problems.push({ reason, start, message });
  }
}

function hiddenBranch(tag: ConditionTag, outer: Branch | undefined): Branch {
  return { condition: { tag, outer, isHidden: true }, expressions: [] };
}

function hiddenCondition(tag: ConditionTag): OpenCondition {
  const branch = hiddenBranch(tag, undefined);
  return { tag, outer: undefined, isHidden: true, branch, expressions: [], hasElse: false };
}

/** Returns why an expression is invalid; undefined if it is valid. */
function expressionProblem(condition: string): string | undefined {
  const expression = expressionOf(condition);
  return expression instanceof ExpressionError ? expression.message : undefined;
}
