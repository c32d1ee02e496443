import { readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { findTypeScript } from '../check/installed.ts';
import { type Project, pathIn } from '../project.ts';
import {
  cacheFolder,
  digest,
  installationDigest,
  readBytesIfFile,
  readIfFile,
  writeCached,
} from './folder.ts';
import { isSameCode } from './same-code.ts';

/** Changes with the format of the file. */
const FORMAT = 1;

/** Files that a compiler reads, or looks for. */
const CODE_FILE = /\.(?:[cm]?[jt]sx?|json)$/;

/** Files that configure a compiler. */
const CONFIGURATION = /(?:^|\/)(?:[tj]sconfig[^/]*|package)\.json$/;

/** What the last type check of a program found, in a file of the cache. */
export interface CheckedProgram {
  /** Cache of the compiler, which it validates itself. */
  buildInfo: Buffer;
  /** State of the files, if the program had no errors and its state is known. */
  state?: ProgramState;
}

/** Everything that the result of a type check depends on. */
export interface ProgramState {
  /** Compiler, its packages, and the project. */
  environment: string;
  /** Paths of the code in the project, relative to its root. */
  names: readonly string[];
  /** Sizes and times of the files of packages in the program, by absolute path. */
  installed: Readonly<Record<string, string>>;
  /** Texts of the other files of the program and of the configuration, by path relative to the root. */
  texts: ReadonlyMap<string, Buffer>;
}

/** Path of the file of a program; `undefined` if the project has no cache. */
export function programCache(project: Project): string | undefined {
  const folder = cacheFolder(project);
  return folder && join(folder, `types-${digest(JSON.stringify([project.root, project.tsconfig]))}`);
}

/** Reads a program; `undefined` if the file is missing or damaged. */
export function readProgram(path: string): CheckedProgram | undefined {
  const bytes = readBytesIfFile(path);
  const headerEnd = bytes?.indexOf('\n') ?? -1;
  const rest = bytes?.subarray(headerEnd + 1);
  if (bytes === undefined || rest === undefined || bytes.toString('utf8', 0, headerEnd) !== digest(rest)) {
    return undefined;
  }
  const listEnd = rest.indexOf('\n');
  // The digest proves that `writeProgram` wrote it.
  const list = JSON.parse(rest.toString('utf8', 0, listEnd)) as ProgramHeader;
  let offset = listEnd + 1;
  const next = (length: number): Buffer => {
    offset += length;
    return rest.subarray(offset - length, offset);
  };
  const buildInfo = next(list.buildInfoBytes);
  if (list.state === undefined) {
    return { buildInfo };
  }
  const { sizes, ...state } = list.state;
  const texts = new Map(sizes.map(([name, size]) => [name, next(size)]));
  return { buildInfo, state: { ...state, texts } };
}

interface ProgramHeader {
  buildInfoBytes: number;
  state?: Omit<ProgramState, 'texts'> & { sizes: [string, number][] };
}

/** Writes a program for {@link readProgram}. */
export async function writeProgram(path: string, { buildInfo, state }: CheckedProgram): Promise<void> {
  const { texts = new Map<string, Buffer>(), ...rest } = state ?? {};
  const sizes = [...texts].map(([name, text]): [string, number] => [name, text.length]);
  const header: Partial<ProgramHeader> & { buildInfoBytes: number } = { buildInfoBytes: buildInfo.length };
  const stated = state === undefined ? header : { ...header, state: { ...rest, sizes } };
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(stated)}\n`), buildInfo, ...texts.values()]);
  await writeCached(path, Buffer.concat([Buffer.from(`${digest(body)}\n`), body]));
}

/** Whether a type check would find no errors, because it found none in a program that differs in comments only. */
export async function isStillCorrect(project: Project, state: ProgramState): Promise<boolean> {
  const { environment, names, texts, installed } = state;
  if (environment !== environmentOf(project) || !isEqual(names, namesOf(project)?.names)) {
    return false;
  }
  if (Object.entries(installed).some(([path, stamp]) => stamp !== stampOf(path))) {
    return false;
  }
  for (const [name, before] of texts) {
    const after = readBytesIfFile(join(project.root, name));
    if (after === undefined) {
      return false;
    }
    if (!before.equals(after) && !(await isSameCode(name, before.toString(), after.toString()))) {
      return false;
    }
  }
  return true;
}

/**
 * Reads the state of a program after its check; `undefined` if it cannot be compared later, or changed during the check.
 * @param files absolute paths of the files of the program
 * @param startMs time before the check, of the clock of the file system
 */
export function programState(
  project: Project,
  files: readonly string[],
  startMs: number,
): ProgramState | undefined {
  const environment = environmentOf(project);
  const listed = namesOf(project);
  const own = files.filter((path) => !isInstalled(path)).map((path) => nameOf(project, path));
  // The names of files in other folders, which the compiler could look for, are unknown.
  if (environment === undefined || listed === undefined || own.some((name) => name.startsWith('..'))) {
    return undefined;
  }
  const configuration = listed.names.filter((name) => CONFIGURATION.test(name));
  const texts = new Map<string, Buffer>();
  for (const name of new Set([...own, ...configuration, ...listed.settings])) {
    const path = join(project.root, name);
    const text = readBytesIfFile(path);
    if (text === undefined || (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? startMs) >= startMs) {
      return undefined;
    }
    texts.set(name, text);
  }
  if (listed.changedMs >= startMs) {
    return undefined;
  }
  const installed = Object.fromEntries(files.filter(isInstalled).map((path) => [path, stampOf(path)]));
  return { environment, names: listed.names, installed, texts };
}

const isInstalled = (path: string): boolean => path.includes('/node_modules/');

const nameOf = ({ root }: Project, path: string): string => relative(root, path).split(sep).join('/');

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'missing' : `${stats.size} ${stats.mtimeMs}`;
}

function environmentOf(project: Project): string | undefined {
  const installation = installationDigest(project);
  return installation && JSON.stringify([FORMAT, findTypeScript(project), process.platform, installation]);
}

/** Names of the code in the project; `undefined` if a folder is a link, which the compiler would follow. */
function namesOf(project: Project): { names: string[]; settings: string[]; changedMs: number } | undefined {
  const settings = settingsOf(project);
  const text = settings.map((name) => readIfFile(join(project.root, name)) ?? '').join('\n');
  const names: string[] = [];
  let changedMs = 0;
  const walk = (folder: string): boolean => {
    const path = join(project.root, folder);
    changedMs = Math.max(changedMs, statSync(path).ctimeMs);
    return readdirSync(path, { withFileTypes: true }).every((entry) => {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (
        entry.isSymbolicLink() &&
        statSync(join(path, entry.name), { throwIfNoEntry: false })?.isDirectory()
      ) {
        return entry.name === 'node_modules';
      }
      if (!entry.isDirectory()) {
        if (CODE_FILE.test(entry.name)) {
          names.push(name);
        }
        return true;
      }
      // Patterns of the configuration match hidden folders only by name.
      const isHidden = entry.name.startsWith('.') && !text.includes(entry.name) && !/[/"]\.[*?]/.test(text);
      return entry.name === 'node_modules' || isHidden || walk(name);
    });
  };
  return walk('') ? { names: names.sort(), settings, changedMs } : undefined;
}

/** Names of the configuration of the compiler, and of those that it extends, relative to the root. */
function settingsOf(project: Project): string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const name = nameOf(project, path);
    const text = found.has(name) ? undefined : readIfFile(path);
    if (text === undefined) {
      return;
    }
    found.add(name);
    for (const [extended] of text.matchAll(/"extends"\s*:\s*(?:"[^"]*"|\[[^\]]*\])/g)) {
      for (const [, target = ''] of extended.replace('"extends"', '').matchAll(/"([^"]*)"/g)) {
        visit(resolve(dirname(path), target));
        visit(resolve(dirname(path), `${target}.json`));
      }
    }
  };
  visit(pathIn(project, project.tsconfig));
  return [...found];
}

function isEqual(before: readonly string[], after: readonly string[] | undefined): boolean {
  return (
    after !== undefined && before.length === after.length && before.every((name, at) => name === after[at])
  );
}
