import { createHmac, timingSafeEqual } from 'node:crypto';

/** Bytes of the signature kept in a cursor. */
const SIGNATURE = 16;

/** What binds a cursor to its list. */
export interface CursorScope {
  /** Names the list with everything that decides its items and their order, see {@link listScope}. */
  scope: string;
  /** The secret that cursors are signed with; the same in every process. */
  key: string | Uint8Array;
}

/** A `page` that the list it was sent to did not make: made by another list, changed or made up. */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';
  constructor() {
    super(
      'This page is none of this list. Start without page, or send the page of the answer before, unchanged.',
    );
  }
}

/**
 * One string for a list and its filters, whatever the order they are given in; absent filters count as none.
 *
 * @example listScope('members', { organization, role, search })
 */
export function listScope(list: string, filters: Record<string, unknown> = {}): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return JSON.stringify([list, given.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** An opaque, URL-safe cursor that holds `position` (JSON) and opens only with the same scope and key. */
export function sealCursor(position: unknown, scope: CursorScope): string {
  const content = Buffer.from(JSON.stringify(position));
  return Buffer.concat([sign(content, scope), content]).toString('base64url');
}

/**
 * What {@link sealCursor} put into `cursor`.
 *
 * @throws InvalidCursorError when the cursor was not made with this scope and key.
 */
export function openCursor(cursor: string, scope: CursorScope): unknown {
  const bytes = Buffer.from(cursor, 'base64url');
  const content = bytes.subarray(SIGNATURE);
  // Decoding passes over what is no base64url, so many texts have the bytes of one cursor.
  const altered = bytes.length <= SIGNATURE || bytes.toString('base64url') !== cursor;
  if (altered || !timingSafeEqual(bytes.subarray(0, SIGNATURE), sign(content, scope))) {
    throw new InvalidCursorError();
  }
  return JSON.parse(content.toString());
}

function sign(content: Buffer, { scope, key }: CursorScope): Buffer {
  // The scope's length first: no other split of scope and content gives the same bytes.
  const scoped = Buffer.from(scope);
  const hmac = createHmac('sha256', key).update(`cursor ${scoped.length} `).update(scoped).update(content);
  return hmac.digest().subarray(0, SIGNATURE);
}
