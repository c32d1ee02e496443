import { access, chmod, copyFile, cp, glob, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { copyRepository, linkPackages, makeFolder } from '../../support/content/repository-copy.ts';
import { openReader, PATH, readText } from '../../support/guides.ts';
import { installPacked } from './packages.ts';

/*
 * Follows the steps of a Dockerfile without a container engine, which CI does not have. A folder takes the place of the
 * root folder of each stage: the paths that the steps create are below it. The base image is this machine.
 */

/** An image: its files, and how a container of it is run. */
export interface Image {
  /** Folder that takes the place of its root folder. */
  root: string;
  workingFolder: string;
  environment: Record<string, string>;
  /** IDs of the user and of the group. */
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
  stopSignal: string;
  /** Debian packages that the steps install. */
  packages: readonly string[];
  remove(): Promise<void>;
}

interface Stage extends Omit<Image, 'remove'> {
  name: string | undefined;
  /** Replaces the paths that the steps create by those in the folder of the stage. */
  locate(text: string): string;
}

interface Step {
  keyword: string;
  text: string;
}

/** Whether the tests can run programs as another user. */
export const CAN_CHANGE_USER = process.getuid?.() === 0;

/** Commands for Debian packages, which the base image, this machine, already has. */
const PACKAGE_COMMAND = /^(?:apt-get|rm -rf \/var\/lib\/apt\/)/;

/** Files that `npm ci` requires. */
const INSTALLED_FILES = ['package.json', 'package-lock.json'];

/** Follows a Dockerfile in an empty folder, with the files of the repository that the build context contains. */
export async function buildImage(dockerfile: string): Promise<Image> {
  const { folder: place, remove } = await makeFolder();
  try {
    // Containers run as another user.
    await chmod(place, 0o755);
    const context = join(place, 'context');
    await copyRepository(context);
    await removeIgnored(context, readText(`${dockerfile}.dockerignore`));
    const programs = join(place, 'bin');
    await mkdir(programs);
    await copyFile(process.execPath, join(programs, 'node'));
    const steps = readSteps(readText(dockerfile));
    const locate = locator(steps);
    const stages: Stage[] = [];
    for (const step of steps) {
      if (step.keyword === 'FROM') {
        const root = join(place, `stage-${stages.length}`);
        await mkdir(root);
        const name = / AS (\w+)$/.exec(step.text)?.[1];
        stages.push({ ...newStage(root, `${programs}:${PATH}`), name, locate: (text) => locate(root, text) });
      } else {
        await follow(step, last(stages), stages, context);
      }
    }
    return { ...last(stages), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Reads the instructions of a Dockerfile, without comments. */
function readSteps(dockerfile: string): Step[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, keyword, text] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return keyword === undefined || text === undefined ? [] : [{ keyword, text }];
  });
}

function last(stages: readonly Stage[]): Stage {
  const stage = stages.at(-1);
  if (stage === undefined) {
    throw new Error('The first instruction is not FROM.');
  }
  return stage;
}

const newStage = (root: string, path: string) => ({
  root,
  workingFolder: root,
  environment: { PATH: path },
  user: '0:0',
  command: [],
  healthCheck: [],
  stopSignal: 'SIGTERM',
  packages: [],
});

/** Returns a function that replaces the paths that the steps create by those in a folder. */
function locator(steps: readonly Step[]): (root: string, text: string) => string {
  const created = steps.flatMap(({ keyword, text }) => {
    const path = text.split(' ').at(-1) ?? '';
    return ['WORKDIR', 'COPY', 'VOLUME'].includes(keyword) && isAbsolute(path) ? [path] : [];
  });
  const pattern = new RegExp(`(?<![\\w./-])(${[...new Set(created)].join('|')})(?![\\w-])`, 'g');
  return (root, text) => text.replaceAll(pattern, (path) => join(root, path));
}

async function follow(
  { keyword, text }: Step,
  stage: Stage,
  stages: readonly Stage[],
  context: string,
): Promise<void> {
  switch (keyword) {
    case 'WORKDIR':
      stage.workingFolder = stage.locate(text);
      await mkdir(stage.workingFolder, { recursive: true });
      return;
    case 'COPY':
      return await copy(text, stage, stages, context);
    case 'RUN':
      return await execute(text, stage);
    case 'ENV':
      for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) {
        const located = stage.locate(value);
        stage.environment[name] = located.replaceAll(
          /\$(\w+)/g,
          (_, other) => stage.environment[other] ?? '',
        );
      }
      return;
    case 'USER':
      stage.user = text;
      return;
    case 'STOPSIGNAL':
      stage.stopSignal = text;
      return;
    case 'HEALTHCHECK':
      stage.healthCheck = programOf(text.replace(/^(?:--\S+ )*CMD /, ''));
      return;
    case 'CMD':
      stage.command = programOf(text);
      return;
    case 'VOLUME':
    case 'EXPOSE':
      return;
    default:
      throw new Error(`The tests cannot follow ${keyword}.`);
  }
}

/** Reads a program with its arguments. It must not be run by a shell, which would keep signals to itself. */
const programOf = (text: string): string[] => JSON.parse(text);

async function copy(text: string, stage: Stage, stages: readonly Stage[], context: string): Promise<void> {
  const [, from, written = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(text) ?? [];
  const source = from === undefined ? context : stages.find(({ name }) => name === from)?.root;
  if (source === undefined) {
    throw new Error(`No stage has the name ${from}.`);
  }
  const paths = written.split(' ');
  const target = paths.pop() ?? '';
  const folder = resolve(stage.workingFolder, stage.locate(target));
  for (const path of paths) {
    const isContent = path === '.' || !target.endsWith('/');
    const destination = isContent ? folder : join(folder, basename(path));
    await cp(join(source, path), destination, { recursive: true, verbatimSymlinks: true });
  }
}

async function execute(text: string, stage: Stage): Promise<void> {
  for (const command of text.split(/\s+&&\s+/)) {
    if (PACKAGE_COMMAND.test(command)) {
      const [, names = ''] = / install (.*)$/.exec(command) ?? [];
      stage.packages = [...stage.packages, ...names.split(' ').filter((word) => /^[a-z]/.test(word))];
    } else if (/^npm ci\b/.test(command)) {
      await Promise.all(INSTALLED_FILES.map((file) => access(join(stage.workingFolder, file))));
      // The packages of this repository, which were installed by the same command.
      await linkPackages(stage.workingFolder);
    } else if (/^npm install --omit=dev /.test(command)) {
      const [archive] = await Array.fromAsync(glob(stage.locate(command.split(' ').at(-1) ?? '')));
      await installPacked(stage.workingFolder, archive ?? '');
    } else {
      await type(CAN_CHANGE_USER ? command : command.replaceAll(/ --(?:owner|group)=\d+/g, ''), stage);
    }
  }
}

async function type(command: string, { root, workingFolder, environment, locate }: Stage): Promise<void> {
  const located = locate(command);
  const unknown = located.split(' ').find((word) => isAbsolute(word) && !word.startsWith(root));
  if (unknown !== undefined) {
    throw new Error(`No step creates ${unknown}: ${command}`);
  }
  const reader = openReader({ folder: workingFolder, environment });
  try {
    await reader.type(located);
  } finally {
    await reader.close();
  }
}

/** Removes what a build context leaves out: paths, and names in any folder (`**`). */
async function removeIgnored(context: string, ignored: string): Promise<void> {
  const patterns = ignored.trim().split('\n');
  const paths = await readdir(context, { recursive: true });
  const isIgnored = (path: string) =>
    patterns.some((pattern) => path === pattern || `/${path}`.endsWith(pattern.replace(/^\*\*/, '')));
  await Promise.all(
    paths.filter(isIgnored).map((path) => rm(join(context, path), { recursive: true, force: true })),
  );
}
