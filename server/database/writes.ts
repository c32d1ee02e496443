import { AsyncLocalStorage } from 'node:async_hooks';
import type { KyselyPlugin } from 'kysely';
import { isRead } from './engine.ts';

/** What became of the transactions of a piece of work, such as a request. */
export interface Writes {
  /** Whether one was committed that wrote something. */
  committed: boolean;
}

const followed = new AsyncLocalStorage<Writes>();

/** Runs `work`, and takes note in `writes` of the transactions that it commits. */
export function followWrites<T>(writes: Writes, work: () => T): T {
  return followed.run(writes, work);
}

/** Follows one transaction: with `plugin` on its queries, and `committed` called after its commit. */
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
      if (writes && wrote) writes.committed = true;
    },
  };
}
