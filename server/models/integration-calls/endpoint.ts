import type { Queries } from '../../database/database.ts';
import { notFound } from '../../errors.ts';
import { findInstallation, selectContentInstallations } from '../installations/queries.ts';
import { definitionOf, selectIntegrations } from '../integrations/queries.ts';

/** The public endpoint of an integration, or of one of its installations. */
export interface EndpointName {
  integration: string;
  installation?: string | undefined;
  content?: { kind: 'space' | 'site'; target: string } | undefined;
}

/** A public endpoint that accepts requests. */
export interface Endpoint {
  /** Content security policy of the integration. */
  policy: string | null;
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
  const row = await selectIntegrations(queries)
    .where('integrations.name', '=', integration)
    .executeTakeFirst();
  if (!row) {
    throw notFound('integration');
  }
  if (installation !== undefined) {
    const found = await findInstallation(queries, { integration, installation });
    const onContent = content && (await findOnContent(queries, installation, content));
    if (!found || found.paused === 1 || (content && onContent?.paused !== 0)) {
      throw notFound('installation');
    }
  }
  return { policy: definitionOf(row).contentSecurityPolicy };
}

const findOnContent = async (
  queries: Queries,
  installation: string,
  { kind, target }: { kind: 'space' | 'site'; target: string },
) =>
  await selectContentInstallations(queries, kind)
    .where('contentInstallations.installation', '=', installation)
    .where('contentInstallations.target', '=', target)
    .executeTakeFirst();
