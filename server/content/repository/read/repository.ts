import { posix } from 'node:path';
import { blankConditions } from '../../expressions/visible-text.ts';
import { detached } from '../../tree/detached.ts';
import { isMarkdown, PathIndex, type RepositoryFile, type RepositoryFiles } from '../files.ts';
import { isPointer, POINTER_MESSAGE } from '../lfs.ts';
import { problemReporter, type ReportProblem, reportConditions } from '../problems.ts';
import { allSteps, type Steps } from '../steps.ts';
import { decodeText, titleFromName } from '../text.ts';
import type { ContentProblem, ImportedContent, ImportedFile, ImportedReusableContent } from '../types.ts';
import { asText, asVariables, YamlReader } from '../yaml.ts';
import { AssetCollector } from './assets.ts';
import {
  type ContentConfiguration,
  gitbookFolders,
  inFolder,
  isInFolder,
  linksRootOf,
  readConfiguration,
} from './configuration.ts';
import type { ReadingContext } from './context.ts';
import { ExternalFiles } from './external.ts';
import { outlineFromFolders } from './folders.ts';
import { splitFrontMatter } from './front-matter.ts';
import { type FileInclude, fileIncludesIn, IncludedFiles } from './includes.ts';
import { declaredLanguage, outlineOfLanguages, withLanguages } from './languages.ts';
import { type OutlineEntry, SummaryOutline } from './outline.ts';
import type { PageReadings } from './page-text.ts';
import { PageReader } from './pages.ts';
import { readRedirects } from './redirects.ts';
import { parseSummaryInSteps } from './summary.ts';
import { readYaml } from './yaml-files.ts';

/** Options of an import, apart from the location of the repository. */
export interface ReadingOptions {
  /** Prefix of the URLs of files outside the content. */
  treeURL?: string | undefined;
  /** Texts that need not be read again. Those that are read are added. */
  readings?: PageReadings;
}

const SKIPPED_REASONS: Readonly<Record<string, string>> = {
  symlink: 'The symbolic link was skipped. Replace it with the file itself.',
  submodule: 'The submodule was skipped. Add its files to the repository.',
  'unsafe-path': 'The path is not supported. Use a name in UTF-8 without backslashes.',
};

/**
 * Reads a documentation repository in the usual layout: `.gitbook.yaml`, `SUMMARY.md` or else the folders, pages with
 * front matter, `.gitbook/includes`, `.gitbook/vars.yaml` and `.gitbook/assets`. It never fails because of the
 * content: whatever cannot be used is listed in `problems`.
 *
 * The texts of the result are read from the files on each access, so the files must remain available and unchanged.
 *
 * @param directory the project's directory in the repository; all paths in the result start at the repository's
 *   root
 */
export function readRepository(
  files: RepositoryFiles,
  directory = '',
  options: ReadingOptions = {},
): ImportedContent {
  return allSteps(readInSteps(files, directory, options));
}

/** Reads a documentation repository of any size like {@link readRepository}, in steps. */
export function* readInSteps(
  files: RepositoryFiles,
  directory = '',
  { treeURL, readings }: ReadingOptions = {},
): Steps<ImportedContent> {
  const project = projectFolder(directory);
  const listed = files.list().filter((file) => isInFolder(project, file.path));
  const problems: ContentProblem[] = [];
  const index = new PathIndex();
  for (const file of listed) {
    index.add(file);
    yield;
  }
  const yaml = new YamlReader();
  const configuration = withLanguages(
    readConfiguration(files, index, project, yaml, problems),
    files,
    listed,
    problems,
  );
  const assets = new AssetCollector(files, index, configuration);
  const external = new ExternalFiles(treeURL, configuration);
  const context = { files, index, configuration, assets, external, yaml, problems };
  for (const { path, reason } of files.skipped ?? []) {
    const message = SKIPPED_REASONS[reason];
    if (message !== undefined && isInFolder(configuration.root, path)) {
      problems.push({ path, reason: 'unsupported', message });
    }
  }
  const outline = yield* readOutline(context, listed);
  const reader = new PageReader({ ...context, readings });
  const pages = yield* reader.readAll(outline);
  const { reusableContents, includes } = yield* readReusableContents(context, listed);
  const included = new IncludedFiles(context);
  const isContent = (path: string) => reader.includes.has(path) || includes.has(path);
  for (const [path, tags] of [...reader.includes, ...includes]) {
    yield* included.collect(path, tags, isContent);
  }
  const variables = readVariables(context);
  for (const folder of gitbookFolders(configuration)) {
    for (const { path } of listed) {
      if (isInFolder(inFolder(folder, 'assets'), path)) {
        assets.add(path);
      }
    }
  }
  const imported = assets.list();
  reportPointers(context, imported);
  const redirects = readRedirects(context, pages);
  const language = declaredLanguage(context);
  return {
    pages,
    files: imported,
    reusableContents: [...reusableContents, ...included.list()],
    redirects,
    variables,
    ...(language !== undefined && { language }),
    samples: reader.samples,
    problems,
  };
}

/** Reports files without their content in the repository. */
function reportPointers({ files, problems }: ReadingContext, imported: readonly ImportedFile[]): void {
  for (const { git } of imported) {
    const content = files.read(git.path);
    if (content && isPointer(content)) {
      problems.push({ path: git.path, reason: 'unsupported', message: POINTER_MESSAGE });
    }
  }
}

/** Normalizes a directory as entered by a user to a path from the repository's root. */
export function projectFolder(directory: string): string {
  return posix.join('/', directory).replace(/^\/+|\/+$/g, '');
}

function* readOutline(context: ReadingContext, listed: readonly RepositoryFile[]): Steps<OutlineEntry[]> {
  const { configuration } = context;
  const readBook = (book: ContentConfiguration) =>
    readBookOutline({ ...context, configuration: book }, listed);
  return configuration.isMultilingual
    ? yield* outlineOfLanguages(context, readBook)
    : yield* readBook(configuration);
}

/** Reads the outline of a book from its table of contents, or else from its folders. */
function* readBookOutline(context: ReadingContext, listed: readonly RepositoryFile[]): Steps<OutlineEntry[]> {
  const { files, configuration, yaml, problems } = context;
  const { summary } = configuration;
  const content = summary === undefined ? undefined : files.read(summary);
  if (summary !== undefined && content !== undefined) {
    const report = problemReporter(problems, summary);
    try {
      const text = decodeText(content);
      const { body } = splitFrontMatter(text, yaml, report);
      const linesBefore = text.slice(0, text.length - body.length).split('\n').length - 1;
      reportSummaryConditions(body, report);
      const entries = yield* parseSummaryInSteps(body, linesBefore);
      if (entries.length > 0) {
        return yield* new SummaryOutline(summary, context).build(entries);
      }
      report('invalid_value', 'The table of contents has no entries. Pages are arranged by folders.');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      report(
        'invalid_syntax',
        `The table of contents was ignored: ${reason}. Pages are arranged by folders.`,
      );
    }
  }
  return yield* outlineFromFolders(listed, configuration);
}

function reportSummaryConditions(summary: string, report: ReportProblem): void {
  if (blankConditions(summary) !== summary) {
    report(
      'unsupported',
      'Conditions in the table of contents are not supported: entries that depend on them were omitted. Remove them.',
    );
  }
}

/** Reads the reusable contents of GitBook, ordered by path, and the files that they include. */
function* readReusableContents(
  context: ReadingContext,
  listed: readonly RepositoryFile[],
): Steps<{ reusableContents: ImportedReusableContent[]; includes: Map<string, readonly FileInclude[]> }> {
  const folders = gitbookFolders(context.configuration).map((folder) => inFolder(folder, 'includes'));
  const files = listed.filter(
    (file) => isMarkdown(file.path) && folders.some((folder) => isInFolder(folder, file.path)),
  );
  const reusableContents: ImportedReusableContent[] = [];
  const includes = new Map<string, readonly FileInclude[]>();
  for (const { path, oid } of files.sort((left, right) => (left.path < right.path ? -1 : 1))) {
    yield;
    const content = context.files.read(path);
    if (content === undefined) {
      continue;
    }
    const report = problemReporter(context.problems, path);
    const text = decodeText(content);
    const { values, body } = splitFrontMatter(text, context.yaml, report);
    const start = text.length - body.length;
    const linesBefore = text.slice(0, start).split('\n').length - 1;
    reportConditions(body, linesBefore, report);
    includes.set(path, fileIncludesIn(body, linesBefore));
    yield* context.assets.scan(body, path);
    const title = detached(asText(values.title)) ?? titleFromName(posix.basename(path));
    const readMarkdown = () => {
      const remainder = decodeText(context.files.read(path) ?? new Uint8Array()).slice(start);
      return context.external.inText(remainder.replace(/^(?:[ \t]*\n)+/, ''), path);
    };
    const linksRoot = linksRootOf(context.configuration, path);
    reusableContents.push({
      title,
      get markdown() {
        return readMarkdown();
      },
      ...(linksRoot !== undefined && { linksRoot }),
      git: { oid, path },
    });
  }
  return { reusableContents, includes };
}

function readVariables({
  files,
  index,
  configuration,
  yaml,
  problems,
}: ReadingContext): Record<string, string> {
  const candidates = gitbookFolders(configuration).flatMap((folder) =>
    ['vars.yaml', 'vars.yml'].map((name) => inFolder(folder, name)),
  );
  const path = candidates.find((candidate) => index.file(candidate) !== undefined);
  const content = path === undefined ? undefined : files.read(path);
  if (path === undefined || content === undefined) {
    return {};
  }
  const report = problemReporter(problems, path);
  return asVariables(readYaml(content, yaml, 'The variables were', report), report);
}
