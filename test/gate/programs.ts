import { spawn } from 'node:child_process';
import { programEnvironment } from '../support/environment.ts';

/** Exit code and output of a program. */
export interface ExitResult {
  code: number | null;
  output: string;
}

/** A program that runs in a copy. */
export interface StartedProgram {
  /** Waits until its output matches. Rejects if it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<ExitResult>;
  /** Terminates it and waits for its end. */
  stop(): Promise<ExitResult>;
}

/**
 * Starts a Node program.
 *
 * @param options.environment variables in addition to the path and the home folder
 * @param options.seconds timeout. Then it is killed
 */
export function startNode(
  args: readonly string[],
  options: { cwd: string; environment?: Record<string, string>; seconds?: number },
): StartedProgram {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    // Variables of the surrounding test runner would affect the program.
    env: { ...programEnvironment(), ...options.environment },
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
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match) {
            resolve(match);
          }
        };
        listeners.add(look);
        void ended.then(
          () => reject(new Error(`The program ended before its output matched ${pattern}:\n${output}`)),
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
export const runNode = (...parameters: Parameters<typeof startNode>): Promise<ExitResult> =>
  startNode(...parameters).ended;
