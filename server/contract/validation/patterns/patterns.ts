import { type Automaton, automatonOf } from './automaton.ts';
import { canInterrupt, createOwnDeadline, type Deadline, turnDeadline } from './deadline.ts';
import { isLinear } from './linear.ts';
import { parseExpression } from './syntax.ts';

/** Maximum length of a pattern that is analyzed. Texts are compared with longer ones before a deadline. */
export const MAX_ANALYZED_CHARACTERS = 5000;

/** How texts are compared with a pattern. */
export type Engine =
  /** With `RegExp`: it is certain that it takes linear time. */
  | 'native'
  /** With RE2, which takes linear time for every text. */
  | 'automaton'
  /** With `RegExp`, before a deadline. */
  | 'deadline';

/** A `pattern` of a contract. Comparing a text with it never blocks the process for long. */
export interface Pattern {
  engine: Engine;
  /**
   * Returns whether a text matches. A text does not match if the deadline expires first. In browsers, which have no
   * deadline, texts match the patterns that need one.
   */
  test(text: string): boolean;
  /** The pattern in slashes, as its identifier in Ajv. */
  toString(): string;
}

/** Options of a pattern. */
export interface PatternOptions {
  /**
   * Whether the pattern has the flag `u`. By default, it has, as JSON Schema recommends, unless it is a regular
   * expression only without: `\\-` and `[\\w-.]` are common.
   */
  isUnicode?: boolean;
  /**
   * What has a deadline: by default all comparisons within a turn of the event loop, for texts from callers of a
   * server; or each comparison.
   */
  deadline?: 'turn' | 'comparison';
}

const patterns = new Map<string, Pattern>();

/**
 * Returns a pattern of a contract. `RegExp` tries all ways to match, possibly exponentially many: the sender of the
 * text could block the process forever.
 *
 * @throws SyntaxError if it is not a regular expression
 */
export function patternOf(source: string, options: PatternOptions = {}): Pattern {
  const { isUnicode, deadline = 'turn' } = options;
  const key = `${isUnicode} ${deadline} ${source}`;
  const existing =
    patterns.get(key) ??
    createPattern(
      source,
      isUnicode ?? flagsOf(source) !== '',
      deadline === 'turn' ? turnDeadline : createOwnDeadline(),
    );
  patterns.set(key, existing);
  return existing;
}

/**
 * Returns the flags of a pattern of a contract: `u`, or none if it is a regular expression only without it. Undefined if
 * it is none with either.
 */
export function flagsOf(source: string): 'u' | '' | undefined {
  return (['u', ''] as const).find((flags) => {
    try {
      return new RegExp(source, flags) !== undefined;
    } catch {
      return false;
    }
  });
}

/** The option `code.regExp` of Ajv. Only standalone code would contain `code`. */
export const ajvPatterns = Object.assign((source: string): Pattern => patternOf(source), {
  code: 'new RegExp',
});

/** Returns whether it is certain that `RegExp` takes linear time for an expression. */
export function isCertainlyLinear(source: string, flags: string): boolean {
  const isSupported = /^[dgsuy]*$/.test(flags) && source.length <= MAX_ANALYZED_CHARACTERS;
  const conditions = isSupported
    ? parseExpression(source, { isUnicode: flags.includes('u'), dotAll: flags.includes('s') })
    : undefined;
  return conditions !== undefined && isLinear(conditions);
}

function createPattern(source: string, isUnicode: boolean, deadline: Deadline): Pattern {
  const expression = new RegExp(source, isUnicode ? 'u' : '');
  const print = () => String(expression);
  const conditions =
    source.length > MAX_ANALYZED_CHARACTERS ? undefined : parseExpression(source, { isUnicode });
  if (conditions && isLinear(conditions)) {
    return { engine: 'native', test: (text) => expression.test(text), toString: print };
  }
  // Automata read code points, and expressions without the flag `u` the halves of some.
  const automaton = conditions && isUnicode ? createAutomaton(source, deadline) : undefined;
  if (automaton) {
    return { engine: 'automaton', test: automaton, toString: print };
  }
  return {
    engine: 'deadline',
    test: (text) =>
      !canInterrupt() || deadline(() => expression.test(text), Number.POSITIVE_INFINITY) === true,
    toString: print,
  };
}

/** @returns undefined if there is no automaton */
function createAutomaton(source: string, deadline: Deadline): Pattern['test'] | undefined {
  const conditions = parseExpression(source, { isUnicode: true, isExact: true });
  let automaton = conditions && automatonOf(conditions);
  if (conditions === undefined || automaton === undefined) {
    return undefined;
  }
  return (text) => {
    const { test, states }: Automaton = automaton ?? { test: () => false, states: 0 };
    if (!canInterrupt()) {
      return test(text);
    }
    const matches = deadline(() => test(text), states * text.length);
    if (matches === undefined) {
      // An interrupted automaton can be in any state.
      automaton = automatonOf(conditions);
    }
    return matches === true;
  };
}
