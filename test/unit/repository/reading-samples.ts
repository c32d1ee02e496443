import { createHash } from 'node:crypto';
import type { RepositoryFiles } from '../../../server/content/repository/files.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { parseSummaryInSteps, type SummaryEntry } from '../../../server/content/repository/read/summary.ts';
import { allSteps } from '../../../server/content/repository/steps.ts';
import type {
  ImportedContent,
  ImportedDocument,
  ImportedPage,
} from '../../../server/content/repository/types.ts';

export type Files = Record<string, string | Uint8Array>;

/** Files in memory. */
export function inMemory(files: Files): RepositoryFiles {
  const contents = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  const list = Array.from(contents, ([path, content]) => ({
    path,
    oid: createHash('sha1').update(content).digest('hex'),
    size: content.length,
    mode: '100644',
  }));
  return { list: () => list, read: (path) => contents.get(path) };
}

/** Reads a repository, or a directory in it. */
export function read(files: Files, directory?: string): ImportedContent {
  return readRepository(inMemory(files), directory);
}

/** Parses a table of contents. */
export const parseSummary = (text: string): SummaryEntry[] => allSteps(parseSummaryInSteps(text));

/** Returns all documents of a page tree in order. */
export function documents(pages: readonly ImportedPage[]): ImportedDocument[] {
  return pages.flatMap((page) => [
    ...(page.type === 'document' ? [page] : []),
    ...('pages' in page ? documents(page.pages) : []),
  ]);
}

/** Returns the only page of a repository with one text. */
export function page(text: string): ImportedDocument & { problems: string[] } {
  const content = read({ 'page.md': text });
  const [only] = documents(content.pages);
  if (only === undefined) {
    throw new Error('the page is missing');
  }
  return { ...only, problems: content.problems.map((problem) => problem.message) };
}
