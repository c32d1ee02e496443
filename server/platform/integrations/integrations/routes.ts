import { Router } from 'express';
import { type ByteRange, type FileStores, findBlob, readChunks } from '../../../content/store/blobs.ts';
import { notFound } from '../../../errors/errors.ts';
import { removeHeaders, sendStored } from '../../kit/routes/ranges.ts';
import { FILE_POLICY } from '../../kit/routes/send-file.ts';
import { findAsset } from './queries.ts';

/** Headers of an image, which are removed from error responses. */
const IMAGE_HEADERS = ['Cache-Control', 'Cross-Origin-Resource-Policy'];

/**
 * Serves the images of integrations at the URLs that contain their hash. They need no access token, because browsers
 * send none for images. The images of a private integration are found only by those who know their hashes.
 */
export function createIntegrationAssets(stores: FileStores): Router {
  const { database } = stores;
  const router = Router();
  router.get('/integrations/:integration/assets/:asset', async (req, res) => {
    const { integration, asset } = req.params;
    const [hash = ''] = asset.split('.');
    const image = await findAsset(database.query, integration, hash);
    const blob = image && (await findBlob(database.query, image.organization, hash));
    if (!image || !blob) {
      throw notFound('image');
    }
    res.set({
      'Content-Security-Policy': FILE_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      // The content never changes, but the integration can be unpublished.
      'Cache-Control': 'public, max-age=3600',
    });
    const body = {
      contentType: image.contentType,
      size: blob.size,
      tag: `"${hash}"`,
      read: (range: ByteRange) => readChunks(stores, image.organization, blob, range),
    };
    try {
      await sendStored(req, res, body);
    } catch (error) {
      removeHeaders(res, IMAGE_HEADERS);
      throw error;
    }
  });
  return router;
}
