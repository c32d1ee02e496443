import { isSigned, signLink } from '../../identity/signatures.ts';
import type { Addresses } from '../addresses.ts';

/** What a PDF is printed from: a revision, which never changes. */
export interface PdfLink {
  space: string;
  revision: string;
  /** The page to start at; the whole revision where left out. */
  page?: string;
  /** Whether that page is printed alone. */
  only: boolean;
  /** Until when the address works, in milliseconds since 1970. */
  expires: number;
}

/** How long the address of a PDF works, in milliseconds. */
export const PDF_LIFETIME_MS = 60 * 60 * 1000;

/** How long the addresses of files within a PDF work at least, in milliseconds: people keep PDFs. */
export const PDF_FILE_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

const partsOf = ({ space, revision, page, only, expires }: PdfLink) => [
  'pdf',
  space,
  revision,
  page ?? '',
  String(only),
  String(expires),
];

/** Where a PDF is, for anyone who was given the address. It is printed when it is fetched. */
export function pdfAddress(link: PdfLink, secretKey: string, addresses: Addresses): string {
  const query = new URLSearchParams({
    ...(link.page !== undefined && { page: link.page }),
    ...(link.only && { only: 'true' }),
    expires: String(link.expires),
    signature: signLink(secretKey, partsOf(link)),
  });
  return addresses.at(`/pdf/${link.space}/${link.revision}?${query}`);
}

/** Whether the address of a PDF is one that we gave out, and still works. */
export const isPdfAddress = (link: PdfLink, signature: string, secretKey: string, now: Date): boolean =>
  isSigned(secretKey, partsOf(link), signature) && now.getTime() < link.expires;
