/** Site tokens: what a visitor who was admitted to a site is admitted with to the operations that read the site. */
import { hkdfSync } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from 'jose';
import { JOSEError } from 'jose/errors';
import type { Clock } from '../../../database/seams.ts';
import { linkExpiry } from '../../../identity/signatures.ts';
import { ALGORITHM } from '../../accounts/members/queries/claims.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { openSigningKey } from './signing-keys.ts';
import { isWellFormedVisitorToken } from './token-form.ts';
import { verifyToken } from './tokens.ts';

/**
 * Minimum time until a site token expires. Tokens that are issued within one such time are equal, so that programs can
 * cache what they read with one.
 */
export const MIN_SITE_TOKEN_LIFETIME_MS = 60 * 60 * 1000;

/** Type in the header of a site token (RFC 7515, section 4.1.9), which distinguishes it from other visitor tokens. */
const TOKEN_TYPE = 'site+jwt';

/** What a site token states about the visitor, and where it leads. */
export interface SiteTokenContent {
  siteSpace: string;
  siteSection?: string | undefined;
  space: string;
  /** Identifies what the site and the space show. */
  version: string;
  /** The claims that conditions use. */
  claims: Readonly<Record<string, unknown>>;
  /** Secret of the share link that admits the visitor. */
  shareKey?: string | undefined;
  /** ID of the member who is the visitor. */
  member?: string | undefined;
}

/** How a site token admits its visitor. */
export interface SiteTokenIdentity {
  claims: Readonly<Record<string, unknown>>;
  shareKey: string | undefined;
  member: string | undefined;
}

interface TokenServices {
  clock: Clock;
  secretKey: string;
}

type TokenSite = Pick<SiteRow, 'id' | 'organization' | 'signingKey'>;

/** Signs a site token. Names of its claims are those of the public client: `kind`, `site`, `siteSpace`, `claims`. */
export async function signSiteToken(
  { clock, secretKey }: TokenServices,
  site: TokenSite & Pick<SiteRow, 'visibility'>,
  { member, ...content }: SiteTokenContent,
): Promise<string> {
  const { id, organization, visibility } = site;
  return await new SignJWT({
    kind: 'site',
    organization,
    site: id,
    visibility,
    ...content,
    ...(member !== undefined && { sub: member }),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE })
    .setExpirationTime(linkExpiry(clock(), MIN_SITE_TOKEN_LIFETIME_MS) / 1000)
    .sign(keyOf(secretKey, site));
}

/** Returns the ID of the site that a site token names, which is not verified; undefined for other visitor tokens. */
export function siteNamedBy(token: string): string | undefined {
  try {
    const isSiteToken = isWellFormedVisitorToken(token) && decodeProtectedHeader(token).typ === TOKEN_TYPE;
    const { site } = isSiteToken ? decodeJwt(token) : {};
    return typeof site === 'string' ? site : undefined;
  } catch (error) {
    // Both are thrown for parts that are not objects in JSON.
    if (error instanceof JOSEError || error instanceof TypeError) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Verifies a site token for a site.
 *
 * @returns undefined if it is invalid, or was issued under another visibility of the site
 */
export async function verifySiteToken(
  { clock, secretKey }: TokenServices,
  site: TokenSite & Pick<SiteRow, 'visibility'>,
  token: string,
): Promise<SiteTokenIdentity | undefined> {
  const payload = await verifyToken(token, keyOf(secretKey, site), clock());
  return payload?.visibility === site.visibility ? identityIn(payload) : undefined;
}

/** The signature proves that {@link signSiteToken} wrote the payload. */
const identityIn = ({ claims, shareKey, sub }: JWTPayload): SiteTokenIdentity => ({
  claims: typeof claims === 'object' && claims !== null ? { ...claims } : {},
  shareKey: typeof shareKey === 'string' ? shareKey : undefined,
  member: sub,
});

/** The key of a site changes with the key that signs its visitor tokens, but no visitor token is signed with it. */
const keyOf = (secretKey: string, site: TokenSite): Uint8Array =>
  new Uint8Array(
    hkdfSync('sha256', openSigningKey(secretKey, site), '', `colophon site token ${site.id}`, 32),
  );
