import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Database, Queries } from '../../../database/database.ts';
import type { OrganizationsTable } from '../../../database/schema/accounts/organizations.ts';
import type { Clock, CreateId } from '../../../database/seams.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { installationPresenter, presentContentInstallation } from '../installations/present.ts';
import {
  type ContentInstallationRow,
  findAppliedInstallation,
  findInstallation,
  type InstallationRow,
} from '../installations/queries.ts';
import { presentIntegration } from '../integrations/present.ts';
import { readSecrets } from '../integrations/queries/secrets.ts';
import { findIntegration, type IntegrationRow } from '../integrations/queries.ts';
import type { IntegrationCall } from './calls.ts';
import { type SigningLevel, signingSecret } from './signing-secrets.ts';
import { installationToken, integrationToken } from './tokens.ts';

type Schemas = components['schemas'];

export interface EnvironmentServices {
  database: Database;
  clock: Clock;
  createId: CreateId;
  resourceUrls: ResourceUrls;
  secretKey: string;
}

/** An integration and the installations that a call concerns. */
export interface CalledIntegration {
  row: IntegrationRow;
  owner: Selectable<OrganizationsTable>;
  installation: InstallationRow | undefined;
  space: ContentInstallationRow | undefined;
  site: ContentInstallationRow | undefined;
}

/** Describes the integration and its installation to its script, as its published runtime library reads it. */
export interface IntegrationEnvironment {
  integration: Schemas['Integration'];
  installation?: Schemas['Installation'];
  spaceInstallation?: Schemas['SpaceInstallation'];
  siteInstallation?: Schemas['SiteInstallation'];
  secrets: Record<string, string>;
  /** Secrets for signatures that only the script can verify: one for the integration, and one for each installation. */
  signingSecrets: Partial<Record<SigningLevel, string>> & { integration: string };
  /** URL of this service, without the version of its API. */
  apiEndpoint: string;
  /** Access tokens of the integration, which manages its installations, and of the installation. */
  apiTokens: { integration: string; installation?: string };
}

/** Finds what a call concerns; undefined if the integration does not exist. */
export async function findCalled(
  queries: Queries,
  { integration, installation: id, space, site }: IntegrationCall,
): Promise<CalledIntegration | undefined> {
  const row = await findIntegration(queries, integration);
  if (!row) {
    return undefined;
  }
  const owner = await queries
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', row.organization)
    .executeTakeFirstOrThrow();
  const installation =
    id === undefined ? undefined : await findInstallation(queries, { integration, installation: id });
  const onTarget = async (kind: 'space' | 'site', target: string | undefined) =>
    installation && target !== undefined
      ? await findAppliedInstallation(queries, installation, { kind, target })
      : undefined;
  return {
    row,
    owner,
    installation,
    space: await onTarget('space', space),
    site: await onTarget('site', site),
  };
}

/** Creates the environment of a call, with access tokens. */
export async function createEnvironment(
  services: EnvironmentServices,
  { row, owner, installation, space, site }: CalledIntegration,
): Promise<IntegrationEnvironment> {
  const { database, secretKey, resourceUrls } = services;
  const { query } = database;
  const signing = (level: SigningLevel, ...ids: string[]) =>
    signingSecret(secretKey, level, row.name, ...ids);
  const token = installation && (await installationToken(services, installation.id));
  return {
    integration: presentIntegration(row, { row: owner, role: undefined }, resourceUrls),
    ...(installation && {
      installation: await installationPresenter(query, services)({ row: installation, canConfigure: true }),
    }),
    ...(space && {
      spaceInstallation: { ...presentContentInstallation(space, true, services), space: space.target },
    }),
    ...(site && {
      siteInstallation: { ...presentContentInstallation(site, true, services), site: site.target },
    }),
    secrets: await readSecrets(query, row.name, secretKey),
    signingSecrets: {
      integration: signing('integration'),
      ...(installation && { installation: signing('installation', installation.id) }),
      ...(space && { spaceInstallation: signing('spaceInstallation', space.installation, space.target) }),
      ...(site && { siteInstallation: signing('siteInstallation', site.installation, site.target) }),
    },
    apiEndpoint: resourceUrls.at(''),
    apiTokens: {
      integration: await integrationToken(services, row),
      ...(token !== undefined && { installation: token }),
    },
  };
}
