/** Lays out formulas in TeX, from the HTML of KaTeX. */
import type { Element, Nodes } from 'hast';
import { MAX_FORMULA_CHARACTERS, typesetFormula } from '../../markdown/formulas.ts';
import type { MathBox } from './boxes.ts';
import type { MathContext } from './context.ts';
import type { MathFont } from './css.ts';
import { elementsOf, layoutLine } from './layout.ts';
import { linearText } from './linear.ts';

/** Maximum time for typesetting the formulas of a PDF, in milliseconds. All others are printed as written. */
export const MAX_FORMULAS_MS = 60_000;
/** Number of cached formulas of a document at which the cache is cleared. */
const MAX_CACHED_FORMULAS = 2000;

/** A formula that is laid out. */
export interface Formula {
  /** Its parts, between which a line can be broken. */
  boxes: MathBox[];
  /** The formula as one line of text. */
  text: string;
}

/** The formulas of a document. */
export class Formulas {
  readonly #widthOf: MathContext['widthOf'];
  readonly #cache = new Map<string, Formula | undefined>();
  #remainingMs = MAX_FORMULAS_MS;

  /** @param widthOf returns the width of a text in a font, as a multiple of the type size */
  constructor(widthOf: (text: string, font: MathFont) => number) {
    this.#widthOf = widthOf;
  }

  /** Typesets a formula; undefined if it is invalid or exceeds a limit. */
  typeset(tex: string, display: boolean): Formula | undefined {
    const key = `${display} ${tex}`;
    if (this.#cache.has(key)) {
      return this.#cache.get(key);
    }
    if (tex.length > MAX_FORMULA_CHARACTERS || this.#remainingMs <= 0) {
      return undefined;
    }
    const started = performance.now();
    const formula = this.#layout(tex, display);
    this.#remainingMs -= performance.now() - started;
    if (this.#cache.size >= MAX_CACHED_FORMULAS) {
      this.#cache.clear();
    }
    this.#cache.set(key, formula);
    return formula;
  }

  #layout(tex: string, display: boolean): Formula | undefined {
    return typesetFormula(tex, { isBlock: display, output: 'htmlAndMathml' }, (html) => {
      const [math, drawn] = ['katex-mathml', 'katex-html'].map((name) => findByClass(html, name));
      if (!math || !drawn) {
        return undefined;
      }
      const context: MathContext = {
        size: 1,
        font: { family: 'Main', bold: false, italic: false },
        color: undefined,
        align: display ? 0.5 : 0,
        stackWidth: 0,
        widthOf: this.#widthOf,
      };
      const boxes = elementsOf(drawn).map((part) => layoutLine([part], context));
      return { boxes, text: linearText(math).replace(/\s+/g, ' ').trim() };
    });
  }
}

function findByClass(node: Nodes, name: string): Element | undefined {
  if (
    node.type === 'element' &&
    Array.isArray(node.properties.className) &&
    node.properties.className.includes(name)
  ) {
    return node;
  }
  for (const child of 'children' in node ? node.children : []) {
    const descendant = findByClass(child, name);
    if (descendant) {
      return descendant;
    }
  }
  return undefined;
}
