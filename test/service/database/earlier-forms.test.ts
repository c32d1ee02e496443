import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../server/database/database.ts';
import { engineOf } from '../../../server/database/engine.ts';
import { runMigrations } from '../../../server/database/migrate.ts';
import { describeSchema } from '../../support/describe-schema.ts';
import { migrationsTo, withUnmigrated } from '../../support/earlier-release.ts';
import { openTestDatabase, testLocation } from '../../support/engines.ts';

const TIME = '2026-01-01T00:00:00.000Z';

/** What the first forms of migrations created differently: statements after each that lead to its first form. */
const FIRST_FORMS: Readonly<Record<string, (db: Kysely<unknown>) => ReadonlyArray<string>>> = {
  '0001-organizations': () => [`alter table "linkInvites" add column "revokedAt" text`],
  '0002-content': () => [`alter table "spaces" drop column "searchedRevision"`],
  '0004-search': (db) =>
    engineOf(db) === 'postgres'
      ? []
      : [
          `drop table "searchWords"`,
          `create virtual table "searchWords" using fts5(title, body, content = '', contentless_delete = 1)`,
        ],
  '0006-openapi-specs': () => [
    `alter table "openAPISpecVersions" drop column "format"`,
    `insert into "openAPISpecs"
        ("id", "organization", "slug", "visibility", "generation", "processingState", "createdAt", "updatedAt")
      values ('spec_a', 'org_a', 'a', 'private', 1, 'complete', '${TIME}', '${TIME}')`,
    ...['{"openapi": "3.1.0"}', 'openapi: 3.1.0'].map(
      (text, index) => `
        insert into "openAPISpecVersions" ("id", "organization", "spec", "hash", "text", "document", "createdAt")
        values ('version_${index}', 'org_a', 'spec_a', 'hash', '${text}', '{}', '${TIME}')`,
    ),
  ],
  '0011-writers': () => [
    `drop index "grants_organization_subjectKind_subject_targetKind_target"`,
    `create index "grants_organization_subjectKind_subject" on "grants" ("organization", "subjectKind", "subject")`,
    `drop index "spaces_organization_deletedAt_createdAt_id"`,
  ],
  '0014-audit-events': () => [`drop index "auditEvents_organization_resourceType_occurredAt_id"`],
  '0018-visibility-versions': () => [
    `drop index "members_organization_joinedAt_user_searchedText_role"`,
    `create index "members_organization_joinedAt_user" on "members" ("organization", "joinedAt", "user")`,
    `create index "members_organization_searchedText" on "members" ("organization", "searchedText")`,
    `drop index "teams_organization_createdAt_id_searchedText"`,
    `create index "teams_organization_createdAt_id" on "teams" ("organization", "createdAt", "id")`,
    `create index "teams_organization_searchedText" on "teams" ("organization", "searchedText")`,
  ],
  '0027-name-changes': (db) => [
    ...(engineOf(db) === 'postgres'
      ? [`drop function "teamMembers_title"() cascade`, `drop function "teams_title"() cascade`]
      : [`drop trigger "teamMembers_title"`, `drop trigger "teams_title"`]),
    `drop index "teamMembers_titles"`,
    `drop index "teams_outdated_copies"`,
    `alter table "teamMembers" drop column "teamSearchedText"`,
    `alter table "teams" drop column "hasOutdatedCopies"`,
    `create index "teamMembers_organization_user_teamCreatedAt_team_role"
      on "teamMembers" ("organization", "user", "teamCreatedAt", "team", "role")`,
  ],
  '0029-sites': (db) => [
    ...['insert', 'update', 'delete'].map((event) =>
      engineOf(db) === 'postgres'
        ? `drop function "siteCounts_sites_${event}"() cascade`
        : `drop trigger "siteCounts_0_${event}"`,
    ),
    `insert into "sites" ("id", "organization", "type", "title", "visibility", "published", "adaptiveContent",
        "agentsContext", "signingKey", "version", "createdAt")
      values ('site_a', 'org_a', 'basic', 'Ä', 'public', 0, 0, '', '', 1, '${TIME}')`,
  ],
  '0049-shown-spaces': () => [
    `drop index "spaces_of_sites"`,
    `create index "spaces_of_sites" on "spaces" ("organization", "id")
      where "siteCount" <> 1 and "deletedAt" is null`,
  ],
};

/** Rows that the rows of the first forms refer to. */
const OWNERS: Readonly<Record<string, ReadonlyArray<string>>> = {
  '0001-organizations': [
    `insert into "organizations"
      ("id", "title", "emailDomains", "type", "hasDefaultRole", "sso", "ai", "inviteLinks", "plan", "createdAt")
      values ('org_a', 'A', '[]', 'business', 0, 0, 0, 0, 'free', '${TIME}')`,
  ],
};

async function createFirstForms(db: Kysely<unknown>): Promise<void> {
  for (const [name] of migrationsTo('0055-hidden-sources')) {
    await runMigrations(db, migrationsTo(name));
    for (const statement of [...(OWNERS[name] ?? []), ...(FIRST_FORMS[name]?.(db) ?? [])]) {
      await sql.raw(statement).execute(db);
    }
  }
}

test('completes migrations that ran before they were changed', async () => {
  const current = await openTestDatabase();
  const schema = await describeSchema(current.db.query);
  await current.close();

  const { location, remove } = await testLocation({ blank: true });
  await withUnmigrated(location, createFirstForms);
  const database = await openDatabase(location);
  const { query } = database;
  // SQLite requires a default of a column that is added, and cannot drop it.
  const withoutDefault = (line: string) =>
    line.replace(/^(column openAPISpecVersions\["format","TEXT",1,)"'yaml'"/, '$1null');
  expect((await describeSchema(query)).map(withoutDefault).sort()).toEqual(schema);

  const versions = await query.selectFrom('openAPISpecVersions').select('format').orderBy('id').execute();
  expect(versions.map(({ format }) => format)).toEqual(['json', 'yaml']);
  const counts = await query.selectFrom('rowCounts').select('value').where('kind', '=', 'sites').execute();
  expect(counts).toEqual([{ value: 1 }]);
  await database.close();
  await remove();
});
