import { type Command, Option } from 'commander';
import { withExitCode } from '../exit-code.ts';
import {
  type ConformOptions,
  collectHeaders,
  collectNames,
  DEFAULT_REPLAY_FILE,
  DEFAULT_TIMEOUT_SECONDS,
  parseBasePath,
  parseInteger,
  parsePositiveNumber,
  parseUrl,
} from './options.ts';

/**
 * Adds `conform` to a program. Exits with 0 without failures, 1 with failures, 2 for invalid input or an unreachable
 * server.
 * @param run how users call the program, for the command that repeats a run: `npm run`, `npx colophon`
 */
export function addConformCommand(program: Command, run: string): void {
  program
    .command('conform')
    .description('test whether a running server conforms to an OpenAPI document')
    .addOption(
      new Option(
        '--url <url>',
        'base URL of the server, to which the paths of the contract are appended',
      ).argParser(parseUrl),
    )
    .addOption(
      new Option(
        '--base-path <path>',
        'path before the paths of the contract; / for none (default: that of --url, or of the first server of the contract)',
      ).argParser(parseBasePath),
    )
    .option(
      '--contract <file>',
      'OpenAPI document in JSON or YAML, or REF:PATH for one in Git (default: URL/openapi.json)',
    )
    .addOption(
      new Option('--token <token>', 'token of the caller; user:password for basic credentials').env(
        'COLOPHON_TOKEN',
      ),
    )
    .addOption(
      new Option('--second-token <token>', 'token of a user without access to what the caller creates').env(
        'COLOPHON_SECOND_TOKEN',
      ),
    )
    .option('--header <header>', 'header of every request, "Name: value"; can be repeated', collectHeaders)
    .option('--ca <file>', 'certificates of additional authorities to trust, in PEM')
    .option(
      '--seed <number>',
      'repeat the choices of an earlier run (default: random)',
      parseInteger(-(2 ** 31), 2 ** 31 - 1),
    )
    .option('--max-seconds <number>', 'maximum duration of the run', parsePositiveNumber, 60)
    .option('--max-requests <number>', 'maximum number of requests', parseInteger(1, 1e9))
    .option(
      '--rate <number>',
      'maximum requests per second (default: 10; unlimited on this machine)',
      parsePositiveNumber,
    )
    .option(
      '--timeout <seconds>',
      'maximum duration of a request',
      parsePositiveNumber,
      DEFAULT_TIMEOUT_SECONDS,
    )
    .option(
      '--restart <command>',
      'command that starts the server if it stops (default: wait until it returns)',
    )
    .option('--only <pattern>', 'test only operations whose id or path matches; * matches any text')
    .option(
      '--exclude <patterns...>',
      'send no requests to operations whose id or path matches; can be repeated',
      collectNames,
    )
    .option(
      '--baseline <file>',
      'known failures, which do not fail the run; if the file does not exist, those of the run are written to it',
    )
    .option('--exclude-checks <names...>', 'checks not to run; can be repeated', collectNames)
    .option('--touch-existing', 'allow requests to change and delete resources that the run did not create')
    .option('--list-checks', 'print the checks and exit')
    .option('--json <file>', 'also write the report as JSON')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--html <file>', 'also write the report as a page to read')
    .option('--replay <file>', 'send the requests of this file instead of new ones')
    .option(
      '--save-replay <file>',
      `file for the requests of failures (default: ${DEFAULT_REPLAY_FILE}, if there are any)`,
    )
    .addHelpText(
      'after',
      '\nExits with 0 without failures, 1 with failures, 2 for invalid input or an unreachable server.',
    )
    .action(
      withExitCode(async (options: ConformOptions) => {
        // Loaded lazily, because it is slow to load and other commands do not need it.
        const { conform } = await import('./conform.ts');
        return await conform(options, run);
      }),
    );
}
