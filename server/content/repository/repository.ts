import { posix } from 'node:path';
import { imageSize } from 'image-size';
import { lookup } from 'mime-types';
import {
  type ContentConfiguration,
  gitbookFolders,
  inFolder,
  liesIn,
  readConfiguration,
} from './configuration.ts';
import { isMarkdown, PathIndex, type RepositoryFile, type RepositoryFiles } from './files.ts';
import { readPageSettings, splitFrontMatter } from './front-matter.ts';
import { findTitleHeading, sameTitle } from './heading.ts';
import { fileReferences, referenceFrom } from './references.ts';
import { parseSummary } from './summary.ts';
import { collapse, decodeText, titleFromName } from './text.ts';
import { entriesOfFolders, type ReadPage, TreeBuilder } from './tree.ts';
import type {
  ContentProblem,
  Dimensions,
  ImportedContent,
  ImportedFile,
  ImportedPage,
  ImportedReusableContent,
} from './types.ts';
import { asVariables, YamlReader } from './yaml.ts';

/**
 * Reads a repository of documentation in the usual layout: `.gitbook.yaml`, `SUMMARY.md`, front matter,
 * `.gitbook/` with assets, includes and variables (description, Git; additions, git). What cannot be used is
 * told in `problems`; nothing in a repository makes an import fail.
 *
 * @param project the folder that the documentation lies in; the repository's root by default
 */
export function readRepository(files: RepositoryFiles, project = ''): ImportedContent {
  return new RepositoryReader(files, project).read();
}

/** The size of an image in pixels, undefined for what is none. */
export function imageDimensions(content: Uint8Array): Dimensions | undefined {
  try {
    const { width, height } = imageSize(content);
    return { width, height };
  } catch {
    return undefined;
  }
}

class RepositoryReader {
  readonly #files: RepositoryFiles;
  readonly #index: PathIndex;
  readonly #yaml = new YamlReader();
  readonly #problems: ContentProblem[];
  readonly #configuration: ContentConfiguration;
  /** The files that pages use, by path. */
  readonly #used = new Map<string, RepositoryFile>();

  constructor(files: RepositoryFiles, project: string) {
    this.#files = files;
    this.#index = new PathIndex(files.list());
    this.#problems = (files.skipped ?? []).map(({ path, reason }) => ({ path, message: reason }));
    this.#configuration = readConfiguration(files, this.#index, project, this.#yaml, this.#problems);
  }

  read(): ImportedContent {
    this.#useAssets();
    const pages = this.#readPages();
    const reusableContents = this.#readIncludes();
    return {
      pages,
      files: [...this.#used.values()].map(importedFile),
      reusableContents,
      variables: this.#readVariables(),
      problems: this.#problems,
    };
  }

  #readPages(): ImportedPage[] {
    const { summary } = this.#configuration;
    const text = summary === undefined ? undefined : this.#text(summary);
    const entries =
      text === undefined
        ? entriesOfFolders(this.#files.list(), this.#index, this.#configuration)
        : parseSummary(text);
    const tree = new TreeBuilder(this.#configuration, {
      index: this.#index,
      yaml: this.#yaml,
      read: this.#readPage,
      problems: this.#problems,
    });
    const pages = tree.build(entries);
    for (const page of pages) this.#useTargets(page);
    return pages;
  }

  /** Reads one page's file: its settings, its title, and its text without what these took. */
  readonly #readPage: ReadPage = (file, listed) => {
    const report = (message: string) => this.#problems.push({ path: file.path, message });
    const text = this.#text(file.path);
    if (text === undefined) report('The page is empty, because its file is too large to be read.');
    const { values, body } = splitFrontMatter(text ?? '', this.#yaml, report);
    const { title: written, cover, ...settings } = readPageSettings(values, report);
    const heading = findTitleHeading(body);
    const wanted = [listed, written, heading?.leading ? heading.text : ''].map((one) => collapse(one ?? ''));
    const title = wanted.find((one) => one !== '') ?? titleFromName(posix.basename(file.path));
    const isTitle = heading?.leading && sameTitle(heading.text, title);
    const markdown = isTitle ? body.slice(0, heading.start) + body.slice(heading.end) : body;
    this.#useReferences(markdown, file.path);
    return {
      title,
      ...settings,
      ...(cover && {
        cover: {
          ref: this.#use(cover.light, file.path),
          ...(cover.dark !== undefined && { refDark: this.#use(cover.dark, file.path) }),
          yPos: cover.yPos,
        },
      }),
      markdown: markdown.replace(/^\s*\n/, '').trimEnd(),
      git: { oid: file.oid, path: file.path },
    };
  };

  #readIncludes(): ImportedReusableContent[] {
    return this.#below('includes')
      .filter(({ path }) => isMarkdown(path))
      .map((file) => {
        const page = this.#readPage(file, '');
        return { title: page.title, markdown: page.markdown, git: page.git };
      });
  }

  #readVariables(): Record<string, string> {
    for (const folder of gitbookFolders(this.#configuration)) {
      const path = inFolder(folder, 'vars.yaml');
      const text = this.#text(path);
      if (text === undefined) continue;
      const report = (message: string) => this.#problems.push({ path, message });
      try {
        return asVariables(this.#yaml.readMap(text), report);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        report(
          `The variables were not used, because the YAML cannot be read: ${why}. Correct it and import again.`,
        );
      }
    }
    return {};
  }

  #useAssets(): void {
    for (const file of this.#below('assets')) this.#used.set(file.path, file);
  }

  /** Takes over what links of the tree lead to. */
  #useTargets(page: ImportedPage): void {
    if (page.type === 'link' && page.target.kind === 'file') this.#useFile(page.target.path);
    if ('pages' in page) for (const below of page.pages) this.#useTargets(below);
  }

  #useReferences(markdown: string, from: string): void {
    for (const written of fileReferences(markdown)) this.#use(written, from);
  }

  /** What a written reference leads to; a file of the repository is taken over. */
  #use(written: string, from: string) {
    const reference = referenceFrom(written, from, this.#configuration.root, this.#index);
    if (reference.kind === 'file') this.#useFile(reference.path);
    return reference;
  }

  #useFile(path: string): void {
    const file = this.#index.file(path);
    if (file && !isMarkdown(file.path)) this.#used.set(file.path, file);
  }

  /** The files in a folder of `.gitbook/`. */
  #below(name: string): RepositoryFile[] {
    const folders = gitbookFolders(this.#configuration).map((folder) => inFolder(folder, name));
    return this.#files.list().filter(({ path }) => folders.some((folder) => liesIn(folder, path)));
  }

  #text(path: string): string | undefined {
    const file = this.#index.file(path);
    const content = file && this.#files.read(file.path);
    return content && decodeText(content);
  }
}

function importedFile({ path, oid, size }: RepositoryFile): ImportedFile {
  const name = posix.basename(path);
  return { name, contentType: lookup(name) || 'application/octet-stream', size, git: { oid, path } };
}
