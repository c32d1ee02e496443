import { type PathIndex, type RepositoryFiles, resolvePath } from '../files.ts';
import { problemReporter, type ReportProblem } from '../problems.ts';
import { decodeText } from '../text.ts';
import type { ContentProblem } from '../types.ts';
import {
  asText,
  isMap,
  MAX_CONFIGURATION_CHARACTERS,
  YamlError,
  type YamlMap,
  type YamlReader,
} from '../yaml.ts';

/** The location of the documentation in a repository. All paths start at the repository's root. */
export interface ContentConfiguration {
  /** The folder that contains `.gitbook.yaml`. */
  project: string;
  /** The folder of the documentation. */
  root: string;
  /** The file with the table of contents, if it exists. */
  summary: string | undefined;
  /** Path of the table of contents, or where to create it. */
  summaryPlace: string;
  /** The first page, if the configuration specifies one. */
  readme: string | undefined;
}

const names = ['.gitbook.yaml', '.gitbook.yml'];

/**
 * Reads `.gitbook.yaml`: `root`, and `structure` with `readme` and `summary` relative to it. By default the
 * documentation is the whole project with `SUMMARY.md` in its top folder.
 */
export function readConfiguration(
  files: RepositoryFiles,
  index: PathIndex,
  project: string,
  yaml: YamlReader,
  problems: ContentProblem[],
): ContentConfiguration {
  const path = names.map((name) => inFolder(project, name)).find((name) => index.file(name) !== undefined);
  const report = problemReporter(problems, path ?? project);
  const values = path === undefined ? {} : readValues(files.read(path), yaml, report);
  const structure = isMap(values.structure) ? values.structure : {};
  const root = readPath('root', values.root, project, project, report) ?? project;
  const summary = readPath('structure.summary', structure.summary, root, root, report);
  const readme = readPath('structure.readme', structure.readme, root, root, report);
  if (summary !== undefined && index.file(summary) === undefined) {
    report(
      'not_found',
      `structure.summary: "${summary}" does not exist in the repository. Pages are arranged by folders.`,
    );
  }
  if (readme !== undefined && index.file(readme) === undefined) {
    report('not_found', `structure.readme: "${readme}" does not exist in the repository. Correct the path.`);
  }
  const candidates =
    summary === undefined
      ? ['SUMMARY.md', 'summary.md', 'Summary.md'].map((name) => inFolder(root, name))
      : [summary];
  const summaryPath = candidates.map((name) => index.file(name)?.path).find((name) => name !== undefined);
  return {
    project,
    root,
    summary: summaryPath,
    summaryPlace: summaryPath ?? candidates[0] ?? inFolder(root, 'SUMMARY.md'),
    readme: readme === undefined ? undefined : index.file(readme)?.path,
  };
}

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

function readValues(content: Uint8Array | undefined, yaml: YamlReader, report: ReportProblem): YamlMap {
  try {
    return content === undefined ? {} : yaml.readMap(decodeText(content), MAX_CONFIGURATION_CHARACTERS);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    report(
      'invalid_syntax',
      `The configuration was ignored because its YAML is invalid: ${reason}. Correct it and import again.`,
      error instanceof YamlError ? error.line : undefined,
    );
    return {};
  }
}

function readPath(
  key: string,
  value: unknown,
  folder: string,
  root: string,
  report: ReportProblem,
): string | undefined {
  const text = asText(value);
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
