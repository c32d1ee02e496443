import { Command } from 'commander';
import { ConfigError, databaseLocation, readConfig } from '../app/config.ts';
import { replaceSecretKey } from '../app/secret-keys/secret-key.ts';
import { openDatabase } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';
import { lockFolder } from '../database/folder/folder-lock.ts';
import { ARGUMENTS_SEPARATOR, SECRET_KEY_COMMAND } from './command-lines.ts';

async function replace(): Promise<void> {
  const config = readConfig(process.env);
  const isEmbedded = config.databaseUrl === undefined;
  const database = await openDatabase(databaseLocation(config));
  // A running server would continue to encrypt with its key.
  const lock = isEmbedded ? await lockFolder(config.dataFolder) : undefined;
  try {
    const { sites, shareLinks, integrations } = await replaceSecretKey(database, config);
    console.log(
      `Replaced the secret key. New keys: ${sites} of sites, ${shareLinks} of share links. Deleted: ${integrations} ` +
        'secrets and configurations of integrations, which must be entered again.',
    );
  } finally {
    lock?.release();
    await database.close();
  }
}

async function main(): Promise<void> {
  const program = new Command(`${SECRET_KEY_COMMAND}${ARGUMENTS_SEPARATOR}`).description(
    'Replaces the secret key if it is lost.',
  );
  program
    .command('replace')
    .description(
      'accepts the configured key, or creates one, and replaces or deletes what the lost key encrypted. ' +
        'Stop all servers first',
    )
    .action(replace);
  await program.parseAsync();
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    const message = error instanceof DatabaseUnavailableError ? error.instruction : String(error);
    console.error(error instanceof ConfigError ? error.message : `The command failed: ${message}`);
    process.exitCode = 1;
  });
}
