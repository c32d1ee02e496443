/** The logo of a site, for PDFs. */
import { readBlob } from '../../../../content/store/blobs.ts';
import type { AllowedRanges } from '../../../../outgoing/addresses.ts';
import { Fetcher } from '../../../../outgoing/fetch.ts';
import { findOrganizationFile } from '../../../accounts/organization-files/queries.ts';
import type { PdfServices } from '../../../content/printing/print.ts';

/** Maximum time for fetching the logo of a site before PDFs are printed without it. */
export const LOGO_TIMEOUT_MS = 5000;
/** Maximum size of the logo of a site in PDFs. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

/**
 * Returns the bytes of a logo: of an image of the organization, or of another server. Undefined if that fails, because
 * the content of a PDF does not depend on it.
 */
export async function readLogo(
  services: PdfServices & { outgoing: { allow: AllowedRanges } },
  organization: string,
  url: string,
): Promise<Uint8Array | undefined> {
  const { database, log, resourceUrls, outgoing } = services;
  const files = resourceUrls.at(`/orgs/${organization}/files/`);
  try {
    if (url.startsWith(files)) {
      const [hash = ''] = url.slice(files.length).split('.', 1);
      const file = await findOrganizationFile(database.query, organization, hash);
      return file && file.size <= MAX_LOGO_BYTES ? await readBlob(services, organization, hash) : undefined;
    }
    await using fetcher = new Fetcher(outgoing.allow);
    const limits = {
      timeout: LOGO_TIMEOUT_MS,
      maxBytes: MAX_LOGO_BYTES,
      accept: 'image/png, image/jpeg, image/svg+xml, image/webp',
    };
    const { status, body } = await fetcher.fetch(url, limits);
    return status === 200 ? body : undefined;
  } catch (error) {
    log.warn({ err: error }, 'could not read the logo of a site');
    return undefined;
  }
}
