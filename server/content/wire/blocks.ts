/** What blocks of all kinds have in common. */
import type { components } from '../../../generated/schema.d.ts';
import type { AnyBlock, Block, Reference } from '../markdown/document.ts';

type Schemas = components['schemas'];

/** Services that converting blocks requires. */
export interface BlockWriter {
  /** Returns a reference to a resource instead of one to a URL that leads to it. */
  ref(ref: Reference): Reference;
  /** Returns a reference to a file instead of one to a URL that leads to it. */
  fileRef(ref: Reference): Schemas['DocumentFileOrUrlRef'];
  blocks(blocks: readonly Block[]): Schemas['DocumentBlock'][];
  /** Returns the metadata of a block with an anchor. Called once for each block. */
  anchored(block: AnyBlock, title: string): { meta: Schemas['DocumentBlockMeta'] };
}

/** Services that converting blocks of the contract requires. */
export interface BlockReader {
  blocks(blocks: readonly Schemas['DocumentBlock'][]): Block[];
}

/** Properties of every block of the contract. */
export const base = ({ key }: AnyBlock) => ({ object: 'block' as const, ...(key !== undefined && { key }) });

/** The key of a block of the contract. */
export const keyOf = ({ key }: { key?: string }): { key?: string } => (key === undefined ? {} : { key });
