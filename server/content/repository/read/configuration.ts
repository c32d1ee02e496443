import { type PathIndex, type RepositoryFiles, resolvePath } from '../files.ts';
import { trimInvisible } from '../invisible.ts';
import { problemReporter, type ReportProblem } from '../problems.ts';
import type { ContentProblem } from '../types.ts';
import { asText, isMap, type YamlMap, type YamlReader } from '../yaml.ts';
import { readToolConfiguration, toolConfigurations } from './tool-configuration.ts';
import { readYaml } from './yaml-files.ts';

/** A language of a book. */
export interface BookLanguage {
  title: string;
  /** Folder of the book in this language, with a table of contents of its own. */
  folder: string;
  /** Line in the list of languages, from 1. */
  line: number;
}

/** The location of the documentation in a repository. All paths start at the repository's root. */
export interface ContentConfiguration {
  /** The folder that contains `.gitbook.yaml`. */
  project: string;
  /** Path of `.gitbook.yaml`, if it exists. */
  path: string | undefined;
  /** The folder of the documentation. */
  root: string;
  /** The file with the table of contents, if it exists. */
  summary: string | undefined;
  /** The list of the languages of a book, each in a folder with a table of contents, if it exists. */
  languages: string | undefined;
  /** The languages in their order. Paths from the root that are written in a language start in its folder. */
  books: readonly BookLanguage[];
  /** Whether the page tree consists of the languages: there are some, and no table of contents for all. */
  isMultilingual: boolean;
  /** Path of the table of contents, even if it does not exist yet. */
  summaryPath: string;
  /** The first page, if the configuration specifies one. */
  readme: string | undefined;
  /** The language of the documentation as written. */
  language: unknown;
  /** The redirects as written. */
  redirects: unknown;
}

const CONFIGURATION_NAMES = ['.gitbook.yaml', '.gitbook.yml'];
/** Names of the file that lists the languages of a book (HonKit, GitBook 2). */
export const LANGUAGE_FILES = ['LANGS.md', 'langs.md', 'Langs.md'];

/** What a configuration locates; `configured` is the table of contents that it names. */
type Located = Pick<ContentConfiguration, 'root' | 'summary' | 'readme'> & { configured: string | undefined };

/**
 * Reads `.gitbook.yaml`: `root`, `structure` with `readme` and `summary` relative to it, and `redirects`. By default
 * the documentation is the whole project with `SUMMARY.md` in its top folder. Without both, the configuration of
 * another tool is read, if it leads to a table of contents.
 */
export function readConfiguration(
  files: RepositoryFiles,
  index: PathIndex,
  project: string,
  yaml: YamlReader,
  problems: ContentProblem[],
): ContentConfiguration {
  const path = CONFIGURATION_NAMES.map((name) => inFolder(project, name)).find(
    (name) => index.file(name) !== undefined,
  );
  const report = problemReporter(problems, path ?? project);
  const values = path === undefined ? {} : readYaml(files.read(path), yaml, 'The configuration was', report);
  const located = locate(values, index, project, report);
  const { root, configured, summary, readme } =
    path === undefined && located.summary === undefined
      ? (locateByTools(files, index, project) ?? located)
      : located;
  if (configured !== undefined && index.file(configured) === undefined) {
    const missing = `structure.summary: "${configured}" does not exist in the repository.`;
    report(
      'not_found',
      summary === undefined
        ? `${missing} Pages are arranged by folders.`
        : `${missing} "${summary}" was read instead. Correct the path.`,
    );
  }
  if (readme !== undefined && index.file(readme) === undefined) {
    report('not_found', `structure.readme: "${readme}" does not exist in the repository. Correct the path.`);
  }
  return {
    project,
    path,
    root,
    summary,
    languages: languagesIn(index, root),
    books: [],
    isMultilingual: false,
    summaryPath: summary ?? configured ?? inFolder(root, 'SUMMARY.md'),
    readme: readme === undefined ? undefined : index.file(readme)?.path,
    language: values.language ?? languageOfTools(files, index, project),
    redirects: values.redirects,
  };
}

function locate(values: YamlMap, index: PathIndex, project: string, report: ReportProblem): Located {
  const structure = isMap(values.structure) ? values.structure : {};
  const root = readPath('root', values.root, project, project, report) ?? project;
  const configured = readPath('structure.summary', structure.summary, root, root, report);
  const readme = readPath('structure.readme', structure.readme, root, root, report);
  const summary = [
    ...(configured === undefined ? [] : [configured]),
    // Paths are relative to `root`, but are often written relative to the project.
    ...pathsInProject(structure.summary, project, root),
    ...['SUMMARY.md', 'summary.md', 'Summary.md'].map((name) => inFolder(root, name)),
  ]
    .map((name) => index.file(name)?.path)
    .find((name) => name !== undefined);
  return { root, configured, summary, readme };
}

const languagesIn = (index: PathIndex, root: string): string | undefined =>
  LANGUAGE_FILES.map((name) => index.file(inFolder(root, name))?.path).find((path) => path !== undefined);

/** Locates the documentation as other tools do; undefined if none of them finds a table of contents. */
function locateByTools(files: RepositoryFiles, index: PathIndex, project: string): Located | undefined {
  return toolValues(files, index, project)
    .map((values) => locate(values, index, project, () => {}))
    .find((located) => located.summary !== undefined || languagesIn(index, located.root) !== undefined);
}

const languageOfTools = (files: RepositoryFiles, index: PathIndex, project: string): unknown =>
  toolValues(files, index, project).find(({ language }) => language !== undefined)?.language;

/** Returns the values of the configurations of other tools. */
function toolValues(files: RepositoryFiles, index: PathIndex, project: string): YamlMap[] {
  return toolConfigurations.flatMap(({ name, read }) => {
    const file = index.file(inFolder(project, name));
    const content = file && files.read(file.path);
    return content ? [readToolConfiguration(content, read)] : [];
  });
}

/** Returns the root folder for absolute paths in a file. */
export function rootOf({ root, books }: ContentConfiguration, path: string): string {
  return books
    .map(({ folder }) => folder)
    .filter((folder) => isInFolder(folder, path))
    .reduce((longest, folder) => (folder.length > longest.length ? folder : longest), root);
}

/** Returns the folder of {@link rootOf} if it is the one of a language, and not that of all content. */
export function linksRootOf(configuration: ContentConfiguration, path: string): string | undefined {
  const root = rootOf(configuration, path);
  return root === configuration.root ? undefined : root;
}

/** Returns the top folder of a file's page tree. Its README is not named after the folder. */
export const topFolderOf = (configuration: ContentConfiguration, path: string): string =>
  configuration.isMultilingual ? rootOf(configuration, path) : configuration.root;

/** Returns a path below a folder; '' is the root. */
export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Whether a path is in a folder, at any depth. */
export function isInFolder(folder: string, path: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/** Returns the folders that may contain `.gitbook/`: that of the documentation, then that of the project. */
export function gitbookFolders(configuration: ContentConfiguration): string[] {
  return Array.from(new Set([configuration.root, configuration.project]), (folder) =>
    inFolder(folder, '.gitbook'),
  );
}

function readPath(
  key: string,
  value: unknown,
  folder: string,
  root: string,
  report: ReportProblem,
): string | undefined {
  const text = asPath(value);
  if (text === undefined) {
    return undefined;
  }
  const path = resolvePath(text, folder, root);
  if (path === undefined) {
    report(
      'invalid_value',
      `${key} was ignored because its path is outside the repository. Set a path inside it.`,
    );
  }
  return path;
}

function asPath(value: unknown): string | undefined {
  return asText(trimInvisible(asText(value) ?? ''));
}

/** Returns the path that a value has relative to the project, if that differs from the root of the documentation. */
function pathsInProject(value: unknown, project: string, root: string): string[] {
  const path = root === project ? undefined : resolvePath(asPath(value) ?? '', project, project);
  return path === undefined ? [] : [path];
}
