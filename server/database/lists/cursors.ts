import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeBase64url } from '../../contract/base64url.ts';

/** Length of the truncated signature of a cursor. */
const SIGNATURE_BYTES = 16;

/** Binds a cursor to its list. */
export interface CursorScope {
  /** Identifies the list, including its filters and order, see {@link listScope}. */
  scope: string;
  /** Secret for signing cursors; the same in every process. */
  key: string | Uint8Array;
}

/** A `page` cursor that was not issued by the list it was sent to. The error table has its message for callers. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
}

/**
 * Returns the scope of a list with filters, independent of their order. Undefined filters are ignored.
 *
 * @example listScope('members', { organization, role, search })
 */
export function listScope(list: string, filters: object = {}): string {
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined);
  return JSON.stringify([list, entries.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Creates an opaque, URL-safe, signed cursor that contains `position` as JSON. */
export function sealCursor(position: unknown, scope: CursorScope): string {
  const content = Buffer.from(JSON.stringify(position));
  return Buffer.concat([sign(content, scope), content]).toString('base64url');
}

/**
 * Returns the position in a cursor created by {@link sealCursor}.
 *
 * @throws InvalidCursorError if the cursor was not created with this scope and key
 */
export function openCursor(cursor: string, scope: CursorScope): unknown {
  const bytes = decodeBase64url(cursor);
  if (!bytes || bytes.length <= SIGNATURE_BYTES) {
    throw new InvalidCursorError();
  }
  const content = bytes.subarray(SIGNATURE_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), sign(content, scope))) {
    throw new InvalidCursorError();
  }
  return JSON.parse(content.toString());
}

function sign(content: Buffer, { scope, key }: CursorScope): Buffer {
  // Prefixed with the length of the scope, so that no other split into scope and content has the same signature.
  const scoped = Buffer.from(scope);
  const hmac = createHmac('sha256', key).update(`cursor ${scoped.length} `).update(scoped).update(content);
  return hmac.digest().subarray(0, SIGNATURE_BYTES);
}
