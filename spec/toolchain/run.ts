import { spawn } from 'node:child_process';

/** Result of a command. */
export interface CommandResult {
  code: number;
  /** Standard output and standard error, interleaved. */
  output: string;
}

/**
 * Runs a command and waits for its exit.
 * @throws if it cannot be started or is terminated by a signal
 */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === null) {
        reject(new Error(`${command} ${args.join(' ')} was terminated by ${signal}.`));
      } else {
        resolve({ code, output });
      }
    });
  });
}
