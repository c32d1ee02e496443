import { spawn } from 'node:child_process';

/** How a command ended. */
export interface Ended {
  code: number;
  /** What it wrote to standard output and error, in the order it came. */
  output: string;
}

/**
 * Runs a command to its end.
 * @throws when it cannot be started, or a signal ended it
 */
export function run(command: string, args: readonly string[], options: { cwd: string }): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === null) reject(new Error(`${command} ${args.join(' ')} was ended by ${signal}.`));
      else resolve({ code, output });
    });
  });
}
