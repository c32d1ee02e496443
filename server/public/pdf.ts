import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import { type ByteRange, readChunks } from '../content/store/blobs.ts';
import { notFound } from '../errors.ts';
import { isPdfUrl, type PdfLink } from '../models/pdfs/link.ts';
import {
  findCachedPdf,
  findPdfSource,
  type PdfServices,
  pdfKey,
  printAndCache,
} from '../models/pdfs/print.ts';
import { SharedPrints } from '../models/pdfs/shared-prints.ts';
import { removeHeaders, sendStored } from './ranges.ts';
import { sendChunks } from './send-chunks.ts';

const PDF_TYPE = 'application/pdf';

/** Headers of a PDF, which are removed from error responses. */
const PDF_HEADERS = ['Cache-Control', 'Content-Disposition', 'Content-Type'];

/**
 * Serves PDFs of revisions at their signed URLs. A PDF is printed once and cached; it is sent while it is printed,
 * which ends when no client receives it.
 */
export function createPdfs(services: PdfServices & { outgoing: { folder: string } }): Router {
  const { database, clock, secretKey, outgoing } = services;
  const prints = new SharedPrints(outgoing.folder);
  const router = Router();
  // Express also uses this route for HEAD.
  router.get('/pdf/:space/:revision', async (req, res) => {
    const { link, signature } = readLink(req.params, req.query);
    if (!isPdfUrl(link, signature, secretKey, clock())) {
      throw notFound('PDF');
    }
    const source = await findPdfSource(services, link);
    if (!source) {
      throw notFound('PDF');
    }
    const { organization, title } = source;
    const key = await pdfKey(services, link, source);
    const cached = await findCachedPdf(services, source, key);
    res.set({
      'Content-Disposition': contentDisposition(`${title}.pdf`, { type: 'inline' }),
      'X-Content-Type-Options': 'nosniff',
      // The URL grants access and expires, and pages from OpenAPI specifications change.
      'Cache-Control': 'private, no-cache',
    });
    try {
      if (cached) {
        const read = (range: ByteRange) => readChunks(database.query, organization, cached, range);
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
      const parts = prints.read(
        key,
        (output) => printAndCache(services, link, source, key, output),
        closed.signal,
      );
      await sendChunks(res, parts);
    } catch (error) {
      removeHeaders(res, PDF_HEADERS);
      throw error;
    }
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
    space,
    revision,
    only: text('only') === 'true',
    expires: Number(text('expires')),
    ...(page !== '' && { page }),
  };
  return { link, signature: text('signature') };
}
