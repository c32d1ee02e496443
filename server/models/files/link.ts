import { isSigned, signLink } from '../../identity/signatures.ts';
import type { Addresses } from '../addresses.ts';

/** The bytes of a file of a space, as its address names them. They never change. */
export interface FileLink {
  /** The space that it belongs to: the address ends with it. */
  space: string;
  /** The hash of the bytes. */
  blob: string;
  name: string;
  contentType: string;
  /** Until when the address works, in milliseconds since 1970. */
  expires: number;
}

const partsOf = ({ space, blob, name, contentType, expires }: FileLink) => [
  'file of a space',
  space,
  blob,
  name,
  contentType,
  String(expires),
];

/**
 * Where the bytes of a file are, for anyone who was given the address: browsers send no access token for
 * the images of a page.
 */
export function fileAddress(link: FileLink, secretKey: string, addresses: Addresses): string {
  const query = new URLSearchParams({
    type: link.contentType,
    expires: String(link.expires),
    signature: signLink(secretKey, partsOf(link)),
  });
  return addresses.at(
    `/files/${link.space}/${encodeURIComponent(link.blob)}/${encodeURIComponent(link.name)}?${query}`,
  );
}

/** Whether the address of a file is one that we gave out, and still works. */
export const isFileAddress = (link: FileLink, signature: string, secretKey: string, now: Date): boolean =>
  isSigned(secretKey, partsOf(link), signature) && now.getTime() < link.expires;
