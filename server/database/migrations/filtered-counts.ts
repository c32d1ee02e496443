import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes, defaultsTo } from './columns.ts';
import {
  type CountedRows,
  column,
  constant,
  countExistingRows,
  createRowCounts,
} from './triggers/row-counts.ts';

/*
 * Numbers of the rows that match a filter of a list, so that they are not counted: of audit events, of the events that
 * an integration received, and of integrations.
 */

/** Columns of audit events with a count of each value. */
const AUDIT_FILTERS = ['action', 'actor', 'resourceType', 'resource', 'address'];

const AUDIT_EVENTS: readonly CountedRows[] = [
  ...AUDIT_FILTERS.map((filter) => ({
    table: 'auditEvents',
    kind: constant(`audit events by ${filter}`),
    owner: column(filter),
    when: (row: RawBuilder<unknown>) => sql`${row}.${sql.ref(filter)} is not null`,
  })),
  {
    table: 'auditEvents',
    kind: constant('audit events of day'),
    owner: (row) => sql`substr(${row}."occurredAt", 1, 10)`,
  },
];

const RECEIVED_EVENTS: readonly CountedRows[] = [
  {
    table: 'integrationEvents',
    kind: constant('integration events received'),
    // Those of installations in any organization are listed together.
    organization: constant(''),
    owner: column('integration'),
    when: (row) => sql`${row}."attempted" = 1`,
  },
];

/** Public integrations are listed for everyone, and private ones for the members of their organization. */
const listedBy = (row: RawBuilder<unknown>) =>
  sql`case ${row}."visibility" when 'public' then '' else ${row}."organization" end`;
const isListed = (row: RawBuilder<unknown>) => sql`${row}."visibility" in ('public', 'private')`;
const ofIntegrations = { table: 'integrations', organization: listedBy, when: isListed };

const INTEGRATIONS: readonly CountedRows[] = [
  { ...ofIntegrations, kind: constant('integrations') },
  { ...ofIntegrations, kind: constant('integrations by owner'), owner: column('organization') },
  { ...ofIntegrations, kind: constant('integrations by target'), owner: column('target') },
  {
    ...ofIntegrations,
    kind: constant('integrations with blocks'),
    when: (row) => sql`${isListed(row)} and ${row}."hasBlocks" = 1`,
  },
  {
    ...ofIntegrations,
    kind: constant('integrations with content sources'),
    when: (row) => sql`${isListed(row)} and ${row}."hasContentSources" = 1`,
  },
  {
    table: 'integrationTags',
    organization: listedBy,
    kind: (row) => sql`'integrations by ' || ${row}."kind"`,
    owner: column('value'),
    when: isListed,
  },
];

/** The order of the list of integrations, and what it compares and reads of each. */
const LISTED_COLUMNS = [
  'createdAt',
  'name',
  'version',
  'visibility',
  'organization',
  'target',
  'hasBlocks',
  'hasContentSources',
  'searchedText',
];

/** By the first part of the names of their triggers. */
export const FILTERED_ROWS = {
  auditEventCounts: AUDIT_EVENTS,
  receivedEventCounts: RECEIVED_EVENTS,
  integrationCounts: INTEGRATIONS,
} satisfies Record<string, readonly CountedRows[]>;

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('integrationTags')
    .addColumn('visibility', columnTypes(db).text, defaultsTo('private'))
    .execute();
  await sql`
    update "integrationTags" set "visibility" = (
      select "visibility" from "integrations" where "integrations"."name" = "integrationTags"."integration"
    )`.execute(db);
  // Finds the integrations with a text or several properties without reading the rows of the others.
  await db.schema.dropIndex('integrations_createdAt_name').execute();
  await db.schema.createIndex('integrations_listed').on('integrations').columns(LISTED_COLUMNS).execute();
  for (const [name, counts] of Object.entries(FILTERED_ROWS)) {
    await createRowCounts(db, name, counts);
    await countExistingRows(db, counts);
  }
}
