import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { Log } from '../../../database/log.ts';
import type {
  RaisedEventsTable,
  StoredContentEventType,
  StoredEventFields,
} from '../../../database/schema/integration-events.ts';
import type { StoredIntegrationScope } from '../../../database/schema/integrations.ts';
import { contentStateOf, stateOf } from '../../../models/installations/present.ts';
import {
  type ContentInstallationRow,
  findContentInstallation,
  type InstallationRow,
  selectInstallations,
} from '../../../models/installations/queries.ts';
import { REQUIRED_SCOPES } from '../../../models/integration-events/raise.ts';

export type RaisedEvent = Selectable<RaisedEventsTable>;

/** An installation that receives an event, and what it receives of it. */
export interface Recipient {
  integration: string;
  installation: string;
  fields: StoredEventFields;
}

export interface RecipientServices {
  secretKey: string;
  log: Log;
}

/** Maximum number of pending events of an installation that still receives views of pages. */
export const MAX_PENDING_VIEW_EVENTS = 1000;

/** The scope of the cookies of visitors, for each event about a view. */
const COOKIE_SCOPES: Partial<Record<string, StoredIntegrationScope>> = {
  space_view: 'space:script:cookies',
  site_view: 'site:script:cookies',
};

/**
 * Finds the installations that receive an event: the one that it is about, even if it was removed, or those that are
 * active, apply to its space or site, and have the required scope.
 */
export async function findRecipients(
  queries: Queries,
  event: RaisedEvent,
  services: RecipientServices,
): Promise<Recipient[]> {
  const fields = readJson(event.fields);
  const { integration, installation } = event;
  if (integration !== null && installation !== null) {
    const isPublished = await queries
      .selectFrom('integrations')
      .select('name')
      .where('name', '=', integration)
      .executeTakeFirst();
    return isPublished ? [{ integration, installation, fields }] : [];
  }
  // Events without an installation are about spaces and sites.
  const type = event.type as StoredContentEventType;
  const kind = type.startsWith('site_') ? 'site' : 'space';
  const target = String(kind === 'site' ? fields.siteId : fields.spaceId);
  const scope = REQUIRED_SCOPES[type];
  const installations = await selectInstallations(queries)
    .innerJoin('integrationTags', 'integrationTags.integration', 'integrations.name')
    .where('installations.organization', '=', event.organization)
    .where('installations.paused', '=', 0)
    .where('integrationTags.kind', '=', 'scope')
    .where('integrationTags.value', '=', scope)
    .execute();
  const recipients: Recipient[] = [];
  for (const row of installations) {
    const content = await findContentInstallation(queries, row.id, { kind, target });
    if (
      isActive(row, content, services) &&
      (content !== undefined || isSelected(row, kind)) &&
      !(COOKIE_SCOPES[type] && (await hasManyPending(queries, row.id)))
    ) {
      recipients.push({
        integration: row.integration,
        installation: row.id,
        fields: fieldsFor(row, type, fields),
      });
    }
  }
  return recipients;
}

/** Returns whether an installation applies to all spaces or sites, also to those that it is not installed on. */
const isSelected = ({ spaceSelection, siteSelection }: InstallationRow, kind: 'space' | 'site'): boolean =>
  (kind === 'space' ? spaceSelection : siteSelection) === 'all';

/** Returns whether an installation is active, in the organization and on the space or site if it is installed there. */
function isActive(
  row: InstallationRow,
  content: ContentInstallationRow | undefined,
  { secretKey, log }: RecipientServices,
): boolean {
  try {
    return (
      stateOf(row, secretKey).status === 'active' &&
      (!content || contentStateOf(content, secretKey).status === 'active')
    );
  } catch (error) {
    // A configuration that cannot be decrypted must not delay the events of others.
    log.error({ err: error, installation: row.id }, 'could not read the configuration of an installation');
    return false;
  }
}

async function hasManyPending(queries: Queries, installation: string): Promise<boolean> {
  const beyond = await queries
    .selectFrom('integrationEvents')
    .select('sequence')
    .where('installation', '=', installation)
    .where('state', '=', 'pending')
    .orderBy('sequence')
    .offset(MAX_PENDING_VIEW_EVENTS)
    .limit(1)
    .executeTakeFirst();
  return beyond !== undefined;
}

/** Removes the cookies of the visitor unless the integration may use them. */
function fieldsFor(
  { scopes }: InstallationRow,
  type: StoredContentEventType,
  { visitor, ...fields }: StoredEventFields,
): StoredEventFields {
  if (typeof visitor !== 'object' || visitor === null) {
    return fields;
  }
  const scope = COOKIE_SCOPES[type];
  const { cookies, ...others } = visitor as { cookies?: unknown };
  return { ...fields, visitor: scope && readJson(scopes).includes(scope) ? visitor : others };
}
