import type { CallerId } from '../../../../identity/caller.ts';
import { isSigned, signLink } from '../../../../identity/signatures.ts';
import type { ResourceUrls } from '../../../kit/resource-urls.ts';

/** The parts of the URL of a version of a specification. */
export interface VersionLink {
  /** Caller to whom the URL was issued. It becomes invalid when this caller may no longer read specifications. */
  reader: CallerId;
  organization: string;
  /** ID of the version, which is deleted with its specification. */
  version: string;
  /** Time of expiry of the URL, in milliseconds since 1970. */
  expires: number;
}

const partsOf = ({ reader, organization, version, expires }: VersionLink) => [
  'openapi version for a reader',
  reader,
  organization,
  version,
  String(expires),
];

/** Returns the signed URL of the text of a version. It requires no access token. */
export function versionUrl(link: VersionLink, secretKey: string, resourceUrls: ResourceUrls): string {
  const query = new URLSearchParams({
    reader: link.reader,
    expires: String(link.expires),
    signature: signLink(secretKey, partsOf(link)),
  });
  return resourceUrls.at(`/openapi/${link.organization}/versions/${link.version}?${query}`);
}

/** Returns whether the URL of a version was issued by this server and has not expired. */
export const isVersionUrl = (link: VersionLink, signature: string, secretKey: string, now: Date): boolean =>
  isSigned(secretKey, partsOf(link), signature) && now.getTime() < link.expires;

/** Returns the public URL of the latest version of a public specification. */
export const publishedUrl = (
  { organization, slug }: { organization: string; slug: string },
  resourceUrls: ResourceUrls,
): string => resourceUrls.at(`/openapi/${organization}/${slug}`);
