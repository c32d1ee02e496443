/** Renders the blocks of integrations: in frames, or else as text. */
import { type BlockOf, type Code, inlineText } from '../markdown/document.ts';
import { embedOf } from '../markdown/unfurl.ts';
import { hashOf } from '../tree/hash.ts';
import { renderEmbed } from './cards.ts';
import type { RenderContext } from './context.ts';
import { renderCaption } from './images.ts';
import { element, frame, type Html, text } from './markup.ts';
import type { ShownBlock } from './options.ts';

type IntegrationBlock = BlockOf<'integration'>;

/** Maximum number of blocks of integrations in frames on a page. */
export const MAX_PAGE_FRAMES = 100;
/** Height of a frame in pixels, until a script knows the height of its content. */
export const FRAME_HEIGHT = 240;
/** Length of the key of a block. */
const KEY_LENGTH = 24;

/** Renders a block of an integration. */
export function renderIntegration(context: RenderContext, { data }: IntegrationBlock): Html {
  const { integration, block, props, url, caption } = data;
  const name = `${integration}/${block}`;
  const shown = { integration, block, props, ...(url !== undefined && { url }) };
  const inFrame = context.page.options.blockFrames?.names.includes(name) && renderFrame(context, shown);
  if (inFrame) {
    return caption ? element('figure', {}, inFrame, renderCaption(context, caption)) : inFrame;
  }
  return url === undefined ? renderPlaceholder(name, data) : renderEmbed(context, embedOf({ ...data, url }));
}

/** Renders code that is the body of a block of an integration. Returns undefined for any other code. */
export function renderWrittenBlock(context: RenderContext, { data, nodes }: Code): Html | undefined {
  const { languages = {} } = context.page.options.blockFrames ?? {};
  const syntax = data.syntax ?? '';
  const written = Object.hasOwn(languages, syntax) ? languages[syntax] : undefined;
  if (!written) {
    return undefined;
  }
  const code = nodes.map((line) => inlineText(line.nodes)).join('\n');
  const { integration, block, property } = written;
  return renderFrame(context, { integration, block, props: { [property]: code } });
}

/** Renders a frame for a block. Returns undefined if the page has too many. */
function renderFrame({ page }: RenderContext, block: Omit<ShownBlock, 'key'>): Html | undefined {
  const { href = '/' } = page.options.blockFrames ?? {};
  const key = hashOf(JSON.stringify([block.integration, block.block, block.props, block.url])).slice(
    0,
    KEY_LENGTH,
  );
  if (page.blocks.length >= MAX_PAGE_FRAMES) {
    return undefined;
  }
  page.blocks.push({ key, ...block });
  return frame(`${href}/${key}`, {
    class: 'integration-block',
    title: `${block.integration}/${block.block}`,
    height: FRAME_HEIGHT,
  });
}

/** Renders the name and the properties of a block without an installed integration. */
function renderPlaceholder(name: string, { block, props }: IntegrationBlock['data']): Html {
  const values = Object.values(props).filter((value) => value.trim() !== '');
  return element(
    'div',
    { class: 'placeholder' },
    element('span', { class: 'placeholder-name' }, text(name)),
    ...values.map((value) =>
      element('pre', { tabindex: 0, role: 'group', 'aria-label': block }, text(value)),
    ),
  );
}
