import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { columnTypes, ownedBy, required, table } from './columns.ts';

const SPACES_PER_BATCH = 500;

/** The last synchronization of spaces with each branch of a remote repository; so far only the latest was recorded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await table(db, 'syncedBranches')
    .addColumn('organization', text, required)
    .addColumn('space', text, ownedBy('spaces.id'))
    .addColumn('branch', text, required)
    .addColumn('git', text, required)
    .addColumn('updatedAt', text, required)
    .addPrimaryKeyConstraint('syncedBranches_pk', ['space', 'branch'])
    .execute();
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string; organization: string; git: string }>`
      select "id", "organization", "git" from "spaces"
      where "id" > ${last} and "git" is not null order by "id" limit ${SPACES_PER_BATCH}
    `.execute(db);
    for (const { id, organization, git } of rows) {
      const branch = branchOf(git);
      if (branch !== undefined) {
        await sql`
          insert into "syncedBranches" ("organization", "space", "branch", "git", "updatedAt")
          values (${organization}, ${id}, ${branch.key}, ${git}, ${branch.updatedAt})
        `.execute(db);
      }
    }
    if (rows.length < SPACES_PER_BATCH) {
      return;
    }
    last = rows.at(-1)?.id ?? '';
  }
}

function branchOf(git: string): { key: string; updatedAt: string } | undefined {
  const value: unknown = JSON.parse(git);
  if (typeof value !== 'object' || value === null || !('address' in value) || !('ref' in value)) {
    return undefined;
  }
  const key = createHash('sha256').update(`${value.address}\n${value.ref}`).digest('hex');
  return { key, updatedAt: 'updatedAt' in value ? String(value.updatedAt) : '' };
}
