/** Creates the readers of tags. */
import { type Tag, unknownAttributes } from '../attributes.ts';
import type { AnyBlock, Block, InlineNode, NestedBlock } from '../document.ts';
import { reference } from '../document.ts';

/** Reads one kind of tag. */
export interface TagReader {
  /** Whether an end tag `{% end… %}` follows. If a required one is missing, the tag is left as written. */
  end: 'never' | 'optional' | 'required';
  /** The required parent tag. */
  within?: string;
  /**
   * Returns the block, and the content that follows it; undefined if tag and content do not match and are left as
   * written.
   */
  read(tag: Tag, content: AnyBlock[]): AnyBlock[] | undefined;
}

const NESTED = new Set<string>([
  'list-item',
  'code-line',
  'image',
  'tabs-item',
  'stepper-step',
  'column',
  'update',
]);

/** Returns whether a block is allowed anywhere in a document. */
export function isFree(block: AnyBlock): block is Block {
  return !NESTED.has(block.type);
}

/** Returns the value of an attribute that is `true` or `false`; undefined for any other. */
export function flag(tag: Tag, name: string): boolean | undefined {
  const value = tag.attributes.get(name);
  return value === 'true' ? true : value === 'false' ? false : undefined;
}

/** Returns the items of a text that commas separate; undefined without any. */
export const list = (value: string | undefined): string[] | undefined => {
  const items = value
    ?.split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items && items.length > 0 ? items : undefined;
};

/** Returns the attributes of a tag that are not known. */
export const rest = (tag: Tag, ...knownNames: string[]) => unknownAttributes(tag.attributes, knownNames);

/** Returns the reference of an attribute with an address; undefined without one. */
export const address = (tag: Tag, name: string) => {
  const url = tag.attributes.get(name);
  return url ? reference(url) : undefined;
};

/** Creates the reader of a tag that contains blocks. */
export function container(
  read: (tag: Tag, nodes: Block[]) => AnyBlock | undefined,
  within?: string,
): TagReader {
  return {
    end: 'required',
    ...(within === undefined ? {} : { within }),
    read(tag, content) {
      const block = read(tag, content.filter(isFree));
      return block && [block];
    },
  };
}

/** Creates the reader of a tag that contains blocks of one kind. Other blocks are moved after it. */
export function group<Kind extends NestedBlock>(
  type: Kind['type'],
  read: (tag: Tag, nodes: Kind[]) => AnyBlock,
): TagReader {
  const isKind = (block: AnyBlock): block is Extract<AnyBlock, Kind> => block.type === type;
  return {
    end: 'required',
    read(tag, content) {
      const nodes = content.filter(isKind);
      return nodes.length > 0 ? [read(tag, nodes), ...content.filter(isFree)] : undefined;
    },
  };
}

/** Creates the reader of a tag that contains at most one line. Other blocks are moved after it. */
export function captioned(
  read: (tag: Tag, line: InlineNode[] | undefined) => AnyBlock | undefined,
): TagReader {
  return {
    end: 'optional',
    read(tag, content) {
      const [first, ...following] = content;
      const isLine = first?.type === 'paragraph' && !first.data.align && first.nodes.length > 0;
      const block = read(tag, isLine ? first.nodes : undefined);
      return block && [block, ...(isLine ? following : content)];
    },
  };
}

/** Creates the reader of a tag that is empty, or contains a link with the same target. */
export function single(
  read: (tag: Tag, url: string | undefined) => AnyBlock | undefined,
  strict = true,
): TagReader {
  return {
    end: strict ? 'optional' : 'never',
    read(tag, content) {
      if (content.length > 1) {
        return undefined;
      }
      const link = content[0] === undefined ? undefined : soleLink(content[0]);
      if (content.length === 1 && !link) {
        return undefined;
      }
      const block = read(tag, link?.url);
      return block && [block];
    },
  };
}

/** Returns the link that is the only content of a paragraph. */
export function soleLink(block: AnyBlock): { url: string; nodes: InlineNode[] } | undefined {
  if (block.type !== 'paragraph' || block.nodes.length !== 1) {
    return undefined;
  }
  const [link] = block.nodes;
  if (
    link?.object !== 'inline' ||
    (link.type !== 'link' && link.type !== 'mention') ||
    link.data.ref.kind !== 'url'
  ) {
    return undefined;
  }
  return { url: link.data.ref.url, nodes: link.nodes };
}
