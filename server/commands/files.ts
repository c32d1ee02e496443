import { Command, Option } from 'commander';
import { ConfigError, databaseLocation, readConfig } from '../app/config.ts';
import { patientLocation } from '../database/checks/location.ts';
import { openDatabase } from '../database/database.ts';
import { openObjectStorage } from '../outgoing/object-storage/object-storage.ts';
import { countFiles, type FilePlace, type MoveResult, moveFiles } from '../platform/content/files/moves.ts';
import { ARGUMENTS_SEPARATOR, FILES_COMMAND } from './command-lines.ts';
import { endSignal, reportFailure } from './failures.ts';

/** Time between two lines that report progress. */
const PROGRESS_INTERVAL_MS = 5000;
const MEGABYTE_BYTES = 1_000_000;

const describe = ({ files, bytes }: { files: number; bytes: number }): string =>
  `${files} ${files === 1 ? 'file' : 'files'} (${(bytes / MEGABYTE_BYTES).toFixed(1)} MB)`;

/** Opens the database and the configured storage for a command. */
async function open() {
  const config = readConfig(process.env);
  const objectStorage = openObjectStorage(config.objectStorage);
  const database = await openDatabase(patientLocation(databaseLocation(config)));
  return {
    database,
    objectStorage,
    [Symbol.asyncDispose]: async () => {
      await objectStorage?.close();
      await database.close();
    },
  };
}

async function list(): Promise<void> {
  await using opened = await open();
  const counts = await countFiles(opened.database.query);
  console.log(`In the database: ${describe(counts.database)}.`);
  console.log(`In ${opened.objectStorage?.location ?? 'an object storage'}: ${describe(counts.s3)}.`);
}

async function move({ to }: { to: FilePlace }): Promise<void> {
  await using opened = await open();
  const { database, objectStorage } = opened;
  if (!objectStorage) {
    throw new ConfigError('COLOPHON_FILES is required: it specifies the object storage.');
  }
  if ((to === 's3') !== objectStorage.receivesFiles) {
    throw new ConfigError(
      to === 's3'
        ? 'COLOPHON_FILES contains new-files=database. Remove it, so that new files are stored there, too.'
        : 'Add new-files=database to COLOPHON_FILES, and restart the servers, so that they move no files back.',
    );
  }
  const place = to === 's3' ? objectStorage.location : 'the database';
  let reportedAt = Date.now();
  const onProgress = (result: MoveResult) => {
    if (Date.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
      reportedAt = Date.now();
      console.log(`Moved ${describe(result)} so far.`);
    }
  };
  const services = { database, objectStorage, clock: () => new Date() };
  const result = await moveFiles(services, to, {
    signal: endSignal('The command was interrupted. Run it again to move the other files.'),
    onProgress,
  });
  for (const { organization, hash } of result.damaged) {
    console.log(`problem: The file ${hash} of ${organization} is damaged, and was not moved.`);
  }
  console.log(`Moved ${describe(result)} to ${place}, and verified them.`);
  if (result.damaged.length > 0) {
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  const program = new Command(`${FILES_COMMAND}${ARGUMENTS_SEPARATOR}`).description(
    'Shows where the files are stored, and moves them, also while servers run.',
  );
  program.command('list').description('show how many files are stored where').action(list);
  program
    .command('move')
    .description('move all files; if it is interrupted, run it again')
    .addOption(
      new Option('--to <place>', 'where to move them').choices(['s3', 'database']).makeOptionMandatory(),
    )
    .action(move);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
