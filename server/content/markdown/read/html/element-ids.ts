/** The IDs of HTML elements that documents represent by their content only. */
import { type Block, type Inline, paragraph, voidInline } from '../../document.ts';

/** Returns the IDs of an element as anchors. */
export const anchorsOf = (ids: ReadonlyArray<string | undefined>): Inline[] =>
  ids.flatMap((id) => (id ? [voidInline('anchor', { id })] : []));

/** Returns the content of an element with its IDs at the start. */
export function withAnchors(ids: ReadonlyArray<string | undefined>, blocks: Block[]): Block[] {
  const anchors = anchorsOf(ids);
  if (anchors.length === 0) {
    return blocks;
  }
  const [first, ...others] = blocks;
  return first?.type === 'paragraph' && first.data.problem === undefined
    ? [{ ...first, nodes: [...anchors, ...first.nodes] }, ...others]
    : [paragraph(anchors), ...blocks];
}
