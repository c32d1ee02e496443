import { Router } from 'express';
import type { FileStores } from '../../../content/store/blobs.ts';
import type { Clock } from '../../../database/seams.ts';
import { notFound } from '../../../errors/errors.ts';
import { callerIdOf } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { readExpiry } from '../../../identity/signatures.ts';
import { sendFile } from '../../kit/routes/send-file.ts';
import { organizationOfShown } from '../../spaces/publications/published.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { isFileUrl, siteOfReader, visitorsOf } from './link.ts';

/**
 * Serves files at their `downloadURL` until it expires, or the caller who received it may no longer read the space.
 * Active content in files is sandboxed.
 */
export function createFiles(
  services: FileStores & { secretKey: string; clock: Clock },
  { stallMs }: { stallMs?: number } = {},
): Router {
  const { database, secretKey, clock } = services;
  const router = Router();
  // Express also uses this route for HEAD.
  router.get('/files/:space/:blob/:name', async (req, res) => {
    const { space, blob, name } = req.params;
    const { reader, type: contentType, expires, signature } = req.query;
    if (typeof reader !== 'string' || typeof contentType !== 'string' || typeof signature !== 'string') {
      throw notFound('file');
    }
    const site = siteOfReader(reader);
    const [link, now] = [
      {
        // The signature states that this caller was authenticated, or that the site showed the space.
        reader: site === undefined ? callerIdOf(reader) : visitorsOf(site),
        space,
        blob,
        name,
        contentType,
        expires: readExpiry(expires),
      },
      clock(),
    ];
    if (!isFileUrl(link, signature, secretKey, now)) {
      throw notFound('file');
    }
    const organization =
      site === undefined
        ? (await unlessNotFound(spaceFor(database.query, callerIdOf(reader), space, 'view')))?.row
            .organization
        : await organizationOfShown(database.query, site, space);
    if (organization === undefined) {
      throw notFound('file');
    }
    // The content never changes, but must not be cached longer than the URL is valid.
    const caching = `private, max-age=${Math.floor((link.expires - now.getTime()) / 1000)}, immutable`;
    await sendFile(req, res, services, { ...link, organization, caching }, stallMs);
  });
  return router;
}
