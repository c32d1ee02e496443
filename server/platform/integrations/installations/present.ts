import type { components } from '../../../../generated/schema.d.ts';
import { batched } from '../../../database/batched.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { missingSettings, openConfiguration, withDefaults } from './queries/configuration.ts';
import { type InstallationStatus, statusOf } from './queries/status.ts';
import {
  appliesToAll,
  type ContentInstallationRow,
  type InstallationRow,
  type InstallationWithAccess,
  selectContentInstallations,
} from './queries.ts';

type Schemas = components['schemas'];

interface PresentServices {
  secretKey: string;
  resourceUrls: ResourceUrls;
}

/** Configuration of an installation, or of one on a space or site, and the status that follows from it. */
export interface InstallationState {
  configuration: Record<string, unknown>;
  missing: string[];
  status: InstallationStatus;
}

/** Returns the configuration and the status of an installation. */
export function stateOf(row: InstallationRow, secretKey: string): InstallationState {
  return stateOfLevel(row, 'account', { installation: row.id, target: '' }, secretKey);
}

/** Returns the configuration and the status of an installation on a space or site. */
export function contentStateOf(row: ContentInstallationRow, secretKey: string): InstallationState {
  return stateOfLevel(row, row.kind, row, secretKey);
}

/** Returns whether an installation is active on the spaces or sites that it applies to without being installed on them. */
export function isActiveByDefault(row: InstallationRow, kind: 'space' | 'site'): boolean {
  if (!appliesToAll(row, kind)) {
    return false;
  }
  const definition = readJson(row.definition);
  return missingSettings(definition, kind, withDefaults(definition, kind, {})).length === 0;
}

function stateOfLevel(
  row: Pick<InstallationRow, 'definition' | 'configuration' | 'paused'>,
  level: 'account' | 'space' | 'site',
  owner: { installation: string; target: string },
  secretKey: string,
): InstallationState {
  const definition = readJson(row.definition);
  const configuration = withDefaults(
    definition,
    level,
    openConfiguration(row.configuration, owner, secretKey),
  );
  const missing = missingSettings(definition, level, configuration);
  return { configuration, missing, status: statusOf(row.paused === 1, missing) };
}

/** Creates a function that converts installations to their representation in the API. Counts of a page are batched. */
export function installationPresenter(queries: Queries, { secretKey, resourceUrls }: PresentServices) {
  const countSpaces = spacesCounter(queries);
  return async ({ row, canConfigure }: InstallationWithAccess): Promise<Schemas['Installation']> => {
    const { status, configuration } = stateOf(row, secretKey);
    return {
      id: row.id,
      status,
      space_selection: row.spaceSelection,
      site_selection: row.siteSelection,
      spaces: await countSpaces(row),
      configuration: canConfigure ? configuration : {},
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      urls: resourceUrls.installation(row.integration, row.id),
      externalIds: readJson(row.externalIds),
      target: { organization: row.organization },
    };
  };
}

/** Creates a function that counts the spaces that installations apply to. */
const spacesCounter = (queries: Queries) =>
  batched<InstallationRow, number>(async (rows) => {
    const all = rows.filter((row) => row.spaceSelection === 'all').map((row) => row.organization);
    const selected = rows.filter((row) => row.spaceSelection === 'selected').map((row) => row.id);
    const ofOrganizations = await queries
      .selectFrom('rowCounts')
      .select(({ fn }) => ['organization as id', fn.sum<number>('value').as('spaces')])
      .where('organization', 'in', all)
      .where('kind', '=', 'spaces')
      .where('owner', '=', '')
      .groupBy('organization')
      .execute();
    const ofInstallations = await selectContentInstallations(queries, 'space')
      .clearSelect()
      .select(({ fn }) => ['contentInstallations.installation as id', fn.countAll<number>().as('spaces')])
      .where('contentInstallations.installation', 'in', selected)
      .groupBy('contentInstallations.installation')
      .execute();
    const counts = new Map([...ofOrganizations, ...ofInstallations].map(({ id, spaces }) => [id, spaces]));
    return (row) => counts.get(row.spaceSelection === 'all' ? row.organization : row.id) ?? 0;
  });

/** Converts the common fields of an installation on a space or site to their representation in the API. */
export function presentContentInstallation(
  row: ContentInstallationRow,
  canConfigure: boolean,
  { secretKey, resourceUrls }: PresentServices,
): Omit<Schemas['SpaceInstallation'], 'space'> {
  const { status, configuration } = contentStateOf(row, secretKey);
  return {
    integration: row.integration,
    installation: row.installation,
    status,
    configuration: canConfigure ? configuration : {},
    externalIds: readJson(row.externalIds),
    urls: resourceUrls.contentInstallation(row),
  };
}
