/** Formulas that are laid out: what is drawn where. All lengths are in ems of the formula; `y` increases upwards. */
import type { MathFont } from './css.ts';

/** An area to draw within. */
export interface Clip {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Something to draw, relative to the left end of the baseline. */
export type MathItem = { x: number; y: number; color?: string | undefined } & (
  | { kind: 'text'; text: string; font: MathFont; size: number }
  | { kind: 'rule'; width: number; height: number }
  /** An SVG path, whose `y` increases downwards from its top. */
  | { kind: 'path'; path: string; scaleX: number; scaleY: number; clip: Clip }
  | { kind: 'line'; toX: number; toY: number; thickness: number }
);

export interface MathBox {
  width: number;
  /** Above the baseline. */
  height: number;
  /** Below the baseline. */
  depth: number;
  items: MathItem[];
}

/** Creates a box without content. */
export const emptyBox = (width = 0): MathBox => ({ width, height: 0, depth: 0, items: [] });

/** Adds the content of a box to another one, at a position, without changing its width. */
export function addBox(into: MathBox, { height, depth, items }: MathBox, x: number, y: number): void {
  into.height = Math.max(into.height, height + y);
  into.depth = Math.max(into.depth, depth - y);
  for (const item of items) {
    into.items.push(moved(item, x, y));
  }
}

function moved(item: MathItem, x: number, y: number): MathItem {
  const at = { ...item, x: item.x + x, y: item.y + y };
  switch (at.kind) {
    case 'path':
      return { ...at, clip: { ...at.clip, x: at.clip.x + x, y: at.clip.y + y } };
    case 'line':
      return { ...at, toX: at.toX + x, toY: at.toY + y };
    default:
      return at;
  }
}
