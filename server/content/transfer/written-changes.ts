import type { TreeChange } from '../../outgoing/git/fast-import.ts';
import type { WrittenRepository } from '../repository/write/repository.ts';
import { type FileSource, findBlob, readChunks } from '../store/blobs.ts';
import type { Content } from '../tree/content.ts';
import { MissingObjectError } from '../tree/values.ts';

/**
 * Yields the changes of a commit that writes content to a repository. Files are read chunk by chunk.
 *
 * @param modes of the existing files, by path
 */
export async function* writtenChanges(
  source: FileSource,
  organization: string,
  { texts, encoded, files, removed }: WrittenRepository,
  content: Content,
  modes: ReadonlyMap<string, string> = new Map(),
): AsyncGenerator<TreeChange> {
  const modeOf = (path: string) => modes.get(path) ?? '100644';
  for (const path of removed) {
    yield { path, content: null };
  }
  for (const [path, text] of texts) {
    yield { path, content: Buffer.from(text), mode: modeOf(path) };
  }
  for (const [path, bytes] of encoded) {
    yield { path, content: bytes, mode: modeOf(path) };
  }
  for (const [path, id] of files) {
    const hash = (await content.readFile(id))?.blob ?? '';
    const blob = await findBlob(source.database.query, organization, hash);
    if (!blob) {
      throw new MissingObjectError(hash);
    }
    yield {
      path,
      content: { size: blob.size, chunks: readChunks(source, organization, blob) },
      mode: modeOf(path),
    };
  }
}
