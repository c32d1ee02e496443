import type { Kysely } from 'kysely';
import { createChangeRequests } from './baseline/change-requests.ts';
import { createContent } from './baseline/content.ts';
import { createIntegrationEvents } from './baseline/integration-events.ts';
import { createIntegrations } from './baseline/integrations.ts';
import { createNameChanges } from './baseline/maintained/name-changes.ts';
import { createRowCountsOfTables } from './baseline/maintained/row-counts.ts';
import { createSearchedTexts } from './baseline/maintained/searched-texts.ts';
import { createShownSpaces } from './baseline/maintained/shown-spaces.ts';
import { createTeamTitles } from './baseline/maintained/team-titles.ts';
import { createVisibilityVersions } from './baseline/maintained/visibility-versions.ts';
import { createMembers } from './baseline/members.ts';
import { createOpenAPISpecs } from './baseline/openapi-specs.ts';
import { createOrganizations } from './baseline/organizations.ts';
import { createSaml } from './baseline/saml.ts';
import { createFold, createSearch } from './baseline/search.ts';
import { createService } from './baseline/service.ts';
import { createSites } from './baseline/sites.ts';
import { createRuns, createSpaces } from './baseline/spaces.ts';
import { createTranslations } from './baseline/translations.ts';
import { createUsers } from './baseline/users.ts';

/**
 * The schema of the first release: the tables by their owner, each after those that it refers to, then the triggers that
 * maintain values for several of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createFold(db);

  await createService(db);
  await createUsers(db);
  await createOrganizations(db);
  await createMembers(db);
  await createSaml(db);
  await createSpaces(db);
  await createContent(db);
  await createChangeRequests(db);
  await createRuns(db);
  await createOpenAPISpecs(db);
  await createSites(db);
  await createTranslations(db);
  await createIntegrations(db);
  await createIntegrationEvents(db);
  await createSearch(db);

  await createRowCountsOfTables(db);
  await createSearchedTexts(db);
  await createTeamTitles(db);
  await createVisibilityVersions(db);
  await createNameChanges(db);
  await createShownSpaces(db);
}
