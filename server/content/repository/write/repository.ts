import { isUtf8 } from 'node:buffer';
import type { Texts } from '../../../threads/scratch-file.ts';
import { PathIndex, type RepositoryFiles } from '../files.ts';
import { isInFolder, readConfiguration } from '../read/configuration.ts';
import { withLanguages } from '../read/languages.ts';
import { projectFolder, type ReadingOptions, readInSteps } from '../read/repository.ts';
import type { Steps } from '../steps.ts';
import { decodeText } from '../text.ts';
import type { ImportedContent, ImportedPage } from '../types.ts';
import { YamlReader } from '../yaml.ts';
import { Draft } from './draft.ts';
import { withRelativeLinks } from './links.ts';
import { withLinesOf } from './newlines.ts';
import { assignPaths, type WrittenPaths } from './paths.ts';
import { writeRedirects } from './redirects.ts';
import { writeTablesOfContents } from './table-of-contents.ts';
import { planContents, summaryPathsOf } from './tables.ts';
import { writeTexts } from './texts.ts';
import type { ExportedContent, ExportedPage } from './types.ts';

/** The changes that make a repository equivalent to the content. All paths start at its root. */
export interface WrittenRepository {
  /** Texts to write, by path. */
  texts: Texts;
  /** Texts to write that are not completely UTF-8, by path. */
  encoded: Map<string, Uint8Array>;
  /** Files to write, by ID. */
  files: Map<string, string>;
  /** Paths that no longer contain content. */
  removed: string[];
  /** The resulting paths of all content. */
  paths: WrittenPaths;
  /** The keys that the reader assigns to the pages, see `ImportedPage.key`. */
  keys: Map<string, string>;
}

export interface WritingOptions extends ReadingOptions {
  /** The project's directory in the repository. */
  directory?: string;
  /** Paths of the content at the last synchronization. They may be overwritten and removed. */
  previousPaths?: ReadonlySet<string>;
  /** Receives the written texts; must be empty. In memory by default. */
  texts?: Texts;
}

/**
 * Writes content to a repository, in steps, in the layout that `readRepository` reads: reading the result returns the
 * same content, and writing it again changes nothing. A file that is already equivalent keeps its form, others are
 * edited in place, and unrelated files are never changed.
 *
 * Content that the layout cannot represent is lost: the order of reusable contents, emoji and icons of groups, and
 * spaces around titles. An existing configuration is never changed: redirects are only written with a new one.
 *
 * @param head the current content of the repository; without files for a new one
 */
export function* writeInSteps(
  stored: ExportedContent,
  head: RepositoryFiles,
  { directory = '', previousPaths = new Set(), treeURL, texts = new Map() }: WritingOptions = {},
): Steps<WrittenRepository> {
  const project = projectFolder(directory);
  const listed = head.list().filter(({ path }) => isInFolder(project, path));
  const index = new PathIndex(listed);
  const located = readConfiguration(head, index, project, new YamlReader(), []);
  const planned = planContents(stored.pages, withLanguages(located, head, listed, []), head, index);
  const { configuration, tables, languages } = planned;
  const before = yield* readInSteps(head, directory, { treeURL });
  const paths = assignPaths(stored, head, planned, previousPaths, before.pages);
  const content = withRelativeLinks(stored, paths);
  const used = new Set([
    ...[paths.pages, paths.files, paths.reusableContents].flatMap((paths) => [...paths.values()]),
    ...summaryPathsOf(tables),
  ]);
  const atHead = new Map(listed.map((file) => [file.path, file]));
  const files = new Map(
    content.files.flatMap(({ id, git }) => {
      const path = paths.files.get(id) ?? '';
      return git !== undefined && atHead.get(path)?.oid === git.oid ? [] : [[path, id] as const];
    }),
  );
  const removed = [...new Set([...previousPaths, ...planned.former])]
    .filter((path) => atHead.has(path) && !used.has(path))
    .sort();
  const draft = new Draft(head, removed, files.keys(), texts);
  const read = () => readInSteps(draft.files(), directory, { treeURL });
  if (languages) {
    draft.texts.set(languages.path, languages.text);
  }
  const context = { draft, configuration, tables, paths, treeURL, before, read };
  writeRedirects(content.redirects, context);
  yield* writeTexts(content, context);
  const result = yield* writeTablesOfContents(content, context, listed.length > 0);
  const displaced = displacedFiles(content, files, result);
  if (displaced.size > 0) {
    for (const path of [...texts.keys()]) {
      texts.delete(path);
    }
    return yield* writeInSteps(withoutPaths(stored, displaced), head, {
      directory,
      previousPaths,
      treeURL,
      texts,
    });
  }
  const encoded = new Map<string, Uint8Array>();
  for (const path of [...texts.keys()]) {
    yield;
    const bytes = atHead.has(path) ? head.read(path) : undefined;
    const text = texts.get(path) ?? '';
    if (bytes !== undefined && text === decodeText(bytes)) {
      texts.delete(path);
    } else if (bytes !== undefined) {
      const written = withLinesOf(text, bytes);
      if (isUtf8(written)) {
        texts.set(path, Buffer.from(written.buffer, written.byteOffset, written.byteLength).toString('utf8'));
      } else {
        texts.delete(path);
        encoded.set(path, written);
      }
    }
  }
  return { texts, encoded, files, removed, paths, keys: keysOf(content.pages, result.pages) };
}

/** Returns files that would be written where the reader does not find them, because no page uses them. */
function displacedFiles(
  content: ExportedContent,
  files: ReadonlyMap<string, string>,
  { files: readFiles }: ImportedContent,
): Set<string> {
  const paths = new Set(readFiles.map(({ git }) => git.path));
  const displaced = new Set([...files].filter(([path]) => !paths.has(path)).map(([, id]) => id));
  return new Set(content.files.filter(({ id, git }) => git && displaced.has(id)).map(({ id }) => id));
}

/** Returns the content with some of its files as new ones, which are placed where the reader finds all files. */
function withoutPaths(content: ExportedContent, ids: ReadonlySet<string>): ExportedContent {
  const files = content.files.map(({ git, ...file }) => (git && !ids.has(file.id) ? { ...file, git } : file));
  return { ...content, files };
}

/** Returns the keys of pages, from the same tree after reading it. */
function keysOf(pages: readonly ExportedPage[], read: readonly ImportedPage[]): Map<string, string> {
  const keys = new Map<string, string>();
  pages.forEach((page, at) => {
    const other = read[at];
    if (other?.type !== page.type) {
      return;
    }
    keys.set(page.id, other.key);
    if ('pages' in page && 'pages' in other) {
      for (const [id, key] of keysOf(page.pages, other.pages)) {
        keys.set(id, key);
      }
    }
  });
  return keys;
}
