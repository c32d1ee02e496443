/** Query parameters that state the origin of a visit and do not affect the content. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|mc_cid|mc_eid|msclkid|ref|referrer|source)$/i;
const INDEX = /\/index\.(?:x?html?|php)$/i;
/** The last part of a path that is a file rather than a folder. */
const FILE = /\/[^/]+\.(?:x?html?|php|aspx?|jsp|md)$/i;

/** The pages of a site that are imported together: those of one origin, at a path or below it. */
export interface Scope {
  origin: string;
  /** Without a trailing slash; '' is the whole site. */
  folder: string;
}

/** Returns the scope of a URL: the pages at or below it. A file represents its folder. */
function scopeOf(url: URL): Scope {
  const path = FILE.test(url.pathname) ? url.pathname.replace(/[^/]*$/, '') : url.pathname;
  return { origin: url.origin, folder: path.replace(/\/+$/, '') };
}

/**
 * Returns the scope of a crawl after a redirect of its first URL: the scope of the requested URL on the final origin if
 * it contains the final URL, otherwise the scope of the final URL.
 */
export function scopeAfterRedirect(requested: URL, final: URL): Scope {
  const scope = { ...scopeOf(requested), origin: final.origin };
  return isWithin(scope, final) ? scope : scopeOf(final);
}

/** Returns whether a crawl includes a URL. */
export function isWithin({ origin, folder }: Scope, url: URL): boolean {
  return url.origin === origin && (url.pathname === folder || url.pathname.startsWith(`${folder}/`));
}

/** Returns the same normalized URL for all URLs of a page that differ only in insignificant parts. */
export function normalizePageUrl(url: URL): string {
  const page = new URL(url);
  page.hash = '';
  page.pathname = page.pathname.replace(INDEX, '/');
  for (const name of [...page.searchParams.keys()]) {
    if (TRACKING.test(name)) {
      page.searchParams.delete(name);
    }
  }
  page.searchParams.sort();
  return page.href;
}

/** Returns the parts of a page's path below the folder of its scope, decoded. */
export function relativeParts({ folder }: Scope, address: string): string[] {
  const { pathname, search } = new URL(address);
  const parts = pathname
    .slice(folder.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const last = parts.pop();
  if (last === undefined) {
    return search === '' ? [] : [search.slice(1)];
  }
  return [...parts, last.replace(/\.(?:x?html?|php|aspx?|jsp|md)$/i, '') + decoded(search)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
