import { resolve } from 'node:path';
import type { DatabaseLocation } from '../database.ts';
import { DATABASE_FILE } from './data-folder.ts';

/** Describes for an operator where the data is, and its engine. Never with a password. */
export async function describeLocation(location: DatabaseLocation): Promise<string> {
  if ('folder' in location) {
    return `${resolve(location.folder, DATABASE_FILE)} (SQLite)`;
  }
  const { nameServer } = await import('../engines/postgres.ts');
  return `${nameServer(location.url)} (PostgreSQL)`;
}
