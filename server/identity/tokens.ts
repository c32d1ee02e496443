import { createHash, randomBytes } from 'node:crypto';
import type { Transaction } from '../database/database.ts';
import type { MakeId } from '../database/seams.ts';

/** How every access token begins, so that a leaked one is recognised. */
const PREFIX = 'colophon_';

/** A new access token: opaque, random (256 bits), with a recognisable prefix. It is never stored. */
const makeToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** What is stored of a token: its SHA-256. A random token needs neither salt nor stretching. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Creates an access token of a user and answers it: the only time that it can be read. */
export async function createToken(
  trx: Transaction,
  options: {
    user: string;
    label: string;
    now: Date;
    makeId: MakeId;
    expiresAt?: Date | undefined;
    /** The token to use instead of a random one. */
    token?: string | undefined;
  },
): Promise<string> {
  const token = options.token ?? makeToken();
  await trx
    .insertInto('tokens')
    .values({
      id: options.makeId('tok'),
      hash: hashToken(token),
      user: options.user,
      label: options.label,
      createdAt: options.now.toISOString(),
      expiresAt: options.expiresAt?.toISOString() ?? null,
      revokedAt: null,
      lastUsedAt: null,
    })
    .execute();
  return token;
}
