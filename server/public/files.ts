import { Router } from 'express';
import type { Database } from '../database/database.ts';
import type { Clock } from '../database/seams.ts';
import { notFound } from '../errors.ts';
import { callerIdOf } from '../identity/caller.ts';
import { unlessNotFound } from '../identity/errors.ts';
import { readExpiry } from '../identity/signatures.ts';
import { isFileUrl } from '../models/files/link.ts';
import { spaceFor } from '../models/spaces/queries.ts';
import { sendFile } from './send-file.ts';

/**
 * Serves files at their `downloadURL` until it expires, or the caller who received it may no longer read the space.
 * Active content in files is sandboxed.
 */
export function createFiles(
  { database, secretKey, clock }: { database: Database; secretKey: string; clock: Clock },
  { stallMs }: { stallMs?: number } = {},
): Router {
  const router = Router();
  // Express also uses this route for HEAD.
  router.get('/files/:space/:blob/:name', async (req, res) => {
    const { space, blob, name } = req.params;
    const { reader, type: contentType, expires, signature } = req.query;
    if (typeof reader !== 'string' || typeof contentType !== 'string' || typeof signature !== 'string') {
      throw notFound('file');
    }
    // The signature states that this caller was authenticated.
    const caller = callerIdOf(reader);
    const [link, now] = [
      { reader: caller, space, blob, name, contentType, expires: readExpiry(expires) },
      clock(),
    ];
    if (!isFileUrl(link, signature, secretKey, now)) {
      throw notFound('file');
    }
    const readable = await unlessNotFound(spaceFor(database.query, caller, space, 'view'));
    if (!readable) {
      throw notFound('file');
    }
    const { organization } = readable.row;
    // The content never changes, but must not be cached longer than the URL is valid.
    const caching = `private, max-age=${Math.floor((link.expires - now.getTime()) / 1000)}, immutable`;
    await sendFile(req, res, database.query, { ...link, organization, caching }, stallMs);
  });
  return router;
}
