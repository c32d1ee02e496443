import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Transaction } from '../database/database.ts';
import { writeJson } from '../database/json.ts';
import type { TokenScope } from '../database/schema/access-tokens.ts';
import type { MakeId } from '../database/seams.ts';

/** How every access token begins, so that a leaked one is recognised. */
export const TOKEN_PREFIX = 'colophon_';

/** Random characters of a token: 256 bits. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * What secret scanners match access tokens with. The last 6 characters are the CRC-32 of the 43 before them, in
 * base 62 with the digits 0-9A-Za-z, which {@link isWellFormedToken} verifies.
 */
export const TOKEN_PATTERN = /^colophon_[0-9A-Za-z]{49}$/;

/** A new access token: prefix, 256 random bits, checksum. It is never stored. */
function makeToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS.charAt(randomInt(DIGITS.length))).join(
    '',
  );
  return TOKEN_PREFIX + random + checksumOf(random);
}

function checksumOf(random: string): string {
  let checksum = '';
  for (let rest = crc32(random); checksum.length < CHECKSUM_LENGTH; rest = Math.floor(rest / DIGITS.length))
    checksum = DIGITS.charAt(rest % DIGITS.length) + checksum;
  return checksum;
}

/**
 * Whether a token can exist, answered without the database: one in the form that the server generates has the
 * right checksum. Any other text can be a token too: those of earlier releases have no checksum, and an operator
 * chooses the first admin's.
 */
export function isWellFormedToken(token: string): boolean {
  if (!TOKEN_PATTERN.test(token)) return true;
  const random = token.slice(TOKEN_PREFIX.length, -CHECKSUM_LENGTH);
  return token.endsWith(checksumOf(random));
}

/** What is stored of a token: its SHA-256. A random token needs neither salt nor stretching. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A new access token: its id, and the secret, which can be read this once. */
export interface CreatedToken {
  id: string;
  token: string;
}

/** Stores a new access token of a user. Who may have one, and how many, is for the caller to decide. */
export async function createToken(
  trx: Transaction,
  options: {
    user: string;
    label: string;
    now: Date;
    makeId: MakeId;
    /** What to limit it to; without scopes it has all permissions of its user. */
    scopes?: readonly TokenScope[] | undefined;
    expiresAt?: Date | undefined;
    /** The token to use instead of a random one. */
    token?: string | undefined;
  },
): Promise<CreatedToken> {
  const token = options.token ?? makeToken();
  const id = options.makeId('tok');
  await trx
    .insertInto('tokens')
    .values({
      id,
      hash: hashToken(token),
      user: options.user,
      label: options.label,
      scopes: options.scopes ? writeJson([...options.scopes]) : null,
      createdAt: options.now.toISOString(),
      expiresAt: options.expiresAt?.toISOString() ?? null,
      revokedAt: null,
      lastUsedAt: null,
    })
    .execute();
  return { id, token };
}
