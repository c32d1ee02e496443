import { isDeepStrictEqual } from 'node:util';
import { PathIndex } from '../files.ts';
import { AssetCollector } from '../read/assets.ts';
import { type ContentConfiguration, gitbookFolders, inFolder, topFolderOf } from '../read/configuration.ts';
import { ExternalFiles } from '../read/external.ts';
import { PageReader } from '../read/pages.ts';
import { allSteps, type Steps } from '../steps.ts';
import { collapse } from '../text.ts';
import type { ImportedContent, ImportedDocument, ImportedPage } from '../types.ts';
import { writeYaml, YamlReader } from '../yaml.ts';
import { isEquivalentPage, isEquivalentReusableContent, normalizeBody } from './compare.ts';
import type { Draft } from './draft.ts';
import { changedVariables } from './front-matter.ts';
import { writePage, writeReusableContent } from './page.ts';
import { editPage, editReusableContent } from './page-edit.ts';
import { isIncludedFile, type WrittenPaths } from './paths.ts';
import { writeSummary } from './summary.ts';
import { type BookContents, summaryPathsOf } from './tables.ts';
import { type ExportedContent, type ExportedDocument, walkExported } from './types.ts';
import { editYaml } from './yaml-edit.ts';

/** The repository that texts are written to. */
export interface TextContext {
  draft: Draft;
  configuration: ContentConfiguration;
  /** The tables of contents of the content. */
  tables: readonly BookContents[];
  paths: WrittenPaths;
  treeURL: string | undefined;
  /** The content of the repository before. */
  before: ImportedContent;
  read: () => Steps<ImportedContent>;
}

type ReadPage = (page: ExportedDocument, path: string) => ImportedDocument | undefined;

/**
 * Adds to the draft each text that is not yet in the repository, except the table of contents. A page may be the table
 * of contents itself: its text is added if it changed, without the changes of the tree.
 */
export function* writeTexts(content: ExportedContent, context: TextContext): Steps<void> {
  const { draft, tables, paths, before, read } = context;
  const summaryPaths = summaryPathsOf(tables);
  const all = [...walkExported(content.pages)].filter((page) => page.type === 'document');
  const isContents = ({ id }: ExportedDocument) => summaryPaths.has(paths.pages.get(id) ?? '');
  const documents = all.filter((page) => !isContents(page));
  for (const page of documents) {
    yield;
    if (draft.textAtHead(paths.pages.get(page.id) ?? '') === undefined) {
      putPage(page, context);
    }
  }
  for (const { pages, configuration } of tables) {
    draft.texts.set(configuration.summaryPath, writeSummary(pages, configuration.summaryPath, paths));
  }
  const current = yield* read();
  const pages = byPath(current.pages);
  const pagesBefore = byPath(before.pages);
  const readPage = pageReader(context);
  for (const page of documents) {
    yield;
    const path = paths.pages.get(page.id) ?? '';
    const readings = { before: pagesBefore.get(path), written: pages.get(path), readPage };
    if (isEquivalentPage(page, readings.written, paths)) {
      // The table of contents names the page: a title in its file, which is then ignored, changes with it.
      if (isRenamed(page, readings.before) && !changePage(page, context, readings)) {
        draft.texts.delete(path);
      }
    } else if (!changePage(page, context, readings)) {
      putPage(page, context);
    }
  }
  for (const path of summaryPaths) {
    draft.texts.delete(path);
  }
  for (const page of all.filter(isContents)) {
    const contentsBefore = pagesBefore.get(paths.pages.get(page.id) ?? '');
    const readings = { before: contentsBefore, written: contentsBefore, readPage };
    if (!isEquivalentPage(page, contentsBefore, paths) && !changePage(page, context, readings)) {
      putPage(page, context);
    }
  }
  yield* writeReusableContents(content, current, context);
  writeVariables(content, current, context);
}

const isRenamed = ({ title }: ExportedDocument, before: ImportedDocument | undefined): boolean =>
  before !== undefined && collapse(title) !== '' && collapse(title) !== before.title;

/** Whether a table of contents names the pages. */
const namesPages = ({ summary, languages }: ContentConfiguration): boolean =>
  summary !== undefined || languages !== undefined;

/** Writes a page anew. */
function putPage(page: ExportedDocument, { draft, configuration, paths }: TextContext): void {
  const path = paths.pages.get(page.id) ?? '';
  const body = { ...page, markdown: normalizeBody(page.markdown) };
  const root = topFolderOf(configuration, path);
  draft.texts.set(path, writePage(body, { path, root, places: paths, before: draft.textAtHead(path) }));
}

/**
 * Edits the file of a page in place.
 *
 * @param before the page in the repository
 * @param written the page after the rest of the content was written
 * @returns false if the file cannot be edited so that it is read as the page
 */
function changePage(
  page: ExportedDocument,
  { draft, configuration, paths }: TextContext,
  {
    before,
    written,
    readPage,
  }: { before: ImportedDocument | undefined; written: ImportedDocument | undefined; readPage: ReadPage },
): boolean {
  const path = paths.pages.get(page.id) ?? '';
  const text = draft.textAtHead(path);
  if (text === undefined || before === undefined) {
    return false;
  }
  const slug = written?.slug ?? before.slug;
  const root = topFolderOf(configuration, path);
  const isTitled = !namesPages(configuration);
  const edited = editPage(page, text, { path, root, places: paths, before, slug, isTitled });
  if (edited === undefined) {
    return false;
  }
  draft.texts.set(path, edited);
  const read = readPage(page, path);
  // Whether the slug is free depends on other pages.
  return read !== undefined && isEquivalentPage(page, { ...read, slug: page.slug }, paths);
}

/**
 * Returns a function that reads the file of a page from the draft. Without a table of contents, the title of a page is
 * that of its file.
 */
function pageReader({ draft, configuration, treeURL }: TextContext): ReadPage {
  const files = draft.files();
  const index = new PathIndex(files.list());
  const assets = new AssetCollector(files, index, configuration);
  const external = new ExternalFiles(treeURL, configuration);
  return ({ title }, path) => {
    const file = index.file(path);
    const context = {
      files,
      configuration,
      assets,
      external,
      yaml: new YamlReader(),
      problems: [],
    };
    const named = namesPages(configuration) ? collapse(title) : '';
    const [page] =
      file === undefined
        ? []
        : allSteps(new PageReader(context).readAll([{ kind: 'page', title: named, file, entries: [] }]));
    return page?.type === 'document' ? page : undefined;
  };
}

function* writeReusableContents(
  { reusableContents }: ExportedContent,
  current: ImportedContent,
  { draft, paths, configuration }: TextContext,
): Steps<void> {
  const included = new Map(current.reusableContents.map((reusable) => [reusable.git.path, reusable]));
  for (const reusable of reusableContents) {
    yield;
    const path = paths.reusableContents.get(reusable.id) ?? '';
    if (reusable.git && isIncludedFile(reusable.git.path, configuration)) {
      if (path !== '' && !draft.has(path)) {
        draft.texts.set(path, reusable.markdown);
      }
      continue;
    }
    const before = included.get(path);
    if (isEquivalentReusableContent(reusable, before)) {
      continue;
    }
    const text = draft.textAtHead(path);
    const edited =
      text === undefined || before === undefined ? undefined : editReusableContent(reusable, text, before);
    const body = { ...reusable, markdown: normalizeBody(reusable.markdown) };
    draft.texts.set(path, edited ?? writeReusableContent(body, text));
  }
}

function writeVariables(
  { variables }: ExportedContent,
  current: ImportedContent,
  { draft, configuration }: TextContext,
): void {
  if (isDeepStrictEqual(variables, current.variables)) {
    return;
  }
  const path = variablesPath(draft, configuration);
  const text = draft.textAtHead(path);
  const edited =
    text === undefined ? undefined : editYaml(text, changedVariables(variables, current.variables));
  draft.texts.set(path, edited ?? writeYaml(variables));
}

function variablesPath(files: Draft, configuration: ContentConfiguration): string {
  const candidates = gitbookFolders(configuration).flatMap((folder) =>
    ['vars.yaml', 'vars.yml'].map((name) => inFolder(folder, name)),
  );
  const index = new PathIndex(files.list());
  return candidates.find((path) => index.file(path) !== undefined) ?? candidates[0] ?? '';
}

function byPath(pages: readonly ImportedPage[]): Map<string, ImportedDocument> {
  return new Map(documentsOf(pages).map((page) => [page.git.path, page]));
}

function documentsOf(pages: readonly ImportedPage[]): ImportedDocument[] {
  return pages.flatMap((page) => [
    ...(page.type === 'document' ? [page] : []),
    ...('pages' in page ? documentsOf(page.pages) : []),
  ]);
}
