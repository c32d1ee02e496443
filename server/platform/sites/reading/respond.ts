/** Sends the pages of sites, with their policies. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { preferredEncoding } from '../../../contract/response/accept.ts';
import { closeWhenStalled } from '../../../contract/response/stall.ts';
import { countResponse } from '../../kit/routes/body-memory.ts';
import { matchesTag } from '../../kit/routes/entity-tags.ts';
import { type Policy, policyText } from '../site-integrations/policy.ts';
import { createNonce, NONCE } from './templates/nonce.ts';

const compressors = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 4 }),
};
/** Minimum size of a body for compression to save time. */
const MIN_COMPRESSED_BYTES = 1400;

/** How a response may be cached. */
export interface Caching {
  /** Whether all visitors receive the same response. */
  isPublic: boolean;
  /** Whether search engines may index it. */
  isIndexed: boolean;
}

/**
 * Returns the policy of a page: only scripts and styles with the nonce of the response apply. Of this site, frames show
 * only blocks of integrations: all other pages forbid it, and files have no origin.
 */
export const pagePolicy = (nonce: string): Policy =>
  new Map([
    ['default-src', ["'none'"]],
    ['script-src', [`'nonce-${nonce}'`]],
    ['style-src', [`'nonce-${nonce}'`]],
    ['img-src', ["'self'", 'https:', 'data:']],
    ['media-src', ["'self'", 'https:']],
    ['font-src', ["'self'"]],
    ['connect-src', ["'self'"]],
    ['frame-src', ["'self'"]],
    ['form-action', ["'self'"]],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
  ]);

/** Sets the headers of every response of a site. */
export function setSiteHeaders(res: Response, { isPublic, isIndexed }: Caching): void {
  res.set({
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': isPublic ? 'strict-origin-when-cross-origin' : 'same-origin',
    // Publishing takes effect immediately, so each use is revalidated.
    'Cache-Control': isPublic ? 'public, no-cache' : 'private, no-store',
  });
  if (!isPublic) {
    res.vary('Cookie');
    res.vary('Authorization');
  }
  if (!isIndexed) {
    res.set('X-Robots-Tag', 'noindex');
  }
}

/** A page with the nonce of all pages, which the nonce of the response replaces. */
interface Page {
  status: number;
  html: string;
  /** Entity tag, without quotes. */
  tag: string;
  /** Returns its policy, {@link pagePolicy} by default. */
  policy?: (nonce: string) => Policy;
}

/** Sends a page with a nonce, or 304 if the client has it. */
export async function sendPage(
  req: Request,
  res: Response,
  { status, html, tag, policy = pagePolicy }: Page,
  caching: Caching,
): Promise<void> {
  setSiteHeaders(res, caching);
  if (caching.isPublic && status === 200) {
    res.set('ETag', `W/"${tag}"`);
    res.vary('Accept-Encoding');
    // The stored page has the nonce of the policy that was sent with it, so this response has no policy.
    if (matchesTag(req.get('If-None-Match'), `"${tag}"`)) {
      res.status(304).end();
      return;
    }
  }
  const nonce = createNonce();
  res.set('Content-Security-Policy', policyText(policy(nonce)));
  await sendBody(req, res, 'text/html; charset=utf-8', html.replaceAll(NONCE.text, nonce), status);
}

/** Redirects. Browsers revalidate permanent redirects, too, because the structure of a site can change again. */
export function redirect(res: Response, status: number, location: string, caching: Caching): void {
  setSiteHeaders(res, caching);
  res.status(status).set('Location', location).end();
}

/** Sets the policy of a text, which is not a document of the site. */
export function setTextPolicy(res: Response): void {
  res.set('Content-Security-Policy', "default-src 'none'; sandbox");
}

/** Sends a text that is the same for each response. */
export async function sendText(
  req: Request,
  res: Response,
  { type, text }: { type: string; text: string },
  caching: Caching,
): Promise<void> {
  setSiteHeaders(res, caching);
  setTextPolicy(res);
  if (caching.isPublic) {
    const tag = hash('sha256', text, 'base64url');
    res.set('ETag', `W/"${tag}"`);
    if (matchesTag(req.get('If-None-Match'), `"${tag}"`)) {
      res.status(304).end();
      return;
    }
  }
  await sendBody(req, res, type, text, 200);
}

/** Sends a text, compressed if the client accepts it. */
export async function sendBody(
  req: Request,
  res: Response,
  type: string,
  text: string,
  status: number,
): Promise<void> {
  if (res.closed) {
    return;
  }
  const body = Buffer.from(text);
  countResponse(req, res, body.length);
  res.status(status).setHeader('Content-Type', type);
  res.vary('Accept-Encoding');
  closeWhenStalled(res);
  const encoding = body.length < MIN_COMPRESSED_BYTES ? undefined : preferredEncoding(req);
  if (req.method === 'HEAD' || encoding === undefined) {
    res.setHeader('Content-Length', body.length);
    res.end(req.method === 'HEAD' ? undefined : body);
    return;
  }
  const encoded = await compressors[encoding](body);
  res.setHeader('Content-Encoding', encoding);
  res.setHeader('Content-Length', encoded.length);
  res.end(encoded);
}
