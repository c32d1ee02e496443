import { type AST, RegExpParser } from '@eslint-community/regexpp';
import {
  ALL_CHARACTERS,
  type Characters,
  charactersOf,
  charactersOfProperty,
  complementOf,
  DIGITS,
  LINE_ENDS,
  SPACES,
  WORD_CHARACTERS,
} from './characters.ts';

/** A part of an expression, reduced to what decides whether a text matches. */
export type Part =
  | { kind: 'character'; characters: Characters }
  | { kind: 'sequence'; parts: readonly Part[] }
  | { kind: 'choice'; parts: readonly Part[] }
  | { kind: 'repeat'; part: Part; min: number; max: number }
  | { kind: 'start' | 'end' | 'boundary' | 'inside' };

/**
 * An expression as a list of conditions on the start of a text: that a part matches there or, if `negated`, that it does
 * not. There are several only if the expression begins with lookaheads after `^`, such as those of password rules.
 */
export interface Condition {
  part: Part;
  negated: boolean;
}

/** Flags of an expression. */
export interface ExpressionFlags {
  isUnicode: boolean;
  /** Whether `.` matches line ends, too. */
  dotAll?: boolean;
  /**
   * Whether the characters of Unicode properties are exact. To find them takes time; otherwise a set that contains a
   * property is that of all characters.
   */
  isExact?: boolean;
}

const parser = new RegExpParser({ ecmaVersion: 2025 });

/**
 * Parses an expression.
 *
 * @returns undefined for what no automaton decides: back references, and lookarounds elsewhere than after an initial `^`
 */
export function parseExpression(source: string, flags: ExpressionFlags): Condition[] | undefined {
  const reader = new ExpressionReader(flags);
  try {
    const { alternatives } = parser.parsePattern(source, 0, source.length, { unicode: flags.isUnicode });
    return reader.conditions(alternatives);
  } catch {
    // Not parsed, or not decided by an automaton.
    return undefined;
  }
}

type CharacterElement =
  | AST.Character
  | AST.CharacterSet
  | AST.CharacterClass
  | AST.ClassRangesCharacterClassElement;

/** Reduces the syntax tree of an expression. Its methods throw errors for what no automaton decides. */
class ExpressionReader {
  readonly #dot: Characters;
  readonly #isExact: boolean;

  constructor({ dotAll = false, isExact = false }: ExpressionFlags) {
    this.#dot = complementOf(dotAll ? [] : LINE_ENDS);
    this.#isExact = isExact;
  }

  conditions(alternatives: readonly AST.Alternative[]): Condition[] {
    const [only] = alternatives;
    const [start, ...others] = only && alternatives.length === 1 ? only.elements : [];
    const count = others.findIndex((element) => !isLookahead(element));
    const lookaheads = others.slice(0, count === -1 ? undefined : count).filter(isLookahead);
    if (start?.type !== 'Assertion' || start.kind !== 'start' || lookaheads.length === 0) {
      return [{ part: this.#choice(alternatives), negated: false }];
    }
    const rest = others.slice(lookaheads.length).map((element) => this.#part(element));
    return [
      ...lookaheads.map((element) => ({
        part: atStart(this.#choice(element.alternatives)),
        negated: element.negate,
      })),
      { part: atStart({ kind: 'sequence', parts: rest }), negated: false },
    ];
  }

  #choice(alternatives: readonly AST.Alternative[]): Part {
    const parts = alternatives.map(
      ({ elements }): Part => ({ kind: 'sequence', parts: elements.map((element) => this.#part(element)) }),
    );
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: 'choice', parts };
  }

  #part(element: AST.Element): Part {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        return { kind: 'character', characters: this.#characters(element) };
      case 'Group':
        if (element.modifiers) {
          break;
        }
        return this.#choice(element.alternatives);
      case 'CapturingGroup':
        return this.#choice(element.alternatives);
      case 'Quantifier':
        return { kind: 'repeat', part: this.#part(element.element), min: element.min, max: element.max };
      case 'Assertion':
        if (element.kind === 'start' || element.kind === 'end') {
          return { kind: element.kind };
        }
        if (element.kind === 'word') {
          return { kind: element.negate ? 'inside' : 'boundary' };
        }
    }
    throw new Error(`${element.raw} is not decided by an automaton.`);
  }

  #characters(element: CharacterElement): Characters {
    switch (element.type) {
      case 'Character':
        return [[element.value, element.value]];
      case 'CharacterClassRange':
        return [[element.min.value, element.max.value]];
      case 'CharacterSet':
        return this.#set(element);
      case 'CharacterClass':
        if (!this.#isExact && element.elements.some(isProperty)) {
          return ALL_CHARACTERS;
        }
        if (!element.unicodeSets) {
          const all = charactersOf(element.elements.flatMap((inner) => this.#characters(inner)));
          return element.negate ? complementOf(all) : all;
        }
    }
    throw new Error(`${element.raw} needs the flag v.`);
  }

  #set(set: AST.CharacterSet): Characters {
    if (set.kind === 'any') {
      return this.#dot;
    }
    if (set.kind === 'property') {
      return this.#isExact ? charactersOfProperty(set.raw) : ALL_CHARACTERS;
    }
    const characters = { digit: DIGITS, space: SPACES, word: WORD_CHARACTERS }[set.kind];
    return set.negate ? complementOf(characters) : characters;
  }
}

const isProperty = (element: AST.Node) => element.type === 'CharacterSet' && element.kind === 'property';

const isLookahead = (element: AST.Element): element is AST.LookaheadAssertion =>
  element.type === 'Assertion' && element.kind === 'lookahead';

const atStart = (part: Part): Part => ({ kind: 'sequence', parts: [{ kind: 'start' }, part] });
