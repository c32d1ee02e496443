import { Command, InvalidArgumentError } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import type { Transaction } from '../database/database.ts';
import { openDatabase } from '../database/database.ts';
import { type MakeId, makeId } from '../database/seams.ts';
import { joinWhereInvited } from '../identity/membership.ts';
import { createToken } from '../identity/tokens.ts';

/** Whose token to make, and until when it is good. */
interface TokenOptions {
  email: string;
  expires?: Date;
}

/**
 * Makes an access token for the user with a mail address, and the user where there is none yet. A new user
 * belongs to the organizations that their address was invited to, and to no other.
 */
export async function issueToken(
  trx: Transaction,
  { email, expires }: TokenOptions,
  { now, makeId }: { now: Date; makeId: MakeId },
): Promise<string> {
  const address = email.toLowerCase();
  const known = await trx.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst();
  const user = known?.id ?? makeId('usr');
  if (!known) {
    await trx
      .insertInto('users')
      .values({
        id: user,
        email: address,
        displayName: address.split('@')[0] ?? address,
        photoURL: null,
        createdAt: now.toISOString(),
      })
      .execute();
    await joinWhereInvited(trx, { user, email: address, now });
  }
  return await createToken(trx, { user, label: 'command line', now, makeId, expiresAt: expires });
}

function readEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new InvalidArgumentError('It is not a mail address.');
  return text;
}

function readExpiry(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date <= new Date())
    throw new InvalidArgumentError('It is not a date in the future, such as 2030-01-31.');
  return date;
}

async function main(): Promise<void> {
  const options = new Command('npm run token --')
    .description('Makes an access token and prints it; it is shown this once.')
    .requiredOption('--email <address>', 'the mail address of the user; a new user is made', readEmail)
    .option('--expires <date>', 'when the token stops working, in ISO 8601; without it, never', readExpiry)
    .parse()
    .opts<TokenOptions>();
  const config = readConfig(process.env);
  const database = await openDatabase(
    config.databaseUrl ? { url: config.databaseUrl } : { folder: config.dataFolder },
  );
  try {
    console.log(await database.transaction((trx) => issueToken(trx, options, { now: new Date(), makeId })));
  } finally {
    await database.close();
  }
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    console.error(error instanceof ConfigError ? error.message : `No token was made: ${String(error)}`);
    process.exitCode = 1;
  });
}
