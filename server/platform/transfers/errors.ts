/** An organization cannot be exported or imported. The message states why, and what to do. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
