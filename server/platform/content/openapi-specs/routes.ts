import { type Request, type Response, Router } from 'express';
import { closeWhenStalled } from '../../../contract/response/stall.ts';
import type { Database } from '../../../database/database.ts';
import type { Clock } from '../../../database/seams.ts';
import { notFound } from '../../../errors/errors.ts';
import { callerIdOf } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { readExpiry } from '../../../identity/signatures.ts';
import { countResponse } from '../../kit/routes/body-memory.ts';
import { isVersionUrl } from './present/link.ts';
import { findVersionFormat, readVersionText, requireSpecPermission, specMember, specsOf } from './queries.ts';

/**
 * Serves OpenAPI specifications: the latest version of a public specification, and any version at its signed URL until
 * it expires or the caller who received it may no longer read specifications.
 */
export function createOpenAPISpecs({
  database,
  secretKey,
  clock,
}: {
  database: Database;
  secretKey: string;
  clock: Clock;
}): Router {
  const router = Router();

  const send = async (
    req: Request,
    res: Response,
    organization: string,
    version: string,
    caching: string,
  ) => {
    const format = await findVersionFormat(database.query, { organization, version });
    const text = format && (await readVersionText(database.query, version, 'text'));
    if (!text) {
      throw notFound('version of an OpenAPI specification');
    }
    if (res.closed) {
      return;
    }
    // Callers are not authenticated, and specifications are large.
    countResponse(req, res, text.length);
    closeWhenStalled(res);
    res.set({
      // YAML: RFC 9512.
      'Content-Type': format === 'json' ? 'application/json' : 'application/yaml; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': caching,
    });
    res.send(text);
  };

  router.get('/openapi/:organization/:slug', async (req, res) => {
    const { organization, slug } = req.params;
    const spec = await specsOf(database.query, organization)
      .where('slug', '=', slug)
      .where('visibility', '=', 'public')
      .executeTakeFirst();
    if (!spec?.lastVersion) {
      throw notFound('public OpenAPI specification');
    }
    await send(req, res, organization, spec.lastVersion, 'public, max-age=60');
  });

  router.get('/openapi/:organization/versions/:version', async (req, res) => {
    const { organization, version } = req.params;
    const { reader, expires, signature } = req.query;
    if (typeof reader !== 'string' || typeof signature !== 'string') {
      throw notFound('version of an OpenAPI specification');
    }
    // The signature states that this caller was authenticated.
    const caller = callerIdOf(reader);
    const [link, now] = [{ reader: caller, organization, version, expires: readExpiry(expires) }, clock()];
    const member =
      isVersionUrl(link, signature, secretKey, now) &&
      (await unlessNotFound(specMember(database.query, caller, organization)));
    if (!member) {
      throw notFound('version of an OpenAPI specification');
    }
    requireSpecPermission(member, 'view');
    // A version never changes, but it can be deleted with its specification, and its URL expires.
    const seconds = Math.min(3600, Math.floor((link.expires - now.getTime()) / 1000));
    await send(req, res, organization, version, `private, max-age=${seconds}`);
  });
  return router;
}
