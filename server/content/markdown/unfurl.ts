/**
 * Replaces the links and embeds in documents that the block of an integration shows, and reverts that. The text of a page
 * contains the link, so that it is the same whether or not the integration is installed.
 */
import { blockForUrl, type UrlPatterns } from '../links/url-patterns.ts';
import { type AnyBlock, type BlockOf, type InlineNode, inlineText, voidBlock } from './document.ts';

/** Maximum number of embeds and links of a page that are compared with the patterns of integrations. */
export const MAX_COMPARED_LINKS = 500;

/** Returns what replaces a block; undefined if it remains. */
type Replace = (block: AnyBlock, parent: AnyBlock | undefined) => AnyBlock | undefined;

/**
 * Replaces embeds, and links that are alone in their paragraph, by the blocks of integrations that match their URLs, at any
 * depth.
 */
export function unfurlBlocks<Nodes extends readonly AnyBlock[]>(
  nodes: Nodes,
  blocks: readonly UrlPatterns[] | undefined,
): Nodes {
  if (!blocks || blocks.length === 0) {
    return nodes;
  }
  let count = 0;
  return replaceBlocks(nodes, (block, container) => {
    const url = urlOf(block, container);
    if (url === undefined || count >= MAX_COMPARED_LINKS) {
      return undefined;
    }
    count += 1;
    const match = blockForUrl(url, blocks);
    return match && unfurled(block, match, url);
  });
}

function unfurled(block: AnyBlock, match: UrlPatterns, url: string): AnyBlock {
  const { integration, block: id } = match;
  const action = { action: '@link.unfurl', url } as const;
  const embedded = block.type === 'embed' ? embedOf(block.data).data : { url };
  // A component that does not handle the action has the URL as a property, as what such actions create.
  const shown = voidBlock('integration', { integration, block: id, props: { url }, action, ...embedded });
  return block.key === undefined ? shown : { ...shown, key: block.key };
}

/**
 * Replaces the blocks of integrations that show a URL by what the current text of the page contains for them, or else by
 * embeds.
 *
 * @param readCurrent reads the blocks of the current text, if the document has a block of an integration for a URL
 */
export function foldBlocks<Nodes extends readonly AnyBlock[]>(
  nodes: Nodes,
  readCurrent: () => readonly AnyBlock[],
): Nodes {
  let originals: Map<string, AnyBlock> | undefined;
  return replaceBlocks(nodes, (block) => {
    if (block.type !== 'integration' || block.data.url === undefined) {
      return undefined;
    }
    const { url } = block.data;
    originals ??= originalsIn(readCurrent());
    return originals.get(`${block.key} ${url}`) ?? originals.get(url) ?? embedOf({ ...block.data, url });
  });
}

/** Returns an embed with what a block of an integration keeps of it. */
export function embedOf({ url, caption, fullWidth }: BlockOf<'embed'>['data']): BlockOf<'embed'> {
  return voidBlock('embed', {
    url,
    ...(caption && { caption }),
    ...(fullWidth !== undefined && { fullWidth }),
  });
}

/** Returns the blocks that can be replaced, by their URLs, and by their keys with these. */
function originalsIn(nodes: readonly AnyBlock[]): Map<string, AnyBlock> {
  const originals = new Map<string, AnyBlock>();
  replaceBlocks(nodes, (block, container) => {
    const url = urlOf(block, container);
    if (url !== undefined) {
      originals.set(`${block.key} ${url}`, block);
      originals.set(url, originals.get(url) ?? block);
    }
    return undefined;
  });
  return originals;
}

/**
 * Returns the URL of an embed, or of a link that is alone in its paragraph; undefined for any other block. In an item of a
 * list, a link is a part of the list.
 */
function urlOf(block: AnyBlock, container: AnyBlock | undefined): string | undefined {
  if (block.type === 'embed') {
    return block.data.url;
  }
  return block.type === 'paragraph' && container?.type !== 'list-item' ? urlOfLine(block) : undefined;
}

function urlOfLine({ nodes }: BlockOf<'paragraph'>): string | undefined {
  const [link, ...others] = nodes;
  if (others.length > 0 || link?.object !== 'inline' || link.type !== 'link') {
    return undefined;
  }
  const { ref } = link.data;
  const isBare = ref.kind === 'url' && inlineText(link.nodes) === ref.url && !hasMarks(link.nodes);
  return isBare ? ref.url : undefined;
}

/** Replaces blocks of a document, each before the blocks in it. */
function replaceBlocks<Nodes extends readonly AnyBlock[]>(
  nodes: Nodes,
  replace: Replace,
  container?: AnyBlock,
): Nodes {
  let isChanged = false;
  const replaced = nodes.map((block) => {
    const next = replace(block, container) ?? withinBlock(block, replace);
    isChanged ||= next !== block;
    return next;
  });
  // Blocks of documents replace each other wherever one is: the blocks of one kind of parent are never replaced.
  return isChanged ? (replaced as readonly AnyBlock[] as Nodes) : nodes;
}

function withinBlock(block: AnyBlock, replace: Replace): AnyBlock {
  if (block.type === 'expandable') {
    const body = replaceBlocks(block.data.body, replace, block);
    return body === block.data.body ? block : { ...block, data: { ...block.data, body } };
  }
  if (!hasBlocks(block.nodes)) {
    return block;
  }
  const nodes = replaceBlocks(block.nodes, replace, block);
  // The nodes are blocks that the parent can have, as before.
  return nodes === block.nodes ? block : ({ ...block, nodes } as AnyBlock);
}

const hasMarks = (nodes: readonly InlineNode[]): boolean =>
  nodes.some((node) => node.object === 'text' && node.leaves.some(({ marks }) => marks.length > 0));

const hasBlocks = (nodes: readonly { object: string }[]): nodes is readonly AnyBlock[] =>
  nodes.some(({ object }) => object === 'block');
