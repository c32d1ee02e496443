/**
 * Prints a page as Markdown for readers outside of the platform: with the texts that it includes, the parts of
 * specifications that it refers to, and URLs in place of references.
 */
import type { JsonObject } from '../computed/json.ts';
import type { Claims } from '../expressions/conditions.ts';
import { readableText } from '../expressions/visible-text.ts';
import { writeRef } from '../links/address.ts';
import { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import { type AnyBlock, type Block, MAX_INCLUDED_DEPTH, type Reference } from '../markdown/document.ts';
import { parseOnce, printMarkdown } from '../markdown/markdown.ts';
import type { MentionText } from '../markdown/slug.ts';
import { titleOfMention, withoutMentions } from './mentions.ts';
import { type RenderTargets, targetKey } from './options.ts';
import type { IncludedText, TextToRender } from './page.ts';
import { CONTAINERS, withSpecifications } from './specifications/specifications.ts';

/** Maximum length of a printed page, in UTF-16 units: contents can include each other several times. */
export const MAX_PRINTED_CHARACTERS = 3_000_000;

/** A page to be printed: plain data. */
export interface PageToPrint extends TextToRender {
  targets: RenderTargets;
  /** Claims about the visitor, for conditions; without them, all content is printed. */
  claims?: Claims | undefined;
  /** Reusable contents by the key in their targets. */
  included?: ReadonlyMap<string, IncludedText> | undefined;
  /** URL that the addresses of the targets are relative to. */
  base: string;
}

/** @param specifications by the name that blocks of the page have for them */
export function printPage(
  { targets, claims, included = new Map(), base, ...page }: PageToPrint,
  specifications: ReadonlyMap<string, JsonObject> = new Map(),
): string {
  let characters = 0;
  const print = (text: TextToRender, textTargets: RenderTargets, depth: number): string => {
    const document = parseOnce(readableText({ ...text, claims }));
    const expanded = expand(withSpecifications(document.nodes, specifications), (ref) => {
      const content = included.get(textTargets.get(targetKey(ref))?.included ?? '');
      return content && depth < MAX_INCLUDED_DEPTH
        ? parseOnce(print(content, content.targets, depth + 1)).nodes
        : [];
    });
    const anchors = new PageAnchors(expanded);
    const mentionText: MentionText = (mention) => {
      const { ref } = mention;
      const own = ref.kind === 'url' && ref.url.startsWith('#') ? anchors.find(ref.url.slice(1)) : undefined;
      const section = anchors.titles.get(own ?? '');
      return section || titleOfMention(mention, textTargets.get(targetKey(ref)));
    };
    const printed = printMarkdown({ ...document, nodes: withoutMentions(expanded, mentionText) }, (ref) => {
      const url = textTargets.get(targetKey(ref))?.url;
      return url === undefined || !URL.canParse(url, base) ? writeRef(ref) : new URL(url, base).href;
    });
    characters += printed.length;
    if (characters > MAX_PRINTED_CHARACTERS) {
      throw new RangeError('The page is too long.');
    }
    return printed;
  };
  return print(page, targets, 0);
}

/** Returns blocks with included contents in place of the references to them. */
function expand<Node extends AnyBlock>(
  blocks: readonly Node[],
  include: (ref: Reference) => Block[],
): Node[] {
  return blocks.flatMap((block) => {
    if (block.type === 'reusable-content') {
      // These blocks occur wherever any block does.
      return include(block.data.ref) as Node[];
    }
    if (block.type === 'expandable') {
      return [{ ...block, data: { ...block.data, body: expand(block.data.body, include) } }];
    }
    return CONTAINERS.has(block.type)
      ? // Blocks of these types contain blocks.
        [{ ...block, nodes: expand(block.nodes as AnyBlock[], include) }]
      : [block];
  });
}
