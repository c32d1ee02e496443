import type { components } from '../../../../generated/schema.d.ts';
import type { Queries } from '../../../database/database.ts';
import {
  installationIncomplete,
  installationPaused,
  integrationFailed,
  integrationRejected,
  notFound,
  spaceInstallationPaused,
  unavailable,
} from '../../../errors/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import type { Context } from '../../kit/slice.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { IntegrationCallError } from '../calls/calls.ts';
import { type RenderedComponent, renderComponent } from '../calls/render.ts';
import { IntegrationRejectionError, IntegrationResponseError } from '../calls/render-result.ts';
import { stateOf } from '../installations/present.ts';
import {
  findContentInstallation,
  type InstallationRow,
  selectInstallations,
} from '../installations/queries.ts';
import { definitionOf, integrationFor } from '../integrations/queries.ts';

type Schemas = components['schemas'];

export interface RenderInput {
  /** Name of the integration. */
  name: string;
  request: Schemas['RenderRequest'];
}

/** A rendered component with the content security policy of its integration. */
export interface RenderedBlock extends RenderedComponent {
  policy: string | null;
}

/** The organization, space and site of a component. */
interface RenderTarget {
  organization: string;
  space?: string;
  site?: string;
}

/**
 * Renders a component of an integration where it is installed.
 *
 * @throws ContractError 404 or 403 for the integration and the context, 409 if the installation is not active, 4xx with
 *   the text of the script if it rejects the request, 502 if it fails, 503 if it is busy
 */
export async function render(ctx: Context, { name, request }: RenderInput): Promise<RenderedBlock> {
  const { caller, database, secretKey, signal } = ctx;
  const { query: queries } = database;
  const { row } = await integrationFor(queries, caller.id, name, 'view');
  const { organization, ...target } = await targetFor(ctx, request.context);
  const installation = await installationIn(queries, { name, organization });
  const state = stateOf(installation, secretKey);
  if (state.status === 'paused') {
    throw installationPaused();
  }
  if (request.context.type === 'document') {
    await requireOnSpace(queries, installation, request.context.spaceId);
    if (state.status === 'pending') {
      throw installationIncomplete(state.missing);
    }
  }
  try {
    const rendering = { integration: name, installation: installation.id, ...target, request, signal };
    const component = await renderComponent(ctx, { ...rendering, user: caller.id });
    return { ...component, policy: definitionOf(row).contentSecurityPolicy };
  } catch (error) {
    if (error instanceof IntegrationCallError && error.reason === 'busy') {
      throw unavailable(error.message);
    }
    if (error instanceof IntegrationRejectionError) {
      throw integrationRejected(error.status, error.message);
    }
    if (error instanceof IntegrationCallError || error instanceof IntegrationResponseError) {
      throw integrationFailed(name, error.message);
    }
    throw error;
  }
}

/** Requires the permission of a context, and returns what it refers to. */
async function targetFor(
  { database: { query: queries }, caller: { id: caller }, hooks }: Context,
  context: Schemas['RenderContext'],
): Promise<RenderTarget> {
  switch (context.type) {
    case 'configuration_account': {
      const organization = context.organizationId;
      await requireInOrganization(queries, caller, organization, 'installIntegration');
      return { organization };
    }
    case 'configuration_space': {
      const { row } = await spaceFor(queries, caller, context.spaceId, 'view');
      await requireInOrganization(queries, caller, row.organization, 'installIntegration');
      return { organization: row.organization, space: row.id };
    }
    case 'configuration_site': {
      const organization = await organizationOfSite(queries, context.siteId);
      await hooks.requireVisibleSite(queries, caller, { organization, site: context.siteId });
      await requireInOrganization(queries, caller, organization, 'installIntegration');
      return { organization, site: context.siteId };
    }
    case 'configuration_contentsource': {
      const { organizationId: organization, spaceId: space } = context;
      await requireInOrganization(queries, caller, organization, 'createContent');
      if (space === undefined) {
        return { organization };
      }
      const { row } = await spaceFor(queries, caller, space, 'view');
      if (row.organization !== organization) {
        throw notFound('space');
      }
      return { organization, space };
    }
    case 'document': {
      const permission = context.editable ? 'edit' : 'view';
      const { row } = await spaceFor(queries, caller, context.spaceId, permission);
      return { organization: row.organization, space: row.id };
    }
  }
}

async function organizationOfSite(queries: Queries, id: string): Promise<string> {
  const row = await queries
    .selectFrom('sites')
    .select('organization')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) {
    throw notFound('site');
  }
  return row.organization;
}

async function installationIn(
  queries: Queries,
  { name, organization }: { name: string; organization: string },
): Promise<InstallationRow> {
  const row = await selectInstallations(queries)
    .where('installations.integration', '=', name)
    .where('installations.organization', '=', organization)
    .executeTakeFirst();
  if (!row) {
    throw notFound('installation');
  }
  return row;
}

/** Requires that an installation applies to a space: to all spaces, or to this one. */
async function requireOnSpace(
  queries: Queries,
  { id, spaceSelection }: InstallationRow,
  space: string,
): Promise<void> {
  const onSpace = await findContentInstallation(queries, id, { kind: 'space', target: space });
  if (onSpace ? onSpace.paused === 1 : spaceSelection === 'selected') {
    throw onSpace ? spaceInstallationPaused() : notFound('installation on the space');
  }
}
