import type { CallerId } from '../../../identity/caller.ts';
import { isSigned, signLink } from '../../../identity/signatures.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';

/** The parts of the URL of a PDF. Its revision never changes. */
export interface PdfLink {
  /** Caller to whom the URL was issued. It becomes invalid when this caller may no longer read the space. */
  reader: CallerId;
  space: string;
  revision: string;
  /** Page to start at; undefined for the whole revision. */
  page?: string;
  /** Whether the page is printed without its subpages. */
  only: boolean;
  /** Time of expiry of the URL, in milliseconds since 1970. */
  expires: number;
}

/** Lifetime of the URL of a PDF, in milliseconds. */
export const PDF_LIFETIME_MS = 60 * 60 * 1000;

/** Minimum lifetime of file URLs within a PDF, in milliseconds. It is long because people store PDFs. */
export const PDF_FILE_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

const partsOf = ({ reader, space, revision, page, only, expires }: PdfLink) => [
  'pdf for a reader',
  reader,
  space,
  revision,
  page ?? '',
  String(only),
  String(expires),
];

/** Returns the signed URL of a PDF, which is generated when it is fetched. It requires no access token. */
export function pdfUrl(link: PdfLink, secretKey: string, resourceUrls: ResourceUrls): string {
  const query = new URLSearchParams({
    reader: link.reader,
    ...(link.page !== undefined && { page: link.page }),
    ...(link.only && { only: 'true' }),
    expires: String(link.expires),
    signature: signLink(secretKey, partsOf(link)),
  });
  return resourceUrls.at(`/pdf/${link.space}/${link.revision}?${query}`);
}

/** Returns whether the URL of a PDF was issued by this server and has not expired. */
export const isPdfUrl = (link: PdfLink, signature: string, secretKey: string, now: Date): boolean =>
  isSigned(secretKey, partsOf(link), signature) && now.getTime() < link.expires;
