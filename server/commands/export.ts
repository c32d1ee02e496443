import { resolve } from 'node:path';
import { Command } from 'commander';
import { databaseLocation, readConfig } from '../app/config.ts';
import { openResourceReader } from '../app/resource-reader.ts';
import { openObjectStorage } from '../outgoing/object-storage/object-storage.ts';
import { readContract } from '../platform/kit/contract-document.ts';
import { exportOrganization } from '../platform/transfers/export/export.ts';
import { ARGUMENTS_SEPARATOR, EXPORT_COMMAND } from './command-lines.ts';
import { endSignal, reportFailure } from './failures.ts';

async function exportTo(folder: string, { organization }: { organization: string }): Promise<void> {
  const config = readConfig(process.env);
  const objectStorage = openObjectStorage(config.objectStorage);
  const { records, files, repositories } = await exportOrganization(folder, {
    location: databaseLocation(config),
    objectStorage,
    organization,
    release: readContract().info.version,
    publicURL: config.publicUrl,
    now: new Date(),
    openReader: (...parameters) => openResourceReader(config, ...parameters),
    signal: endSignal(),
  }).finally(() => objectStorage?.close());
  const count = Object.values(records).reduce((sum, number) => sum + number, 0);
  console.log(
    `Created ${resolve(folder)} with ${count} records, ${files} files and ${repositories} Git repositories, and verified it.`,
  );
  console.log(
    'It contains all content of the organization, and no passwords, tokens or keys. Keep it private.',
  );
}

async function main(): Promise<void> {
  const program = new Command(`${EXPORT_COMMAND}${ARGUMENTS_SEPARATOR}`)
    .description('Writes an organization to a folder, also while the server runs, and verifies it.')
    .requiredOption('--organization <id>', 'ID of the organization')
    .argument('<folder>', 'the folder to create, which must not exist')
    .action(exportTo);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
