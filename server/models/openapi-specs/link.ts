import { isSigned, signLink } from '../../identity/signatures.ts';
import type { Addresses } from '../addresses.ts';

/** A version of a specification, as its address names it. */
export interface VersionLink {
  organization: string;
  /** The id of the version, which goes with its specification. */
  version: string;
  /** Until when the address works, in milliseconds since 1970. */
  expires: number;
}

const partsOf = ({ organization, version, expires }: VersionLink) => [
  'openapi version',
  organization,
  version,
  String(expires),
];

/** Where the text of a version is, for anyone who was given the address. */
export function versionAddress(link: VersionLink, secretKey: string, addresses: Addresses): string {
  const query = new URLSearchParams({
    expires: String(link.expires),
    signature: signLink(secretKey, partsOf(link)),
  });
  return addresses.at(`/openapi/${link.organization}/versions/${link.version}?${query}`);
}

/** Whether the address of a version is one that we gave out, and still works. */
export const isVersionAddress = (
  link: VersionLink,
  signature: string,
  secretKey: string,
  now: Date,
): boolean => isSigned(secretKey, partsOf(link), signature) && now.getTime() < link.expires;

/** Where the newest version of a public specification is, for everyone. */
export const publishedAddress = (
  { organization, slug }: { organization: string; slug: string },
  addresses: Addresses,
): string => addresses.at(`/openapi/${organization}/${slug}`);
