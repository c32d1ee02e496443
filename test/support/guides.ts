import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { COMPILE_CACHE } from './environment.ts';
import { escapePattern } from './patterns.ts';
import { type Program, ROOT, run } from './processes/program.ts';

/*
 * Pages are followed as a reader follows them. Each fenced block has a comment before it that says what a reader
 * does with it:
 *
 *   run                  types it into the terminal; "run, ends with 1" where it fails on purpose, and "run until it
 *                        succeeds" where it looks for what follows a response, such as its log line
 *   shows                finds these lines in the output of the last command; … matches any text
 *   start                types it into another terminal, where it keeps running; ends the previous program there
 *   start beside         the same in one more terminal
 *   start shows          waits until these lines are printed there
 *   save FILE            writes it into a file; "append FILE" writes it to the end of one
 *   edit FILE            changes a file: lines with - become lines with +; lines with neither locate the change
 *   excerpt FILE         reads lines of a file of the repository
 *   diagram              looks at a picture
 */

/** A fenced block of a page. */
export interface Block {
  /** Action of the reader; undefined if there is no comment with one. */
  action: string | undefined;
  /** File of `save`, `append` and `edit`; for `run`, the text after the comma. */
  argument: string;
  text: string;
  /** Heading of its section. */
  section: string;
  /** Line of the page where it begins, from 1. */
  line: number;
}

/** Actions of blocks that a reader only looks at: lines of a file of the repository, and a picture. */
const DISPLAY_ACTIONS = ['excerpt', 'diagram'];
const ACTIONS = [
  'run',
  'shows',
  'start',
  'start beside',
  'start shows',
  'save',
  'append',
  'edit',
  ...DISPLAY_ACTIONS,
];

/** Whether a reader acts on a block rather than only looking at it. */
export function isStep({ action: does }: Block): boolean {
  return does === undefined || !DISPLAY_ACTIONS.includes(does);
}

/** A page of the repository. */
export function readText(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** The blocks of a page, in their order. */
export function readBlocks(page: string): Block[] {
  const text = readText(page);
  const blocks = findBlocks(text);
  const fences = text.match(/^\s*(?:```|~~~)/gm)?.length ?? 0;
  if (fences !== 2 * blocks.length) {
    throw new Error(
      `${page} has ${fences / 2} blocks, of which ${blocks.length} are fenced as the tests read them.`,
    );
  }
  return blocks;
}

function findBlocks(text: string): Block[] {
  const fences = /^(?:<!-- (.+) -->\n\n?)?```\w*\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fences)].map(({ 1: comment = '', 2: body = '', index }) => {
    const [, action = '', argument = ''] = /^(start shows|start beside|\w+)(?:,? (.+))?$/.exec(comment) ?? [];
    const before = text.slice(0, index);
    return {
      action: ACTIONS.includes(action) ? action : undefined,
      argument,
      text: body,
      section: [...before.replace(fences, '').matchAll(/^##+ (.+)$/gm)].at(-1)?.[1] ?? '',
      line: before.split('\n').length,
    };
  });
}

/** Returns the first line that does not occur in the output after the line before it. */
export function missingLine(output: string, lines: string): string | undefined {
  const rest = output.split('\n');
  return lines.split('\n').find((line) => {
    if (!isExpectedLine(line)) {
      return false;
    }
    const pattern = new RegExp(`^\\s*${patternOf(line)}\\s*$`);
    const index = rest.findIndex((candidate) => pattern.test(candidate));
    if (index !== -1) {
      rest.splice(0, index + 1);
    }
    return index === -1;
  });
}

/** A line of a page as a pattern: white space is any white space, and … any text of a line. */
function patternOf(line: string): string {
  const words = line.trim().split(/\s+/);
  return words.map((word) => word.split('…').map(escapePattern).join('.*')).join('[^\\S\\n]+');
}

const isExpectedLine = (line: string) => !['', '…'].includes(line.trim());

/** A simulated reader who follows a page in a folder, with one or more terminals. */
export interface Reader {
  /** Performs the action of a block. Rejects with the output of the terminal. */
  follow(block: Block): Promise<void>;
  /** Types into the terminal, waits, and returns the output. */
  type(text: string, status?: number): Promise<string>;
  /** Output of the last command. */
  readonly printed: string;
  /** Program that was started last. */
  readonly started: Program | undefined;
  /** Ends the started programs. */
  close(): Promise<void>;
}

export interface ReaderOptions {
  folder: string;
  /** Variables in addition to those of every shell. */
  environment?: Record<string, string>;
  /** Replaces addresses and other values of the page by those of this run. */
  replace?(text: string): string;
}

/** `PATH` without the folders that the test runner adds, as in a reader's shell. */
export const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** Takes packages from the cache where possible, and keeps output to plain lines of the programs themselves. */
const QUIET = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  NO_COLOR: '1',
};

/** Certificates that npm may require for its registry. */
const { NODE_EXTRA_CA_CERTS } = process.env;
const CERTIFICATES = NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };

/**
 * Returns the variables that let programs find compiled code in a copy of the repository that links its packages:
 * the cache names files by their paths relative to its own.
 */
export function compileCacheOf(copy: string): Record<string, string> {
  const packages = join(copy, 'node_modules');
  return existsSync(packages) ? { NODE_COMPILE_CACHE: join(packages, COMPILE_CACHE) } : {};
}

/** Opens a terminal in a folder. */
export function openReader({ folder, environment = {}, replace = (text) => text }: ReaderOptions): Reader {
  const variables = { PATH, ...QUIET, ...CERTIFICATES, ...compileCacheOf(folder), ...environment };
  const terminal = run('setsid', ['bash'], variables, folder);
  // One stream, as on a screen: nothing comes after the line that ends a step.
  terminal.child.stdin.write('exec 2>&1\n');
  const started: Program[] = [];
  let steps = 0;
  let printed = '';
  /** Number of characters of the started program's output that were read. */
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

  const follow = async ({ action: does, argument: of, text: written }: Block): Promise<void> => {
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
          throw new Error(`"${missing}" is missing in:\n${printed}`);
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
        read = await waitForLines(started.at(-1), text, read);
        return;
      case 'save':
        await mkdir(dirname(await pathOf(of)), { recursive: true });
        await writeFile(await pathOf(of), text);
        return;
      case 'append':
        await appendFile(await pathOf(of), `\n${text}`);
        return;
      case 'edit':
        await writeFile(await pathOf(of), applyEdit(await readFile(await pathOf(of), 'utf8'), text, of));
        return;
      default:
        throw new Error(`This block has no comment with an action:\n${text}`);
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
 * Waits until a program has written each line, in any order, after an offset of its output.
 * @returns the offset after all of them
 */
async function waitForLines(program: Program | undefined, lines: string, from: number): Promise<number> {
  if (program === undefined) {
    throw new Error('No program was started.');
  }
  let end = from;
  for (const line of lines.split('\n').filter(isExpectedLine)) {
    const [match] = await program.until(
      'stdout',
      new RegExp(`^[^]{${from}}(?:[^]*?\n)?\\s*${patternOf(line)}\\s*\n`),
    );
    end = Math.max(end, match.length - 1);
  }
  return end;
}

/** Ends a program and its children, as closing a terminal does. */
async function endGroup({ child, ended }: Program, first: NodeJS.Signals): Promise<void> {
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-Number(child.pid), signal);
    } catch {
      // The group has no processes left.
    }
  };
  send(first);
  await Promise.race([ended, delay(20_000, undefined, { ref: false })]);
  send('SIGKILL');
  await ended;
}

/** Applies a block with - and + to the only position of a text that it matches. */
function applyEdit(text: string, change: string, file: string): string {
  const lines = change.trimEnd().split('\n');
  const side = (sign: string) =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const [before, ...after] = text.split(side('+'));
  if (before === undefined || after.length !== 1) {
    throw new Error(`${file} has ${after.length} positions that match:\n${change}`);
  }
  return before + side('-') + after[0];
}
