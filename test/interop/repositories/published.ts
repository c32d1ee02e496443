/** Reads the published pages of a site as a browser does: their anchors, their links, and what was not replaced. */

/** A published page. */
export interface PublishedPage {
  url: string;
  status: number;
  ids: ReadonlySet<string>;
  /** Addresses of links in the content. */
  links: readonly string[];
  /** Tags and notes of the source that the content shows as text. */
  leftovers: readonly string[];
  /** Number of notes. */
  notes: number;
}

const START = '<div class="content">';
const LEFTOVER = /\{%\s*include\b[^%]*%\}|\{\{\s*#\w*include\b[^}]*\}\}|\[\^[^\]\s]+\]|\{#[\w-]+\}/g;

/** Reads a page. */
export async function readPublished(url: string): Promise<PublishedPage> {
  const response = await fetch(url);
  const html = await response.text();
  const from = html.indexOf(START);
  const content = from < 0 ? '' : html.slice(from, html.indexOf('</article>', from));
  const text = content.replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, '');
  return {
    url,
    status: response.status,
    ids: new Set(attributesOf(html, / id="([^"]*)"/g)),
    links: attributesOf(content, /<a\b[^>]*? href="([^"]*)"/g),
    leftovers: text.match(LEFTOVER) ?? [],
    notes: content.split('<aside class="note"').length - 1,
  };
}

const attributesOf = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, value = '']) =>
    value.replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
  );

/** A link to a missing page or anchor. */
export interface DeadLink {
  /** The link, for people. */
  text: string;
  /** URL of the page; undefined if no page has it. */
  target: string | undefined;
  anchor: string;
}

/** Results of following the links between published pages. */
export interface FollowedLinks {
  pages: number;
  anchors: number;
  dead: DeadLink[];
}

/** Follows the links of pages to pages of the same site. The first page is its home. */
export function followLinks(pages: readonly PublishedPage[], site: string): FollowedLinks {
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const [home] = pages;
  if (home) {
    byUrl.set(site, home);
  }
  const withoutSite = (address: string) => address.replace(site, '') || '/';
  const result: FollowedLinks = { pages: 0, anchors: 0, dead: [] };
  for (const page of pages) {
    for (const link of page.links) {
      const url = new URL(link, `${site}/`);
      const anchor = decodeURIComponent(url.hash.slice(1));
      url.hash = '';
      const target = link.startsWith('#') ? page : byUrl.get(url.href.replace(/\/$/, ''));
      if (!target && !url.href.startsWith(`${site}/`)) {
        continue;
      }
      if (anchor === '') {
        result.pages++;
      } else {
        result.anchors++;
      }
      // Files of a site are not pages.
      const isFile = /\/~|\/files\//.test(url.pathname);
      if (!isFile && (target?.status !== 200 || (anchor !== '' && !target.ids.has(anchor)))) {
        result.dead.push({
          text: `${withoutSite(page.url)} -> ${withoutSite(url.href)}#${anchor}`,
          target: target?.url,
          anchor,
        });
      }
    }
  }
  return result;
}
