import { LRUCache } from 'lru-cache';
import type {
  FindSpecification,
  Specification,
  Specifications,
} from '../../content/computed/specification.ts';
import type { Queries } from '../../database/database.ts';
import { readJson } from '../../database/json.ts';
import { specsOf } from './queries.ts';

/** Characters of JSON whose documents are remembered; a parsed document takes a few times its text. */
const REMEMBERED = 48_000_000;

/** Parsed versions by id, which is unique everywhere: what an id names never changes. */
const specifications = new LRUCache<string, Specification>({ maxSize: REMEMBERED });

/** Finds the specifications of an organization that its content is computed from. */
export function specificationFinder(queries: Queries, organization: string): FindSpecification {
  return async (spec) => {
    const row = await specsOf(queries, organization)
      // Slugs hold no underscore, and every id does.
      .where((either) => either.or([either('slug', '=', spec), either('id', '=', spec)]))
      .executeTakeFirst();
    return row?.lastVersion ? await readSpecification(queries, row.lastVersion) : undefined;
  };
}

/** What the content of an organization can be computed from. */
export function specificationsOf(queries: Queries, organization: string): Specifications {
  return {
    find: specificationFinder(queries, organization),
    async names() {
      const rows = await specsOf(queries, organization).where('lastVersion', 'is not', null).execute();
      return rows.flatMap(({ id, slug }) => [slug, id]);
    },
  };
}

async function readSpecification(queries: Queries, version: string): Promise<Specification | undefined> {
  const known = specifications.get(version);
  if (known) return known;
  const row = await queries
    .selectFrom('openAPISpecVersions')
    .select('document')
    .where('id', '=', version)
    .executeTakeFirst();
  if (!row) return undefined;
  const specification: Specification = { version, document: readJson(row.document) };
  specifications.set(version, specification, { size: row.document.length + 1 });
  return specification;
}
