/** Draws lines, areas of links, and other contents of pages with their structure. */
import type { PdfDoc } from '../boxes.ts';
import { visualOrder } from '../direction.ts';
import type { Link, Piece } from '../lines/pieces.ts';
import type { Line } from '../lines.ts';
import { type Tag, type Tags, textAttribute } from '../tags/tags.ts';
import { drawText } from '../text.ts';

/** A rectangle of a page, in points from the top left. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The pages of a document. Its structure is written with their contents. */
export class Canvas {
  readonly doc: PdfDoc;
  readonly tags: Tags | undefined;
  /** Page numbers of the destinations that exist by name, and the names of those that links lead to. */
  readonly destinations = { existing: new Map<string, number>(), linked: new Set<string>() };

  constructor(doc: PdfDoc, tags?: Tags) {
    this.doc = doc;
    this.tags = tags;
  }

  /** Prints an element of the structure of the document. */
  async tagged(tag: Tag, print: () => Promise<void>, attributes?: string): Promise<void> {
    await (this.tags ? this.tags.within(tag, print, attributes) : print());
  }

  /** Opens an element of the structure of the document; returns the function that closes it. */
  open(tag: Tag, attributes?: string): () => void {
    return this.tags?.open(tag, attributes) ?? (() => undefined);
  }

  /** Opens a paragraph, unless the current element contains text; returns the function that closes it. */
  paragraph(): () => void {
    return this.tags?.paragraph() ?? (() => undefined);
  }

  /** Returns a function that draws an element at the current place of the structure. */
  reserve(tag: Tag): (draw: () => void) => void {
    return this.tags?.reserve(tag) ?? ((draw) => draw());
  }

  /** Draws contents of the current element. */
  content(draw: () => void): void {
    if (this.tags) {
      this.tags.mark(draw);
    } else {
      draw();
    }
  }

  /** Draws contents without a meaning, such as lines. */
  artifact(draw: () => void): void {
    if (this.tags) {
      this.tags.artifact(draw);
    } else {
      draw();
    }
  }

  /** Draws a line with its left end at `x`: links and code in elements of their own. */
  drawLine(line: Line, x: number, top: number): void {
    const closeParagraph = this.paragraph();
    const plain: Array<() => void> = [];
    const finish = () => {
      const pieces = plain.splice(0);
      if (pieces.length > 0) {
        this.content(() => {
          for (const draw of pieces) {
            draw();
          }
        });
      }
    };
    this.#inOrder(line, x, (piece, left) => {
      const draw = () => this.#piece(piece, left, top, line);
      const { link, isolated, style, box } = piece;
      const tag = link
        ? 'Link'
        : box?.alt !== undefined
          ? 'Figure'
          : isolated && style.mono && !box
            ? 'Code'
            : undefined;
      if (tag === undefined) {
        plain.push(draw);
        return;
      }
      finish();
      const close = this.open(tag, box?.alt === undefined ? '' : textAttribute('Alt', box.alt));
      this.content(draw);
      if (link) {
        const solid = solidWidth(piece);
        this.linkArea(solid === 0 ? undefined : link, { x: left, y: top, width: solid, height: line.height });
      }
      close();
    });
    finish();
    closeParagraph();
  }

  /** Draws the pieces of a line in reading order, each at its visual position. */
  #inOrder(line: Line, x: number, draw: (piece: Piece, left: number) => void): void {
    const positions = new Map<Piece, number>();
    // Trailing spaces of a line from right to left protrude to the left.
    let at = line.rtl ? x + line.width - line.pieces.reduce((sum, { width }) => sum + width, 0) : x;
    for (const piece of visualOrder(line.pieces)) {
      positions.set(piece, at);
      at += piece.width;
    }
    for (const piece of line.pieces) {
      draw(piece, positions.get(piece) ?? x);
    }
  }

  #piece(piece: Piece, x: number, top: number, { baseline }: Line): void {
    const { doc } = this;
    const { style, face, text, width, link, box } = piece;
    const y = top + baseline - style.rise * style.size;
    if (style.background !== undefined && text.trim() !== '') {
      doc.rect(x - 1, y - style.size * 0.95, width + 2, style.size * 1.25).fill(style.background);
    }
    if (box) {
      box.draw(doc, x, y);
    } else {
      // Text readers determine the direction of all text in one font and size together, so text from right to left is
      // minimally larger.
      const rtl = piece.level % 2 === 1;
      const size = rtl ? style.size * 1.001 : style.size;
      drawText(doc, { face, text, rtl, size, color: style.color }, x, y);
    }
    const solid = solidWidth(piece);
    if (style.strike && solid > 0) {
      doc.rect(x, y - style.size * 0.3, solid, style.size * 0.06).fill(style.color);
    }
    if (style.underline && !link && solid > 0) {
      doc.rect(x, y + style.size * 0.14, solid, style.size * 0.05).fill(style.color);
    }
    if (link && !box && solid > 0) {
      doc.rect(x, y + style.size * 0.14, solid, style.size * 0.05).fill(style.color);
    }
  }

  /** Has an area of the page link to a target. */
  linkArea(link: Link | undefined, { x, y, width, height }: Area): void {
    if (!link) {
      return;
    }
    const add = (options: LinkOptions) => {
      if ('url' in link) {
        this.doc.link(x, y, width, height, link.url, options);
      } else {
        this.destinations.linked.add(link.destination);
        this.doc.goTo(x, y, width, height, link.destination, options);
      }
      // The annotations of a page are private.
      return (this.doc as unknown as AnnotatedDoc).page.annotations.at(-1)?.id ?? 0;
    };
    if (this.tags) {
      this.tags.addAnnotation((key) => add(key === undefined ? {} : { StructParent: key }));
    } else {
      add({});
    }
  }
}

interface LinkOptions {
  /** Key of the annotation in the parent tree. */
  StructParent?: number;
}

interface AnnotatedDoc {
  page: { annotations: Array<{ id: number }> };
}

/** Returns the width of a piece that is underlined and linked. */
const solidWidth = ({ box, text, width }: Piece): number =>
  box ? (box.solidWidth ?? width) : text.trimEnd() === '' ? 0 : width;
