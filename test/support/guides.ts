import { lstatSync, readFileSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { git } from './git-server.ts';
import { escapePattern } from './patterns.ts';
import { type Program, ROOT, run } from './program.ts';

/*
 * Pages are followed as a reader follows them. Each fenced block has a comment before it that says what a reader
 * does with it:
 *
 *   run                  types it into the terminal; "run, ends with 1" where it fails on purpose, and "run until it
 *                        succeeds" where it looks for what follows a response, such as its log line
 *   shows                finds these lines in what the last command printed; … stands for any text
 *   start                types it into another terminal, where it goes on running; what ran there before is ended
 *   start beside         the same in one more terminal
 *   start shows          waits until these lines stand there
 *   save FILE            writes it into a file; "append FILE" writes it to the end of one
 *   edit FILE            changes a file: lines with - become lines with +, and those with neither say where
 *   excerpt FILE         reads lines of a file of the repository
 *   diagram              looks at a picture
 */

/** A fenced block of a page. */
export interface Block {
  /** What a reader does with it; undefined where nothing says so. */
  does: string | undefined;
  /** The file of `save`, `append` and `edit`; what follows the comma of `run`. */
  of: string;
  text: string;
  /** The heading that it stands under. */
  section: string;
  /** The line of the page that it begins at, from 1. */
  line: number;
}

/** Blocks that a reader only looks at: lines of a file of the repository, and a picture. */
const SHOWN = ['excerpt', 'diagram'];
const ROLES = ['run', 'shows', 'start', 'start beside', 'start shows', 'save', 'append', 'edit', ...SHOWN];

/** Whether a reader does something with a block, rather than looking at it. */
export function isStep({ does }: Block): boolean {
  return does === undefined || !SHOWN.includes(does);
}

/** A page of the repository. */
export function readText(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The blocks of a page, in their order. */
export function readBlocks(page: string): Block[] {
  const text = readText(page);
  const found = findBlocks(text);
  const fences = text.match(/^\s*(?:```|~~~)/gm)?.length ?? 0;
  if (fences !== 2 * found.length) {
    throw new Error(
      `${page} has ${fences / 2} blocks, of which ${found.length} are fenced as the tests read them.`,
    );
  }
  return found;
}

function findBlocks(text: string): Block[] {
  const fences = /^(?:<!-- (.+) -->\n\n?)?```\w*\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fences)].map(({ 1: comment = '', 2: body = '', index }) => {
    const [, word = '', of = ''] = /^(start shows|start beside|\w+)(?:,? (.+))?$/.exec(comment) ?? [];
    const before = text.slice(0, index);
    return {
      does: ROLES.includes(word) ? word : undefined,
      of,
      text: body,
      section: [...before.replace(fences, '').matchAll(/^##+ (.+)$/gm)].at(-1)?.[1] ?? '',
      line: before.split('\n').length,
    };
  });
}

/** Answers the first of some lines that does not stand in an output behind the one before it. */
export function missingLine(output: string, lines: string): string | undefined {
  const rest = output.split('\n');
  return lines.split('\n').find((line) => {
    if (!isSaid(line)) {
      return false;
    }
    const pattern = new RegExp(`^\\s*${patternOf(line)}\\s*$`);
    const found = rest.findIndex((candidate) => pattern.test(candidate));
    if (found !== -1) {
      rest.splice(0, found + 1);
    }
    return found === -1;
  });
}

/** A line of a page as a pattern: white space is any white space, and … any text of a line. */
function patternOf(line: string): string {
  const words = line.trim().split(/\s+/);
  return words.map((word) => word.split('…').map(escapePattern).join('.*')).join('[^\\S\\n]+');
}

const isSaid = (line: string) => !['', '…'].includes(line.trim());

/** Somebody who follows a page in a folder, with a terminal or more. */
export interface Reader {
  /** Does what a block says; fails with what the terminal showed. */
  follow(block: Block): Promise<void>;
  /** Types into the terminal, waits, and answers what was printed. */
  type(text: string, status?: number): Promise<string>;
  /** What the last command printed. */
  readonly printed: string;
  /** What was started last. */
  readonly started: Program | undefined;
  /** Ends what was started. */
  close(): Promise<void>;
}

/** Where a reader sits. */
export interface ReaderOptions {
  folder: string;
  /** Variables beside what every shell has. */
  environment?: Record<string, string>;
  /** Puts this run's addresses and the like in the place of those of the page. */
  replace?(text: string): string;
}

/** The path of commands without what the test runner put in front: a reader's shell. */
export const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** Packages come from the cache where they can, and programs write plain lines about what they do alone. */
const QUIET = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
};

/** Opens a terminal in a folder. */
export function openReader({ folder, environment = {}, replace = (text) => text }: ReaderOptions): Reader {
  const variables = { PATH, ...QUIET, ...environment };
  const terminal = run('setsid', ['bash'], variables, folder);
  // One stream, as on a screen: nothing comes after the line that ends a step.
  terminal.child.stdin.write('exec 2>&1\n');
  const started: Program[] = [];
  let steps = 0;
  let printed = '';
  /** How much of what was started has been read. */
  let read = 0;

  const enter = async (text: string, status: number): Promise<string> => {
    const before = terminal.output.stdout.length;
    const end = `the end of step ${++steps}`;
    // The first failure of several commands counts, also where the last is a success.
    const lines = ["status=0; trap 'status=$?' ERR", text.trimEnd(), 'trap - ERR'];
    terminal.child.stdin.write(`${lines.join('\n')}\nprintf '\\n%s: %s\\n' '${end}' "$status"\n`);
    const [, ended] = await terminal.until('stdout', new RegExp(`${end}: (\\d+)\\n`), 300_000);
    const output = terminal.output.stdout.slice(before).replace(/\nthe end of step.*\n$/, '');
    if (Number(ended) !== status) {
      throw new Error(`${text}\nended with ${ended} instead of ${status}:\n${output}`);
    }
    return output;
  };

  const type = async (text: string, status = 0): Promise<string> => {
    printed = await enter(text, status);
    return printed;
  };

  const typeUntilSuccess = async (text: string): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        await type(text);
        return;
      } catch (error) {
        if (attempt === 50) {
          throw error;
        }
        await delay(100);
      }
    }
  };

  /** Files are named from where the terminal is. */
  const pathOf = async (file: string): Promise<string> => join((await enter('pwd', 0)).trim(), file);

  const begin = (text: string): void => {
    started.push(run('setsid', ['sh', '-c', `exec 2>&1\n${text}`], variables, folder));
    read = 0;
  };

  const follow = async ({ does, of, text: written }: Block): Promise<void> => {
    const text = replace(written);
    switch (does) {
      case 'run':
        if (of === 'until it succeeds') {
          await typeUntilSuccess(text);
        } else {
          await type(text, Number(/^ends with (\d+)$/.exec(of)?.[1] ?? 0));
        }
        return;
      case 'shows': {
        const missing = missingLine(printed, text);
        if (missing !== undefined) {
          throw new Error(`"${missing}" does not stand there in:\n${printed}`);
        }
        return;
      }
      case 'start':
        await Promise.all(started.splice(0).map((program) => endGroup(program, 'SIGINT')));
        begin(text);
        return;
      case 'start beside':
        begin(text);
        return;
      case 'start shows':
        read = await untilShown(started.at(-1), text, read);
        return;
      case 'save':
        await mkdir(dirname(await pathOf(of)), { recursive: true });
        await writeFile(await pathOf(of), text);
        return;
      case 'append':
        await appendFile(await pathOf(of), `\n${text}`);
        return;
      case 'edit':
        await writeFile(await pathOf(of), edited(await readFile(await pathOf(of), 'utf8'), text, of));
        return;
      default:
        throw new Error(`Nothing says what a reader does with:\n${text}`);
    }
  };

  return {
    follow,
    type,
    get printed() {
      return printed;
    },
    get started() {
      return started.at(-1);
    },
    close: async () => {
      terminal.child.stdin.end();
      await Promise.all([...started, terminal].map((program) => endGroup(program, 'SIGTERM')));
    },
  };
}

/**
 * Waits until a program has written each of some lines, in any order, behind a place in its output.
 * @returns the place behind all of them
 */
async function untilShown(program: Program | undefined, lines: string, from: number): Promise<number> {
  if (program === undefined) {
    throw new Error('Nothing was started that could show something.');
  }
  let end = from;
  for (const line of lines.split('\n').filter(isSaid)) {
    const [found] = await program.until(
      'stdout',
      new RegExp(`^[^]{${from}}[^]*?\n\\s*${patternOf(line)}\\s*\n`),
    );
    end = Math.max(end, found.length - 1);
  }
  return end;
}

/** Ends a program with all that it runs, as whoever closes a terminal does. */
async function endGroup({ child, ended }: Program, first: NodeJS.Signals): Promise<void> {
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-Number(child.pid), signal);
    } catch {
      // Nobody is left in the group.
    }
  };
  send(first);
  await Promise.race([ended, delay(20_000, undefined, { ref: false })]);
  send('SIGKILL');
  await ended;
}

/** Applies a block with - and + to a text, at the one place that it fits. */
function edited(text: string, change: string, file: string): string {
  const lines = change.trimEnd().split('\n');
  const side = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const [before, ...after] = text.split(side('+'));
  if (before === undefined || after.length !== 1) {
    throw new Error(`${file} has ${after.length} places to which this fits:\n${change}`);
  }
  return before + side('-') + after[0];
}

/** Makes a folder that the test removes. */
export async function makeFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-guide-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Copies what git knows, or would know, of the repository: no packages, no data. */
export async function copyRepository(folder: string): Promise<void> {
  const listed = await git(ROOT, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  // Files alone: a link to installed packages would have a clean install empty what it leads to.
  const files = listed.split('\0').filter((name) => lstatSync(join(ROOT, name), quiet)?.isFile());
  await Promise.all(files.map((file) => cp(join(ROOT, file), join(folder, file))));
}

const quiet = { throwIfNoEntry: false } as const;

/** A copy of the repository with the packages of this one, in which nothing may be installed. */
export async function installedCopy(): Promise<{ folder: string; remove(): Promise<void> }> {
  const place = await makeFolder();
  await copyRepository(place.folder);
  await linkPackages(place.folder);
  return place;
}

/** Lets a copy find the packages of this repository. */
export async function linkPackages(folder: string): Promise<void> {
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Takes clean installs out of commands for an {@link installedCopy}: they would empty the packages of this one. */
export function withoutInstall(text: string): string {
  return text.replace(/\bnpm ci\b/g, 'echo installed');
}

/** Makes a folder a clone of a repository of its own, with everything in it on the branch `main`. */
export async function commitAll(folder: string, origin: string): Promise<void> {
  await git(folder, ['init', '--quiet', '--initial-branch=main', '.']);
  await git(folder, ['add', '--all']);
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  await git(folder, [...author, 'commit', '--quiet', '--message', 'Begin']);
  await git(folder, ['clone', '--quiet', '--bare', '.', origin]);
  await git(folder, ['remote', 'add', 'origin', origin]);
  await git(folder, ['fetch', '--quiet', 'origin']);
  await git(folder, ['branch', '--quiet', '--set-upstream-to=origin/main']);
}

/** A port that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') {
    throw new Error('The listener has no port.');
  }
  return address.port;
}
