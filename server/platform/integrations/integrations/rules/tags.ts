import type { Selectable } from 'kysely';
import type { Transaction } from '../../../../database/database.ts';
import type {
  IntegrationsTable,
  StoredDefinition,
} from '../../../../database/schema/integrations/integrations.ts';

/** Replaces the values that the integration is filtered by. */
export async function storeTags(
  trx: Transaction,
  {
    name: integration,
    organization,
    visibility,
    scopes,
  }: Pick<Selectable<IntegrationsTable>, 'name' | 'organization' | 'visibility'> & {
    scopes: readonly string[];
  },
  { categories, blocks }: StoredDefinition,
): Promise<void> {
  const domains = blocks.flatMap(({ urlUnfurl = [] }) => urlUnfurl.flatMap((url) => domainOf(url) ?? []));
  const tags = [
    ...[...new Set(categories)].map((value) => ({ kind: 'category', value }) as const),
    ...[...new Set(scopes)].map((value) => ({ kind: 'scope', value }) as const),
    ...[...new Set(domains)].map((value) => ({ kind: 'block domain', value }) as const),
  ];
  await trx.deleteFrom('integrationTags').where('integration', '=', integration).execute();
  if (tags.length > 0) {
    await trx
      .insertInto('integrationTags')
      .values(tags.map((tag) => ({ integration, organization, visibility, ...tag })))
      .execute();
  }
}

/** Returns the hostname of a URL, or of a pattern such as `https://*.example.com/*`, without a wildcard label. */
const domainOf = (url: string): string | undefined =>
  /^(?:[a-z*]+:\/\/)?(?:\*\.)?([a-zA-Z0-9-_.]{1,253})(?:[:/?#]|$)/i.exec(url)?.[1]?.toLowerCase();
