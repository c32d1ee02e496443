/**
 * Fonts of one weight from variable fonts. fontkit interpolates the outlines of their glyphs, but cannot write them to
 * the subset of a font, which PDFs embed.
 */
import type { Font, Path, Subset } from 'fontkit';

/** The parts of a TrueType subset of fontkit that its types omit. */
interface TrueTypeSubset extends Subset {
  glyf: Uint8Array[];
  offset: number;
  loca: { offsets: number[] };
  hmtx: { metrics: Array<{ advance: number; bearing: number }> };
  _addGlyph(id: number): number;
}

/** Returns a variable font in a weight. */
export function fontOfWeight(variable: Font, weight: number): Font {
  const font = variable.getVariation({ wght: weight });
  const createSubset = () => {
    // Fonts with outlines of this kind have subsets of this kind.
    const subset = font.createSubset() as TrueTypeSubset;
    subset._addGlyph = (id) => {
      const glyph = font.getGlyph(id);
      const outline = writeOutline(glyph.path);
      subset.glyf.push(outline);
      subset.loca.offsets.push(subset.offset);
      subset.hmtx.metrics.push({
        advance: Math.round(glyph.advanceWidth),
        bearing: Math.round(glyph.path.commands.length === 0 ? 0 : glyph.path.bbox.minX),
      });
      subset.offset += outline.length;
      return subset.glyf.length - 1;
    };
    return subset;
  };
  // pdfkit embeds fonts of the same name only once. Object.create is typed as any.
  return Object.create(font, {
    createSubset: { value: createSubset },
    postscriptName: { value: `${font.postscriptName}-${weight}` },
  }) as Font;
}

interface Point {
  x: number;
  y: number;
  /** Whether the outline passes through the point. */
  isOn: boolean;
}

/** Returns the closed contours of an outline, in whole units of the font. */
function contoursOf(path: Path): Point[][] {
  const contours: Point[][] = [];
  let points: Point[] = [];
  const add = (x = 0, y = 0, isOn = true) => points.push({ x: Math.round(x), y: Math.round(y), isOn });
  const close = () => {
    const [first, last] = [points[0], points.at(-1)];
    // A contour ends where it starts.
    if (points.length > 1 && last?.isOn && first?.x === last.x && first.y === last.y) {
      points.pop();
    }
    if (points.length > 0) {
      contours.push(points);
    }
    points = [];
  };
  for (const { command, args } of path.commands) {
    switch (command) {
      case 'moveTo':
        close();
        add(args[0], args[1]);
        break;
      case 'lineTo':
        add(args[0], args[1]);
        break;
      case 'quadraticCurveTo':
        add(args[0], args[1], false);
        add(args[2], args[3]);
        break;
      default:
        close();
    }
  }
  close();
  return contours;
}

const HEADER_BYTES = 12;
const MAX_POINT_BYTES = 5;
/** Glyphs start at multiples of this. */
const ALIGNMENT_BYTES = 4;

/** Writes an outline as a simple glyph without instructions (OpenType, `glyf`). */
function writeOutline(path: Path): Uint8Array {
  const contours = contoursOf(path);
  const points = contours.flat();
  if (points.length === 0) {
    return new Uint8Array();
  }
  const size = HEADER_BYTES + 2 * contours.length + MAX_POINT_BYTES * points.length + ALIGNMENT_BYTES;
  const bytes = Buffer.alloc(size);
  let at = 0;
  const write = (value: number) => {
    at = bytes.writeInt16BE(value, at);
  };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  write(contours.length);
  for (const value of [minOf(xs), minOf(ys), -minOf(xs.map(negative)), -minOf(ys.map(negative))]) {
    write(value);
  }
  let end = -1;
  for (const contour of contours) {
    end += contour.length;
    at = bytes.writeUInt16BE(end, at);
  }
  write(0);
  for (const { isOn } of points) {
    at = bytes.writeUInt8(isOn ? 1 : 0, at);
  }
  for (const values of [xs, ys]) {
    let last = 0;
    for (const value of values) {
      write(value - last);
      last = value;
    }
  }
  return bytes.subarray(0, Math.ceil(at / ALIGNMENT_BYTES) * ALIGNMENT_BYTES);
}

const negative = (value: number): number => -value;
const minOf = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
