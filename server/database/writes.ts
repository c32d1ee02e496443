import { AsyncLocalStorage } from 'node:async_hooks';
import type { KyselyPlugin } from 'kysely';
import { isRead } from './engine.ts';

/** The transactions of a unit of work, such as a request. */
export interface Writes {
  /** Whether a writing transaction was committed. */
  committed: boolean;
}

const followed = new AsyncLocalStorage<Writes>();

/** Runs `work` and records in `writes` whether it committed a writing transaction. */
export function followWrites<T>(writes: Writes, work: () => T): T {
  return followed.run(writes, work);
}

/** Tracks a transaction: apply `plugin` to its queries and call `committed` after its commit. */
export function followTransaction(): { plugin: KyselyPlugin; committed(): void } {
  let wrote = false;
  return {
    plugin: {
      transformQuery({ node }) {
        wrote ||= !isRead({ query: node, sql: node.kind === 'RawNode' ? node.sqlFragments.join('') : '' });
        return node;
      },
      transformResult: async ({ result }) => result,
    },
    committed() {
      const writes = followed.getStore();
      if (writes && wrote) {
        writes.committed = true;
      }
    },
  };
}
