import { createClient, ok, waitForRun } from '../../../client/platform/index.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { type Amounts, amountFor, type Benchmark } from '../benchmark.ts';
import type { Child } from '../child.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { type Figure, median, milliseconds } from '../table.ts';

/** Amounts of work of a run. */
interface SiteAmounts {
  /** Pages of the site. */
  pages: number;
  /** Pages that are read for the first time. */
  coldPages: number;
  /** Pages that are read before, so that the code is compiled. */
  warmPages: number;
  /** Publications of a changed page, each followed by the first read of a page. */
  publications: number;
  /** Reads of a cached page. They include the compression of the response. */
  cachedReads: number;
}

const AMOUNTS: Amounts<SiteAmounts> = {
  full: { pages: 1300, coldPages: 200, warmPages: 300, publications: 5, cachedReads: 600 },
  tiny: { pages: 3, coldPages: 1, warmPages: 1, publications: 1, cachedReads: 2 },
};

/** Targets of the processor time of a page, and of its size without content. */
const [COLD_TARGET_MS, CACHED_TARGET_MS, FIRST_TARGET_MS, FRAME_TARGET_KB] = [15, 2, 50, 60];

/**
 * CPU of the server for a page of a large site that is read for the first time, again, and as the first one after a
 * publication, and the size of pages.
 */
export const benchmark: Benchmark = {
  description: 'CPU and size of published pages: read first, from the cache, and after a publication',
  run: async (size, report) => {
    const git = await startGitServer();
    await onEachEngine((engine) => measureOn(engine, git, amountFor(size, AMOUNTS), report));
    await git.close();
  },
};

async function measureOn(
  { engine, startService }: BenchEngine,
  git: GitServer,
  { pages, coldPages, warmPages, publications, cachedReads }: SiteAmounts,
  report: (figure: Figure) => void,
): Promise<void> {
  const service = await startService();
  const { url, publish } = await publishMany(service, git, pages);
  const sitemap = await (await fetch(`${url}/sitemap.xml`)).text();
  const addresses = [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, address = '']) => address);
  if (addresses.length !== pages) {
    throw new Error(`The site has ${addresses.length} pages instead of ${pages}.`);
  }
  const step = Math.floor(pages / (warmPages + coldPages));
  const sample = addresses.filter((_, at) => at % step === 0).slice(0, warmPages + coldPages);
  await readAll(sample.slice(0, warmPages));
  const cold = sample.slice(warmPages);
  const before = await cpuOf(service);
  const sizes = await readAll(cold);
  const coldMs = ((await cpuOf(service)) - before) / cold.length;
  const again = Array.from({ length: cachedReads }, () => cold[0] ?? url);
  await readAll(again.slice(0, cachedReads / 2));
  const beforeCached = await cpuOf(service);
  await readAll(again);
  const cachedMs = ((await cpuOf(service)) - beforeCached) / again.length;
  const firstMs: number[] = [];
  for (let at = 0; at < publications; at++) {
    await publish(at);
    const beforeFirst = await cpuOf(service);
    await readAll([cold[0] ?? url]);
    firstMs.push((await cpuOf(service)) - beforeFirst);
  }
  await service.stop();
  report(figure(`CPU of a page of ${pages}, read first, on ${engine}`, coldMs, COLD_TARGET_MS));
  report(figure(`CPU of a page of ${pages}, cached, on ${engine}`, cachedMs, CACHED_TARGET_MS));
  const first = `CPU of the first page of ${pages} after a publication, on ${engine}`;
  report(figure(first, median(firstMs), FIRST_TARGET_MS));
  report({
    name: `HTML of a page of ${pages} without its content, on ${engine}`,
    result: `median ${median(sizes).toFixed(1)} kB, maximum ${Math.max(...sizes).toFixed(1)} kB`,
    baseline: `${FRAME_TARGET_KB} kB`,
    ratio: Math.max(...sizes) / FRAME_TARGET_KB,
    target: 'under 1x',
  });
}

const figure = (name: string, ms: number, targetMs: number): Figure => ({
  name,
  result: milliseconds(ms),
  baseline: `${targetMs} ms`,
  ratio: ms / targetMs,
  target: 'at most 1x',
});

const cpuOf = async (service: Child): Promise<number> => {
  const { cpu } = await service.usage();
  return cpu / 1000;
};

/** Reads pages one after the other. Returns the sizes of their HTML without the content, in kilobytes. */
async function readAll(addresses: readonly string[]): Promise<number[]> {
  const sizes: number[] = [];
  for (const address of addresses) {
    const response = await fetch(address);
    const text = await response.text();
    if (response.status !== 200) {
      throw new Error(`${address} returned ${response.status}.`);
    }
    const frame = text.replace(/<div class="content">[\s\S]*<\/article>/, '');
    sizes.push(Buffer.byteLength(frame) / 1000);
  }
  return sizes;
}

/** Publishes the site. Returns its URL, and a function that publishes a page with another text. */
async function publishMany(
  { url, token }: Child,
  git: GitServer,
  pages: number,
): Promise<{ url: string; publish: (text: number) => Promise<void> }> {
  const client = createClient({ baseUrl: url, token });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const inOrganization = { params: { path: { organizationId } } };
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization, body: { title: 'Many' } }),
  );
  const repository = await git.createRepository(manyPages(pages));
  const params = { path: { spaceId: id } };
  const body = { url: repository.url, ref: 'refs/heads/main' };
  const importAll = async () => {
    await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  };
  await importAll();
  const site = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      ...inOrganization,
      body: { title: 'Many pages', spaces: [id] },
    }),
  );
  const published = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', {
      params: { path: { organizationId, siteId: site.id } },
    }),
  );
  return {
    url: published.urls.published ?? '',
    publish: async (text) => {
      await repository.update({ 'README.md': `# Changed\n\nText ${text}.\n` });
      await importAll();
    },
  };
}
