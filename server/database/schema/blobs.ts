/** Content-addressed bytes of a file. The row is written last: a hash that is here has all its chunks. */
export interface BlobsTable {
  organization: string;
  hash: string;
  /** In bytes. */
  size: number;
  /** Names the chunks, within the organization. */
  content: string;
}

/** Part of the bytes of a file: all of a content have the same length but for the last one. */
export interface BlobChunksTable {
  organization: string;
  content: string;
  /** Counts from 0. */
  index: number;
  data: Uint8Array;
}

/** A content that no row of `blobs` names: still being written, abandoned, or no longer needed. */
export interface BlobUploadsTable {
  organization: string;
  content: string;
  /** From then on its chunks are deleted, see `removeExpiredUploads`. */
  expiresAt: string;
}
