/** The public command line of the platform, which clients of the platform use unchanged with this service. */
import { COMMAND_LINE } from './find-command-line.ts';
import { type Program, run } from './processes/program.ts';

/** Runs a command as an author does, with the endpoint and the token in its variables. */
export const runCommandLine = (
  parameters: readonly string[],
  { endpoint, token, folder }: { endpoint: string; token: string; folder: string },
): Program =>
  run(process.execPath, ['--no-warnings', COMMAND_LINE, ...parameters], {
    GITBOOK_ENDPOINT: endpoint,
    GITBOOK_TOKEN: token,
    // It writes its settings and the bundles to the folders of the user.
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    TMPDIR: folder,
  });
