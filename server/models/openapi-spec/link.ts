import { isSigned, signLink } from '../../identity/signatures.ts';
import type { Addresses } from '../addresses.ts';

/** A version of a specification, as its address names it. */
export interface VersionLink {
  organization: string;
  /** The id of the version. */
  version: string;
}

const partsOf = ({ organization, version }: VersionLink) => ['openapi version', organization, version];

/** Where the text of a version is, for anyone who was given the address. */
export function versionAddress(link: VersionLink, secretKey: string, addresses: Addresses): string {
  const query = new URLSearchParams({ signature: signLink(secretKey, partsOf(link)) });
  return addresses.at(`/openapi/${link.organization}/versions/${link.version}?${query}`);
}

/** Whether the address of a version is one that we gave out. */
export const isVersionAddress = (link: VersionLink, signature: string, secretKey: string): boolean =>
  isSigned(secretKey, partsOf(link), signature);

/** Where the newest version of a public specification is, for everyone. */
export const publishedAddress = (
  { organization, slug }: { organization: string; slug: string },
  addresses: Addresses,
): string => addresses.at(`/openapi/${organization}/${slug}`);
