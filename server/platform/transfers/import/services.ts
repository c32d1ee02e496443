import type { FileStores } from '../../../content/store/blobs.ts';
import type { Clock, CreateId } from '../../../database/seams.ts';

/** What an import uses of the server. */
export interface ImportServices extends FileStores {
  clock: Clock;
  createId: CreateId;
  /** Seals the new secrets. */
  secretKey: string;
  /** The configured URL of the server; undefined if there is none. */
  publicURL: string | undefined;
  signal?: AbortSignal | undefined;
}
