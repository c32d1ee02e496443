/** Parameters that tell a site where somebody came from, and not what to show. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|mc_cid|mc_eid|msclkid|ref|referrer|source)$/i;
const INDEX = /\/index\.(?:x?html?|php)$/i;
/** The last part of a path that names a file rather than a folder. */
const FILE = /\/[^/]+\.(?:x?html?|php|aspx?|jsp|md)$/i;

/** The pages of a site that belong together: those of one origin, at a path or below it. */
export interface Scope {
  origin: string;
  /** Without a slash at its end; '' is the whole site. */
  folder: string;
}

/** The pages at or under an address. One of a file stands for the folder that the file is in. */
export function scopeOf(url: URL): Scope {
  const path = FILE.test(url.pathname) ? url.pathname.replace(/[^/]*$/, '') : url.pathname;
  return { origin: url.origin, folder: path.replace(/\/+$/, '') };
}

/**
 * The scope of a crawl whose first address led to another: what was asked for, where that is still within it,
 * else where it led.
 */
export function scopeBehind(asked: URL, found: URL): Scope {
  const scope = { ...scopeOf(asked), origin: found.origin };
  return isWithin(scope, found) ? scope : scopeOf(found);
}

export function isWithin({ origin, folder }: Scope, url: URL): boolean {
  return url.origin === origin && (url.pathname === folder || url.pathname.startsWith(`${folder}/`));
}

/** An address that is the same for all addresses of a page that differ in nothing that matters. */
export function pageAddress(url: URL): string {
  const page = new URL(url);
  page.hash = '';
  page.pathname = page.pathname.replace(INDEX, '/');
  for (const name of [...page.searchParams.keys()]) if (TRACKING.test(name)) page.searchParams.delete(name);
  page.searchParams.sort();
  return page.href;
}

/** The parts of a page's path below the folder of its scope, as a reader would say them. */
export function partsBelow({ folder }: Scope, address: string): string[] {
  const { pathname, search } = new URL(address);
  const parts = pathname
    .slice(folder.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const last = parts.pop();
  if (last === undefined) return search === '' ? [] : [search.slice(1)];
  return [...parts, last.replace(/\.(?:x?html?|php|aspx?|jsp|md)$/i, '') + decoded(search)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
