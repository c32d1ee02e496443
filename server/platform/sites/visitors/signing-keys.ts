import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { openSecret, sealingKey, sealSecret } from '../../../outgoing/credentials.ts';

/** Length of the keys that sign the tokens of visitors: that of the hash of HS256 (RFC 7518, section 3.2). */
const SIGNING_KEY_BYTES = 32;

/** Maximum number of opened keys in the cache of a process. */
export const MAX_CACHED_SIGNING_KEYS = 10_000;

const contextOf = (site: string) => `signing key ${site}`;

/** Creates the key that signs the tokens of the visitors of a site, sealed for storage. */
export const createSigningKey = (secretKey: string, site: string): string =>
  sealSecret(randomBytes(SIGNING_KEY_BYTES).toString('base64url'), sealingKey(secretKey), contextOf(site));

/** Opens a key sealed by {@link createSigningKey}. */
export const openSigningKey = (secretKey: string, site: SealedSigningKey): string =>
  signingKeyOpener(secretKey)(site);

/** Creates a function that opens keys sealed by {@link createSigningKey}, for many sites. Opened keys are cached. */
export function signingKeyOpener(secretKey: string): (site: SealedSigningKey) => string {
  const key = sealingKey(secretKey);
  return ({ id, signingKey }) => {
    const name = `${secretKey} ${id} ${signingKey}`;
    const opened = openedKeys.get(name) ?? openSecret(signingKey, key, contextOf(id));
    openedKeys.set(name, opened);
    return opened;
  };
}

const openedKeys = new LRUCache<string, string>({ max: MAX_CACHED_SIGNING_KEYS });

interface SealedSigningKey {
  id: string;
  signingKey: string;
}
