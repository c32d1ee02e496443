/** The blocks of integrations that replace links and embeds in the documents of a space. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { UrlPatterns } from '../../../content/links/url-patterns.ts';
import type { Queries } from '../../../database/database.ts';
import { readJson } from '../../../database/json.ts';
import type { StoredBlock } from '../../../database/schema/integrations/integrations.ts';
import { contentStateOf, stateOf } from '../../integrations/installations/present.ts';
import { selectContentInstallations, selectInstallations } from '../../integrations/installations/queries.ts';
import { listShownInstallations } from './find.ts';

/** Maximum number of patterns of URLs that are considered for a space: those of its oldest installations. */
export const MAX_URL_PATTERNS = 500;
/** Maximum number of spaces with cached blocks. */
const MAX_CACHED_SPACES = 2000;

const cache = new LRUCache<string, readonly UrlPatterns[]>({ max: MAX_CACHED_SPACES });

/** Finds the blocks with URL patterns of integrations that are active in a space. One statement if there are none. */
export async function findUrlBlocks(
  queries: Queries,
  { id: space, organization }: { id: string; organization: string },
  secretKey: string,
): Promise<readonly UrlPatterns[]> {
  const installations = await listShownInstallations(queries, organization);
  if (installations.length === 0) {
    return [];
  }
  const ids = installations.map(({ id }) => id);
  const state = await queries
    .selectFrom('contentInstallations')
    .select(['installation', 'paused', 'configuration'])
    .where('installation', 'in', ids)
    .where('target', '=', space)
    .orderBy('installation')
    .execute();
  const key = createHash('sha256')
    .update(JSON.stringify([space, installations, state]))
    .digest('base64url');
  const blocks = cache.get(key) ?? (await readBlocks(queries, { space, ids }, secretKey));
  cache.set(key, blocks);
  return blocks;
}

async function readBlocks(
  queries: Queries,
  { space, ids }: { space: string; ids: readonly string[] },
  secretKey: string,
): Promise<readonly UrlPatterns[]> {
  const onSpace = await selectContentInstallations(queries, 'space')
    .where('contentInstallations.installation', 'in', ids)
    .where('contentInstallations.target', '=', space)
    .execute();
  const rows = await selectInstallations(queries)
    .where('installations.id', 'in', ids)
    .orderBy('installations.createdAt')
    .orderBy('installations.id')
    .execute();
  const active = rows.filter((row) => {
    const own = onSpace.find(({ installation }) => installation === row.id);
    const isOnSpace = own ? contentStateOf(own, secretKey).status === 'active' : row.spaceSelection === 'all';
    return row.integrationTarget !== 'site' && isOnSpace && stateOf(row, secretKey).status === 'active';
  });
  return urlPatternsOf(
    active.flatMap(({ integration, definition }) =>
      readJson(definition).blocks.map((block) => ({ integration, definition: block })),
    ),
  );
}

/** Returns the patterns of blocks that have some. */
export function urlPatternsOf(
  blocks: readonly { integration: string; definition: StoredBlock }[],
): UrlPatterns[] {
  let count = 0;
  return blocks.flatMap(({ integration, definition: { id, urlUnfurl = [] } }) => {
    const patterns = urlUnfurl.slice(0, MAX_URL_PATTERNS - count);
    count += patterns.length;
    return patterns.length === 0 ? [] : [{ integration, block: id, patterns }];
  });
}
