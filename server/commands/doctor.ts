import { Command } from 'commander';
import { databaseLocation, readConfig } from '../app/config.ts';
import type { Findings } from '../database/checks/findings.ts';
import { patientLocation } from '../database/checks/location.ts';
import { openDatabase } from '../database/database.ts';
import { openObjectStorage } from '../outgoing/object-storage/object-storage.ts';
import { examine } from '../platform/content/doctor/doctor.ts';
import { ARGUMENTS_SEPARATOR, DOCTOR_COMMAND } from './command-lines.ts';
import { reportFailure } from './failures.ts';

/** Widths of the columns of the table, in characters. */
const NAME_WIDTH = 12;
const NUMBER_WIDTH = 10;

const line = (name: string, ...values: Array<string | number>): string =>
  [name.padEnd(NAME_WIDTH), ...values.map((value) => String(value).padStart(NUMBER_WIDTH))].join('');

function print(results: ReadonlyMap<string, Findings>, repair: boolean): void {
  console.log(line('check', 'examined', 'problems', 'repaired'));
  for (const [name, { examined, problems, repaired }] of results) {
    console.log(line(name, examined, problems, repaired));
  }
  const all = [...results.values()];
  for (const { descriptions, notes, problems } of all) {
    for (const description of descriptions) {
      console.log(`problem: ${description}`);
    }
    if (problems > descriptions.length && descriptions.length > 0) {
      console.log(`problem: … and ${problems - descriptions.length} more.`);
    }
    for (const note of notes) {
      console.log(`note: ${note}`);
    }
  }
  const problems = all.reduce((sum, findings) => sum + findings.problems, 0);
  const repaired = all.reduce((sum, findings) => sum + findings.repaired, 0);
  if (problems === 0) {
    console.log('The data are sound.');
  } else if (repaired < problems) {
    process.exitCode = 1;
    console.log(
      repair
        ? 'Some problems cannot be repaired.'
        : 'Create a backup, then add --repair to repair what can be derived.',
    );
  } else {
    console.log('All problems were repaired.');
  }
}

async function examineAll({
  repair = false,
  readFiles: readsObjects = false,
}: {
  repair?: boolean;
  readFiles?: boolean;
}): Promise<void> {
  const config = readConfig(process.env);
  const database = await openDatabase(patientLocation(databaseLocation(config)));
  const objectStorage = openObjectStorage(config.objectStorage);
  try {
    print(await examine({ database, objectStorage, readsObjects, now: new Date(), repair }), repair);
  } finally {
    await objectStorage?.close();
    await database.close();
  }
}

async function main(): Promise<void> {
  const program = new Command(`${DOCTOR_COMMAND}${ARGUMENTS_SEPARATOR}`)
    .description(
      'Checks all data, also while the server runs. Ends with 0 if they are sound, and with 1 otherwise.',
    )
    .option('--repair', 'repair what can be derived from other data')
    .option('--read-files', 'read the files in the object storage, too, not only their sizes')
    .action(examineAll);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
