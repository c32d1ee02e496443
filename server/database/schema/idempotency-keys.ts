/** A creation that was requested with an idempotency key. Deleted when the key expires. */
export interface IdempotencyKeysTable {
  user: string;
  /** SHA-256 of the key, in hex. */
  key: string;
  /** SHA-256 of the operation, path and body, in hex. */
  request: string;
  /** The sealed response, which may contain a secret. Null until the request has ended. */
  response: string | null;
  createdAt: string;
}
