import { create as contentDisposition } from 'content-disposition';
import { type Request, type Response, Router } from 'express';
import { type ByteRange, readChunks } from '../../../content/store/blobs.ts';
import { notFound } from '../../../errors/errors.ts';
import { callerIdOf } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { readExpiry } from '../../../identity/signatures.ts';
import { removeHeaders, sendStored } from '../../kit/routes/ranges.ts';
import { sendChunks } from '../../kit/routes/send-chunks.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { isPdfUrl, type PdfLink } from './link.ts';
import {
  callerView,
  findCachedPdf,
  findPdfSource,
  type PdfSelection,
  type PdfServices,
  type PrintedView,
  pdfKey,
  printAndCache,
} from './print.ts';
import { SharedPrints } from './shared-prints.ts';

const PDF_TYPE = 'application/pdf';

/** Headers of a PDF, which are removed from error responses. */
const PDF_HEADERS = ['Cache-Control', 'Content-Disposition', 'Content-Type'];

/** Sends PDFs. A PDF is printed once and cached; it is sent while it is printed, which ends when no client receives it. */
export class PdfSender {
  readonly #services: PdfServices;
  readonly #prints: SharedPrints;

  constructor(services: PdfServices & { outgoing: { folder: string } }) {
    this.#services = services;
    this.#prints = new SharedPrints(services.outgoing.folder);
  }

  /**
   * Sends the PDF of a selection.
   *
   * @param view how its reader sees it
   * @throws ContractError 404 if the selection does not exist
   */
  async send(req: Request, res: Response, selection: PdfSelection, view: PrintedView): Promise<void> {
    const services = this.#services;
    const source = await findPdfSource(services, selection);
    if (!source) {
      throw notFound('PDF');
    }
    const { organization, title } = source;
    const key = await pdfKey(services, selection, source, view);
    const cached = await findCachedPdf(services, source, key);
    res.set({
      'Content-Disposition': contentDisposition(`${title}.pdf`, { type: 'inline' }),
      'X-Content-Type-Options': 'nosniff',
      // Access can end, and pages from OpenAPI specifications change.
      'Cache-Control': 'private, no-cache',
    });
    try {
      if (cached) {
        const read = (range: ByteRange) => readChunks(services, organization, cached, range);
        const { size, content } = cached;
        await sendStored(req, res, { contentType: PDF_TYPE, size, tag: `"${content}"`, read });
        return;
      }
      res.setHeader('Content-Type', PDF_TYPE);
      if (req.method === 'HEAD') {
        res.end();
        return;
      }
      const closed = new AbortController();
      res.once('close', () => closed.abort());
      const parts = this.#prints.read(
        key,
        (output) => printAndCache(services, selection, source, { key, view }, output),
        closed.signal,
      );
      await sendChunks(res, parts);
    } catch (error) {
      removeHeaders(res, PDF_HEADERS);
      throw error;
    }
  }
}

/**
 * Serves PDFs of revisions at their signed URLs, until they expire or the caller who received them may no longer read
 * the space.
 */
export function createPdfs(services: PdfServices, pdfs: PdfSender): Router {
  const { clock, database, secretKey } = services;
  const router = Router();
  // Express also uses this route for HEAD.
  router.get('/pdf/:space/:revision', async (req, res) => {
    const { link, signature } = readLink(req.params, req.query);
    const space =
      isPdfUrl(link, signature, secretKey, clock()) &&
      (await unlessNotFound(spaceFor(database.query, link.reader, link.space, 'view')));
    if (!space) {
      throw notFound('PDF');
    }
    await pdfs.send(req, res, link, callerView(services, link, space.row.organization));
  });
  return router;
}

/** Parses the parameters of a signed URL, without verifying the signature. */
function readLink(
  { space, revision }: { space: string; revision: string },
  query: Record<string, unknown>,
): { link: PdfLink; signature: string } {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
  const page = text('page');
  const link = {
    // The signature states that this caller was authenticated.
    reader: callerIdOf(text('reader')),
    space,
    revision,
    only: text('only') === 'true',
    expires: readExpiry(text('expires')),
    ...(page !== '' && { page }),
  };
  return { link, signature: text('signature') };
}
