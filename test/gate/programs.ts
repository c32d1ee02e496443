import { spawn } from 'node:child_process';

/** How a program ended, and what it wrote to either stream. */
export interface ExitResult {
  code: number | null;
  output: string;
}

/** A program that runs in a copy. */
export interface StartedProgram {
  /** Waits for a line that it writes; fails when it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<ExitResult>;
  /** Asks it to end, and waits. */
  stop(): Promise<ExitResult>;
}

/**
 * Starts a Node program.
 *
 * @param environment what it gets beside the path and the home folder
 * @param seconds how long it may take; then it is killed
 */
export function startNode(
  args: readonly string[],
  options: { cwd: string; environment?: Record<string, string>; seconds?: number },
): StartedProgram {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    // Variables of the tests around, such as those of the runner, would change what is run here.
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...options.environment },
    timeout: (options.seconds ?? 300) * 1000,
    killSignal: 'SIGKILL',
  });
  child.stdin.end();
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) {
        listener();
      }
    });
  }
  const ended = new Promise<ExitResult>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
  return {
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match) {
            resolve(match);
          }
        };
        listeners.add(look);
        void ended.then(
          () => reject(new Error(`The program ended before it said ${pattern}:\n${output}`)),
          reject,
        );
        look();
      }),
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Runs a Node program to its end. */
export const runNode = (...given: Parameters<typeof startNode>): Promise<ExitResult> =>
  startNode(...given).ended;
