import { Router } from 'express';
import { readBlob } from '../content/store/objects.ts';
import type { Database } from '../database/database.ts';
import { invisible } from '../identity/errors.ts';
import { isFileAddress } from '../models/file/link.ts';

/** Types that a browser may show in its place; everything else is offered for download. */
const SHOWN = /^(image\/(png|jpeg|gif|webp|avif|svg\+xml)|application\/pdf|video\/|audio\/)/;

/** Files of pages, at the addresses that `downloadURL` gives. What they hold never runs in our origin. */
export function createFiles(database: Database, secretKey: string): Router {
  const router = Router();
  router.get('/files/:organization/:blob/:name', async (req, res) => {
    const { organization, blob, name } = req.params;
    const { type: contentType, signature } = req.query;
    if (typeof contentType !== 'string' || typeof signature !== 'string') throw invisible('file');
    if (!isFileAddress({ organization, blob, name, contentType }, signature, secretKey))
      throw invisible('file');
    const found = await readBlob(database.query, organization, blob);
    if (!found) throw invisible('file');
    res.set({
      'Content-Type': contentType,
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    if (!SHOWN.test(contentType)) res.attachment(name).type(contentType);
    res.send(Buffer.from(found));
  });
  return router;
}
