import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the public command line of the platform. It is not among the packages of the repository: see the README. */
export const COMMAND_LINE_FOLDER = 'test/fixtures/command-line';

/** Its program. */
export const COMMAND_LINE = join(
  import.meta.dirname,
  '../..',
  COMMAND_LINE_FOLDER,
  'node_modules/@gitbook/cli/cli.js',
);

/** Whether its tests run: unless it is installed they are skipped, except in CI, where they fail. */
export const runsCommandLine = existsSync(COMMAND_LINE) || process.env.CI === 'true';
