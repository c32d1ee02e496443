/** Parts of formulas, and the nodes of MathJax that they consist of. */
import type { LiteElement, LiteNode } from '@mathjax/src/js/adaptors/lite/Element.js';

/** Type size, in pixels. A TeX point, which is a tenth of it, is a pixel. */
export const EM_PX = 10;
/** Units of drawings per em. */
export const EM_UNITS = 1000;

/** A part of a formula. Lengths are in ems of the formula. */
export interface FormulaPart {
  /** Its drawing. */
  svg: LiteElement;
  width: number;
  /** Height above the baseline. */
  ascent: number;
  /** Height below the baseline. */
  descent: number;
  /** Space to its left. */
  space: number;
}

/** Returns the child elements of an element. */
export const elementsOf = ({ children }: LiteElement): LiteElement[] => children.filter(isElement);

/** Returns whether a node is an element. */
export const isElement = (node: LiteNode): node is LiteElement => 'children' in node;
