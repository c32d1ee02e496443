import { type Client, createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import {
  type JudgedQuery,
  type JudgedResult,
  readDocumentations,
  readJudgedQueries,
  shareWithin,
} from '../../support/content/judged-search.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { type Figure, median, milliseconds, ratioOf, time } from '../table.ts';

/** Amounts of work of a run. */
interface SearchAmounts {
  documentations: number;
  /** Maximum number of judged queries. */
  queries: number;
  /** Pages of a space of the organization in addition to the judged documentations. */
  pages: number;
  rounds: number;
}

const AMOUNTS: Amounts<SearchAmounts> = {
  full: {
    documentations: Number.POSITIVE_INFINITY,
    queries: Number.POSITIVE_INFINITY,
    pages: 1000,
    rounds: 9,
  },
  tiny: { documentations: 1, queries: 2, pages: 2, rounds: 1 },
};

/**
 * Judged queries in the spaces of their documentation and in the organization: the proportion with the best page first
 * and among the first three, and the time of the slowest of a hundred compared with reading a space. Queries and reads
 * take turns, and the median of a query counts: the slowest round includes noise.
 */
export const benchmark: Benchmark = {
  description: 'quality and duration of judged searches, compared with reading a space',
  run: async (size, report) => {
    const git = await startGitServer();
    await onEachEngine((engine) => measureOn(engine, git, amountFor(size, AMOUNTS), report));
    await git.close();
  },
};

async function measureOn(
  { engine, startService }: BenchEngine,
  git: GitServer,
  { documentations, queries: maxQueries, pages, rounds }: SearchAmounts,
  report: (figure: Figure) => void,
): Promise<void> {
  const service = await startService();
  const client = createClient({ baseUrl: service.url, token: service.token });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const spaces = new Map<string, string>();
  for (const { name, language, files } of readDocumentations().slice(0, documentations)) {
    spaces.set(name, await importSpace(client, git, organizationId, { title: name, language }, files));
  }
  await importSpace(client, git, organizationId, { title: 'Many' }, manyPages(pages));

  const spaceOf = ({ documentation }: JudgedQuery) => spaces.get(documentation) ?? '';
  const inSpace = async (judged: JudgedQuery) => {
    const params = { path: { spaceId: spaceOf(judged) }, query: { query: judged.query, limit: 10 } };
    return (await ok(client.GET('/v1/spaces/{spaceId}/search', { params }))).items;
  };
  const inOrganization = (judged: JudgedQuery) => {
    const params = { path: { organizationId }, query: { query: judged.query, limit: 10 } };
    return ok(client.GET('/v1/orgs/{organizationId}/search', { params }));
  };
  const read = (judged: JudgedQuery) =>
    ok(client.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId: spaceOf(judged) } } }));

  const queries = readJudgedQueries()
    .filter(({ documentation }) => spaces.has(documentation))
    .slice(0, maxQueries);
  const results: JudgedResult[] = [];
  for (const judged of queries) {
    const at = (await inSpace(judged)).findIndex(({ title }) => title === judged.best);
    results.push({ ...judged, position: at < 0 ? undefined : at + 1 });
  }
  const label = `${queries.length} judged queries`;
  report({ name: `${label}, best page first, on ${engine}`, result: percentage(shareWithin(results, 1)) });
  report({
    name: `${label}, best page in the first three, on ${engine}`,
    result: percentage(shareWithin(results, 3)),
    target: 'at least 95 %',
  });
  report(await compare(`${label} in a space, on ${engine}`, rounds, queries, inSpace, read));
  report(await compare(`${label} in an organization, on ${engine}`, rounds, queries, inOrganization, read));
  await service.stop();
}

async function compare(
  name: string,
  rounds: number,
  queries: readonly JudgedQuery[],
  search: (judged: JudgedQuery) => Promise<unknown>,
  read: (judged: JudgedQuery) => Promise<unknown>,
): Promise<Figure> {
  const times = queries.map(() => ({ searches: [] as number[], reads: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [at, judged] of queries.entries()) {
      times[at]?.reads.push(await time(() => read(judged)));
      times[at]?.searches.push(await time(() => search(judged)));
    }
  }
  const medians = times.map(({ searches }) => median(searches)).toSorted((a, b) => a - b);
  const slow = medians[Math.ceil(medians.length * 0.99) - 1] ?? Number.NaN;
  const point = median(times.flatMap(({ reads }) => reads));
  const slowest = times.findIndex(({ searches }) => median(searches) === slow);
  return {
    name,
    result: `p99 ${milliseconds(slow)} (${queries[slowest]?.query}), p50 ${milliseconds(median(medians))}`,
    baseline: `p50 ${milliseconds(point)} point read`,
    ratio: ratioOf(slow, point),
    target: 'under 10x',
  };
}

async function importSpace(
  client: Client,
  git: GitServer,
  organizationId: string,
  body: { title: string; language?: 'en' | 'de' | 'fr' | 'es' | 'ja' },
  files: Record<string, string>,
): Promise<string> {
  const { url } = await git.createRepository(files);
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body }),
  );
  const params = { path: { spaceId: id } };
  await waitForRun(
    client,
    client.POST('/v1/spaces/{spaceId}/git/import', { params, body: { url, ref: 'refs/heads/main' } }),
  );
  return id;
}

const percentage = (share: number): string => `${(share * 100).toFixed(1)} %`;
