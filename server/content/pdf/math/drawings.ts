/** Lays out the drawings in formulas: roots, braces, arrows, wide accents, frames and strokes. */
import type { Element } from 'hast';
import { addBox, emptyBox, type MathBox } from './boxes.ts';
import type { MathContext } from './context.ts';
import { type MathStyle, PARTS, styleOf } from './css.ts';

/** Returns the box of an element with drawings; undefined for other elements. */
export function layoutDrawing(element: Element, style: MathStyle, context: MathContext): MathBox | undefined {
  const { classes, em, text } = style;
  const { size, stackWidth } = context;
  const children = element.children.filter((child) => child.type === 'element');
  const drawings = children.filter(({ tagName }) => tagName === 'svg');
  const parts = children.filter((child) => partOf(child));
  const isFrame = classes.has('fbox') || classes.has('fcolorbox');
  if (drawings.length === 0 && parts.length === 0 && !isFrame) {
    return undefined;
  }
  const minWidth = em('min-width') * size;
  const width = text('width')?.endsWith('em') ? em('width') * size : Math.max(stackWidth, minWidth);
  const height = em('height') * size || heightOf(drawings[0], size);
  const box: MathBox = { width: minWidth > stackWidth ? minWidth : width, height, depth: 0, items: [] };
  for (const drawing of drawings) {
    addDrawing(box, drawing, { x: 0, width, height }, context);
  }
  for (const part of parts) {
    const area = partOf(part);
    const inner = part.children.find((child) => child.type === 'element' && child.tagName === 'svg');
    if (area && inner?.type === 'element') {
      addDrawing(box, inner, { x: area.left * width, width: area.width * width, height }, context);
    }
  }
  if (isFrame) {
    addFrame(
      box,
      em('border-width') * size || 0.04 * size,
      text('border-color') ?? context.color,
      text('background-color'),
    );
  }
  return box;
}

function partOf(element: Element) {
  const { classes } = styleOf(element);
  const name = Object.keys(PARTS).find((part) => classes.has(part));
  return name === undefined ? undefined : PARTS[name];
}

const heightOf = (drawing: Element | undefined, size: number): number =>
  Number.parseFloat(String(drawing?.properties.height ?? 0)) * size || 0;

/** Adds an `<svg>` in an area with its bottom on the baseline (SVG 2, 8.6). */
function addDrawing(
  box: MathBox,
  { properties, children }: Element,
  { x, width, height }: { x: number; width: number; height: number },
  { size, color }: MathContext,
): void {
  const viewBox = String(properties.viewBox ?? `0 0 ${width * 1000} ${height * 1000}`);
  const [, , boxWidth = 1, boxHeight = 1] = viewBox.split(' ').map(Number);
  const ratio = String(properties.preserveAspectRatio ?? 'xMidYMid');
  const [fitX, fitY] = [width / boxWidth, height / boxHeight];
  const uniform = ratio.includes('slice') ? Math.max(fitX, fitY) : Math.min(fitX, fitY);
  const [scaleX, scaleY] = ratio === 'none' ? [fitX, fitY] : [uniform, uniform];
  const free = width - boxWidth * scaleX;
  const shift = ratio.startsWith('xMax') ? free : ratio.startsWith('xMid') ? free / 2 : 0;
  const clip = { x, y: 0, width, height };
  for (const child of children) {
    if (child.type !== 'element') {
      continue;
    }
    const { d, x1, y1, x2, y2, strokeWidth } = child.properties;
    if (child.tagName === 'path' && typeof d === 'string') {
      box.items.push({ kind: 'path', x: x + shift, y: height, path: d, scaleX, scaleY, clip, color });
    } else if (child.tagName === 'line') {
      const at = (value: unknown, length: number) => (Number.parseFloat(String(value ?? 0)) / 100) * length;
      box.items.push({
        kind: 'line',
        x: x + at(x1, width),
        y: height - at(y1, height),
        toX: x + at(x2, width),
        toY: height - at(y2, height),
        thickness: Number.parseFloat(String(strokeWidth ?? '0.046em')) * size,
        color,
      });
    }
  }
}

function addFrame(
  box: MathBox,
  thickness: number,
  color: string | undefined,
  background: string | undefined,
): void {
  const { width, height } = box;
  const frame = emptyBox();
  const rule = (x: number, y: number, ruleWidth: number, ruleHeight: number, ink = color) =>
    frame.items.push({ kind: 'rule', x, y, width: ruleWidth, height: ruleHeight, color: ink });
  if (background !== undefined) {
    rule(0, 0, width, height, background);
  }
  rule(0, 0, width, thickness);
  rule(0, height - thickness, width, thickness);
  rule(0, 0, thickness, height);
  rule(width - thickness, 0, thickness, height);
  addBox(box, frame, 0, 0);
}
