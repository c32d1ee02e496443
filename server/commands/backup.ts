import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { databaseLocation, readConfig } from '../app/config.ts';
import { keyToBackUp } from '../app/secret-keys/secret-key.ts';
import { writeBackup } from '../database/backup/write-backup.ts';
import { describeLocation } from '../outgoing/object-storage/settings.ts';
import { ARGUMENTS_SEPARATOR, BACKUP_COMMAND } from './command-lines.ts';
import { endSignal, reportFailure } from './failures.ts';

const MEGABYTE_BYTES = 1_000_000;

async function backUp(file: string): Promise<void> {
  const config = readConfig(process.env);
  const { end, key } = await writeBackup(file, {
    location: databaseLocation(config),
    secretKey: (setting) => keyToBackUp(config, setting),
    now: new Date(),
    signal: endSignal(),
  });
  const counts = Object.values(end.rows);
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const megabytes = ((await stat(file)).size / MEGABYTE_BYTES).toFixed(1);
  console.log(
    `Created ${resolve(file)} with ${rows} rows of ${counts.length} tables (${megabytes} MB), and verified it.`,
  );
  if (config.objectStorage) {
    const location = describeLocation(config.objectStorage);
    console.log(`It does not contain the files in ${location}: copy them now, within a week.`);
  }
  console.log(
    key === undefined
      ? 'It does not contain the secret key: keep COLOPHON_SECRET_KEY in another safe place.'
      : 'It contains the secret key: keep it private.',
  );
}

async function main(): Promise<void> {
  const program = new Command(`${BACKUP_COMMAND}${ARGUMENTS_SEPARATOR}`)
    .description('Creates a backup of all data in one file, also while the server runs, and verifies it.')
    .argument('<file>', 'the file to create, which must not exist')
    .action(backUp);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
