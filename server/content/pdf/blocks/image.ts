/** Prints images and captions. */
import type { AnyBlock, InlineNode } from '../../markdown/document.ts';
import { SMALL } from '../code.ts';
import { BODY, BOTTOM_POINTS, MARGIN } from '../flow.ts';
import { fitImage } from '../images.ts';
import { imageText, type PageContext, spansOf } from '../inlines.ts';
import { textAttribute } from '../tags/tags.ts';

/** Prints an image, or its description if it cannot be printed. */
export async function printImage(
  context: PageContext,
  { data }: Extract<AnyBlock, { type: 'image' }>,
): Promise<void> {
  const { flow } = context;
  const image = await context.openImage(data.ref);
  if (image) {
    const bounds = { width: flow.width, height: BOTTOM_POINTS - MARGIN.top - 60 };
    const size = fitImage(image, bounds, requestedWidth(data.width, flow.width));
    const close = flow.open('Figure', textAttribute('Alt', data.alt || context.body.reach(data.ref).name));
    flow.place(size.height, (_, y) => {
      // pdfkit gets back the image that it opened; its types only declare the bytes of images.
      flow.content(() => flow.doc.image(image.source as Buffer, flow.startOf(size.width), y, size));
    });
    close();
  } else {
    flow.text(imageText(context, data, BODY));
  }
  await printCaption(context, data.caption);
}

/** Converts a width in pixels or percent of the column to points. */
function requestedWidth(width: string | undefined, column: number): number | undefined {
  const [, number = '', unit] = /^(\d{1,5}(?:\.\d+)?)(%|px)?$/.exec(width ?? '') ?? [];
  if (number === '' || Number(number) === 0) {
    return undefined;
  }
  return unit === '%' ? (column * Number(number)) / 100 : Number(number) * 0.75;
}

/** Prints a caption. */
export async function printCaption(context: PageContext, caption: InlineNode[] | undefined): Promise<void> {
  if (!caption || caption.length === 0) {
    return;
  }
  context.flow.space(3);
  const spans = await spansOf(context, caption, SMALL);
  const close = context.flow.open('Caption');
  context.flow.text(spans);
  close();
}
