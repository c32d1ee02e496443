import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { ShareLinksTable } from '../../../../database/schema/sites/sites.ts';
import { hashToken } from '../../../../identity/tokens.ts';
import { openSecret, sealingKey, sealSecret } from '../../../../outgoing/credentials.ts';

const SECRET_BYTES = 32;

/** Creates the secret of a share link: sealed, so that its URL can be read again, and its hash, to find it by. */
export function createShareSecret(
  secretKey: string,
  id: string,
): Pick<ShareLinksTable, 'secret' | 'secretHash'> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return {
    secret: sealSecret(secret, sealingKey(secretKey), contextOf(id)),
    secretHash: hashToken(secret),
  };
}

/** Returns the secret of a share link. */
export const openShareSecret = (
  secretKey: string,
  { id, secret }: Pick<Selectable<ShareLinksTable>, 'id' | 'secret'>,
): string => openSecret(secret, sealingKey(secretKey), contextOf(id));

const contextOf = (id: string) => `share link ${id}`;
