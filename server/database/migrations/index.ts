import type { Migration } from 'kysely/migration';
import * as baseline from './baseline.ts';

/**
 * All migrations, in the order in which they landed, which is the order in which they run. Migrations that are developed
 * in parallel land in any order, so that a database can lack one from the middle.
 *
 * Append new migrations. Do not move, rename or change one that landed: databases that have run it would differ.
 */
export const migrations: ReadonlyArray<readonly [name: string, migration: Migration]> = [
  ['baseline', baseline],
];
