import type { CallerId } from '../../../identity/caller.ts';
import { isSigned, signLink } from '../../../identity/signatures.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';

/** Whom the URL of a file was issued to: a caller, or the visitors of a site. */
export type FileReader = CallerId | `${typeof SITE_PREFIX}${string}`;

const SITE_PREFIX = 'site:';

/** Returns the visitors of a site as readers of its files. */
export const visitorsOf = (site: string): FileReader => `${SITE_PREFIX}${site}`;

/** Returns the ID of the site that a reader visits; undefined for a caller. */
export const siteOfReader = (reader: string): string | undefined =>
  reader.startsWith(SITE_PREFIX) ? reader.slice(SITE_PREFIX.length) : undefined;

/** The parts of the URL of a file of a space. The content at a URL never changes. */
export interface FileLink {
  /** To whom the URL was issued. It becomes invalid when this reader may no longer read the space. */
  reader: FileReader;
  /** Space that it belongs to. The URL becomes invalid when the space is deleted. */
  space: string;
  /** Hash of the content. */
  blob: string;
  name: string;
  contentType: string;
  /** Time of expiry of the URL, in milliseconds since 1970. */
  expires: number;
}

const partsOf = ({ reader, space, blob, name, contentType, expires }: FileLink) => [
  'file of a space for a reader',
  reader,
  space,
  blob,
  name,
  contentType,
  String(expires),
];

/**
 * Returns the signed URL of a file. It requires no access token, because browsers send none for the images of a page.
 */
export function fileUrl(link: FileLink, secretKey: string, resourceUrls: ResourceUrls): string {
  const query = new URLSearchParams({
    reader: link.reader,
    type: link.contentType,
    expires: String(link.expires),
    signature: signLink(secretKey, partsOf(link)),
  });
  return resourceUrls.at(
    `/files/${link.space}/${encodeURIComponent(link.blob)}/${encodeURIComponent(link.name)}?${query}`,
  );
}

/** Returns whether the URL of a file was issued by this server and has not expired. */
export const isFileUrl = (link: FileLink, signature: string, secretKey: string, now: Date): boolean =>
  isSigned(secretKey, partsOf(link), signature) && now.getTime() < link.expires;
