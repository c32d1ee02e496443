import { type Response, Router } from 'express';
import type { Database } from '../database/database.ts';
import { invisible } from '../identity/errors.ts';
import { isVersionAddress } from '../models/openapi-spec/link.ts';
import { specsOf } from '../models/openapi-spec/queries.ts';

/**
 * The texts of OpenAPI specifications: the newest one of a public specification for everyone, and any version
 * for whoever was given its address.
 */
export function createOpenAPISpecs(database: Database, secretKey: string): Router {
  const router = Router();

  const send = async (res: Response, organization: string, version: string, caching: string) => {
    const row = await database.query
      .selectFrom('openAPISpecVersions')
      .select(['format', 'text'])
      .where('id', '=', version)
      .where('organization', '=', organization)
      .executeTakeFirst();
    if (!row) throw invisible('version of an OpenAPI specification');
    res.set({
      // YAML: RFC 9512.
      'Content-Type': row.format === 'json' ? 'application/json' : 'application/yaml; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': caching,
    });
    res.send(row.text);
  };

  router.get('/openapi/:organization/:slug', async (req, res) => {
    const { organization, slug } = req.params;
    const spec = await specsOf(database.query, organization)
      .where('slug', '=', slug)
      .where('visibility', '=', 'public')
      .executeTakeFirst();
    if (!spec?.lastVersion) throw invisible('public OpenAPI specification');
    await send(res, organization, spec.lastVersion, 'public, max-age=60');
  });

  router.get('/openapi/:organization/versions/:version', async (req, res) => {
    const { organization, version } = req.params;
    const { signature } = req.query;
    if (typeof signature !== 'string' || !isVersionAddress({ organization, version }, signature, secretKey))
      throw invisible('version of an OpenAPI specification');
    // A version never changes, but it goes with its specification.
    await send(res, organization, version, 'private, max-age=3600');
  });
  return router;
}
