import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../../server/database/database.ts';
import { TEMPORARY_FOLDER } from '../processes/temporary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the migrated database that tests copy. */
    sqlite: { template: string };
  }
}

/** Vitest's global setup of the sqlite project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const template = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-template-'));
  const migrated = await openDatabase({ folder: template });
  await migrated.close();
  project.provide('sqlite', { template });
  return () => rm(template, { recursive: true, force: true });
}
