import type { Migration } from 'kysely/migration';
import * as baseline from './baseline.ts';
import * as filteredCounts from './filtered-counts.ts';
import * as traceParents from './trace-parents.ts';
import * as workNotifications from './work-notifications.ts';

/**
 * All migrations in the order of their merge, which is also the execution order. Migrations that are developed in
 * parallel are merged in any order, so a database can lack one from the middle.
 *
 * Append new migrations. Do not move, rename or change a merged migration: databases that have run it would differ.
 */
export const migrations: ReadonlyArray<readonly [name: string, migration: Migration]> = [
  ['baseline', baseline],
  ['filtered-counts', filteredCounts],
  ['work-notifications', workNotifications],
  ['trace-parents', traceParents],
];
