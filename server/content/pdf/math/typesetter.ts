/** Lays out formulas with MathJax, which draws them as SVG. */
import { createRequire } from 'node:module';
import type { LiteDocument } from '@mathjax/src/js/adaptors/lite/Document.js';
import type { LiteElement } from '@mathjax/src/js/adaptors/lite/Element.js';
import type { LiteText } from '@mathjax/src/js/adaptors/lite/Text.js';
import { LiteAdaptor } from '@mathjax/src/js/adaptors/liteAdaptor.js';
import { HTMLDocument } from '@mathjax/src/js/handlers/html/HTMLDocument.js';
import { MathML } from '@mathjax/src/js/input/mathml.js';
import { TeX } from '@mathjax/src/js/input/tex.js';
import '@mathjax/src/js/input/tex/ams/AmsConfiguration.js';
import '@mathjax/src/js/input/tex/amscd/AmsCdConfiguration.js';
import '@mathjax/src/js/input/tex/boldsymbol/BoldsymbolConfiguration.js';
import '@mathjax/src/js/input/tex/braket/BraketConfiguration.js';
import '@mathjax/src/js/input/tex/cancel/CancelConfiguration.js';
import '@mathjax/src/js/input/tex/color/ColorConfiguration.js';
import '@mathjax/src/js/input/tex/gensymb/GensymbConfiguration.js';
import '@mathjax/src/js/input/tex/mathtools/MathtoolsConfiguration.js';
import '@mathjax/src/js/input/tex/textcomp/TextcompConfiguration.js';
import '@mathjax/src/js/input/tex/textmacros/TextMacrosConfiguration.js';
import { mathjax } from '@mathjax/src/js/mathjax.js';
import { DefaultFont } from '@mathjax/src/js/output/svg/DefaultFont.js';
import { SVG } from '@mathjax/src/js/output/svg.js';
import { EM_PX, EM_UNITS, elementsOf, type FormulaPart } from './parts.ts';

/**
 * Packages of commands. None defines commands: definitions would be those of all later formulas, too. Formulas with
 * definitions are laid out from MathML, like those with other commands that only KaTeX has.
 */
const PACKAGES = [
  'base',
  'ams',
  'amscd',
  'boldsymbol',
  'braket',
  'cancel',
  'color',
  'gensymb',
  'mathtools',
  'textcomp',
  'textmacros',
];
/** Height of the letter x in the font of MathJax, in ems. */
const X_HEIGHT_EM = 0.442;
/** Space where a line can be broken, in ems, per size of the break. */
const BREAK_SPACE_EM = 1 / 18;

/** Folder with the less frequent glyphs of the font, which load when a formula contains them. */
const GLYPHS_FOLDER = '@mathjax/mathjax-newcm-font/mjs/svg/dynamic';

mathjax.asyncLoad = createRequire(import.meta.resolve('@mathjax/src/js/mathjax.js'));
mathjax.asyncIsSynchronous = true;

/** The font of a thread: each glyph loads once. */
const font = new DefaultFont({ dynamicPrefix: GLYPHS_FOLDER });

/** Measures text in characters that the font of MathJax lacks. */
class MeasuringAdaptor extends LiteAdaptor {
  readonly #widthOf: (text: LiteElement) => number;

  constructor(widthOf: (text: LiteElement) => number) {
    super();
    this.#widthOf = widthOf;
  }

  override nodeSize(node: LiteElement): [number, number] {
    return [this.#widthOf(node), 1];
  }
}

/** Lays out the formulas of a document. */
export class Typesetter {
  readonly #adaptor: MeasuringAdaptor;
  readonly #tex: TeX<LiteElement, LiteText, LiteDocument>;
  readonly #document: HTMLDocument<LiteElement, LiteText, LiteDocument>;

  /** @param widthOf returns the width of an SVG text in characters that the font of MathJax lacks, in ems */
  constructor(widthOf: (text: LiteElement) => number) {
    this.#adaptor = new MeasuringAdaptor(widthOf);
    this.#tex = new TeX({
      packages: PACKAGES,
      // As those of KaTeX.
      color: { padding: '.3em', borderWidth: '.04em' },
      formatError(_: unknown, error: Error) {
        throw error;
      },
    });
    this.#document = new HTMLDocument<LiteElement, LiteText, LiteDocument>(
      this.#adaptor.parse('', 'text/html'),
      this.#adaptor,
      {
        InputJax: [this.#tex, new MathML()],
        OutputJax: new SVG({ fontData: font, fontCache: 'none', displayOverflow: 'linebreak' }),
      },
    );
  }

  /** Reads MathML. */
  parse(mathMl: string): LiteElement {
    return this.#adaptor.body(this.#adaptor.parse(mathMl, 'text/html'));
  }

  /**
   * Lays out a formula.
   *
   * @param maxWidth the width of the area that a displayed formula is centered in, in ems
   */
  layOut(formula: string, format: 'TeX' | 'MathML', isDisplayed: boolean, maxWidth: number): FormulaPart[] {
    this.#tex.reset();
    const container: LiteElement = this.#document.convert(formula, {
      format,
      display: isDisplayed,
      em: EM_PX,
      ex: X_HEIGHT_EM * EM_PX,
      containerWidth: maxWidth * EM_PX,
    });
    const parts: FormulaPart[] = [];
    let space = 0;
    for (const child of elementsOf(container)) {
      if (child.kind === 'svg') {
        parts.push({ ...sizeOf(child, maxWidth), svg: child, space });
        space = 0;
      } else {
        space += Number(child.attributes.size ?? 0) * BREAK_SPACE_EM;
      }
    }
    return parts;
  }
}

function sizeOf({ attributes }: LiteElement, maxWidth: number): Omit<FormulaPart, 'svg' | 'space'> {
  const { viewBox, 'data-mjx-viewBox': fullWidthBox } = attributes;
  const [, top = 0, width = 0, height = 0] = String(viewBox ?? fullWidthBox)
    .split(' ')
    .map((length) => Number(length) / EM_UNITS);
  if (![top, width, height].every(Number.isFinite)) {
    throw new Error('The formula has no size.');
  }
  return {
    width: viewBox === undefined ? Math.max(width, maxWidth) : width,
    ascent: -top,
    descent: height + top,
  };
}
