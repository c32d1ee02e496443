import { ok } from '../../../../client/platform/index.ts';
import { importRepository, type LoadTarget, type MeasuredService } from './sources.ts';

/** Visitors who read pages at the same time. */
const VISITORS = 8;
/** Pages of the site that visitors read for the first time. */
const FIRST_READS = 400;
/** Reads of one page, which is cached after the first. */
const CACHED_READS = 2000;
/** Publications of a changed page, each followed by reads of other pages. */
const PUBLICATIONS = 3;
const READS_AFTER_PUBLICATION = 100;

/** Reads of visitors of a published site, by their row of the table. */
export const VISITOR_LOADS: Readonly<Record<string, (target: LoadTarget) => Promise<unknown>>> = {
  'the publication of 1,300 pages': publishedSite,
  'first reads of visitors': async (target) => {
    const { pages } = await publishedSite(target);
    await readAll(pages.slice(0, FIRST_READS));
  },
  'cached reads of visitors': async (target) => {
    const { pages } = await publishedSite(target);
    await readAll(Array.from({ length: Math.ceil(CACHED_READS * target.scale) }, () => pages[0] ?? ''));
  },
  'searches, feeds and unknown paths of visitors': async (target) => {
    const { url } = await publishedSite(target);
    const many = { length: Math.ceil(100 * target.scale) };
    await readAll([
      ...Array.from(many, (_, at) => `${url}/~search?q=page+${at}`),
      ...Array.from({ length: Math.ceil(many.length / 5) }, () => `${url}/llms.txt`),
      ...Array.from(many, (_, at) => `${url}/unknown-${at}`),
    ]);
  },
  'reads of visitors after publications': async (target) => {
    const { space, pages } = await publishedSite(target);
    const repository = await target.sources.repository('published');
    for (let at = 0; at < PUBLICATIONS * target.scale; at++) {
      await repository.update({ 'README.md': `# Changed\n\nText ${performance.now()}.\n` });
      await importRepository(target, 'published', space);
      await readAll(pages.slice(0, READS_AFTER_PUBLICATION));
    }
  },
};

/** A published site of one space. */
interface PublishedSite {
  space: string;
  url: string;
  /** URLs of its pages. */
  pages: readonly string[];
}

const sites = new WeakMap<MeasuredService, Promise<PublishedSite>>();

/** Publishes a site, once for each service. */
function publishedSite(target: LoadTarget): Promise<PublishedSite> {
  const site = sites.get(target.service) ?? publish(target);
  sites.set(target.service, site);
  return site;
}

async function publish(target: LoadTarget): Promise<PublishedSite> {
  const { client, organizationId } = target;
  const space = await importRepository(target, 'published');
  const { id } = await ok(
    client.POST('/v1/orgs/{organizationId}/sites', {
      params: { path: { organizationId } },
      body: { title: 'Visited', spaces: [space] },
    }),
  );
  const { urls } = await ok(
    client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', {
      params: { path: { organizationId, siteId: id } },
    }),
  );
  const url = urls.published ?? '';
  const sitemap = await (await fetch(`${url}/sitemap.xml`)).text();
  return { space, url, pages: [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, page = '']) => page) };
}

/** Reads addresses by several visitors at the same time. */
async function readAll(addresses: readonly string[]): Promise<void> {
  const rest = addresses.values();
  const visit = async () => {
    for (const address of rest) {
      await (await fetch(address)).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, visit));
}
