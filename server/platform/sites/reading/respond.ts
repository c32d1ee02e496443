/** Sends the pages of sites, with their policies. */
import type { Request, Response } from 'express';
import { preferredEncoding } from '../../../contract/response/accept.ts';
import { closeWhenStalled } from '../../../contract/response/stall.ts';
import { countResponse } from '../../kit/routes/body-memory.ts';
import { matchesTag } from '../../kit/routes/entity-tags.ts';
import { type Policy, policyText } from '../site-integrations/policy.ts';
import type { ResponseText } from './response-text.ts';
import { createNonce } from './templates/nonce.ts';

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

/** A page, which has a nonce. */
interface Page {
  status: number;
  text: ResponseText;
  /** Returns its policy, {@link pagePolicy} by default. */
  policy?: (nonce: string) => Policy;
}

/** Sends a page with a nonce, or 304 if the client has it. */
export async function sendPage(
  req: Request,
  res: Response,
  { status, text, policy = pagePolicy }: Page,
  caching: Caching,
): Promise<void> {
  setSiteHeaders(res, caching);
  // The stored page has the nonce of the policy that was sent with it, so this response has no policy.
  if (caching.isPublic && status === 200 && isStored(req, res, text)) {
    return;
  }
  const nonce = createNonce();
  res.set('Content-Security-Policy', policyText(policy(nonce)));
  await sendBody(req, res, { type: 'text/html; charset=utf-8', status, text, nonce });
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

/** Sends a text that is the same for each response, or 304 if the client has it. */
export async function sendText(
  req: Request,
  res: Response,
  { type, text }: { type: string; text: ResponseText },
  caching: Caching,
): Promise<void> {
  setSiteHeaders(res, caching);
  setTextPolicy(res);
  if (!caching.isPublic || !isStored(req, res, text)) {
    await sendBody(req, res, { type, status: 200, text });
  }
}

/** Sets the tag of a text. Sends 304 and returns true if the client has the text. */
function isStored(req: Request, res: Response, { tag }: ResponseText): boolean {
  res.set('ETag', `W/"${tag}"`);
  res.vary('Accept-Encoding');
  if (!matchesTag(req.get('If-None-Match'), `"${tag}"`)) {
    return false;
  }
  res.status(304).end();
  return true;
}

/** What a body is sent with. */
interface Body {
  type: string;
  status: number;
  text: ResponseText;
  nonce?: string;
}

/** Sends a text, compressed if the client accepts it. */
export async function sendBody(
  req: Request,
  res: Response,
  { type, status, text, nonce }: Body,
): Promise<void> {
  if (res.closed) {
    return;
  }
  countResponse(req, res, text.bytes);
  res.status(status).setHeader('Content-Type', type);
  res.vary('Accept-Encoding');
  closeWhenStalled(res);
  if (req.method === 'HEAD') {
    res.setHeader('Content-Length', text.bytes).end();
    return;
  }
  const encoding = text.bytes < MIN_COMPRESSED_BYTES ? undefined : preferredEncoding(req, ['gzip']);
  const body = encoding ? await text.gzip(nonce) : text.withNonce(nonce);
  if (encoding) {
    res.setHeader('Content-Encoding', encoding);
  }
  res.setHeader('Content-Length', body.length).end(body);
}
