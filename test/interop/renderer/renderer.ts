import { join } from 'node:path';
import { run } from '../../support/processes/program.ts';

/** Ports of the addresses of the renderer and of its API, which its build contains. */
const PORT = 3000;
export const API_PORT = 4010;

/** Line of its log with an error. */
const ERROR = /⨯ .*/gu;

/** A started renderer. */
export interface Renderer extends AsyncDisposable {
  url: string;
  /** Returns the errors that it has logged. */
  errors(): string[];
}

/**
 * Starts the public renderer, which reads from the API at {@link API_PORT}.
 *
 * @param folder checkout that is built as its README describes
 * @throws Error if it does not start, for example because it is not built
 */
export async function startRenderer(folder: string): Promise<Renderer> {
  const url = `http://localhost:${PORT}`;
  const program = run(
    join(folder, 'node_modules/.bin/next'),
    ['start', '--port', String(PORT)],
    { GITBOOK_URL: url, GITBOOK_API_URL: `http://localhost:${API_PORT}`, GITBOOK_DISABLE_TRACKING: '1' },
    join(folder, 'packages/gitbook'),
  );
  const stop = async () => {
    program.child.kill();
    await program.ended;
  };
  try {
    await program.until('stdout', /Ready/);
  } catch (error) {
    await stop();
    throw error;
  }
  const errors = () => {
    const { stdout, stderr } = program.output;
    return [...new Set(`${stdout}\n${stderr}`.match(ERROR))];
  };
  return { url, errors, [Symbol.asyncDispose]: stop };
}
