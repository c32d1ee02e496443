import { type Command, Option } from 'commander';
import {
  type ConformOptions,
  collect,
  DEFAULT_REPLAY,
  parseUrl,
  positiveNumber,
  wholeNumber,
} from './options.ts';

/**
 * Adds `conform` to a program. Exits 0 when nothing was found, 1 on failures, 2 on bad input or when the server
 * cannot be reached.
 * @param run how the program is called, for the command that makes a run again: `npm run`, `npx colophon`
 */
export function addConformCommand(program: Command, run: string): void {
  program
    .command('conform')
    .description('tries a running server against an OpenAPI document, and tells where it does not keep it')
    .addOption(
      new Option(
        '--url <url>',
        "the server's address, which the paths of the contract are appended to",
      ).argParser(parseUrl),
    )
    .option(
      '--contract <file>',
      'the OpenAPI document, JSON or YAML, or REF:PATH for one in git (default: URL/openapi.json)',
    )
    .addOption(
      new Option('--token <token>', 'of the caller; user:password for basic credentials').env(
        'COLOPHON_TOKEN',
      ),
    )
    .addOption(
      new Option('--second-token <token>', 'of somebody who may see nothing of what the caller makes').env(
        'COLOPHON_SECOND_TOKEN',
      ),
    )
    .option(
      '--seed <number>',
      'makes the same choices as a run before (default: at random)',
      wholeNumber(-(2 ** 31), 2 ** 31 - 1),
    )
    .option('--max-seconds <number>', 'ends the run after that time', positiveNumber, 60)
    .option('--max-requests <number>', 'ends the run after as many requests', wholeNumber(1, 1e9))
    .option(
      '--rate <number>',
      'requests a second at most (default: 10, on this machine as many as can be)',
      positiveNumber,
    )
    .option('--only <pattern>', 'only operations whose id or path this matches; * stands for anything')
    .option('--leave-out <names...>', 'leaves checks out; may be given several times', collect)
    .option('--touch-existing', 'lets requests change and delete what the run did not make itself')
    .option('--list-checks', 'prints the checks and ends')
    .option('--json <file>', 'writes the report as JSON too')
    .option('--junit <file>', 'writes the report as JUnit XML too')
    .option('--replay <file>', 'runs what this file holds instead of new requests')
    .option(
      '--save-replay <file>',
      `where the requests of failures go (default: ${DEFAULT_REPLAY}, when there are any)`,
    )
    .addHelpText(
      'after',
      '\nExits 0 when nothing was found, 1 on failures, 2 on bad input or when the server cannot be reached.',
    )
    .action(async (options: ConformOptions) => {
      // What makes requests takes a while to load, which other commands need not wait for.
      const { conform } = await import('./conform.ts');
      process.exitCode = await conform(options, run);
    });
}
