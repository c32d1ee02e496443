import { isSigned, signLink } from '../../identity/signatures.ts';
import type { Addresses } from '../addresses.ts';

/** The bytes of a file, as its address names them: they never change, so neither does the address. */
export interface FileLink {
  organization: string;
  /** The hash of the bytes. */
  blob: string;
  name: string;
  contentType: string;
}

const partsOf = ({ organization, blob, name, contentType }: FileLink) => [
  'file',
  organization,
  blob,
  name,
  contentType,
];

/**
 * Where the bytes of a file are, for anyone who was given the address: browsers send no access token for
 * the images of a page.
 */
export function fileAddress(link: FileLink, secretKey: string, addresses: Addresses): string {
  const query = new URLSearchParams({
    type: link.contentType,
    signature: signLink(secretKey, partsOf(link)),
  });
  return addresses.at(
    `/files/${link.organization}/${encodeURIComponent(link.blob)}/${encodeURIComponent(link.name)}?${query}`,
  );
}

/** Whether the address of a file is one that we gave out. */
export const isFileAddress = (link: FileLink, signature: string, secretKey: string): boolean =>
  isSigned(secretKey, partsOf(link), signature);
