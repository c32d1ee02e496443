import { type Selectable, type SqlBool, sql } from 'kysely';
import { batches } from '../../../database/batches.ts';
import type { Transaction } from '../../../database/database.ts';
import type { ContentInstallationsTable } from '../../../database/schema/integrations/installations.ts';
import {
  type EventFields,
  type EventServices,
  type InstallationEvent,
  raiseInstallationEvents,
} from './raise.ts';

type Row = Pick<
  Selectable<ContentInstallationsTable>,
  'installation' | 'integration' | 'organization' | 'kind' | 'target' | 'configuration'
>;

/** Returns the event of a new installation on a space or site, or of a change of its settings. */
export function contentSetupEvent(
  { kind, target, installation, integration, organization, configuration }: Row,
  fields: EventFields<'installation_setup'>,
): InstallationEvent {
  const event = { installation, integration, organization, configuration };
  return kind === 'space'
    ? { ...event, type: 'space_installation_setup', fields: { spaceId: target, ...fields } }
    : { ...event, type: 'site_installation_setup', fields: { siteId: target, ...fields } };
}

/** Returns the event of the removal of an installation from a space or site. */
export function contentRemovalEvent({
  kind,
  target,
  installation,
  integration,
  organization,
  configuration,
}: Row): InstallationEvent {
  const event = { installation, integration, organization, configuration };
  return kind === 'space'
    ? { ...event, type: 'space_installation_deleted', fields: { spaceId: target, previous: {} } }
    : { ...event, type: 'site_installation_deleted', fields: { siteId: target, previous: {} } };
}

/** Number of installations on content that one statement reads or removes. */
const BATCH_SIZE = 500;

/** Raises the events of the removals that follow from the removal of an installation, a space or a site. */
export async function raiseContentRemovals(
  trx: Transaction,
  services: EventServices,
  removed: { column: 'installation' | 'space' | 'site'; id: string },
): Promise<void> {
  const selected = trx
    .selectFrom('contentInstallations')
    .select(['installation', 'integration', 'organization', 'kind', 'target', 'configuration'])
    .where(removed.column, '=', removed.id)
    .orderBy('installation')
    .orderBy('target')
    .limit(BATCH_SIZE);
  // An installation may be on every space of its organization, each with a configuration.
  for (let batch = await selected.execute(); batch.length > 0; ) {
    await raiseInstallationEvents(trx, services, batch.map(contentRemovalEvent));
    const last = batch.at(BATCH_SIZE - 1);
    batch = last
      ? await selected
          .where(sql<SqlBool>`("installation", "target") > (${last.installation}, ${last.target})`)
          .execute()
      : [];
  }
}

/** Removes the installations on spaces that leave their organization, and raises the events of their removal. */
export async function removeFromInstallations(
  trx: Transaction,
  services: EventServices,
  spaces: readonly string[],
): Promise<void> {
  for (const batch of batches(spaces, BATCH_SIZE)) {
    const rows = await trx
      .deleteFrom('contentInstallations')
      .where('space', 'in', batch)
      .returning(['installation', 'integration', 'organization', 'kind', 'target', 'configuration'])
      .execute();
    await trx.deleteFrom('installationExternalIds').where('target', 'in', batch).execute();
    await raiseInstallationEvents(trx, services, rows.map(contentRemovalEvent));
  }
}
