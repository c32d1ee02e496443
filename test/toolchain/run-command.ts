import { vi } from 'vitest';
import { createProgram, type Tool } from '../../spec/toolchain/program.ts';

/** Exit code and output of a command. */
export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** The npm scripts of this repository. */
export const SCRIPTS: Tool = { name: 'toolchain', run: 'npm run' };
/** The command of the npm package. */
export const PACKAGE: Tool = { name: 'colophon', run: 'npx colophon' };

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/**
 * Runs a command in this process, which has loaded the compilers: a process of its own takes a second for that.
 * @param root working directory of the command
 */
export async function runCommand(tool: Tool, root: string, args: readonly string[]): Promise<CommandResult> {
  const output = { out: '', err: '' };
  const append = (stream: keyof typeof output) => (text: unknown) => {
    output[stream] += String(text);
    return true;
  };
  const line = (stream: keyof typeof output) => (text: unknown) => {
    output[stream] += `${String(text)}\n`;
  };
  const mocks = [
    vi.spyOn(process, 'cwd').mockReturnValue(root),
    vi.spyOn(console, 'log').mockImplementation(line('out')),
    vi.spyOn(console, 'error').mockImplementation(line('err')),
    vi.spyOn(process.stdout, 'write').mockImplementation(append('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(append('err')),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exit(Number(code ?? 0));
    }),
  ];
  const { exitCode } = process;
  process.exitCode = undefined;
  try {
    await createProgram(tool).parseAsync(args, { from: 'user' });
    return { code: Number(process.exitCode ?? 0), ...output };
  } catch (error) {
    if (error instanceof Exit) {
      return { code: error.code, ...output };
    }
    throw error;
  } finally {
    process.exitCode = exitCode;
    for (const mock of mocks) {
      mock.mockRestore();
    }
  }
}
