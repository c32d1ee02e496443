/** A document that cannot be converted to a page. The message states the reason. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}
