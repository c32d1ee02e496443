import { randomBytes } from 'node:crypto';
import { openSecret, sealingKey, sealSecret } from '../../outgoing/credentials.ts';

/** Length of the keys that sign the tokens of visitors: that of the hash of HS256 (RFC 7518, section 3.2). */
const SIGNING_KEY_BYTES = 32;

const contextOf = (site: string) => `signing key ${site}`;

/** Creates the key that signs the tokens of the visitors of a site, sealed for storage. */
export const createSigningKey = (secretKey: string, site: string): string =>
  sealSecret(randomBytes(SIGNING_KEY_BYTES).toString('base64url'), sealingKey(secretKey), contextOf(site));

/** Opens a key sealed by {@link createSigningKey}. */
export const openSigningKey = (secretKey: string, site: { id: string; signingKey: string }): string =>
  openSecret(site.signingKey, sealingKey(secretKey), contextOf(site.id));
