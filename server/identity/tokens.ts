import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Selectable } from 'kysely';
import type { Transaction } from '../database/database.ts';
import { writeJson } from '../database/json.ts';
import type { TokenScope, TokensTable } from '../database/schema/accounts/access-tokens.ts';
import type { CreateId } from '../database/seams.ts';

/** Prefix of every access token, so that leaked tokens are recognized. */
const TOKEN_PREFIX = 'colophon_';

/** Number of random characters of a token (256 bits). */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Pattern of access tokens for secret scanners. The last 6 characters are the CRC-32 of the 43 before them, in
 * base 62 with the digits 0-9A-Za-z, which {@link isWellFormedToken} verifies.
 */
export const TOKEN_PATTERN = /^colophon_[0-9A-Za-z]{49}$/;

/** Returns a new access token of prefix, 256 random bits and checksum. It is never stored. */
function randomToken(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => DIGITS.charAt(randomInt(DIGITS.length))).join(
    '',
  );
  return TOKEN_PREFIX + random + checksumOf(random);
}

function checksumOf(random: string): string {
  let checksum = '';
  for (let rest = crc32(random); checksum.length < CHECKSUM_LENGTH; rest = Math.floor(rest / DIGITS.length)) {
    checksum = DIGITS.charAt(rest % DIGITS.length) + checksum;
  }
  return checksum;
}

/**
 * Returns whether a token can exist, without reading the database: a token in the format that the server generates
 * must have a valid checksum. Any other text can be a token too, because an operator can choose the token of the
 * first admin.
 */
export function isWellFormedToken(token: string): boolean {
  if (!TOKEN_PATTERN.test(token)) {
    return true;
  }
  const random = token.slice(TOKEN_PREFIX.length, -CHECKSUM_LENGTH);
  return token.endsWith(checksumOf(random));
}

/** Returns the SHA-256 of a token, which is stored instead of it. A random token needs neither salt nor stretching. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A new access token: its row, and the secret, which cannot be retrieved again. */
export interface CreatedToken {
  row: Selectable<TokensTable>;
  token: string;
}

/** Creates and stores an access token of a user. Does not check permissions or the maximum number of tokens. */
export async function createToken(
  trx: Transaction,
  options: {
    user: string;
    label: string;
    now: Date;
    createId: CreateId;
    /** Scopes to limit it to. By default it has all permissions of its user. */
    scopes?: readonly TokenScope[] | undefined;
    expiresAt?: Date | undefined;
    /** The token to use instead of a random one. */
    token?: string | undefined;
  },
): Promise<CreatedToken> {
  const token = options.token ?? randomToken();
  const row: Selectable<TokensTable> = {
    id: options.createId('tok'),
    hash: hashToken(token),
    user: options.user,
    label: options.label,
    scopes: options.scopes ? writeJson([...options.scopes]) : null,
    createdAt: options.now.toISOString(),
    expiresAt: options.expiresAt?.toISOString() ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await trx.insertInto('tokens').values(row).execute();
  return { row, token };
}
