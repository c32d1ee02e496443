/** Something that the state of things forbids; the message is for the caller. The app answers 409. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/** A field of a request that only the data can judge; the message goes on from the field's name. The app answers 400. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  /** Names and indexes joined by dots. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
