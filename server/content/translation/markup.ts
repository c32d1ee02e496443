/**
 * The HTML format of texts for the translation service. What must not be translated is an element with
 * `translate="no"`; formatting is an element around the formatted text. Both have a number that identifies the
 * translated elements.
 */
import { decodeHtml } from '../markdown/html.ts';

/** A part of a segment: text, or the start and end of a numbered element. An atom is an element with fixed content. */
export type Token = { kind: 'text'; text: string } | { kind: 'atom' | 'open' | 'close'; id: number };

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text for HTML. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? '');

/** Writes an element with fixed content. The content gives the translator a context. */
export const writeAtom = (id: number, content: string): string =>
  `<span id="${id}" translate="no">${escapeText(content)}</span>`;

const writeOpen = (id: number): string => `<span id="${id}">`;
const CLOSE = '</span>';

/** Writes tokens. The content of atoms is their number. */
export const writeTokens = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.kind === 'text') {
        return escapeText(token.text);
      }
      if (token.kind === 'atom') {
        return writeAtom(token.id, String(token.id));
      }
      return token.kind === 'open' ? writeOpen(token.id) : CLOSE;
    })
    .join('');

/** A tag as translators return it: in another case, or with additional spaces. */
const TAG = /<\s*(\/?)\s*span\b([^<>]*)>/giu;
const ID = /\bid\s*=\s*["'“”„«»″]?\s*(\d{1,6})/iu;
const NO_TRANSLATE = /\btranslate\b/iu;
const OTHER_TAG = /<[/!]?\p{L}/u;

/**
 * Reads the HTML of a segment.
 *
 * @param atoms the numbers of the elements with fixed content; by default, those with `translate`
 * @returns undefined if it is malformed: an unknown or unclosed element, or an element without a number
 */
export function readTokens(html: string, atoms?: ReadonlySet<number>): Token[] | undefined {
  const tokens: Token[] = [];
  /** Open elements, from the outside. */
  const open: { id: number; isAtom: boolean }[] = [];
  let from = 0;
  const addText = (to: number): boolean => {
    const source = html.slice(from, to);
    if (OTHER_TAG.test(source)) {
      return false;
    }
    if (source !== '' && !open.some(({ isAtom }) => isAtom)) {
      tokens.push({ kind: 'text', text: decodeHtml(source) });
    }
    return true;
  };
  for (const { 0: tag, 1: slash, 2: attributes = '', index } of html.matchAll(TAG)) {
    if (!addText(index)) {
      return undefined;
    }
    from = index + tag.length;
    if (slash) {
      const element = open.pop();
      if (!element) {
        return undefined;
      }
      if (!element.isAtom) {
        tokens.push({ kind: 'close', id: element.id });
      }
      continue;
    }
    const id = Number(ID.exec(attributes.normalize('NFKC'))?.[1]);
    if (Number.isNaN(id) || open.some(({ isAtom }) => isAtom)) {
      return undefined;
    }
    const isAtom = atoms ? atoms.has(id) : NO_TRANSLATE.test(attributes);
    tokens.push({ kind: isAtom ? 'atom' : 'open', id });
    if (!attributes.endsWith('/')) {
      open.push({ id, isAtom });
    } else if (!isAtom) {
      return undefined;
    }
  }
  return addText(html.length) && open.length === 0 ? tokens : undefined;
}
