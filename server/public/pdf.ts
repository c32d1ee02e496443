import { create as contentDisposition } from 'content-disposition';
import { Router } from 'express';
import { readBlob } from '../content/store/blobs.ts';
import { openContent } from '../content/store/content.ts';
import { findRevision } from '../content/store/revisions.ts';
import { Documents } from '../content/threads/documents.ts';
import type { ContentThreads } from '../content/threads/threads.ts';
import { printPdf } from '../content/transfer/pdf.ts';
import type { FileRecord } from '../content/tree/records.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../database/log.ts';
import type { Clock } from '../database/seams.ts';
import { notFound } from '../errors.ts';
import { linkExpiry } from '../identity/signatures.ts';
import { fileUrl } from '../models/files/link.ts';
import { withComputedPages } from '../models/openapi-specs/computed.ts';
import { isPdfUrl, PDF_FILE_LIFETIME_MS, type PdfLink } from '../models/pdfs/link.ts';
import type { ResourceUrls } from '../models/resource-urls.ts';

export interface PdfServices {
  database: Database;
  clock: Clock;
  log: Log;
  secretKey: string;
  resourceUrls: ResourceUrls;
  threads: ContentThreads;
}

/** Serves PDFs of revisions at their signed URLs. Each PDF is generated while it is sent. */
export function createPdfs(services: PdfServices): Router {
  const { database, clock, log, secretKey, resourceUrls, threads } = services;
  const router = Router();
  router.get('/pdf/:space/:revision', async (req, res) => {
    const { link, signature } = readLink(req.params, req.query);
    if (!isPdfUrl(link, signature, secretKey, clock())) {
      throw notFound('PDF');
    }
    const source = await readSource(services, link);
    if (!source) {
      throw notFound('PDF');
    }
    const { title, language, revision, content } = source;
    const nodes = link.page === undefined ? await content.readTree() : [await content.readPage(link.page)];
    const start = nodes.filter((node) => node !== undefined);
    if (link.page !== undefined && start.length === 0) {
      throw notFound('PDF');
    }
    const name = start.length === 1 && link.page !== undefined ? (start[0]?.record.title ?? title) : title;
    const { organization } = revision;
    const expires = linkExpiry(clock(), PDF_FILE_LIFETIME_MS);
    const from = {
      content,
      space: link.space,
      documents: new Documents(threads, organization),
      pageUrl: (page: string) => resourceUrls.page(link.space, page).app,
      fileUrl: (file: FileRecord) =>
        fileUrl({ ...file, space: link.space, expires }, secretKey, resourceUrls),
      readBytes: async ({ blob }: FileRecord) => await readBlob(database.query, organization, blob),
    };
    const headers = {
      'Content-Type': 'application/pdf',
      'Content-Disposition': contentDisposition(`${name}.pdf`, { type: 'inline' }),
      'X-Content-Type-Options': 'nosniff',
      // The URL grants access and expires.
      'Cache-Control': 'private, no-store',
    };
    res.set(headers);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const closed = new AbortController();
    res.once('close', () => closed.abort());
    try {
      const job = {
        title: name,
        ...(language !== null && { language }),
        createdAt: new Date(revision.createdAt),
        nodes: start,
        only: link.only,
        owner: organization,
        signal: closed.signal,
        failed: (error: string, subject: string) =>
          log.warn({ error, revision: revision.id }, `could not print ${subject} correctly`),
      };
      await printPdf(threads, from, job, res);
      res.end();
    } catch (error) {
      // The caller closed the connection.
      if (res.destroyed) {
        return;
      }
      if (!res.headersSent) {
        for (const header of Object.keys(headers)) {
          res.removeHeader(header);
        }
      }
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

/** Reads the revision of a link; undefined if it does not exist or its space is deleted. */
async function readSource(services: PdfServices, { space: id, revision: name }: PdfLink) {
  const { query } = services.database;
  const space = await query
    .selectFrom('spaces')
    .select(['title', 'language'])
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  const revision = space && (await findRevision(query, id, name));
  if (!revision) {
    return undefined;
  }
  const content = await openContent(query, revision);
  return { ...space, revision, content: withComputedPages(services, revision.organization, content) };
}
