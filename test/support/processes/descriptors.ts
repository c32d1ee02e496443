import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programEnvironment } from '../environment.ts';

/** Limit of the processes that run out of file descriptors. */
const LIMIT = 128;

/**
 * Runs a module in a process that can open few files, and returns the JSON that it writes.
 *
 * @throws Error if the process does not end by itself, without an error
 */
export async function runWithFewDescriptors(
  module: URL,
  environment: Record<string, string> = {},
): Promise<unknown> {
  const command = ['-c', `ulimit -n ${LIMIT} && exec "$0" "$1"`, process.execPath, fileURLToPath(module)];
  const { stdout } = await promisify(execFile)('/bin/sh', command, {
    env: { ...programEnvironment(), ...environment },
    timeout: 30_000,
  });
  return JSON.parse(stdout);
}

/** Opens files until this process can open only so many more. Returns a function that closes them. */
export function occupyDescriptors(free: number): () => void {
  const opened: number[] = [];
  const close = (count: number) => {
    for (const descriptor of opened.splice(0, count)) {
      closeSync(descriptor);
    }
  };
  try {
    for (;;) {
      opened.push(openSync('/dev/null', 'r'));
    }
  } catch {
    close(free);
  }
  return () => close(opened.length);
}
