/** Replaces blocks that refer to parts of specifications with these parts. */
import type { JsonObject } from '../../computed/json.ts';
import { printPart, type SpecificationPart } from '../../computed/print-block.ts';
import { anchorOfTitle } from '../../markdown/anchors/forms.ts';
import { operationTitle } from '../../markdown/anchors/walk.ts';
import { type AnyBlock, type Block, voidInline } from '../../markdown/document.ts';
import { parseOnce } from '../../markdown/markdown.ts';
import { visibleText } from '../../markdown/slug.ts';

/** Returns blocks with parts of known specifications in place of the blocks that refer to them. */
export function withSpecifications(
  blocks: readonly Block[],
  specifications: ReadonlyMap<string, JsonObject>,
): Block[] {
  return specifications.size === 0 ? [...blocks] : replaceBlocks(blocks, specifications);
}

function replaceBlocks<Node extends AnyBlock>(
  blocks: readonly Node[],
  specifications: ReadonlyMap<string, JsonObject>,
): Node[] {
  return blocks.flatMap((block) => {
    const part = partOf(block);
    const document = part && specifications.get(part.spec);
    const markdown = document && printPart(document, part);
    if (markdown !== undefined && part) {
      // These blocks occur wherever any block does.
      return readPart(markdown, part, block) as Node[];
    }
    if (block.type === 'expandable') {
      return [{ ...block, data: { ...block.data, body: replaceBlocks(block.data.body, specifications) } }];
    }
    return CONTAINERS.has(block.type)
      ? // Blocks of these types contain blocks.
        [{ ...block, nodes: replaceBlocks(block.nodes as AnyBlock[], specifications) }]
      : [block];
  });
}

/** Types of blocks that contain other blocks. */
export const CONTAINERS: ReadonlySet<AnyBlock['type']> = new Set<AnyBlock['type']>([
  'blockquote',
  'hint',
  'tabs',
  'tabs-item',
  'stepper',
  'stepper-step',
  'columns',
  'column',
  'updates',
  'update',
  'if',
]);

function partOf(block: AnyBlock): (SpecificationPart & { spec: string }) | undefined {
  switch (block.type) {
    case 'openapi-operation': {
      const { spec, path = '', method = '' } = block.data;
      return spec === undefined ? undefined : { spec, path, method, webhook: false };
    }
    case 'openapi-webhook': {
      const { spec, name = '', method = '' } = block.data;
      return spec === undefined ? undefined : { spec, path: name, method, webhook: true };
    }
    case 'openapi-schemas': {
      const { spec, schemas } = block.data;
      return spec === undefined ? undefined : { spec, models: schemas };
    }
    default:
      return undefined;
  }
}

/** Reads a printed part. The anchors of its headings start with `api`, so that those of the page do not change. */
function readPart(markdown: string, part: SpecificationPart, replaced: AnyBlock): Block[] {
  // Links to an operation contain the anchor that hosts derive from its method and path.
  const isOperation = replaced.type === 'openapi-operation' || replaced.type === 'openapi-webhook';
  const anchor = isOperation ? [voidInline('anchor', { id: anchorOfTitle(operationTitle(replaced)) })] : [];
  return parseOnce(markdown).nodes.map((block) => {
    if (block.type !== 'heading-1') {
      return block;
    }
    const names = 'models' in part ? ['model', visibleText(block.nodes)] : [part.method, part.path];
    const id = ['api', ...names]
      .join('-')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/-$/, '');
    return { ...block, data: { ...block.data, id }, nodes: [...anchor, ...block.nodes] };
  });
}
