import { join } from 'node:path';
import { writeInSteps } from '../../../content/repository/write/repository.ts';
import type { FileSource } from '../../../content/store/blobs.ts';
import { openContent } from '../../../content/store/content.ts';
import { requireRevision } from '../../../content/store/revisions.ts';
import { exportContent } from '../../../content/transfer/export.ts';
import { writtenChanges } from '../../../content/transfer/written-changes.ts';
import { runYielding } from '../../../content/tree/yielding.ts';
import { writeBareRepository } from '../../../outgoing/git/bare-repository.ts';
import type { WrittenCommit } from '../../../outgoing/git/fast-import.ts';
import { TextsOnDisk } from '../../../threads/scratch-file.ts';
import { repositoryPath } from '../folder/paths.ts';

/** Author of the commits. The email address uses a reserved domain (RFC 2606). */
const AUTHOR = { name: 'Colophon', email: 'colophon@noreply.invalid' };
const MAIN = 'refs/heads/main';
const NO_FILES = { list: () => [], read: () => undefined };

/** A space to write as a repository. */
export interface ExportedSpace {
  id: string;
  organization: string;
  title: string;
  revision: string;
}

/** Writes the spaces of an organization as bare Git repositories, and returns their number. */
export async function writeRepositories(
  source: FileSource,
  organization: string,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const spaces = await source.database.query
    .selectFrom('spaces')
    .select(['id', 'organization', 'title', 'revision'])
    .where('organization', '=', organization)
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .execute();
  for (const space of spaces) {
    signal?.throwIfAborted();
    await writeBareRepository(
      join(folder, repositoryPath(space.id)),
      MAIN,
      commitsOf(source, space, folder),
      signal,
    );
  }
  return spaces.length;
}

/** Returns the current content of a space, and that of its change requests that are not merged. */
async function* commitsOf(
  source: FileSource,
  space: ExportedSpace,
  folder: string,
): AsyncGenerator<WrittenCommit> {
  yield* commitOf(source, space, { ref: MAIN, revision: space.revision, message: space.title, folder });
  const changeRequests = await source.database.query
    .selectFrom('changeRequests')
    .select(['number', 'subject', 'revision'])
    .where('space', '=', space.id)
    .where('status', '!=', 'merged')
    .orderBy('number')
    .execute();
  for (const { number, subject, revision } of changeRequests) {
    const ref = `refs/heads/change-requests/${number}`;
    yield* commitOf(source, space, { ref, revision, message: subject, parent: MAIN, folder });
  }
}

interface CommitSource {
  ref: string;
  revision: string;
  message: string;
  parent?: string;
  /** For temporary files. */
  folder: string;
}

async function* commitOf(
  source: FileSource,
  { id, organization }: ExportedSpace,
  { ref, revision: name, message, parent, folder }: CommitSource,
): AsyncGenerator<WrittenCommit> {
  const { query } = source.database;
  const revision = await requireRevision(query, id, name);
  const content = await openContent(query, revision);
  using bodies = new TextsOnDisk(folder);
  using texts = new TextsOnDisk(folder);
  const written = await runYielding(writeInSteps(await exportContent(content, bodies), NO_FILES, { texts }));
  yield {
    ref,
    parent,
    replacesAll: true,
    message,
    author: AUTHOR,
    at: new Date(revision.createdAt),
    changes: writtenChanges(source, organization, written, content),
  };
}
