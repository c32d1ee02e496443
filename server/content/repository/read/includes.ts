import { posix } from 'node:path';
import { LRUCache } from 'lru-cache';
import { MAX_EXPANDED_INCLUDES, MAX_INCLUDED_FILE_BYTES } from '../../includes/limits.ts';
import { partOf } from '../../includes/parts.ts';
import { isReusableBlock } from '../../includes/places.ts';
import { type IncludeTag, includeTagsIn } from '../../includes/tags.ts';
import { MAX_INCLUDED_DEPTH } from '../../markdown/document.ts';
import { detached } from '../../tree/detached.ts';
import { decodePath, folderOf, isMarkdown, resolvePath } from '../files.ts';
import { problemReporter } from '../problems.ts';
import type { Steps } from '../steps.ts';
import { decodeText, titleFromName } from '../text.ts';
import type { ImportedReusableContent, ProblemReason } from '../types.ts';
import { asText, type YamlReader } from '../yaml.ts';
import { gitbookFolders, inFolder, isInFolder, linksRootOf, rootOf } from './configuration.ts';
import type { ReadingContext } from './context.ts';
import { splitFrontMatter } from './front-matter.ts';

/** Maximum number of files that the pages of a repository include. Further ones are reported. */
export const MAX_INCLUDED_FILES = 10_000;
/** Maximum number of characters of included files that are in memory while a repository is read. */
export const MAX_CACHED_INCLUDED_CHARACTERS = 8_000_000;

/** A tag in a file that includes another file, with its line in the file. */
export interface FileInclude extends Pick<IncludeTag, 'path' | 'part' | 'syntax' | 'place'> {
  line: number;
}

/** Returns the tags of a text that include files, with their lines: as many as readers see replaced. */
export function fileIncludesIn(body: string, linesBefore: number): FileInclude[] {
  let line = linesBefore + 1;
  let at = 0;
  return includeTagsIn(body)
    .filter(({ path, isEscaped }) => path !== '' && !isEscaped)
    .slice(0, MAX_EXPANDED_INCLUDES)
    .map(({ start, path, part, syntax, place }) => {
      line += body.slice(at, start).split('\n').length - 1;
      at = start;
      return { path, ...(part && { part }), syntax, place, line };
    });
}

/** A file that includes others. */
interface IncludingFile {
  path: string;
  includes: readonly FileInclude[];
  /** The page that shows the text. Links of included files are relative to it. */
  page: string;
  /** The files that lead to the file, including itself. */
  chain: readonly string[];
}

/** The text of an included file. */
interface ReadFile {
  body: string;
  title: string;
  linesBefore: number;
}

const REMOTE = /^(?:[a-z][a-z0-9+.-]*:|\/\/|git@)/i;

/**
 * Collects the files that pages include, other than the reusable contents of GitBook. They are found as HonKit and
 * mdBook find them: relative to the file with the tag, or from the top folder of the book. What cannot be included is
 * reported.
 */
export class IncludedFiles {
  readonly #context: ReadingContext;
  readonly #usesBraces: boolean;
  readonly #folders: string[];
  readonly #collected = new Map<string, ImportedReusableContent>();
  /** Lengths of the shortest chains to followed files. */
  readonly #followed = new Map<string, number>();
  readonly #texts = new LRUCache<string, ReadFile>({ maxSize: MAX_CACHED_INCLUDED_CHARACTERS });

  constructor(context: ReadingContext) {
    this.#context = context;
    const { project } = context.configuration;
    this.#usesBraces = context.index.file(inFolder(project, 'book.toml')) !== undefined;
    this.#folders = gitbookFolders(context.configuration).map((folder) => inFolder(folder, 'includes'));
  }

  /**
   * Collects what a file includes, and what these files include.
   *
   * @param isKnown whether a file is content already: a page, or reusable content
   */
  *collect(path: string, includes: readonly FileInclude[], isKnown: (path: string) => boolean): Steps<void> {
    yield* this.#follow({ path, includes, page: path, chain: [path] }, isKnown);
  }

  /** Returns the collected files, ordered by path. */
  list(): ImportedReusableContent[] {
    return [...this.#collected.values()].sort((left, right) => (left.git.path < right.git.path ? -1 : 1));
  }

  *#follow(from: IncludingFile, isKnown: (path: string) => boolean): Steps<void> {
    const report = problemReporter(this.#context.problems, from.path);
    for (const include of from.includes) {
      yield;
      const problem = yield* this.#include(from, include, isKnown);
      if (problem && this.#isUsed(include)) {
        report(problem.reason, `"${include.path}" was not included: ${problem.message}`, include.line);
      }
    }
  }

  /** Whether the author uses a tag: in code, and in books of other tools, it may only be shown. */
  #isUsed({ syntax, place }: FileInclude): boolean {
    return place !== 'code' || (syntax === 'mdbook' && this.#usesBraces);
  }

  *#include(
    from: IncludingFile,
    include: FileInclude,
    isKnown: (path: string) => boolean,
  ): Steps<{ reason: ProblemReason; message: string } | undefined> {
    const found = this.#find(include.path, from);
    if ('message' in found) {
      return found;
    }
    const { path } = found;
    if (from.chain.includes(path)) {
      return { reason: 'unsupported', message: 'the file includes itself. Remove one of the tags.' };
    }
    if (isKnown(path)) {
      return undefined;
    }
    if (include.place === 'code' && this.#isReusable(path)) {
      return undefined;
    }
    if (from.chain.length > MAX_INCLUDED_DEPTH) {
      const message = `includes are nested more than ${MAX_INCLUDED_DEPTH} deep. Include the file from the page.`;
      return { reason: 'unsupported', message };
    }
    const file = this.#read(path);
    if (!file) {
      const message = `the file is larger than ${MAX_INCLUDED_FILE_BYTES} bytes, or is not a text. Include a smaller part of it as a file of its own.`;
      return { reason: 'too_large', message };
    }
    if (partOf(file.body, include.part) === undefined) {
      const { part: selected = {} } = include;
      const part =
        'anchor' in selected
          ? `anchor "${selected.anchor}"`
          : 'snippet' in selected
            ? `snippet "${selected.snippet}"`
            : 'such lines';
      return { reason: 'not_found', message: `the file has no ${part}. Correct the part.` };
    }
    if (!this.#collected.has(path)) {
      if (this.#collected.size >= MAX_INCLUDED_FILES) {
        const message = `the pages include more than ${MAX_INCLUDED_FILES} files. Include fewer files.`;
        return { reason: 'too_large', message };
      }
      yield* this.#add(path, file, from.page);
    }
    if (include.syntax !== 'link' && from.chain.length < (this.#followed.get(path) ?? Infinity)) {
      this.#followed.set(path, from.chain.length);
      const includes = fileIncludesIn(file.body, file.linesBefore);
      yield* this.#follow({ path, includes, page: from.page, chain: [...from.chain, path] }, isKnown);
    }
    return undefined;
  }

  #isReusable = (path: string): boolean => this.#folders.some((folder) => isInFolder(folder, path));

  /** Finds an included file in the repository. */
  #find(written: string, from: IncludingFile): { path: string } | { reason: ProblemReason; message: string } {
    if (REMOTE.test(written)) {
      const message = 'only files of this repository can be included. Copy the file into the repository.';
      return { reason: 'unsupported', message };
    }
    const { files, index, configuration } = this.#context;
    const root = rootOf(configuration, from.path);
    const paths = new Set(
      [decodePath(written), written].map((path) => resolvePath(path, folderOf(from.path), root)),
    );
    for (const path of paths) {
      const file = path === undefined ? undefined : (index.file(path) ?? files.findOutside?.(path));
      if (file) {
        return { path: file.path };
      }
    }
    if (paths.has(undefined)) {
      return { reason: 'invalid_value', message: 'the path leads out of the repository. Correct the path.' };
    }
    const link = (files.skipped ?? []).find(({ path, reason }) => reason === 'symlink' && paths.has(path));
    return link
      ? { reason: 'unsupported', message: 'it is a symbolic link. Replace it with the file itself.' }
      : { reason: 'not_found', message: 'the file does not exist in the repository. Correct the path.' };
  }

  #read(path: string): ReadFile | undefined {
    const cached = this.#texts.get(path);
    if (cached) {
      return cached;
    }
    const { files, yaml } = this.#context;
    const content = files.readIncluded ? files.readIncluded(path) : files.read(path);
    const file = content && readFile(path, decodeText(content), yaml);
    if (file) {
      this.#texts.set(path, file, { size: file.body.length + 1 });
    }
    return file;
  }

  *#add(path: string, { title, body }: ReadFile, page: string): Steps<void> {
    const { files, index, assets, external, configuration } = this.#context;
    const oid = (index.file(path) ?? files.findOutside?.(path))?.oid ?? '';
    const isText = isMarkdown(path);
    // Its links are relative to itself.
    const isBlock = isReusableBlock(path);
    const linksFrom = isBlock ? path : page;
    const linksRoot = linksRootOf(configuration, linksFrom);
    if (isText) {
      yield* assets.scan(body, linksFrom);
    }
    const read = () => this.#read(path)?.body ?? '';
    this.#collected.set(path, {
      title: detached(title),
      get markdown() {
        return isText ? external.inText(read(), linksFrom) : read();
      },
      ...(!isBlock && { linksFrom }),
      ...(linksRoot !== undefined && { linksRoot }),
      git: { oid, path },
    });
  }
}

function readFile(path: string, text: string, yaml: YamlReader): ReadFile | undefined {
  if (text.includes('\uFFFD') && text.split('\uFFFD').length > text.length / 100 + 2) {
    return undefined;
  }
  if (!isMarkdown(path)) {
    return { body: text, title: posix.basename(path), linesBefore: 0 };
  }
  const { values, body } = splitFrontMatter(text, yaml, () => {});
  const linesBefore = text.slice(0, text.length - body.length).split('\n').length - 1;
  return { body, title: asText(values.title) ?? titleFromName(posix.basename(path)), linesBefore };
}
