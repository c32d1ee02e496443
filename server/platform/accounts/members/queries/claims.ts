/** Tokens that state the membership of a user, for the sites of the organization. */
import { hkdfSync } from 'node:crypto';
import { SignJWT } from 'jose';

/** Lifetime of the claims that a ping returns. */
export const MEMBER_CLAIMS_LIFETIME_MS = 60 * 60 * 1000;

/** The only algorithm of these tokens, and of those of visitors. */
export const ALGORITHM = 'HS256';

/** What the tokens are signed and verified with. */
export interface ClaimsServices {
  clock: () => Date;
  secretKey: string;
}

/** Creates the token that states the membership of a user, which the sites of the organization accept. */
export async function signMemberClaims(
  { clock, secretKey }: ClaimsServices,
  { user, organization }: { user: string; organization: string },
): Promise<string> {
  const now = Math.floor(clock().getTime() / 1000);
  return await new SignJWT({})
    .setProtectedHeader({ alg: ALGORITHM })
    .setSubject(user)
    .setAudience(organization)
    .setIssuedAt(now)
    .setExpirationTime(now + MEMBER_CLAIMS_LIFETIME_MS / 1000)
    .sign(memberClaimsKey(secretKey));
}

/** No visitor token can be signed with this key: it is derived from the key of the server. */
export const memberClaimsKey = (secretKey: string) =>
  new Uint8Array(hkdfSync('sha256', secretKey, '', 'colophon member claims', 32));
