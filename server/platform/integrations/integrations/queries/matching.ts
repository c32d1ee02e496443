import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../../../../database/database.ts';
import type { VersionedCount } from '../../../../database/lists/cached-counts.ts';
import type { IntegrationTagsTable } from '../../../../database/schema/integrations/integrations.ts';
import type { RowCountKind } from '../../../../database/schema/row-counts.ts';
import { foldedContains } from '../../../../database/text.ts';
import type { CallerId } from '../../../../identity/caller.ts';
import {
  countedOrganizations,
  type IntegrationRow,
  listedIntegrations,
  taggedIntegrations,
  usableOrganizations,
} from '../queries.ts';

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
export interface IntegrationsFilter {
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

/**
 * Returns the number of {@link integrationsMatching}, or what it depends on. It is stored for one filter by a property;
 * with several, or a text, the integrations are counted after each change of one. Undefined for a caller in too many
 * organizations.
 */
export async function integrationsCount(
  queries: Queries,
  caller: CallerId,
  filter: IntegrationsFilter,
): Promise<number | VersionedCount | undefined> {
  const organizations = await countedOrganizations(usableOrganizations(queries, caller));
  if (!organizations) {
    return undefined;
  }
  const stored = storedCountsOf(filter);
  if (!stored) {
    return { organizations: [''], owners: ['integrations'], viewer: organizations.join(' ') };
  }
  const rows = await queries
    .selectFrom('rowCounts')
    .select(['kind', ({ fn }) => fn.sum<number>('value').as('count')])
    .where('organization', 'in', ['', ...organizations])
    .where('kind', 'in', [...stored.kinds, ...(stored.except ?? [])])
    .where('owner', 'in', stored.owners)
    .groupBy('kind')
    .execute();
  return rows.reduce(
    (sum, { kind, count }) => (stored.except?.includes(kind) ? sum - count : sum + count),
    0,
  );
}

/** Stored counts of integrations: the sum of those of some kinds and owners, without those of others. */
interface StoredCounts {
  kinds: readonly RowCountKind[];
  except?: readonly RowCountKind[];
  owners: readonly string[];
}

/** Returns the stored counts of a filter; undefined if it has several properties, or a text. */
function storedCountsOf(filter: IntegrationsFilter): StoredCounts | undefined {
  const { blocks, contentSources, owner, target, category, scope, blockDomain } = filter;
  const names = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length > 1 || filter.search !== undefined) {
    return undefined;
  }
  const having = (kind: RowCountKind, value: boolean): StoredCounts =>
    value ? { kinds: [kind], owners: [''] } : { kinds: ['integrations'], except: [kind], owners: [''] };
  if (blocks !== undefined) {
    return having('integrations with blocks', blocks);
  }
  if (contentSources !== undefined) {
    return having('integrations with content sources', contentSources);
  }
  if (target !== undefined) {
    return { kinds: ['integrations by target'], owners: ['all', target] };
  }
  const values = { owner, category, scope, 'block domain': blockDomain?.toLowerCase() || undefined };
  for (const kind of ['owner', 'category', 'scope', 'block domain'] as const) {
    const value = values[kind];
    if (value !== undefined) {
      return { kinds: [`integrations by ${kind}`], owners: [value] };
    }
  }
  return { kinds: ['integrations'], owners: [''] };
}
