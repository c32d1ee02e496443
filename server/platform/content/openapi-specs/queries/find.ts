import type { FindStoredSpecification } from '../../../../content/computed/specification.ts';
import { isYieldDue, yieldToEventLoop } from '../../../../content/tree/yielding.ts';
import type { Queries } from '../../../../database/database.ts';
import { readVersionText, specsOf } from '../queries.ts';

/** Creates a function that finds the specifications that an organization's content is computed from. */
export function storedSpecificationFinder(queries: Queries, organization: string): FindStoredSpecification {
  return async (spec) => {
    const version = await findVersion(queries, organization, spec);
    if (version === undefined) {
      return undefined;
    }
    return { version, readJson: () => readDocument(queries, version) };
  };
}

/** Finds the latest valid version of the specification with a slug or ID. */
async function findVersion(
  queries: Queries,
  organization: string,
  spec: string,
): Promise<string | undefined> {
  const row = await specsOf(queries, organization)
    // Slugs are in lower case, and contain no underscore, but every ID does.
    .where((either) => either.or([either('slug', '=', spec.toLowerCase()), either('id', '=', spec)]))
    .executeTakeFirst();
  return row?.lastVersion ?? undefined;
}

/** Lists the slugs and IDs of the processed specifications of an organization, which its content can refer to. */
export async function specificationNames(queries: Queries, organization: string): Promise<string[]> {
  const rows = await specsOf(queries, organization).where('lastVersion', 'is not', null).execute();
  return rows.flatMap(({ id, slug }) => [slug, id]);
}

async function readDocument(queries: Queries, version: string) {
  const json = await readVersionText(queries, version, 'document');
  // It has megabytes: receiving it from the database and passing it to a thread are separate turns.
  if (isYieldDue()) {
    await yieldToEventLoop();
  }
  return json;
}
