/** The revision that a commit stores: its content is planned, and its large parts are stored, ahead of the commit. */
import type { Transaction } from '../database/database.ts';
import type { Log } from '../database/log.ts';
import type { CreateId } from '../database/seams.ts';
import { planContent } from './edit/plan-content.ts';
import type { UploadServices } from './store/blob-uploads.ts';
import { storedBlobs } from './store/blobs.ts';
import type { OpenRevision } from './store/content.ts';
import { storeBytes } from './store/files.ts';
import { objectLoader } from './store/objects.ts';
import {
  countSweeps,
  type RevisionProperties,
  type RevisionRow,
  storeAhead,
  storeRevision,
} from './store/revisions.ts';
import { addressFinder } from './threads/addresses.ts';
import type { ContentThreads } from './threads/threads.ts';
import type { ContentChange, PlannedContent } from './tree/change.ts';

/** Services that prepare and store a revision. */
export interface RevisionServices extends UploadServices {
  createId: CreateId;
  threads: ContentThreads;
  log: Log;
}

/** A revision to store. */
export interface NewRevision extends Pick<RevisionProperties, 'type' | 'git' | 'createdBy'> {
  /** A new ID if omitted. */
  id?: string;
  /** The current revision of the branch if omitted. */
  parents?: readonly string[];
  /** The changes, with the bytes of new files, which are stored ahead; or planned content. */
  content: (ContentChange & { bytes?: Iterable<Uint8Array> }) | PlannedContent;
  /** The revision that `content` changes. The current revision of the branch if omitted. */
  onto?: OpenRevision;
  /** Hashes of stored files that the content needs. */
  blobs?: readonly string[];
  /** The number of sweeps before parts of the content were stored, if the plan stored some. */
  sweeps?: number;
}

/** A revision with planned content. Its large parts are stored. */
export type PreparedRevision = NewRevision & { content: PlannedContent; parents: readonly string[] };

/** Plans the content of a revision, and stores its large parts ahead of the transaction. */
export async function prepareRevision(
  services: RevisionServices,
  current: OpenRevision,
  next: NewRevision | RevisionRow | undefined,
): Promise<PreparedRevision | RevisionRow | undefined> {
  if (!next || !('content' in next)) {
    return next;
  }
  const { organization, id } = current.revision;
  const { content, onto = current, blobs = [], parents = [id] } = next;
  const bytes = 'bytes' in content ? content.bytes : undefined;
  const findAddresses = addressFinder(services, organization);
  const planned =
    'root' in content
      ? content
      : await planContent(onto.revision.root, content, onto.content.load, findAddresses);
  return {
    ...next,
    parents,
    content: await storeAhead(services.database, organization, planned),
    blobs: [...blobs, ...(bytes ? await storeBytes(services, organization, bytes) : [])],
  };
}

/** Returns whether no sweep removed objects or files that were stored ahead of the transaction. */
export async function isStored(
  trx: Transaction,
  organization: string,
  { blobs, sweeps }: PreparedRevision,
): Promise<boolean> {
  if (sweeps !== undefined && (await countSweeps(trx, organization)) !== sweeps) {
    return false;
  }
  const hashes = new Set(blobs);
  return hashes.size === 0 || (await storedBlobs(trx, organization, [...hashes])).size === hashes.size;
}

/** Stores a prepared revision, unless it is stored already. */
export async function storePrepared(
  trx: Transaction,
  { createId }: RevisionServices,
  next: PreparedRevision | RevisionRow,
  owner: Pick<RevisionProperties, 'organization' | 'space' | 'changeRequest' | 'now'>,
): Promise<RevisionRow> {
  if (!('content' in next)) {
    return next;
  }
  const { id = createId('rev'), type, parents, git, createdBy, content } = next;
  return await storeRevision(trx, { ...owner, id, type, parents, git, createdBy }, content);
}

/**
 * Creates a revision by changing another one, or from nothing (`base: null`). The current revision of the space
 * is unchanged: see `activateRevision`.
 */
export async function writeRevision(
  trx: Transaction,
  {
    base,
    change,
    ...properties
  }: RevisionProperties & { base: { root: string } | null; change: ContentChange },
): Promise<RevisionRow> {
  const load = objectLoader(trx, properties.organization);
  return storeRevision(trx, properties, await planContent(base?.root ?? null, change, load));
}
