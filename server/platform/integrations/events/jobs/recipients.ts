import type { Selectable } from 'kysely';
import { lazily } from '../../../../contract/lazily.ts';
import type { Queries } from '../../../../database/database.ts';
import { readJson } from '../../../../database/json.ts';
import type { Log } from '../../../../database/log.ts';
import { isOneOf } from '../../../../database/lookups.ts';
import type { ContentInstallationsTable } from '../../../../database/schema/integrations/installations.ts';
import type {
  RaisedEventsTable,
  StoredContentEventType,
  StoredEventFields,
} from '../../../../database/schema/integrations/integration-events.ts';
import type { StoredIntegrationScope } from '../../../../database/schema/integrations/integrations.ts';
import { REQUIRED_SCOPES } from '../../../kit/events/raise.ts';
import {
  contentStateOf,
  type InstallationState,
  isActiveByDefault,
  stateOf,
} from '../../installations/present.ts';
import {
  type InstallationRow,
  selectContentInstallations,
  selectInstallations,
} from '../../installations/queries.ts';

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

/** The scope of the cookies of visitors, for each event that a visitor causes. */
const COOKIE_SCOPES: Partial<Record<string, StoredIntegrationScope>> = {
  space_view: 'space:script:cookies',
  site_view: 'site:script:cookies',
  page_feedback: 'site:script:cookies',
};

/**
 * Creates a function that finds the installations that receive an event: the one that it is about, even if it was
 * removed, or those that are active, apply to its space or site, and have the required scope. The installations of an
 * organization are read once for all its events.
 *
 * @param events all events that the function may be called with
 */
export function recipientFinder(
  queries: Queries,
  services: RecipientServices,
  events: readonly RaisedEvent[],
): (event: RaisedEvent) => Promise<Recipient[]> {
  const contentEvents = Map.groupBy(
    events.filter(({ installation }) => installation === null),
    ({ organization }) => organization,
  );
  const candidates = new Map<string, Candidate[]>();
  const candidatesOf = async (organization: string) => {
    const existing = candidates.get(organization);
    if (existing) {
      return existing;
    }
    const subjects = (contentEvents.get(organization) ?? []).map(subjectOf);
    const found = await findCandidates(queries, services, organization, subjects);
    candidates.set(organization, found);
    return found;
  };
  return async (event) => {
    const { integration, installation } = event;
    if (integration !== null && installation !== null) {
      const isPublished = await queries
        .selectFrom('integrations')
        .select('name')
        .where('name', '=', integration)
        .executeTakeFirst();
      return isPublished ? [{ integration, installation, fields: readJson(event.fields) }] : [];
    }
    return await recipientsAmong(queries, await candidatesOf(event.organization), subjectOf(event));
  };
}

/** What an event without an installation is about. */
interface Subject {
  type: StoredContentEventType;
  kind: 'space' | 'site';
  /** ID of the space or site. */
  target: string;
  fields: StoredEventFields;
}

function subjectOf(event: RaisedEvent): Subject {
  const fields = readJson(event.fields);
  // Events without an installation are about spaces and sites.
  const type = event.type as StoredContentEventType;
  const kind = type.startsWith('site_') || type === 'page_feedback' ? 'site' : 'space';
  return { type, kind, target: String(kind === 'site' ? fields.siteId : fields.spaceId), fields };
}

/** An installation that may receive events about spaces and sites. */
interface Candidate {
  row: InstallationRow;
  scopes: readonly StoredIntegrationScope[];
  /** Returns whether it is active in the organization. */
  isActive: () => boolean;
  /** Functions that return whether it is active on a space or site that it is installed on, by the ID of that. */
  onContent: ReadonlyMap<string, () => boolean>;
}

/** Finds the installations of an organization with the scopes for some events, on the spaces and sites of these. */
async function findCandidates(
  queries: Queries,
  services: RecipientServices,
  organization: string,
  subjects: readonly Subject[],
): Promise<Candidate[]> {
  const { secretKey } = services;
  const requiredScopes = new Set(subjects.map(({ type }) => REQUIRED_SCOPES[type]));
  const installations = await selectInstallations(queries)
    .where('installations.organization', '=', organization)
    .where('installations.paused', '=', 0)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('integrationTags')
          .select('integrationTags.value')
          .whereRef('integrationTags.integration', '=', 'integrations.name')
          .where('integrationTags.kind', '=', 'scope')
          .where('integrationTags.value', 'in', [...requiredScopes]),
      ),
    )
    .execute();
  const ids = installations.map(({ id }) => id);
  const onContent = await findOnContent(queries, ids, subjects);
  return installations.map((row) => {
    const { id, definition } = row;
    // Configurations are decrypted at most once, and only if an event requires it.
    const isActive = (read: () => InstallationState) => lazily(() => isReadableAndActive(services, id, read));
    return {
      row,
      scopes: readJson(row.scopes),
      isActive: isActive(() => stateOf(row, secretKey)),
      onContent: new Map(
        (onContent.get(id) ?? []).map((content) => [
          content.target,
          isActive(() => contentStateOf({ ...content, definition }, secretKey)),
        ]),
      ),
    };
  });
}

/** Finds where installations are installed among the spaces and sites of some events, by installation. */
async function findOnContent(
  queries: Queries,
  installations: readonly string[],
  subjects: readonly Subject[],
): Promise<Map<string, Selectable<ContentInstallationsTable>[]>> {
  const found: Selectable<ContentInstallationsTable>[] = [];
  for (const [kind, ofKind] of Map.groupBy(subjects, (subject) => subject.kind)) {
    const targets = new Set(ofKind.map(({ target }) => target));
    const rows = await selectContentInstallations(queries, kind)
      // Without the definition, which is that of the installation, and may be large.
      .clearSelect()
      .selectAll('contentInstallations')
      .where(isOneOf(queries, 'contentInstallations.installation', installations))
      .where('contentInstallations.target', 'in', [...targets])
      .execute();
    found.push(...rows);
  }
  return Map.groupBy(found, ({ installation }) => installation);
}

/** Returns whether the state of an installation, or of one on a space or site, is active. */
function isReadableAndActive(
  { log }: RecipientServices,
  installation: string,
  read: () => InstallationState,
): boolean {
  try {
    return read().status === 'active';
  } catch (error) {
    // A configuration that cannot be decrypted must not delay the events of others.
    log.error({ err: error, installation }, 'could not read the configuration of an installation');
    return false;
  }
}

/** Finds the installations among some candidates that receive an event. */
async function recipientsAmong(
  queries: Queries,
  candidates: readonly Candidate[],
  { type, kind, target, fields }: Subject,
): Promise<Recipient[]> {
  const receiving = candidates.filter(
    ({ row, scopes, isActive, onContent }) =>
      scopes.includes(REQUIRED_SCOPES[type]) &&
      isActive() &&
      (onContent.get(target)?.() ?? isActiveByDefault(row, kind)),
  );
  const full = COOKIE_SCOPES[type] ? await findFull(queries, receiving) : new Set<string>();
  return receiving
    .filter(({ row }) => !full.has(row.id))
    .map(({ row, scopes }) => ({
      integration: row.integration,
      installation: row.id,
      fields: fieldsFor(scopes, type, fields),
    }));
}

/** Finds the IDs of the installations that have too many pending events to receive views of pages. */
async function findFull(queries: Queries, candidates: readonly Candidate[]): Promise<ReadonlySet<string>> {
  const ids = candidates.map(({ row }) => row.id);
  const rows = await queries
    .selectFrom('installations')
    .select('installations.id')
    .where(isOneOf(queries, 'installations.id', ids))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('integrationEvents')
          .select('integrationEvents.sequence')
          .whereRef('integrationEvents.installation', '=', 'installations.id')
          .where('integrationEvents.state', '=', 'pending')
          .orderBy('integrationEvents.sequence')
          .offset(MAX_PENDING_VIEW_EVENTS)
          .limit(1),
      ),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Name of the cookie with the consent of a visitor to cookies. */
const CONSENT_COOKIE = '__gitbook_cookie_granted';

/** Removes the cookies of the visitor, except the one with the consent, unless the integration may use them. */
function fieldsFor(
  scopes: readonly StoredIntegrationScope[],
  type: StoredContentEventType,
  { visitor, ...fields }: StoredEventFields,
): StoredEventFields {
  if (typeof visitor !== 'object' || visitor === null) {
    return fields;
  }
  const scope = COOKIE_SCOPES[type];
  const { cookies = {} } = visitor as { cookies?: Record<string, unknown> };
  const consent = Object.hasOwn(cookies, CONSENT_COOKIE) ? { [CONSENT_COOKIE]: cookies[CONSENT_COOKIE] } : {};
  return { ...fields, visitor: { ...visitor, cookies: scope && scopes.includes(scope) ? cookies : consent } };
}
