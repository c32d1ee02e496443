import * as baseline from './baseline.ts';
import * as filteredCounts from './filtered-counts.ts';
import type { NamedMigration } from './migration.ts';
import * as quotas from './quotas.ts';
import * as sectionCounts from './section-counts.ts';
import * as storedFiles from './stored-files.ts';
import * as traceParents from './trace-parents.ts';
import * as workNotifications from './work-notifications.ts';

/**
 * All migrations in the order of their merge, which is also the execution order. Migrations that are developed in
 * parallel are merged in any order, so a database can lack one from the middle.
 *
 * Append new migrations. Do not move, rename or change a merged migration: databases that have run it would differ. A
 * migration that does more than to add what servers of the last release ignore exports `stopsServers = true`.
 */
export const migrations: readonly NamedMigration[] = [
  ['baseline', baseline],
  ['filtered-counts', filteredCounts],
  ['work-notifications', workNotifications],
  ['trace-parents', traceParents],
  ['stored-files', storedFiles],
  ['quotas', quotas],
  ['section-counts', sectionCounts],
];
