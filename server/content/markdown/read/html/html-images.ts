/** Reads images and drawings that are written in HTML, alone or in a figure or division. */
import { alignment } from '../../alignments.ts';
import type { Block, InlineNode } from '../../document.ts';
import { defined, parent, voidBlock } from '../../document.ts';
import { blockImage } from '../images.ts';
import { type LineContext, readLine } from '../inlines.ts';
import type { Element, Piece } from '../pieces.ts';
import { elementsOf } from '../tables.ts';

/** Reads elements that consist of images. */
export class HtmlImages {
  readonly #context: LineContext;

  constructor(context: LineContext) {
    this.#context = context;
  }

  /** Reads an element; returns undefined if it is not an image, a drawing, or a figure or division with images only. */
  read(element: Element): Block | undefined {
    switch (element.name) {
      case 'img':
        return isDrawing(element) ? this.#drawing(element, undefined) : this.#images([element]);
      case 'picture':
        return this.#images([element]);
      case 'figure': {
        const img = elementsOf(element.children, FIGURE_PARTS)?.[0];
        return img && isDrawing(img) ? this.#drawing(img, this.#caption(element)) : this.#images([element]);
      }
      case 'div':
        return this.#division(element);
      default:
        return undefined;
    }
  }

  #drawing(img: Element, caption: InlineNode[] | undefined): Block | undefined {
    const image = blockImage(img);
    if (!image) {
      return undefined;
    }
    const { class: _, ...rest } = image.data.attributes ?? {};
    const { alt, width, height } = image.data;
    const attributes = defined<Record<string, string>>({ ...rest, ...defined({ alt, width, height }) });
    const ownAttributes = Object.keys(attributes).length > 0 ? attributes : undefined;
    return voidBlock('drawing', defined({ ref: image.data.ref, caption, attributes: ownAttributes }));
  }

  #caption(figure: Element): InlineNode[] | undefined {
    const caption = elementsOf(figure.children, FIGURE_PARTS)?.find(({ name }) => name === 'figcaption');
    if (!caption) {
      return undefined;
    }
    const paragraphs = elementsOf(caption.children, ['p']);
    const lines = paragraphs && paragraphs.length > 0 ? joined(paragraphs) : caption.children;
    const nodes = readLine(lines, this.#context);
    return nodes.length > 0 ? nodes : undefined;
  }

  #images(elements: Element[], data: { align?: 'start' | 'center' | 'end' } = {}): Block | undefined {
    const images = elements.map((element) => {
      if (element.name !== 'figure') {
        return blockImage(element);
      }
      const parts = elementsOf(element.children, FIGURE_PARTS);
      const [img, ...more] = parts?.filter(({ name }) => name !== 'figcaption') ?? [];
      return img && more.length === 0 ? blockImage(img, this.#caption(element)) : undefined;
    });
    const blocks = images.filter((image) => image !== undefined);
    return blocks.length === elements.length ? parent('images', data, blocks) : undefined;
  }

  #division({ attributes, children }: Element): Block | undefined {
    const elements = elementsOf(children, ['figure', 'img', 'picture']);
    if (!elements || elements.length === 0) {
      return undefined;
    }
    const knownNames = ['align', 'data-full-width', 'data-with-frame'];
    if ([...attributes.keys()].some((name) => !knownNames.includes(name))) {
      return undefined;
    }
    const data = {
      align: alignment(attributes.get('align')),
      fullWidth: attributes.get('data-full-width') === 'true' || undefined,
      withFrame: attributes.get('data-with-frame') === 'true' || undefined,
    };
    return this.#images(elements, defined(data));
  }
}

const FIGURE_PARTS = ['img', 'picture', 'figcaption'];

const isDrawing = ({ attributes }: Element): boolean => attributes.get('class') === 'gitbook-drawing';

function joined(paragraphs: Element[]): Piece[] {
  return paragraphs.flatMap(({ children }, index) =>
    index === 0 ? children : [{ kind: 'break' }, ...children],
  );
}
