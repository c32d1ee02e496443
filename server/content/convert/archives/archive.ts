import { posix } from 'node:path';
import type { ScratchFile } from '../../../threads/scratch-file.ts';
import {
  decodePath,
  folderOf,
  isMarkdown,
  isReadme,
  PathIndex,
  type RepositoryFile,
  type RepositoryFiles,
  resolvePath,
} from '../../repository/files.ts';
import { readRepository } from '../../repository/read/repository.ts';
import type { ContentProblem, ImportedPage } from '../../repository/types.ts';
import { hashOf } from '../../tree/hash.ts';
import { decodeHtmlBytes } from '../charset.ts';
import { UnreadableError } from '../errors.ts';
import { fileOf } from '../files.ts';
import { readHtml } from '../html/html.ts';
import { limitProblems, unreadablePage } from '../problems.ts';
import type { Converted, ConvertedFile, SourceFile, SourceFiles } from '../types.ts';

const HTML = /\.x?html?$/i;
const INDEX = /^index\.(?:md|markdown|x?html?)$/i;
const SUMMARY = /^summary\.md$/i;
const CONFIGURATION = /^\.gitbook\.ya?ml$/;
const IMAGE = /\.(?:png|jpe?g|gif|webp|svg|bmp|ico|avif|tiff?)$/i;

/** Options of an archive. */
export interface ArchiveOptions {
  /** Maximum number of pages. The first ones by path are converted. */
  pages: number;
  /** Table of contents in Markdown, by file names, for an archive without its own. */
  summary?: string;
  /** Receives the converted files; the result reads from it. */
  scratch: ScratchFile;
  /** Returns the title of an HTML page from its document title. */
  titleOf?: (title: string) => string;
}

/**
 * Converts the files of an archive to pages: Markdown and HTML in the order of its `SUMMARY.md`, otherwise by folder
 * and name. A README or index is the page of its folder. Files that pages use are included. A folder that contains
 * everything is ignored.
 *
 * @throws UnreadableError if it contains no page
 */
export function convertArchive(
  unpacked: SourceFiles,
  { pages: maxPages, summary, scratch, titleOf = (title) => title }: ArchiveOptions,
): Converted {
  const root = outerFolder([...unpacked.keys()]);
  const paths = [...unpacked.keys()].sort(naturally);
  const has = (pattern: RegExp) =>
    paths.some((path) => folderOf(path) === root && pattern.test(posix.basename(path)));
  const isListed = has(SUMMARY) || has(CONFIGURATION);
  const isPage = (path: string) =>
    (isMarkdown(path) || HTML.test(path)) && !(isListed && SUMMARY.test(posix.basename(path)));
  const pagePaths = paths.filter(isPage);
  if (pagePaths.length === 0) {
    throw new UnreadableError('The archive contains no Markdown or HTML files.');
  }
  const omitted = new Set(pagePaths.slice(maxPages));
  const targetPaths = targetPathsOf(
    paths.filter((path) => !omitted.has(path)),
    isListed,
  );
  const unreadable: ContentProblem[] = [];
  const contents = new Map<string, SourceFile>();
  const addContent = (path: string, content: Uint8Array) => {
    const range = scratch.append(content);
    contents.set(path, { size: range.length, read: () => scratch.read(range) });
  };
  for (const [path, targetPath] of targetPaths) {
    const file = unpacked.get(path);
    if (file === undefined) {
      continue;
    }
    if (!HTML.test(path)) {
      contents.set(targetPath, file);
    } else {
      try {
        for (const [name, content] of filesOf(file.read(), targetPath, titleOf)) {
          addContent(name, content);
        }
      } catch (error) {
        if (!(error instanceof UnreadableError)) {
          throw error;
        }
        unreadable.push(unreadablePage(path, error));
      }
    }
  }
  if (summary !== undefined && !isListed) {
    addContent(posix.join(root, 'SUMMARY.md'), Buffer.from(withTargetPaths(summary, targetPaths, root)));
  }
  const files = virtualFiles(contents);
  const imported = readRepository(files, root);
  const used = imported.files.flatMap(({ name, git }) => {
    const file = contents.get(git.path);
    return file ? [readLater(fileOf(git.path, name, file.read()), file)] : [];
  });
  const fileKeys = new Set(used.map(({ key }) => key));
  const images = paths.filter((path) => IMAGE.test(path) && !fileKeys.has(path));
  return {
    pages: imported.pages,
    files: used,
    variables: imported.variables,
    target: targets(targetPaths, [...contents.keys()], imported.pages, fileKeys, root),
    sourceEntries: pagePaths.length + used.length + images.length,
    problems: [
      ...unreadable,
      ...withSourcePaths(imported.problems, targetPaths),
      ...limitProblems([...omitted][0] ?? '', { pages: omitted.size, images: 0 }),
    ],
  };
}

/** Returns the folder that contains all files; '' if there is none. */
function outerFolder(paths: readonly string[]): string {
  let folder = '';
  for (;;) {
    const relativePaths = paths.map((path) => path.slice(folder === '' ? 0 : folder.length + 1));
    const [first = ''] = relativePaths;
    const next = first.includes('/') ? first.slice(0, first.indexOf('/')) : '';
    // A dot folder belongs to a tool and is not a wrapper around pages.
    if (next === '' || next.startsWith('.') || !relativePaths.every((path) => path.startsWith(`${next}/`))) {
      return folder;
    }
    // The name of a folder that contains only files is meaningful unless the folder is the outermost one.
    if (folder !== '') {
      return folder;
    }
    folder = next;
  }
}

/** Maps each file to its path after conversion: HTML as Markdown, an index as the README of its folder. */
function targetPathsOf(paths: readonly string[], isListed: boolean): Map<string, string> {
  const usedPaths = new Set(paths);
  const readmes = new Set(paths.filter(isReadme).map(folderOf));
  const targetPaths = new Map<string, string>();
  for (const path of paths) {
    const folder = folderOf(path);
    const isIndex = INDEX.test(posix.basename(path)) && !readmes.has(folder);
    if (!HTML.test(path) && !(isIndex && !isListed)) {
      targetPaths.set(path, path);
      continue;
    }
    if (isIndex) {
      readmes.add(folder);
    }
    let targetPath = isIndex ? posix.join(folder, 'README.md') : path.replace(HTML, '.md');
    for (let suffix = '.md'; usedPaths.has(targetPath); suffix += '.md') {
      targetPath = `${path}${suffix}`;
    }
    targetPaths.set(path, targetPath);
    usedPaths.add(targetPath);
  }
  return targetPaths;
}

/**
 * Converts an HTML file to a Markdown file with front matter from its head, and embedded images to files next to it.
 *
 * @throws UnreadableError if it cannot be read
 */
function filesOf(
  content: Uint8Array,
  path: string,
  titleOf: (title: string) => string,
): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const embed = (image: Uint8Array) => {
    const name = `embedded-${hashOf(image).slice(0, 16)}`;
    files.set(posix.join(folderOf(path), name), image);
    return name;
  };
  const { title, description, markdown } = readHtml(decodeHtmlBytes(content), { embed });
  // JSON is valid YAML.
  const front = [
    ...(title === '' ? [] : [`title: ${JSON.stringify(titleOf(title))}`]),
    ...(description === undefined ? [] : [`description: ${JSON.stringify(description)}`]),
  ];
  const text = front.length === 0 ? markdown : `---\n${front.join('\n')}\n---\n\n${markdown}`;
  return files.set(path, Buffer.from(text));
}

/** Returns problems with the paths of the archive instead of those after conversion. */
function withSourcePaths(
  problems: readonly ContentProblem[],
  targetPaths: ReadonlyMap<string, string>,
): ContentProblem[] {
  const sources = new Map(Array.from(targetPaths, ([path, targetPath]) => [targetPath, path]));
  return problems.map((problem) => ({ ...problem, path: sources.get(problem.path) ?? problem.path }));
}

function virtualFiles(contents: SourceFiles): RepositoryFiles {
  const files = Array.from(contents, ([path, { size }]): RepositoryFile => {
    return { path, oid: path, size, mode: '100644' };
  });
  return { list: () => files, read: (path) => contents.get(path)?.read() };
}

/** Returns a file that reads its content on each access. */
function readLater({ content: _content, ...properties }: ConvertedFile, file: SourceFile): ConvertedFile {
  return {
    ...properties,
    get content() {
      return file.read();
    },
  };
}

function withTargetPaths(summary: string, targetPaths: ReadonlyMap<string, string>, root: string): string {
  return summary.replace(/\]\(([^)\n]{1,4096})\)/g, (link, address: string) => {
    const targetPath = targetPaths.get(posix.join(root, decodePath(address)));
    return targetPath === undefined
      ? link
      : `](${encodeURI(targetPath.slice(root === '' ? 0 : root.length + 1))})`;
  });
}

/** Creates the resolver of URLs by the original file names: a page may have been HTML. */
function targets(
  targetPaths: ReadonlyMap<string, string>,
  convertedPaths: readonly string[],
  pages: readonly ImportedPage[],
  files: ReadonlySet<string>,
  root: string,
): Converted['target'] {
  const documents = new Set(keysOf(pages));
  const sourceIndex = new PathIndex([...targetPaths.keys()].map(fileAt));
  const convertedIndex = new PathIndex(convertedPaths.map(fileAt));
  return (address, from) => {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i.test(address)) {
      return undefined;
    }
    for (const name of new Set([decodePath(address), address])) {
      const path = name === '' ? undefined : resolvePath(name, folderOf(from), root);
      if (path === undefined) {
        continue;
      }
      const sourcePath = ['', '.md', '.html']
        .map((ending) => sourceIndex.file(`${path}${ending}`)?.path)
        .find(isDefined);
      const key =
        sourcePath === undefined
          ? (convertedIndex.file(path) ?? convertedIndex.readme(path))?.path
          : targetPaths.get(sourcePath);
      if (key !== undefined && documents.has(key)) {
        return { kind: 'page', key };
      }
      if (key !== undefined && files.has(key)) {
        return { kind: 'file', key };
      }
    }
    return undefined;
  };
}

const isDefined = (path: string | undefined) => path !== undefined;
const fileAt = (path: string): RepositoryFile => ({ path, oid: path, size: 0, mode: '100644' });

function* keysOf(pages: readonly ImportedPage[]): Generator<string> {
  for (const page of pages) {
    if (page.type === 'document') {
      yield page.git.path;
    }
    if ('pages' in page) {
      yield* keysOf(page.pages);
    }
  }
}

const collator = new Intl.Collator('en', { numeric: true });

/** Sorts a folder's own page first, then by name in natural order. */
function naturally(left: string, other: string): number {
  if (folderOf(left) === folderOf(other) && isReadme(left) !== isReadme(other)) {
    return isReadme(left) ? -1 : 1;
  }
  return collator.compare(left, other) || (left < other ? -1 : Number(left > other));
}
