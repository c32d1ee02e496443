/** An object of the storage. */
export interface StoredObject {
  /** Without the prefix. */
  key: string;
  /** Size in bytes. */
  size: number;
}

/** Options of an object storage. */
export interface ObjectStorageOptions {
  /** Time limit of an attempt instead of `OBJECT_RESPONSE_TIMEOUT_MS`. */
  responseTimeoutMs?: number;
  /** Called with each failure, before it is thrown. */
  onFailure?: (error: Error) => void;
}

/** Headers of a response that the storage sends itself. */
export interface SignedHeaders {
  contentType: string;
  contentDisposition: string;
  caching: string;
}
