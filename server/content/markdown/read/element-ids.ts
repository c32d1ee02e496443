/** The IDs of HTML elements that documents represent by their content only. */
import { type Block, paragraph, voidInline } from '../document.ts';

/** Returns the content of an element with its IDs at the start. */
export function withAnchors(ids: ReadonlyArray<string | undefined>, blocks: Block[]): Block[] {
  const anchors = ids.flatMap((id) => (id ? [voidInline('anchor', { id })] : []));
  if (anchors.length === 0) {
    return blocks;
  }
  const [first, ...others] = blocks;
  return first?.type === 'paragraph' && first.data.problem === undefined
    ? [{ ...first, nodes: [...anchors, ...first.nodes] }, ...others]
    : [paragraph(anchors), ...blocks];
}
