import { type Kysely, type RawBuilder, sql } from 'kysely';
import { createVersionTriggers, type VersionedTable } from './version-triggers.ts';

/*
 * Versions of the sites of an organization, of all integrations, and of the installations on the content of an
 * organization: counts of those that match a filter are valid as long as the version is unchanged.
 */

/** Integrations of any organization are listed together. */
const ofService = () => sql`''`;
const sites = () => sql`'sites'`;
const integrations = () => sql`'integrations'`;
const installations = () => sql`'content installations'`;

const VERSIONED_TABLES: readonly VersionedTable[] = [
  { table: 'sites', columns: ['organization', 'id', 'title', 'published', 'type'], owner: sites },
  { table: 'siteSpaces', columns: ['organization', 'site', 'space'], owner: sites },
  {
    table: 'integrations',
    columns: ['organization', 'visibility', 'searchedText', 'target', 'hasBlocks', 'hasContentSources'],
    organization: ofService,
    owner: integrations,
  },
  {
    table: 'integrationTags',
    columns: ['integration', 'kind', 'value'],
    organization: ofService,
    owner: integrations,
  },
  {
    table: 'contentInstallations',
    columns: ['organization', 'integration', 'installation', 'kind', 'target'],
    owner: installations,
  },
  {
    table: 'installationExternalIds',
    columns: ['organization', 'integration', 'installation', 'target', 'externalId'],
    owner: installations,
  },
  {
    table: 'spaces',
    columns: ['organization', 'deletedAt'],
    owner: installations,
    // Nothing is installed on a space that was just created.
    when: (row: RawBuilder<unknown>) => sql`${row}."deletedAt" is not null`,
  },
];

export async function up(db: Kysely<unknown>): Promise<void> {
  await createVersionTriggers(db, 'lists', VERSIONED_TABLES);
}
