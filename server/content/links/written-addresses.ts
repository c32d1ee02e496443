/** Lists the ways to write a link to a page or file. */
import type { Content, LocatedPage } from '../tree/content.ts';
import type { FileRecord, ReusableRecord } from '../tree/records.ts';
import type { Address } from './address.ts';
import { rootsOf } from './resolve.ts';
import { servedPaths } from './served-paths.ts';

/** A page or file to find the links to. */
export type Linked = { page: LocatedPage } | { file: FileRecord | ReusableRecord };

/** Returns all destinations that may resolve to a page or file. */
export async function writtenAddresses(linked: Linked, content: Content, space: string): Promise<Address[]> {
  const roots = await rootsOf(content);
  const record = 'page' in linked ? linked.page.record : linked.file;
  return [
    ...writtenPathsTo(linked, roots).map((path): Address => ({ kind: 'path', path })),
    ...('page' in linked
      ? [{ kind: 'page', page: record.id } as const, { kind: 'page', page: record.id, space } as const]
      : [{ kind: 'file', file: record.id } as const]),
  ];
}

/** Returns all paths that may resolve to a page or file. */
export function writtenPathsTo(linked: Linked, roots: readonly string[]): string[] {
  const record = 'page' in linked ? linked.page.record : linked.file;
  const git = record.git?.path;
  const fromGit = git === undefined ? [] : roots.flatMap((root) => gitPathsOf(git, root));
  const paths = new Set(fromGit);
  if ('page' in linked && linked.page.path !== '') {
    for (const writtenPath of writtenPaths(linked.page.path)) {
      for (const root of roots) {
        paths.add(root === '' ? writtenPath : `${root}/${writtenPath}`);
      }
    }
  }
  return [...paths];
}

/**
 * Returns the paths, relative to a root, of an item imported from a repository path: its own, the path of its folder if
 * it is a README, and the paths that websites serve it at.
 */
function gitPathsOf(git: string, root: string): string[] {
  if (root !== '' && !git.startsWith(`${root}/`)) {
    return [];
  }
  const path = root === '' ? git : git.slice(root.length + 1);
  const readme = /^(?:(.*)\/)?(?:README|readme)\.md$/s.exec(path);
  return [path, ...(readme ? [readme[1] ?? ''] : []), ...servedPaths(path)];
}

/** Returns the ways to write the path of a page. The inverse of `pagePaths`. */
const writtenPaths = (path: string): string[] =>
  ['', '.md', '.markdown', '/README.md', '/readme.md'].map((ending) => path + ending);
