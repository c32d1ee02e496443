import { sql } from 'kysely';
import { engineOf } from '../engine.ts';
import type { Check } from './findings.ts';

/** Checks the file of the embedded engine. PostgreSQL has checks of its own, and enforces references. */
export const checkIntegrity: Check = {
  name: 'database',
  async run({ database: { query } }, findings) {
    if (engineOf(query) === 'postgres') {
      findings.notes.push('PostgreSQL checks its own files, for example with pg_amcheck.');
      return;
    }
    // Selects, so that they run on the connection for reads.
    const pages = await sql<{ pages: number }>`select "page_count" as "pages" from pragma_page_count`.execute(
      query,
    );
    findings.examined = pages.rows[0]?.pages ?? 0;
    const { rows: damages } = await sql<{ problem: string }>`
      select "integrity_check" as "problem" from pragma_integrity_check`.execute(query);
    for (const { problem } of damages.filter((row) => row.problem !== 'ok')) {
      findings.add(`The file is damaged: ${problem}. Restore a backup.`);
    }
    const { rows: references } = await sql<{ from: string; to: string; count: number }>`
      select "table" as "from", "parent" as "to", count(*) as "count" from pragma_foreign_key_check
      group by "table", "parent"`.execute(query);
    for (const { from, to, count } of references) {
      findings.add(
        `${count} rows of ${from} refer to rows of ${to} that do not exist. Restore a backup.`,
        count,
      );
    }
  },
};
