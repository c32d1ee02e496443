import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode } from './programs.ts';
import { startCopy } from './server.ts';

/** Seed of all runs. */
const SEED = '1';
/** Limit of a run over one operation, in seconds. */
const MAX_SECONDS = '30';
/** Default limit of the requests of a run. */
const MAX_REQUESTS = 1500;

/**
 * Starts the server of a copy and tests operations of it with `conform`.
 *
 * @param operations ids; none means all
 * @returns a line for each failure: the operation, the check and the message
 */
export async function runConform(
  root: string,
  operations: readonly string[],
  maxRequests = MAX_REQUESTS,
): Promise<string> {
  const report = join(root, 'conform.json');
  const server = await startCopy(root);
  try {
    const { code, output } = await runNode(
      [
        'spec/toolchain/cli.ts',
        'conform',
        ...['--url', server.url, '--token', server.token, '--second-token', server.secondToken],
        ...['--seed', SEED, '--max-seconds', MAX_SECONDS, '--max-requests', String(maxRequests)],
        ...['--json', report],
        ...(operations.length === 1 ? ['--only', ...operations] : []),
      ],
      { cwd: root },
    );
    if (code === 0) {
      return '';
    }
    if (code !== 1) {
      throw new Error(`conform ended with ${code}:\n${output}`);
    }
    // The documented output of the command.
    const { failures } = JSON.parse(await readFile(report, 'utf8')) as {
      failures: { operation: string; check: string; message: string }[];
    };
    return failures.map(({ operation, check, message }) => `${operation} ${check}: ${message}`).join('\n');
  } finally {
    await server.stop();
    await rm(report, { force: true });
  }
}
