import { Command } from 'commander';
import { databaseLocation, readConfig } from '../app/config.ts';
import { requireSecretKey } from '../app/secret-keys/secret-key.ts';
import { patientLocation } from '../database/checks/location.ts';
import { openDatabase } from '../database/database.ts';
import { createId } from '../database/seams.ts';
import { openObjectStorage } from '../outgoing/object-storage/object-storage.ts';
import { importOrganization } from '../platform/transfers/import/import.ts';
import { ARGUMENTS_SEPARATOR, IMPORT_COMMAND, REPLACE_KEY_COMMAND } from './command-lines.ts';
import { endSignal, reportFailure } from './failures.ts';

async function importFrom(folder: string, { newIds = false }: { newIds?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const signal = endSignal();
  const database = await openDatabase(patientLocation(databaseLocation(config)));
  const objectStorage = openObjectStorage(config.objectStorage);
  try {
    const { id, manifest, problems } = await importOrganization(
      {
        database,
        objectStorage,
        clock: () => new Date(),
        createId,
        secretKey: await requireSecretKey(database, config, REPLACE_KEY_COMMAND),
        publicURL: config.publicUrl,
        signal,
      },
      folder,
      newIds,
    );
    for (const problem of problems) {
      console.log(`note: ${problem}`);
    }
    console.log(`Imported ${manifest.organization.title} as ${id}, exported at ${manifest.exportedAt}.`);
    console.log('Its members need new access tokens. The search index is updated in the background.');
  } finally {
    await objectStorage?.close();
    await database.close();
  }
}

async function main(): Promise<void> {
  const program = new Command(`${IMPORT_COMMAND}${ARGUMENTS_SEPARATOR}`)
    .description('Imports an exported organization, also while the server runs.')
    .argument('<folder>', 'the folder of the export')
    .option('--new-ids', 'give all resources new IDs, so that a server can have a copy')
    .action(importFrom);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
