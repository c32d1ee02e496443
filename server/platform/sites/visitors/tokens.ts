import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeJwt, type JWTPayload, jwtVerify } from 'jose';
import { JOSEError } from 'jose/errors';
import { ALGORITHM, type ClaimsServices, memberClaimsKey } from '../../accounts/members/queries/claims.ts';
import { isWellFormedVisitorToken } from './token-form.ts';

/** Maximum time until a visitor token expires. */
export const MAX_VISITOR_TOKEN_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Maximum difference between the clocks of the server and of the issuer of a visitor token. */
export const CLOCK_SKEW_MS = 60 * 1000;

/** What a visitor token must fulfil to be valid for a site. */
export interface TokenRules {
  /** Keys. One of them signed the token. */
  keys: readonly string[];
  /** Accepted values of a token's audience (`aud`), if it has one. Undefined if the audience is not compared. */
  audiences: readonly string[] | undefined;
}

/**
 * Verifies a visitor token, and returns its claims.
 *
 * @returns undefined if the token is invalid; the cause is not reported to visitors
 */
export async function verifyVisitorToken(
  { clock }: Pick<ClaimsServices, 'clock'>,
  { keys, audiences }: TokenRules,
  token: string,
): Promise<JWTPayload | undefined> {
  for (const key of keys) {
    const payload = await verifyToken(token, new TextEncoder().encode(key), clock());
    if (payload) {
      return isForAudience(payload, audiences) ? payload : undefined;
    }
  }
  return undefined;
}

/**
 * Creates a function that returns whether a token can be valid for a site, to limit the expensive
 * {@link verifyVisitorToken} to few sites: by the audiences, and then by the signature.
 */
export function createTokenFilter(token: string): (rules: TokenRules) => boolean {
  const payload = unverifiedPayload(token);
  if (!payload) {
    return () => false;
  }
  const end = token.lastIndexOf('.');
  const signed = Buffer.from(token.slice(0, end));
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const isSignedWith = (key: string): boolean => {
    const expected = createHmac('sha256', key).update(signed).digest();
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  };
  return ({ keys, audiences }) => isForAudience(payload, audiences) && keys.some(isSignedWith);
}

function unverifiedPayload(token: string): JWTPayload | undefined {
  try {
    return isWellFormedVisitorToken(token) ? decodeJwt(token) : undefined;
  } catch (error) {
    if (error instanceof JOSEError) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Verifies a token of {@link signMemberClaims} for an organization.
 *
 * @returns the ID of the user, who may no longer be a member; undefined if the token is invalid
 */
export async function verifyMemberClaims(
  { clock, secretKey }: ClaimsServices,
  organization: string,
  token: string,
): Promise<string | undefined> {
  const payload = await verifyToken(token, memberClaimsKey(secretKey), clock());
  return payload?.aud === organization ? payload.sub : undefined;
}

/** Verifies the signature and the times of a token. Returns undefined if it is invalid. */
export async function verifyToken(
  token: string,
  key: Uint8Array,
  now: Date,
): Promise<JWTPayload | undefined> {
  if (!isWellFormedVisitorToken(token)) {
    return undefined;
  }
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      currentDate: now,
      clockTolerance: CLOCK_SKEW_MS / 1000,
      requiredClaims: ['exp'],
    });
    return areTimesValid(payload, now.getTime()) ? payload : undefined;
  } catch (error) {
    if (error instanceof JOSEError) {
      return undefined;
    }
    throw error;
  }
}

/** The tolerance of the clock applies to the times of issue and of the start, not to the expiry. */
function areTimesValid({ exp = 0, iat = 0 }: JWTPayload, now: number): boolean {
  return (
    exp * 1000 > now && exp * 1000 <= now + MAX_VISITOR_TOKEN_LIFETIME_MS && iat * 1000 <= now + CLOCK_SKEW_MS
  );
}

/** Audiences are not checked before: those of a token may have any type. */
function isForAudience({ aud }: { aud?: unknown }, audiences: readonly string[] | undefined): boolean {
  return (
    aud === undefined ||
    audiences === undefined ||
    [aud]
      .flat()
      .some((audience) => typeof audience === 'string' && audiences.includes(audience.replace(/\/$/, '')))
  );
}
