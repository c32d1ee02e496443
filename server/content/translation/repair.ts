/** Checks and repairs what the translation service returns for a segment. */
import { spaceAtEnd } from '../markdown/text-ends.ts';
import { escapeText, readTokens, type Token, writeTokens } from './markup.ts';

const LETTER_AT_END = /[\p{L}\p{N}]$/u;
const LETTER_AT_START = /^[\p{L}\p{N}]/u;
const LETTER = /\p{L}/u;

/** Languages that are written without spaces between words. */
const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh', 'yue', 'th']);

/**
 * Returns the translation of a segment with exactly its elements: each once, within the same element, in any order.
 * Spaces that translators move into elements or remove next to them are restored.
 *
 * @returns undefined if an element was lost, duplicated or moved into another one, or lost its text
 */
export function repairTranslation(source: string, translated: string, language: string): string | undefined {
  const expected = readTokens(source);
  if (!expected) {
    return undefined;
  }
  const atoms = new Set(expected.flatMap((token) => (token.kind === 'atom' ? [token.id] : [])));
  const tokens = readTokens(translated.replace(/\s+/g, ' '), atoms);
  if (!tokens || elementsOf(tokens) !== elementsOf(expected)) {
    return undefined;
  }
  let moved = withOuterSpaces(tokens, expected);
  // Out of nested elements, one level at a time.
  for (let before = tokens; writeTokens(moved) !== writeTokens(before); ) {
    before = moved;
    moved = withOuterSpaces(before, expected);
  }
  const repaired = UNSPACED.has(language) ? moved : withSpaces(moved, neighborsOf(expected));
  return writeTokens(trimmed(repaired));
}

/** Describes the elements of a segment regardless of their order: the parent of each, and whether it has text. */
function elementsOf(tokens: readonly Token[]): string {
  const parents = [0];
  const lines: string[] = [];
  const withText = new Set<number>();
  for (const token of tokens) {
    if (token.kind === 'close') {
      parents.pop();
    } else if (token.kind === 'text') {
      if (token.text.trim() !== '') {
        withText.add(parents.at(-1) ?? 0);
      }
    } else {
      lines.push(`${token.id} ${token.kind} in ${parents.at(-1)}`);
      if (token.kind === 'open') {
        parents.push(token.id);
      }
    }
  }
  return [...lines, ...[...withText].map((id) => `${id} has text`)].sort().join('\n');
}

/** Moves spaces at the start and end of an element outside, unless the source has them there. */
function withOuterSpaces(tokens: readonly Token[], expected: readonly Token[]): Token[] {
  const spaced = new Set(spacesWithin(expected));
  const result: Token[] = [...tokens];
  for (let at = 0; at < result.length; at++) {
    const [token, next] = [result[at], result[at + 1]];
    if (token?.kind === 'open' && next?.kind === 'text' && !spaced.has(`start ${token.id}`)) {
      const text = next.text.trimStart();
      if (text !== next.text) {
        result.splice(at, 2, { kind: 'text', text: ' ' }, token, { kind: 'text', text });
        at++;
      }
    } else if (token?.kind === 'text' && next?.kind === 'close' && !spaced.has(`end ${next.id}`)) {
      const text = token.text.trimEnd();
      if (text !== token.text) {
        result.splice(at, 2, { kind: 'text', text }, next, { kind: 'text', text: ' ' });
      }
    }
  }
  return joined(result);
}

function* spacesWithin(tokens: readonly Token[]): Generator<string> {
  for (const [at, token] of tokens.entries()) {
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (token.kind === 'text' && before?.kind === 'open' && /^\s/.test(token.text)) {
      yield `start ${before.id}`;
    }
    if (token.kind === 'text' && after?.kind === 'close' && /\s$/.test(token.text)) {
      yield `end ${after.id}`;
    }
  }
}

/** Calls a function for the start and end of each element, with the text next to it outside of the element. */
function forEachSide(tokens: readonly Token[], call: (side: string, neighbor: string, at: number) => void) {
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'open' || token.kind === 'atom') {
      call(`before ${token.id}`, neighborText(tokens[at - 1]), at);
    }
    if (token.kind === 'close' || token.kind === 'atom') {
      call(`after ${token.id}`, neighborText(tokens[at + 1]), at);
    }
  }
}

/** An element without spaces next to another one counts as a letter. */
const neighborText = (token: Token | undefined): string =>
  token === undefined ? '' : token.kind === 'text' ? token.text : 'x';

/** Lists the sides of elements that have a letter next to them. */
function neighborsOf(tokens: readonly Token[]): Set<string> {
  const sides = new Set<string>();
  forEachSide(tokens, (side, text) => {
    if ((side.startsWith('before') ? LETTER_AT_END : LETTER_AT_START).test(text)) {
      sides.add(side);
    }
  });
  return sides;
}

/** Inserts spaces between elements and letters where the source has none next to each other. */
function withSpaces(tokens: readonly Token[], allowed: ReadonlySet<string>): Token[] {
  const before = new Set<number>();
  forEachSide(tokens, (side, text, at) => {
    const isBefore = side.startsWith('before');
    if (!allowed.has(side) && (isBefore ? LETTER_AT_END : LETTER_AT_START).test(text)) {
      before.add(isBefore ? at : at + 1);
    }
  });
  const space: Token = { kind: 'text', text: ' ' };
  return joined(tokens.flatMap((token, at) => (before.has(at) ? [space, token] : [token])));
}

/** Joins adjacent texts, with one space at most between them. */
function joined(tokens: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of tokens) {
    const last = result.at(-1);
    if (token.kind === 'text' && last?.kind === 'text') {
      result[result.length - 1] = { kind: 'text', text: (last.text + token.text).replace(/\s+/g, ' ') };
    } else if (token.kind !== 'text' || token.text !== '') {
      result.push(token);
    }
  }
  return result;
}

function trimmed(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token, at): Token[] => {
    if (token.kind !== 'text') {
      return [token];
    }
    let { text } = token;
    text = at === 0 ? text.trimStart() : text;
    text = at === tokens.length - 1 ? text.trimEnd() : text;
    return [{ kind: 'text', text }];
  });
}

/** Lists the texts of a segment outside of atoms as separate segments, for a translator that breaks its elements. */
export const textParts = (source: string): string[] =>
  (readTokens(source) ?? []).flatMap((token) =>
    token.kind === 'text' && LETTER.test(token.text) ? [escapeText(token.text.trim())] : [],
  );

/**
 * Returns a segment with the translations of its texts in their places.
 *
 * @param translations of {@link textParts}
 * @returns undefined if one of them is empty or contains elements
 */
export function joinParts(source: string, translations: readonly string[]): string | undefined {
  const remaining = [...translations];
  const tokens: Token[] = [];
  for (const token of readTokens(source) ?? []) {
    if (token.kind !== 'text' || !LETTER.test(token.text)) {
      tokens.push(token);
      continue;
    }
    const read = readTokens((remaining.shift() ?? '').replace(/\s+/g, ' '));
    const [only] = read ?? [];
    if (read?.length !== 1 || only?.kind !== 'text' || only.text.trim() === '') {
      return undefined;
    }
    const [start = ''] = /^\s*/.exec(token.text) ?? [];
    tokens.push({ kind: 'text', text: start + only.text.trim() + spaceAtEnd(token.text) });
  }
  return writeTokens(tokens);
}
