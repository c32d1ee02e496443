import { sql } from 'kysely';
import type { Check } from '../../../database/checks/findings.ts';
import { unfinishedImports } from '../../kit/transfer/unfinished-imports.ts';

/** Columns that refer to a revision. The database does not enforce these references. */
const REVISION_COLUMNS = [
  { table: 'spaces', column: 'revision', space: 'id' },
  { table: 'changeRequests', column: 'revision', space: 'space' },
  { table: 'changeRequests', column: 'revisionInitial', space: 'space' },
] as const;

/** Checks that the current revisions of spaces and change requests exist. */
export const checkReferences: Check = {
  name: 'references',
  async run({ database: { query } }, findings) {
    for (const organization of await unfinishedImports(query)) {
      findings.notes.push(
        `The import of ${organization} has not ended, so that its data are incomplete. If it was interrupted, ` +
          'the next import removes them.',
      );
    }
    for (const { table, column, space } of REVISION_COLUMNS) {
      const { rows: counts } = await sql<{ count: number }>`
        select count(*) as "count" from ${sql.table(table)}`.execute(query);
      findings.examined += Number(counts[0]?.count ?? 0);
      const { rows } = await sql<{ id: string; organization: string; revision: string }>`
        select "id", "organization", ${sql.ref(column)} as "revision" from ${sql.table(table)} as "owner"
        where not exists (
          select 1 from "revisions"
          where "revisions"."id" = "owner".${sql.ref(column)} and "revisions"."space" = "owner".${sql.ref(space)}
        )`.execute(query);
      for (const { id, organization, revision } of rows) {
        findings.add(
          `The revision ${revision} of ${id} in ${table} (${organization}) does not exist. ` +
            'Its content cannot be read. Restore a backup, or delete it.',
        );
      }
    }
  },
};
