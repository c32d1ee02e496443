import { RE2JS } from 're2js';
import type { Characters } from './characters.ts';
import type { Condition, Part } from './syntax.ts';

/** Maximum length of the RE2 source of an expression: its automaton needs memory in proportion. */
export const MAX_SOURCE_CHARACTERS = 20_000;

/** Compares texts with an expression in linear time. */
export interface Automaton {
  test(text: string): boolean;
  /** Maximum number of states that it is in at once. */
  states: number;
}

/**
 * Creates the automaton of an expression. RE2 has a syntax of its own, with other
 * white space and line ends; each set of characters is written as its ranges, so that the meaning is that of JavaScript.
 *
 * @returns undefined for an expression with too many repetitions
 */
export function automatonOf(conditions: readonly Condition[]): Automaton | undefined {
  try {
    const machines = conditions.map(({ part, negated }) => {
      const source = sourceOf(part);
      if (source.length > MAX_SOURCE_CHARACTERS) {
        throw new Error('The expression is too long.');
      }
      return { machine: RE2JS.compile(source), negated };
    });
    return {
      test: (text) => machines.every(({ machine, negated }) => machine.test(text) !== negated),
      states: conditions.reduce((sum, { part }) => sum + statesOf(part), 0),
    };
  } catch {
    return undefined;
  }
}

/** Returns the number of characters in a part with repetitions written out. */
function statesOf(part: Part): number {
  switch (part.kind) {
    case 'sequence':
    case 'choice':
      return part.parts.reduce((sum, inner) => sum + statesOf(inner), 0);
    case 'repeat':
      return statesOf(part.part) * (part.max === Number.POSITIVE_INFINITY ? part.min + 1 : part.max);
    default:
      return 1;
  }
}

/** Writes a part in the syntax of RE2. */
function sourceOf(part: Part): string {
  switch (part.kind) {
    case 'character':
      return classOf(part.characters);
    case 'sequence':
      return part.parts.map(sourceOf).join('');
    case 'choice':
      return `(?:${part.parts.map(sourceOf).join('|')})`;
    case 'repeat':
      return repeated(`(?:${sourceOf(part.part)})`, part.min, part.max);
    case 'start':
      return '\\A';
    case 'end':
      return '\\z';
    case 'boundary':
      return '\\b';
    case 'inside':
      return '\\B';
  }
}

function repeated(source: string, min: number, max: number): string {
  if (max === 0) {
    return '(?:)';
  }
  if (max !== Number.POSITIVE_INFINITY) {
    return `${source}{${min},${max}}`;
  }
  return min === 0 ? `${source}*` : min === 1 ? `${source}+` : `${source}{${min},}`;
}

const hex = (codePoint: number) => `\\x{${codePoint.toString(16)}}`;

function classOf(characters: Characters): string {
  if (characters.length === 0) {
    return `[^${hex(0)}-${hex(0x10ffff)}]`;
  }
  return `[${characters.map(([first, last]) => (first === last ? hex(first) : `${hex(first)}-${hex(last)}`)).join('')}]`;
}
