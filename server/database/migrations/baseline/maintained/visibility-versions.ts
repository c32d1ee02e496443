import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, required, table } from '../../columns.ts';
import { createVersionTriggers, type VersionedTable } from '../../triggers/versions.ts';

/*
 * Versions of what counts depend on: they are valid as long as their version is unchanged. Triggers increase it in the
 * transaction that changes the rows.
 */

const always = (owner: string) => () => sql`${sql.lit(owner)}`;
/** Only resources within a collection can be visible through another resource. */
const hasParent = (row: RawBuilder<unknown>) => sql`${row}."parent" is not null`;
/** Integrations of any organization are listed together. */
const ofService = always('');

const GRANT = ['organization', 'targetKind', 'target', 'subjectKind', 'subject'];
const PLACE_OF_SPACE = ['id', 'organization', 'parent', 'deletedAt'];
const PLACE_OF_COLLECTION = ['id', 'organization', 'parent'];

/** By the first part of the names of their triggers. */
const VERSIONED_TABLES: Readonly<Record<string, readonly VersionedTable[]>> = {
  // What guests and teams see: of each user, and of everyone.
  visibility: [
    { table: 'spaces', columns: PLACE_OF_SPACE, owner: always(''), when: hasParent },
    { table: 'collections', columns: PLACE_OF_COLLECTION, owner: always(''), when: hasParent },
    {
      table: 'grants',
      columns: GRANT,
      owner: (row) => sql`case ${row}."subjectKind" when 'user' then ${row}."subject" else '' end`,
    },
    {
      table: 'teamMembers',
      columns: ['organization', 'team', 'user'],
      owner: (row) => sql`${row}."user"`,
    },
  ],
  // What one guest sees besides. Other grants and titles do not change it. The grants to each of their teams,
  // where spaces and collections are, and which spaces sites show.
  guests: [
    {
      table: 'grants',
      columns: GRANT,
      owner: (row) => sql`${row}."subject"`,
      when: (row) => sql`${row}."subjectKind" = 'team'`,
    },
    { table: 'spaces', columns: PLACE_OF_SPACE, owner: always('placements'), when: hasParent },
    { table: 'collections', columns: PLACE_OF_COLLECTION, owner: always('placements'), when: hasParent },
    { table: 'siteSpaces', columns: ['organization', 'site', 'space'], owner: always('site spaces') },
  ],
  // All integrations, and the installations on the content of an organization.
  lists: [
    {
      table: 'integrations',
      columns: ['organization', 'visibility', 'searchedText', 'target', 'hasBlocks', 'hasContentSources'],
      organization: ofService,
      owner: always('integrations'),
    },
    {
      table: 'integrationTags',
      columns: ['integration', 'kind', 'value'],
      organization: ofService,
      owner: always('integrations'),
    },
    {
      table: 'contentInstallations',
      columns: ['organization', 'integration', 'installation', 'kind', 'target'],
      owner: always('content installations'),
    },
    {
      table: 'installationExternalIds',
      columns: ['organization', 'integration', 'installation', 'target', 'externalId'],
      owner: always('content installations'),
    },
    {
      table: 'spaces',
      columns: ['organization', 'deletedAt'],
      owner: always('content installations'),
      // Nothing is installed on a space that was just created.
      when: (row) => sql`${row}."deletedAt" is not null`,
    },
  ],
  // The OpenAPI specifications of an organization: pages that are computed from them depend on it.
  specs: [
    {
      table: 'openAPISpecs',
      columns: ['organization', 'slug', 'lastVersion'],
      owner: always('OpenAPI specs'),
    },
  ],
};

export async function createVisibilityVersions(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await table(db, 'visibilityVersions')
    .addColumn('organization', text, required)
    .addColumn('owner', text, required)
    // A version is the sum of its shards, so that writers of different shards do not wait for each other.
    .addColumn('shard', integer, required)
    .addColumn('value', integer, required)
    .addPrimaryKeyConstraint('visibilityVersions_key', ['organization', 'owner', 'shard'])
    .execute();
  for (const [name, tables] of Object.entries(VERSIONED_TABLES)) {
    await createVersionTriggers(db, name, tables);
  }
}
