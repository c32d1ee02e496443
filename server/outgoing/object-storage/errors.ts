/** The object storage does not respond, or rejects a request. */
export class ObjectStorageError extends Error {
  override readonly name = 'ObjectStorageError';
}

/** An object does not exist, or has another size. */
export class ObjectMissingError extends Error {
  override readonly name = 'ObjectMissingError';

  constructor(key: string) {
    super(`The object ${key} does not exist in the object storage, or has another size.`);
  }
}
