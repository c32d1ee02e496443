/** Formulas in TeX: those that KaTeX accepts, as in published pages, laid out by MathJax. */
import type { LiteElement } from '@mathjax/src/js/adaptors/lite/Element.js';
import { LRUCache } from 'lru-cache';
import { MAX_FORMULA_CHARACTERS, typesetFormula } from '../../markdown/formulas.ts';
import { interruptible } from './interruptible.ts';
import { linearText } from './linear.ts';
import type { FormulaPart } from './parts.ts';
import type { Typesetter } from './typesetter.ts';

/** Maximum time for typesetting the formulas of a PDF, in milliseconds. All others are printed as written. */
export const MAX_FORMULAS_MS = 60_000;
/** Maximum time for laying out a formula, in milliseconds. Others are printed as written. */
export const MAX_FORMULA_MS = 2000;
/** Maximum number of characters of cached formulas of a document, as written. */
const MAX_CACHED_FORMULA_CHARACTERS = 100_000;

/** A formula that is laid out. */
export interface Formula {
  /** Its parts, between which a line can be broken. */
  parts: FormulaPart[];
  /** The formula as one line of text. */
  text: string;
}

/** The formulas of a document. */
export class Formulas {
  readonly #widthOf: (text: LiteElement) => number;
  readonly #cache = new LRUCache<string, { formula: Formula | undefined }>({
    maxSize: MAX_CACHED_FORMULA_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
  });
  #typesetter: Typesetter | undefined;
  #remainingMs = MAX_FORMULAS_MS;

  /** @param widthOf returns the width of an SVG text in characters that the font of MathJax lacks, in ems */
  constructor(widthOf: (text: LiteElement) => number) {
    this.#widthOf = widthOf;
  }

  /**
   * Typesets a formula; undefined if it is invalid or exceeds a limit.
   *
   * @param maxWidth the width of the area that a displayed formula is centered in, in ems
   */
  async typeset(tex: string, isDisplayed: boolean, maxWidth: number): Promise<Formula | undefined> {
    const key = `${isDisplayed ? maxWidth : ''} ${tex}`;
    const cached = this.#cache.get(key);
    if (cached) {
      return cached.formula;
    }
    if (tex.length > MAX_FORMULA_CHARACTERS || this.#remainingMs <= 0) {
      return undefined;
    }
    const typesetter = await this.#start();
    const started = performance.now();
    const formula = typesetFormula(tex, isDisplayed, (markup) => {
      const work = () => layOut(typesetter, tex, markup, isDisplayed, maxWidth);
      try {
        return interruptible(work, MAX_FORMULA_MS);
      } catch (error) {
        // Its state is undefined after an interruption.
        this.#typesetter = undefined;
        throw error;
      }
    });
    this.#remainingMs -= performance.now() - started;
    this.#cache.set(key, { formula });
    return formula;
  }

  /** MathJax loads with the first formula: most documents have none. */
  async #start(): Promise<Typesetter> {
    if (!this.#typesetter) {
      const { Typesetter } = await import('./typesetter.ts');
      this.#typesetter = new Typesetter(this.#widthOf);
    }
    return this.#typesetter;
  }
}

function layOut(
  typesetter: Typesetter,
  tex: string,
  markup: string,
  isDisplayed: boolean,
  maxWidth: number,
): Formula {
  const mathMl = repaired(
    markup.slice(markup.indexOf('<math'), markup.lastIndexOf('</math>') + '</math>'.length),
  );
  const text = linearText(typesetter.parse(mathMl)).replace(/\s+/g, ' ').trim();
  try {
    return { parts: typesetter.layOut(tex, 'TeX', isDisplayed, maxWidth), text };
  } catch {
    // A command that only KaTeX has.
    return { parts: typesetter.layOut(mathMl, 'MathML', isDisplayed, maxWidth), text };
  }
}

/**
 * What MathJax needs in the MathML of KaTeX: bars that it stretches, a node before operators at the start of a cell, no
 * empty cells for the numbers of equations, and the character of line segments, which KaTeX lacks.
 */
const REPAIRS = [
  ['<mo stretchy="true">undefined', '<mo stretchy="true">¯'],
  ['<mo fence="true">∣', '<mo fence="true">|'],
  ['<mo fence="true">∥', '<mo fence="true">‖'],
  ['<mrow></mrow>', '<mi></mi>'],
  ['<mtd class ="mtr-glue"></mtd>', ''],
  ['<mtd class ="mml-eqn-num"></mtd>', ''],
] as const;

const repaired = (mathMl: string): string =>
  REPAIRS.reduce((result, [text, repair]) => result.replaceAll(text, repair), mathMl);
