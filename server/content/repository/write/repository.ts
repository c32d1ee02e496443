import { isDeepStrictEqual } from 'node:util';
import type { Texts } from '../../../threads/scratch-file.ts';
import { PathIndex, type RepositoryFile, type RepositoryFiles } from '../files.ts';
import {
  type ContentConfiguration,
  gitbookFolders,
  inFolder,
  isInFolder,
  readConfiguration,
} from '../read/configuration.ts';
import { projectFolder, type ReadingOptions, readInSteps } from '../read/repository.ts';
import { allSteps, type Steps } from '../steps.ts';
import { decodeText } from '../text.ts';
import type { ImportedContent, ImportedDocument, ImportedPage } from '../types.ts';
import { writeYaml, YamlReader } from '../yaml.ts';
import { hasSameContent, isEquivalentPage, isEquivalentReusableContent, normalizeBody } from './compare.ts';
import { writePage, writeReusableContent } from './page.ts';
import { assignPaths, type WrittenPaths } from './paths.ts';
import { writeSummary } from './summary.ts';
import { type ExportedContent, type ExportedDocument, type ExportedPage, walkExported } from './types.ts';

/** The changes that make a repository equivalent to the content. All paths start at its root. */
export interface WrittenRepository {
  /** Texts to write, by path. */
  texts: Texts;
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
 * Writes content to a repository in the layout that `readRepository` reads: reading the result returns the same
 * content, and writing it again changes nothing. A file that is already equivalent keeps its form, and unrelated
 * files are never changed.
 *
 * Content that the layout cannot represent is lost: the order of reusable contents, emoji and icons of groups, and
 * spaces around titles.
 *
 * @param head the current content of the repository; without files for a new one
 */
export function writeRepository(
  content: ExportedContent,
  head: RepositoryFiles,
  options: WritingOptions = {},
): WrittenRepository {
  return allSteps(writeInSteps(content, head, options));
}

/** Writes content of any size to a repository like {@link writeRepository}, in steps. */
export function* writeInSteps(
  content: ExportedContent,
  head: RepositoryFiles,
  { directory = '', previousPaths = new Set(), treeURL, texts = new Map() }: WritingOptions = {},
): Steps<WrittenRepository> {
  const project = projectFolder(directory);
  const listed = head.list().filter(({ path }) => isInFolder(project, path));
  const index = new PathIndex(listed);
  const configuration = readConfiguration(head, index, project, new YamlReader(), []);
  const paths = assignPaths(content, head, configuration, previousPaths);
  const used = new Set([
    ...[paths.pages, paths.files, paths.reusableContents].flatMap((paths) => [...paths.values()]),
    configuration.summaryPath,
  ]);
  const atHead = new Map(listed.map((file) => [file.path, file]));
  const files = new Map(
    content.files.flatMap(({ id, git }) => {
      const path = paths.files.get(id) ?? '';
      return git !== undefined && atHead.get(path)?.oid === git.oid ? [] : [[path, id] as const];
    }),
  );
  const removed = [...previousPaths].filter((path) => atHead.has(path) && !used.has(path)).sort();
  const draft = new Draft(head, removed, files.keys(), texts);
  const read = () => readInSteps(draft.files(), directory, { treeURL });

  yield* writeTexts(content, { draft, configuration, paths, read });
  let result = yield* read();
  const summary = configuration.summaryPath;
  // An equivalent table of contents by the authors is retained. Without one, and with nothing else to write, the
  // folders already define the same tree.
  const isUntouched = draft.texts.size === 1 && files.size + removed.length === 0 && listed.length > 0;
  if (configuration.summary !== undefined || isUntouched) {
    const summaryText = draft.texts.get(summary) ?? '';
    draft.texts.delete(summary);
    const retained = yield* read();
    const before = removed.length > 0 ? yield* readInSteps(head, directory, { treeURL }) : retained;
    const faults = ({ problems }: ImportedContent) => problems.filter(({ path }) => path === summary).length;
    const isSame = yield* hasSameContent(content, retained, paths);
    if (isSame && faults(retained) <= faults(before)) {
      result = retained;
    } else {
      draft.texts.set(summary, summaryText);
    }
  }
  const displaced = displacedFiles(content, files, result);
  if (displaced.size > 0) {
    for (const path of [...texts.keys()]) {
      texts.delete(path);
    }
    return yield* writeInSteps(withoutPaths(content, displaced), head, {
      directory,
      previousPaths,
      treeURL,
      texts,
    });
  }
  for (const path of [...texts.keys()]) {
    yield;
    if (texts.get(path) === draft.textAtHead(path)) {
      texts.delete(path);
    }
  }
  return { texts, files, removed, paths, keys: keysOf(content.pages, result.pages) };
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

interface Writing {
  draft: Draft;
  configuration: ContentConfiguration;
  paths: WrittenPaths;
  read: () => Steps<ImportedContent>;
}

/** Adds to the draft each text that is not yet in the repository, and a table of contents. */
function* writeTexts(content: ExportedContent, { draft, configuration, paths, read }: Writing): Steps<void> {
  const { root, summaryPath } = configuration;
  const put = (page: ExportedDocument) => {
    const path = paths.pages.get(page.id) ?? '';
    const before = draft.textAtHead(path);
    const body = { ...page, markdown: normalizeBody(page.markdown) };
    draft.texts.set(path, writePage(body, { path, root, places: paths, before }));
  };
  const documents = [...walkExported(content.pages)].filter((page) => page.type === 'document');
  const isInRepository = (path: string | undefined) =>
    path !== undefined && draft.textAtHead(path) !== undefined;
  for (const page of documents) {
    yield;
    if (!isInRepository(paths.pages.get(page.id))) {
      put(page);
    }
  }
  draft.texts.set(summaryPath, writeSummary(content.pages, summaryPath, paths));
  const current = yield* read();
  const pages = new Map(documentsOf(current.pages).map((page) => [page.git.path, page]));
  for (const page of documents) {
    yield;
    if (!isEquivalentPage(page, pages.get(paths.pages.get(page.id) ?? ''), paths)) {
      put(page);
    }
  }
  const included = new Map(current.reusableContents.map((reusable) => [reusable.git.path, reusable]));
  for (const reusable of content.reusableContents) {
    yield;
    const path = paths.reusableContents.get(reusable.id) ?? '';
    if (isEquivalentReusableContent(reusable, included.get(path))) {
      continue;
    }
    const body = { ...reusable, markdown: normalizeBody(reusable.markdown) };
    draft.texts.set(path, writeReusableContent(body, draft.textAtHead(path)));
  }
  if (!isDeepStrictEqual(content.variables, current.variables)) {
    draft.texts.set(variablesPath(draft, configuration), writeYaml(content.variables));
  }
}

function variablesPath(files: Draft, configuration: ContentConfiguration): string {
  const candidates = gitbookFolders(configuration).flatMap((folder) =>
    ['vars.yaml', 'vars.yml'].map((name) => inFolder(folder, name)),
  );
  const index = new PathIndex(files.list());
  return candidates.find((path) => index.file(path) !== undefined) ?? candidates[0] ?? '';
}

/** A repository with the changes applied. */
class Draft {
  readonly texts: Texts;
  readonly #head: RepositoryFiles;
  readonly #files: Map<string, RepositoryFile>;

  constructor(head: RepositoryFiles, removed: readonly string[], written: Iterable<string>, texts: Texts) {
    this.#head = head;
    this.texts = texts;
    this.#files = new Map(head.list().map((file) => [file.path, file]));
    for (const path of removed) {
      this.#files.delete(path);
    }
    for (const path of written) {
      this.#files.set(path, newFile(path));
    }
  }

  /** Returns the current files; their texts are read on access. */
  files(): RepositoryFiles {
    const files = this.list();
    return {
      list: () => files,
      read: (path) => {
        const text = this.texts.get(path);
        return text === undefined ? this.#head.read(path) : Buffer.from(text);
      },
      skipped: this.#head.skipped ?? [],
    };
  }

  list(): RepositoryFile[] {
    const fresh = [...this.texts.keys()].filter((path) => !this.#files.has(path));
    return [...this.#files.values(), ...fresh.map(newFile)];
  }

  /** Returns the current text at a path. */
  textAtHead(path: string): string | undefined {
    const content = this.#files.has(path) ? this.#head.read(path) : undefined;
    return content && decodeText(content);
  }
}

function newFile(path: string): RepositoryFile {
  return { path, oid: '', size: 0, mode: '100644' };
}

function documentsOf(pages: readonly ImportedPage[]): ImportedDocument[] {
  return pages.flatMap((page) => [
    ...(page.type === 'document' ? [page] : []),
    ...('pages' in page ? documentsOf(page.pages) : []),
  ]);
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
