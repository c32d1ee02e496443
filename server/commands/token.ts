import { Command, InvalidArgumentError } from 'commander';
import { ConfigError, databaseLocation, readConfig } from '../app/config.ts';
import { type Database, openDatabase, type Queries, type Transaction } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/errors.ts';
import { readJson } from '../database/json.ts';
import type { TokenScope } from '../database/schema/accounts/access-tokens.ts';
import { type CreateId, createId } from '../database/seams.ts';
import { acceptPendingInvitations } from '../identity/organizations.ts';
import { TOKEN_SCOPES } from '../identity/scopes.ts';
import { hashToken } from '../identity/tokens.ts';
import {
  issueToken as issue,
  revokeToken as revoke,
  tokensOf,
} from '../platform/accounts/access-tokens/queries.ts';
import { auditorOf, memberAddedEvent } from '../platform/kit/audit/record.ts';
import { ARGUMENTS_SEPARATOR, TOKEN_COMMAND } from './command-lines.ts';
import { CommandError } from './failures.ts';

/** User, label, scopes and time of expiry of a token to create. */
interface TokenOptions {
  email: string;
  expires?: Date;
  label?: string;
  scopes?: TokenScope[];
}

/** Dependencies of the commands. */
interface Dependencies {
  now: Date;
  createId: CreateId;
}

const auditAsOperator = ({ now, createId }: Dependencies) =>
  auditorOf({ clock: () => now, createId }, { actor: 'operator' });

/**
 * Creates an access token for the user with an email address, and the user if there is none. A new user becomes
 * a member of the organizations that invited the email address, and of no others.
 *
 * @throws ContractError 409 if the user has the maximum number of tokens
 */
export async function issueToken(
  trx: Transaction,
  { email, expires, label = 'command line', scopes }: TokenOptions,
  seams: Dependencies,
): Promise<string> {
  const { now, createId } = seams;
  const audit = auditAsOperator(seams);
  const address = email.toLowerCase();
  const existing = await findUser(trx, address);
  const user = existing ?? createId('usr');
  if (existing === undefined) {
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
    for (const { organization, role } of await acceptPendingInvitations(trx, { user, email: address, now })) {
      await audit(trx, memberAddedEvent(organization, user, role));
    }
  }
  const options = { user, label, scopes, now, createId, expiresAt: expires };
  return (await issue(trx, audit, options)).token;
}

/**
 * Revokes an access token.
 *
 * @param idOrToken ID of the token, or the token itself, such as a leaked one
 * @returns the ID; undefined if the token does not exist or is already revoked
 */
async function revokeToken(
  trx: Transaction,
  idOrToken: string,
  seams: Dependencies,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('tokens')
    .select(['id', 'user'])
    .where((token) => token.or([token('id', '=', idOrToken), token('hash', '=', hashToken(idOrToken))]))
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  if (row) {
    await revoke(trx, auditAsOperator(seams), row, seams.now);
  }
  return row?.id;
}

/** Describes the tokens of a user, oldest first, one per line. Returns undefined if the user does not exist. */
async function describeTokens(queries: Queries, email: string): Promise<string[] | undefined> {
  const user = await findUser(queries, email.toLowerCase());
  if (user === undefined) {
    return undefined;
  }
  const rows = await tokensOf(queries, user).orderBy('createdAt').orderBy('id').execute();
  return rows.map(({ id, label, scopes, createdAt, lastUsedAt, expiresAt }) =>
    [
      id,
      JSON.stringify(label),
      `scopes ${readJson(scopes)?.join(',') ?? 'all'}`,
      `created ${createdAt}`,
      `last used ${lastUsedAt ?? 'never'}`,
      `expires ${expiresAt ?? 'never'}`,
    ].join('  '),
  );
}

async function findUser(queries: Queries, email: string): Promise<string | undefined> {
  const row = await queries.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  return row?.id;
}

function readEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) {
    throw new InvalidArgumentError('Must be an email address.');
  }
  return text;
}

function readExpiry(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date <= new Date()) {
    throw new InvalidArgumentError('Must be a date in the future, such as 2030-01-31.');
  }
  return date;
}

function readScopes(text: string): TokenScope[] {
  const names = text.split(',');
  const scopes = TOKEN_SCOPES.filter((scope) => names.includes(scope));
  if (names.some((name) => !scopes.some((scope) => scope === name))) {
    throw new InvalidArgumentError(`Must be a comma-separated list of ${TOKEN_SCOPES.join(', ')}.`);
  }
  return scopes;
}

function readLabel(text: string): string {
  if (text === '' || text.length > 100) {
    throw new InvalidArgumentError('Must have 1 to 100 characters.');
  }
  return text;
}

async function main(): Promise<void> {
  const program = new Command(`${TOKEN_COMMAND}${ARGUMENTS_SEPARATOR}`).description(
    'Creates, lists and revokes access tokens. The default command is create.',
  );
  const email = ['--email <address>', 'email address of the user'] as const;
  program
    .command('create', { isDefault: true })
    .description('creates a token and prints it; it cannot be printed again')
    .requiredOption(email[0], `${email[1]}, who is created if necessary`, readEmail)
    .option('--expires <date>', 'time of expiry, in ISO 8601 (default: never)', readExpiry)
    .option('--label <text>', 'label of the token', readLabel)
    .option('--scopes <list>', `scopes of the token, of ${TOKEN_SCOPES.join(',')} (default: all)`, readScopes)
    .action(async (options: TokenOptions) => {
      const seams = { now: new Date(), createId };
      console.log(
        await withDatabase((database) => database.transaction((trx) => issueToken(trx, options, seams))),
      );
    });
  program
    .command('list')
    .description('lists the tokens of a user, without their secrets')
    .requiredOption(email[0], email[1], readEmail)
    .action(async ({ email }: TokenOptions) => {
      const lines = await withDatabase((database) => describeTokens(database.query, email));
      if (!lines) {
        throw new CommandError(`No user has the email address ${email}.`);
      }
      for (const line of lines) {
        console.log(line);
      }
    });
  program
    .command('revoke <token>')
    .description('revokes a token, given its identifier or the token itself')
    .action(async (token: string) => {
      const seams = { now: new Date(), createId };
      const id = await withDatabase((database) =>
        database.transaction((trx) => revokeToken(trx, token, seams)),
      );
      if (id === undefined) {
        throw new CommandError(
          'The token does not exist or is already revoked. List the tokens to find its identifier.',
        );
      }
      console.log(`Revoked ${id}.`);
    });
  await program.parseAsync();
}

async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const config = readConfig(process.env);
  const database = await openDatabase(databaseLocation(config));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error && error.message) || String(error);

if (import.meta.main) {
  main().catch((error: unknown) => {
    const expected = error instanceof ConfigError || error instanceof CommandError;
    const message = error instanceof DatabaseUnavailableError ? error.instruction : messageOf(error);
    console.error(expected ? message : `The command failed: ${message}`);
    process.exitCode = 1;
  });
}
