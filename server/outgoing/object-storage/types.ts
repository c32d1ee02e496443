/** An object of the storage. */
export interface StoredObject {
  /** Without the prefix. */
  key: string;
  /** Size in bytes. */
  size: number;
}

/** Headers of a response that the storage sends itself. */
export interface SignedHeaders {
  contentType: string;
  contentDisposition: string;
  caching: string;
}
