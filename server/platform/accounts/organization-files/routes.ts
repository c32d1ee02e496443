import { Router } from 'express';
import type { FileStores } from '../../../content/store/blobs.ts';
import { notFound } from '../../../errors/errors.ts';
import { sendFile } from '../../kit/routes/send-file.ts';
import { findOrganizationFile } from './queries.ts';

/**
 * Serves the images of organizations at the URLs that contain their hash. They need no access token, because browsers
 * send none for images, and pages of other origins may show them. Scripts in images are not run.
 */
export function createOrganizationFiles(stores: FileStores): Router {
  const router = Router();
  // Express also uses this route for HEAD.
  router.get('/orgs/:organization/files/:file', async (req, res) => {
    const { organization, file } = req.params;
    const [hash = '', extension] = file.split('.');
    const row = await findOrganizationFile(stores.database.query, organization, hash);
    if (!row || row.extension !== extension) {
      throw notFound('file');
    }
    res.set('Cross-Origin-Resource-Policy', 'cross-origin');
    // The content never changes, but the file can be deleted.
    await sendFile(req, res, stores, { ...row, blob: hash, caching: 'public, max-age=3600' });
  });
  return router;
}
