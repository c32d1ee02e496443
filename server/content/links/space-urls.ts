/** Parses the URLs of spaces of the platform that organizations move from. */
import type { Address } from './address.ts';

/** A location in a space of another platform. */
export interface FormerLocation {
  /** ID of the space on that platform. */
  former: string;
  /**
   * Decoded path of a page in the space, without a leading slash; empty for the space. That of a reusable content is the
   * path of no page.
   */
  path: string;
  anchor?: string;
}

const HOST = 'app.gitbook.com';
/** Names of a user, an organization or a version before the ID of the space. */
const PREFIX = /^(?:o\/[^/]{1,128}\/|[@:][^/]{1,128}\/)?(?:s|spaces)\/([a-zA-Z0-9_-]{1,128})(?:\/(.*))?$/s;
/** The version of the content that an editor shows. */
const VERSION = /^~\/(?:changes|revisions|drafts)\/[^/]{1,128}(?:\/|$)/;

/** Parses the URL of a page or of a space, of the length of a link destination; returns undefined for all others. */
export function parseFormerUrl(text: string): FormerLocation | undefined {
  const url = URL.parse(text.trim());
  if (url?.hostname !== HOST || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return undefined;
  }
  const [, former, rest = ''] = PREFIX.exec(url.pathname.replace(/^\/+/, '')) ?? [];
  const path = rest.replace(VERSION, '').replace(/\/+$/, '');
  if (former === undefined || (path.startsWith('~') && !path.startsWith('~/reusable/'))) {
    return undefined;
  }
  const anchor = decoded(url.hash.slice(1));
  return { former, path: decoded(path), ...(anchor !== '' && { anchor }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the URLs of spaces lead to: undefined for a space or page that is unknown. Others are omitted. */
export type SpaceAddresses = ReadonlyMap<string, Address | undefined>;

/** Finds the spaces, and pages in them, that URLs of the web lead to, whether or not a reader may see them. */
export type FindSpaceAddresses = (urls: readonly string[]) => Promise<SpaceAddresses>;

/** Whether a link destination is a URL of the web. */
export const isWebUrl = (destination: string): boolean => /^\s*https?:\/\//i.test(destination);
