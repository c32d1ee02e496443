import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import type { IntegrationTagsTable } from '../../../../database/schema/integrations/integrations.ts';
import { foldedContains } from '../../../../database/text.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import { type IntegrationRow, listedIntegrations, taggedIntegrations } from '../queries.ts';

/** Maximum number of integrations with a tag that are selected first and then sorted, in a list. */
export const MAX_SORTED_TAGGED = 500;

/** Creates the condition of a list that integrations have a tag, which is fast for rare and for frequent tags. */
async function hasTag(
  queries: Queries,
  kind: IntegrationTagsTable['kind'],
  value: string,
): Promise<RawBuilder<SqlBool>> {
  const tagged = taggedIntegrations(queries, kind, value);
  const isFrequent = await tagged.limit(1).offset(MAX_SORTED_TAGGED).executeTakeFirst();
  if (!isFrequent) {
    return sql<SqlBool>`"integrations"."name" in (${tagged})`;
  }
  const isTagged = tagged.whereRef('integrationTags.integration', '=', sql.ref('integrations.name'));
  // Selects a value instead of `exists`, which PostgreSQL may evaluate by reading all tags.
  return sql<SqlBool>`(${isTagged}) is not null`;
}

/** Filters of a list of integrations. */
interface IntegrationsFilter {
  /** Text that the title, the name or the summary contains. */
  search?: string | undefined;
  category?: string | undefined;
  /** Domain of links that blocks of the integration display. */
  blockDomain?: string | undefined;
  blocks?: boolean | undefined;
  contentSources?: boolean | undefined;
  /** ID of the organization that owns the integration. */
  owner?: string | undefined;
  scope?: string | undefined;
  /** Target that the integration can be installed on. */
  target?: IntegrationRow['target'] | undefined;
}

/** Selects the integrations that a list shows to the caller and that match a filter. */
export async function integrationsMatching(
  queries: Queries,
  caller: CallerId,
  { search, category, blockDomain, blocks, contentSources, owner, scope, target }: IntegrationsFilter,
) {
  const tags = [
    ...(category ? [await hasTag(queries, 'category', category)] : []),
    ...(scope ? [await hasTag(queries, 'scope', scope)] : []),
    ...(blockDomain ? [await hasTag(queries, 'block domain', blockDomain.toLowerCase())] : []),
  ];
  let rows = listedIntegrations(queries, caller)
    .$if(search !== undefined, (all) =>
      all.where(foldedContains(queries, 'integrations.searchedText', search ?? '')),
    )
    .$if(blocks !== undefined, (all) => all.where('integrations.hasBlocks', '=', blocks ? 1 : 0))
    .$if(contentSources !== undefined, (all) =>
      all.where('integrations.hasContentSources', '=', contentSources ? 1 : 0),
    )
    .$if(owner !== undefined, (all) => all.where('integrations.organization', '=', owner ?? ''))
    // An integration with the target `all` can be installed on any.
    .$if(target !== undefined, (all) =>
      all.where('integrations.target', 'in', target ? ['all', target] : []),
    );
  for (const tag of tags) {
    rows = rows.where(tag);
  }
  return rows;
}
