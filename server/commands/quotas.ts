import { Command, InvalidArgumentError } from 'commander';
import { databaseLocation, readConfig } from '../app/config.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { createId } from '../database/seams.ts';
import { quotasOf } from '../platform/accounts/quotas/queries.ts';
import { auditorOf } from '../platform/kit/audit/record.ts';
import { parseChange, QUOTAS, type QuotaChange, type QuotaChanges } from '../quotas/names.ts';
import { changeQuotas, Quotas } from '../quotas/quotas.ts';
import { ARGUMENTS_SEPARATOR, QUOTAS_COMMAND } from './command-lines.ts';
import { CommandError, reportFailure } from './failures.ts';

/** Widths of the columns of the table, in characters. */
const QUOTA_WIDTH = 14;
const VALUE_WIDTH = 18;

const line = (name: string, ...values: Array<string | number>): string =>
  [name.padEnd(QUOTA_WIDTH), ...values.map((value) => String(value).padStart(VALUE_WIDTH))].join('');

/** Changes the quotas of an organization, and records it in its audit trail. */
async function change(database: Database, organization: string, changes: QuotaChanges): Promise<void> {
  const audit = auditorOf({ clock: () => new Date(), createId }, { actor: 'operator' });
  await database.transaction(async (trx) => {
    const row = await trx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organization)
      .executeTakeFirst();
    if (!row) {
      throw new CommandError(
        `No organization has the ID ${organization}. Its admins find the ID in GET /v1/orgs.`,
      );
    }
    if (changes.size > 0) {
      await changeQuotas(trx, organization, changes);
      await audit(trx, {
        organization,
        action: 'organization.quotas_changed',
        resource: { type: 'organization', id: organization },
        details: { fields: [...changes.keys()] },
      });
    }
  });
}

async function run(
  requested: readonly QuotaChange[],
  { organization }: { organization: string },
): Promise<void> {
  const config = readConfig(process.env);
  const database = await openDatabase(databaseLocation(config));
  try {
    await change(database, organization, new Map(requested));
    const quotas = await quotasOf(database.query, new Quotas(config.quotas, database.query), organization);
    console.log(line('quota', 'used', 'limit'));
    for (const quota of QUOTAS) {
      const { used, limit = 'none' } = quotas[quota];
      console.log(line(quota, used, limit));
    }
  } finally {
    await database.close();
  }
}

function readChange(text: string, previous: readonly QuotaChange[] = []): QuotaChange[] {
  const change = parseChange(text);
  if (!change) {
    throw new InvalidArgumentError(
      `Must be one of ${QUOTAS.join(', ')} with a limit, such as spaces=100 or bytes=10GB, off or default.`,
    );
  }
  return [...previous, change];
}

async function main(): Promise<void> {
  const program = new Command(`${QUOTAS_COMMAND}${ARGUMENTS_SEPARATOR}`)
    .description(
      'Prints the quotas of an organization and their use, and changes them, also while the server runs.',
    )
    .argument(
      '[changes...]',
      'quotas to change, such as spaces=100, spaces=off for no limit, or spaces=default for that of COLOPHON_QUOTAS',
      readChange,
      [],
    )
    .requiredOption('--organization <id>', 'ID of the organization')
    .action(run);
  await program.parseAsync();
}

if (import.meta.main) {
  await reportFailure(main);
}
