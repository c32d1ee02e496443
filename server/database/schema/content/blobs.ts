/** The content-addressed content of a file. The row is written after all its chunks. */
export interface BlobsTable {
  organization: string;
  hash: string;
  /** Size in bytes. */
  size: number;
  /** Identifies the bytes within the organization. */
  content: string;
  /**
   * Key of the object of the object storage with the bytes, which files of several organizations can share; null if
   * they are chunks.
   */
  object: string | null;
}

/** A chunk of a file. All chunks of a content but the last one have the same length. */
export interface BlobChunksTable {
  organization: string;
  content: string;
  /** Starts at 0. */
  index: number;
  data: Uint8Array;
}

/** A content without a row in `blobs`: being uploaded, abandoned, or no longer used. */
export interface BlobUploadsTable {
  organization: string;
  content: string;
  /** Key of the object with its bytes, which may not exist yet; null if they are chunks. */
  object: string | null;
  /** Time when its bytes expire, see `removeExpiredUploads` and `removeExpiredObjects`. */
  expiresAt: string;
}
