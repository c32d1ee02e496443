import { Command } from 'commander';
import { type Config, databaseLocation, readConfig } from '../app/config.ts';
import { requireKeyToRestore } from '../app/secret-keys/secret-key.ts';
import { readHeader } from '../database/backup/read-backup.ts';
import { restoreBackup } from '../database/backup/restore-backup.ts';
import type { Queries } from '../database/database.ts';
import { describeLocation } from '../database/folder/location.ts';
import { createId } from '../database/seams.ts';
import { insertJob } from '../jobs/store.ts';
import { indexingOf } from '../platform/kit/indexing-jobs.ts';
import { ARGUMENTS_SEPARATOR, RESTORE_COMMAND } from './command-lines.ts';
import { endSignal, reportFailure } from './failures.ts';

/** Number of spaces that are read at a time. */
const BATCH_SPACES = 1000;

async function restore(file: string, { replace = false }: { replace?: boolean }): Promise<void> {
  const config: Config = readConfig(process.env);
  const header = await readHeader(file);
  const now = new Date();
  const location = databaseLocation(config);
  const { end, replaced } = await restoreBackup({
    file,
    header,
    location,
    replace,
    writesKey: await requireKeyToRestore(config, header.secretKey),
    prepare: (queries) => enqueueIndexingOfAll(queries, now),
    now,
    signal: endSignal(),
  });
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0);
  console.log(
    `Restored ${rows} rows of the backup from ${header.createdAt} to ${await describeLocation(location)}.`,
  );
  if (replaced !== undefined) {
    console.log(`The data that were there are in ${replaced}. Delete them when they are no longer needed.`);
  }
  console.log('Start the server. It updates the search index in the background.');
}

/** Enqueues the indexing of all spaces: backups do not contain the search index. */
async function enqueueIndexingOfAll(queries: Queries, now: Date): Promise<void> {
  for (let after = ''; ; ) {
    const spaces = await queries
      .selectFrom('spaces')
      .select(['id', 'organization'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH_SPACES)
      .execute();
    for (const space of spaces) {
      await insertJob(queries, createId('job'), indexingOf(space), now.toISOString());
    }
    const last = spaces.at(-1);
    if (!last) {
      return;
    }
    after = last.id;
  }
}

async function main(): Promise<void> {
  const program = new Command(`${RESTORE_COMMAND}${ARGUMENTS_SEPARATOR}`)
    .description('Restores a backup into an empty data folder or database. Stop all servers first.')
    .argument('<file>', 'the backup')
    .option('--replace', 'replace existing data, which are moved to a subfolder, or to another schema')
    .action(restore);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
