import type { Queries } from '../../../database/database.ts';
import { notFound } from '../../../errors/errors.ts';
import {
  type ContentInstallationName,
  findAppliedInstallation,
  findInstallation,
  type InstallationTarget,
} from '../installations/queries.ts';
import { findIntegration } from '../integrations/queries.ts';

/** The public endpoint of an integration, or of one of its installations. */
export interface EndpointName {
  integration: string;
  installation?: string | undefined;
  content?: InstallationTarget | undefined;
}

/** A public endpoint that accepts requests. */
export interface Endpoint {
  /** The installation on a site, if it is the one that authenticates the visitors of this site. */
  visitorAuthentication: ContentInstallationName | undefined;
}

/**
 * Finds a public endpoint. That of an installation exists while it is not paused.
 *
 * @throws ContractError 404 if it does not exist
 */
export async function findEndpoint(
  queries: Queries,
  { integration, installation, content }: EndpointName,
): Promise<Endpoint> {
  const row = await findIntegration(queries, integration);
  if (!row) {
    throw notFound('integration');
  }
  if (installation !== undefined) {
    const installed = await findInstallation(queries, { integration, installation });
    const onContent = installed && content && (await findAppliedInstallation(queries, installed, content));
    if (installed?.paused !== 0 || (content && onContent?.paused !== 0)) {
      throw notFound('installation');
    }
  }
  if (installation === undefined || content?.kind !== 'site') {
    return { visitorAuthentication: undefined };
  }
  const authenticates = await authenticatesVisitorsOf(queries, content.target, integration);
  return {
    visitorAuthentication: authenticates ? { integration, installation, ...content } : undefined,
  };
}

/** Returns whether an integration is the one that authenticates the visitors of a site. */
async function authenticatesVisitorsOf(
  queries: Queries,
  site: string,
  integration: string,
): Promise<boolean> {
  const row = await queries
    .selectFrom('sites')
    .select('id')
    .where('id', '=', site)
    .where('authIntegration', '=', integration)
    .executeTakeFirst();
  return row !== undefined;
}
