import type { components } from '../../../../generated/schema.d.ts';
import type { RevisionRow } from '../../../content/store/revisions.ts';
import type { Queries } from '../../../database/database.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { publicationFinder, publishedUrlsOf } from '../../spaces/publications/publications.ts';

/** Returns the URLs of a revision. Only the current revision of a space is published. */
export async function urlsOfRevision(
  queries: Queries,
  { id, space }: RevisionRow,
  resourceUrls: ResourceUrls,
): Promise<components['schemas']['RevisionUrls']> {
  const urls = resourceUrls.revision(space, id);
  const row = await queries
    .selectFrom('spaces')
    .select('revision')
    .where('id', '=', space)
    .executeTakeFirst();
  return row?.revision === id
    ? { ...urls, ...publishedUrlsOf(await publicationFinder(queries, resourceUrls)(space)) }
    : urls;
}
