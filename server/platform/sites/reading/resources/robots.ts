/** The rules for crawlers: of a site, and of an origin with several sites. */
import type { ResourceUrls } from '../../../kit/resource-urls.ts';
import type { IndexedSite } from '../../../spaces/publications/published.ts';
import type { SiteRow } from '../../../spaces/publications/rows.ts';
import { siteBase } from '../../../spaces/publications/urls.ts';

/** Maximum number of sites in the rules of an origin. */
export const MAX_LISTED_SITES = 1000;

/** Crawlers and agents of AI services, which sites can exclude. */
const AGENTS = [
  'AI2Bot',
  'Amazonbot',
  'anthropic-ai',
  'Applebot-Extended',
  'Bytespider',
  'CCBot',
  'ChatGPT-User',
  'Claude-SearchBot',
  'Claude-User',
  'ClaudeBot',
  'cohere-ai',
  'DuckAssistBot',
  'Google-Extended',
  'GPTBot',
  'Meta-ExternalAgent',
  'Meta-ExternalFetcher',
  'MistralAI-User',
  'OAI-SearchBot',
  'Perplexity-User',
  'PerplexityBot',
];

/** Returns the rules of a site. They apply if the site is at the root of its origin. */
export const siteRobots = (site: SiteRow, url: string): string =>
  site.visibility === 'public' ? rulesOf([{ site, url }]) : 'User-agent: *\nDisallow: /\n';

/** Returns the rules of an origin with the sites of an organization. Sites behind a proxy are at another origin. */
export const originRobots = (sites: readonly IndexedSite[], urls: ResourceUrls, origin: string): string =>
  rulesOf(
    sites
      .map((site) => ({ site, url: siteBase(urls, site) }))
      .filter(({ url }) => new URL(url).origin === origin),
  );

function rulesOf(sites: readonly { site: Pick<IndexedSite, 'agentsContext'>; url: string }[]): string {
  const pathOf = (url: string) => new URL(url).pathname.replace(/\/$/, '');
  const excluded = sites.filter(({ site }) => site.agentsContext === 'excluded');
  const agents = [
    ...AGENTS.map((agent) => `User-agent: ${agent}\n`),
    ...excluded.map(({ url }) => `Disallow: ${pathOf(url)}/\n`),
    '\n',
  ];
  return [
    ...(excluded.length > 0 ? agents : []),
    'User-agent: *\n',
    ...sites.flatMap(({ url }) => [`Disallow: ${pathOf(url)}/~search\n`, `Disallow: ${pathOf(url)}/~pdf/\n`]),
    ...(sites.length === 0 ? ['Disallow:\n'] : []),
    ...sites.map(({ url }) => `\nSitemap: ${url}/sitemap.xml\n`),
  ].join('');
}
