import { AsyncLocalStorage } from 'node:async_hooks';
import type { KyselyPlugin, PluginTransformQueryArgs, Transaction } from 'kysely';
import { isRead } from './engine.ts';
import type { Schema } from './schema.ts';

/** The transactions of a unit of work, such as a request. */
export interface Writes {
  /** Whether a writing transaction was committed. */
  committed: boolean;
  /** ID of the user whose request it is. */
  caller?: string | undefined;
  /** Runs in the first writing transaction, before its commit. If it throws, the transaction is rolled back. */
  beforeFirstCommit?: (trx: Transaction<Schema>) => Promise<void>;
  /** Whether the unit of work must not write: its first write throws a {@link DryRunEnd} instead. */
  isDryRun?: boolean;
}

/** Thrown instead of the first write of a dry run. */
export class DryRunEnd extends Error {}

/** Follows one transaction of a unit of work. */
interface FollowedTransaction {
  /** Notes the writes of the queries that it is applied to. */
  plugin: KyselyPlugin;
  beforeCommit(trx: Transaction<Schema>): Promise<void>;
  committed(): void;
}

const followed = new AsyncLocalStorage<Writes>();

/** Runs `work` and records in `writes` whether it committed a writing transaction. */
export function followWrites<T>(writes: Writes, work: () => T): T {
  return followed.run(writes, work);
}

/** Returns the user whose request writes. */
export const callerOfWrites = (): string | undefined => followed.getStore()?.caller;

const isWrite = ({ node }: PluginTransformQueryArgs): boolean =>
  !isRead({ query: node, sql: node.kind === 'RawNode' ? node.sqlFragments.join('') : '' });

/** @throws DryRunEnd if a query of a dry run writes */
export function endDryRun(args: PluginTransformQueryArgs): void {
  if (followed.getStore()?.isDryRun && isWrite(args)) {
    throw new DryRunEnd();
  }
}

/** Follows a transaction: apply `plugin` to its queries, and call `beforeCommit` and `committed`. */
export function followTransaction(): FollowedTransaction {
  let wrote = false;
  return {
    plugin: {
      transformQuery(args) {
        endDryRun(args);
        wrote ||= isWrite(args);
        return args.node;
      },
      transformResult: async ({ result }) => result,
    },
    async beforeCommit(trx) {
      const writes = followed.getStore();
      if (writes && wrote && !writes.committed) {
        await writes.beforeFirstCommit?.(trx);
      }
    },
    committed() {
      const writes = followed.getStore();
      if (writes && wrote) {
        writes.committed = true;
      }
    },
  };
}
