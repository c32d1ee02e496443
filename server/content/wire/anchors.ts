/** The anchors of the blocks of a document. */

import type { AnyBlock, BlockOf } from '../markdown/document.ts';
import type { HeadingType } from '../markdown/headings.ts';
import { anchorOf, Slugs } from '../markdown/slug.ts';

/** A block with an anchor other than a heading. */
export type AnchoredBlock = BlockOf<
  'expandable' | 'tabs-item' | 'swagger' | 'openapi-operation' | 'openapi-schemas' | 'openapi-webhook'
>;

/** Returns the anchors of blocks. */
export class Anchors {
  readonly #slugs = new Slugs();
  readonly #headings = new Map<AnyBlock, string>();

  /**
   * Determines the anchors of the headings, in the order in which the published page contains them. Other blocks
   * receive theirs afterwards: they have none in the published page.
   */
  constructor(nodes: readonly AnyBlock[]) {
    this.#visit(nodes);
  }

  /** Returns the anchor of a heading. */
  ofHeading(block: BlockOf<HeadingType>): string {
    return this.#headings.get(block) ?? anchorOf(this.#slugs, block);
  }

  /** Returns the anchor of another block, which is derived from its title. Called once for each block. */
  of(title: string): string {
    return this.#slugs.of(title);
  }

  #visit(nodes: readonly AnyBlock[]): void {
    for (const block of nodes) {
      switch (block.type) {
        case 'heading-1':
        case 'heading-2':
        case 'heading-3':
          this.#headings.set(block, anchorOf(this.#slugs, block));
          break;
        case 'expandable':
          this.#visit(block.data.body);
          break;
        case 'table':
          for (const cell of cellsOf(block)) {
            this.#visit(cell);
          }
          break;
        case 'list-ordered':
        case 'list-unordered':
        case 'list-tasks':
        case 'list-item':
        case 'blockquote':
        case 'hint':
        case 'tabs':
        case 'tabs-item':
        case 'stepper':
        case 'stepper-step':
        case 'columns':
        case 'column':
        case 'updates':
        case 'update':
        case 'prompt':
        case 'if':
        case 'tag':
          this.#visit(block.nodes);
      }
    }
  }
}

/** Lists the displayed cells of a table, row by row. */
function* cellsOf({ data }: BlockOf<'table'>): Generator<readonly AnyBlock[]> {
  const rows = Object.values(data.records).sort((a, b) => (a.orderIndex < b.orderIndex ? -1 : 1));
  const columns = data.view.columns.filter(
    (id) => Object.hasOwn(data.definition, id) && data.definition[id]?.hidden !== true,
  );
  for (const { values } of rows) {
    for (const id of columns) {
      const blocks = Object.hasOwn(values, id) ? values[id] : undefined;
      if (blocks) {
        yield blocks;
      }
    }
  }
}
