import type { MathFont } from './css.ts';

/** Properties that an element inherits. Sizes are in ems of the formula. */
export interface MathContext {
  /** Type size. */
  size: number;
  font: MathFont;
  color: string | undefined;
  /** Alignment of rows of stacks. */
  align: number;
  /** Width of the stack that contains a stretched element. */
  stackWidth: number;
  /** Returns the width of a text in a font, in ems of the text. */
  widthOf(text: string, font: MathFont): number;
}
