import { LRUCache } from 'lru-cache';
import type {
  FindSpecification,
  FindStoredSpecification,
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
    const version = await findVersion(queries, organization, spec);
    return version === undefined ? undefined : await readSpecification(queries, version);
  };
}

/** Finds the specifications of an organization for who reads them elsewhere. */
export function storedSpecificationFinder(queries: Queries, organization: string): FindStoredSpecification {
  return async (spec) => {
    const version = await findVersion(queries, organization, spec);
    if (version === undefined) return undefined;
    return { version, readJson: () => readDocument(queries, version) };
  };
}

/** The newest good version of the specification with a slug or id. */
async function findVersion(
  queries: Queries,
  organization: string,
  spec: string,
): Promise<string | undefined> {
  const row = await specsOf(queries, organization)
    // Slugs hold no underscore, and every id does.
    .where((either) => either.or([either('slug', '=', spec), either('id', '=', spec)]))
    .executeTakeFirst();
  return row?.lastVersion ?? undefined;
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
  const json = await readDocument(queries, version);
  if (json === undefined) return undefined;
  const specification: Specification = { version, document: readJson(json) };
  specifications.set(version, specification, { size: json.length + 1 });
  return specification;
}

async function readDocument(queries: Queries, version: string) {
  const row = await queries
    .selectFrom('openAPISpecVersions')
    .select('document')
    .where('id', '=', version)
    .executeTakeFirst();
  return row?.document;
}
