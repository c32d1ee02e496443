/** Returns the tags that blocks are written as. The inverse of `tags.ts`. */
import type { AddressOf, AnyBlock } from '../document.ts';

/** A block that is written as a tag, content, and an end tag. */
export type TaggedBlock = Extract<
  AnyBlock,
  {
    type:
      | 'hint'
      | 'tabs'
      | 'tabs-item'
      | 'stepper'
      | 'stepper-step'
      | 'columns'
      | 'column'
      | 'prompt'
      | 'updates'
      | 'update'
      | 'file'
      | 'embed'
      | 'content-ref'
      | 'swagger'
      | 'openapi-operation'
      | 'openapi-schemas'
      | 'openapi-webhook'
      | 'code';
  }
>;

/** A tag with its ordered attributes. Attributes that are undefined are not written. */
export interface WrittenTag {
  name: string;
  attributes: [string, string | undefined][];
}

/** Returns the tag of a block. Unknown attributes follow the known ones. */
export function tagOf(block: TaggedBlock, addressOf: AddressOf): WrittenTag {
  const { name, attributes } = tagByType(block, addressOf);
  const { attributes: others = {} } = block.data;
  return { name, attributes: [...attributes, ...Object.entries(others)] };
}

function tagByType(block: TaggedBlock, addressOf: AddressOf): WrittenTag {
  switch (block.type) {
    case 'hint': {
      const { style, icon } = block.data;
      return tag('hint', { style, icon });
    }
    case 'tabs':
      return tag('tabs', { fullWidth: flag(block.data.fullWidth) });
    case 'tabs-item': {
      const { title, icon } = block.data;
      return tag('tab', { title, icon });
    }
    case 'stepper':
      return tag('stepper', {});
    case 'stepper-step':
      return tag('step', {});
    case 'columns':
      return tag('columns', {});
    case 'column':
      return tag('column', { width: block.data.width });
    case 'prompt': {
      const { description, icon } = block.data;
      return tag('prompt', { description, icon });
    }
    case 'updates':
      return tag('updates', { format: block.data.format });
    case 'update': {
      const { date, tags } = block.data;
      return tag('update', { date, tags: tags?.join(',') });
    }
    case 'file':
      return tag('file', { src: addressOf(block.data.ref) });
    case 'embed': {
      const { url, fullWidth } = block.data;
      return tag('embed', { url, fullWidth: flag(fullWidth) });
    }
    case 'content-ref':
      return tag('content-ref', { url: addressOf(block.data.ref) });
    case 'swagger': {
      const { ref, path, method } = block.data;
      return tag('openapi', { src: ref && addressOf(ref), path, method });
    }
    case 'openapi-operation': {
      const { spec, path, method } = block.data;
      return tag(block.type, { spec, path, method });
    }
    case 'openapi-schemas': {
      const { spec, schemas, grouped } = block.data;
      return tag(block.type, { spec, schemas: schemas?.join(','), grouped: flag(grouped) });
    }
    case 'openapi-webhook': {
      const { spec, name, method } = block.data;
      return tag(block.type, { spec, name, method });
    }
    case 'code': {
      const { title, overflow, lineNumbers, fullWidth } = block.data;
      return tag('code', { title, overflow, lineNumbers: flag(lineNumbers), fullWidth: flag(fullWidth) });
    }
  }
}

const tag = (name: string, attributes: Record<string, string | undefined>): WrittenTag => ({
  name,
  attributes: Object.entries(attributes),
});

const flag = (value: boolean | undefined): string | undefined =>
  value === undefined ? undefined : String(value);
