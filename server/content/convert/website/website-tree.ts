import { titleFromName } from '../../repository/text.ts';
import type { ImportedPage } from '../../repository/types.ts';
import { slugify, UniqueNames } from '../../tree/slugs.ts';
import { documentPage } from '../pages.ts';
import { relativeParts, type Scope } from './website-scope.ts';

/** A page of a site. */
export interface SitePage {
  /** Normalized URL, see `normalizePageUrl`. */
  key: string;
  /** '' if it has none. */
  title: string;
  description?: string | undefined;
  markdown: string;
}

interface Node {
  name: string;
  page?: SitePage;
  children: Map<string, Node>;
}

/**
 * Arranges the pages of a site as a tree below the first page: by path, in the order of fetching. A folder without its
 * own page becomes a group.
 */
export function siteTree([start, ...rest]: readonly SitePage[], scope: Scope): ImportedPage[] {
  if (start === undefined) {
    return [];
  }
  const root: Node = { name: relativeParts(scope, start.key).at(-1) ?? '', page: start, children: new Map() };
  const home = relativeParts(scope, start.key);
  for (const page of rest) {
    const parts = relativeParts(scope, page.key);
    // All pages are descendants of the start page.
    const isWithinStart = home.length > 0 && home.every((part, at) => parts[at] === part);
    const relative = isWithinStart ? parts.slice(home.length) : parts;
    freeNodeAt(root, relative.length === 0 ? ['index'] : relative).page = page;
  }
  return [pageOf(root, new UniqueNames(), new URL(start.key).hostname, '')];
}

/** Returns the node at a path, or next to it if it has a page: `/api` and `/api.html` have the same path. */
function freeNodeAt(root: Node, parts: readonly string[]): Node {
  let node = nodeAt(root, parts);
  for (let number = 2; node.page !== undefined; number++) {
    node = nodeAt(root, [...parts.slice(0, -1), `${parts.at(-1)}-${number}`]);
  }
  return node;
}

function nodeAt(root: Node, parts: readonly string[]): Node {
  let node = root;
  for (const name of parts) {
    const next = node.children.get(name) ?? { name, children: new Map() };
    node.children.set(name, next);
    node = next;
  }
  return node;
}

function pageOf(
  { name, page, children }: Node,
  slugs: UniqueNames,
  site: string,
  parentPath: string,
): ImportedPage {
  const title = page?.title || (name === '' ? site : titleFromName(name));
  const slug = slugs.assign(slugify(name === '' ? title : name));
  const path = `${parentPath}/${name}`;
  const names = new UniqueNames();
  const pages = [...children.values()].map((node) => pageOf(node, names, site, path));
  if (page) {
    return documentPage({ ...page, title, slug, pages });
  }
  return { type: 'group', key: `group:${path}`, title, slug, path: slug, pages };
}
