import { type Command, InvalidArgumentError, Option } from 'commander';
import { withExitCode } from '../exit-code.ts';
import { LEVELS } from './change.ts';
import { unapproved } from './comparison.ts';
import type { Format } from './report/report.ts';
import type { Level } from './rules/rule.ts';

/** Least severity of the changes that `diff` fails for. */
type FailOn = Exclude<Level, 'safe'> | 'none';

const FORMATS = ['text', 'markdown', 'json', 'changelog', 'html'] satisfies Format[];

interface CommandOptions {
  format: Format;
  approvals?: string;
  only?: string[];
  tag?: string[];
  severity?: Level[];
  failOn: FailOn;
}

/** Adds `diff` to a program. Exit codes: 0 without unapproved changes of `--fail-on`, 1 with them, 2 for bad input. */
export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('compare two OpenAPI documents and report breaking changes')
    .argument('<base>', 'older document: a file, or REF:PATH for one in Git')
    .argument('[head]', 'newer document', 'generated/openapi.json')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('text'))
    .option('--approvals <file>', 'approved breaking and risky changes, in YAML or JSON')
    .option('--only <rules>', 'report only these rules or kinds of rules, separated by commas', collect)
    .option('--tag <tag>', 'report only operations with this tag; repeat it for several', collectOne)
    .option('--severity <levels>', 'report only these severities: breaking, risky, safe', collectLevels)
    .addOption(
      new Option('--fail-on <level>', 'least severity of unapproved changes with exit code 1')
        .choices(['risky', 'breaking', 'none'] satisfies FailOn[])
        .default('breaking'),
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 no unapproved breaking changes, 1 breaking changes, 2 usage error. --fail-on changes the ' +
        'severity; changes that are not reported because of a filter have no effect.',
    )
    // Usage errors must not look like breaking changes to a script.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(
      withExitCode(async (base: string, head: string, options: CommandOptions) => {
        const { format, failOn, tag, severity, ...rest } = options;
        const filter = { ...(tag && { tags: tag }), ...(severity && { severities: severity }) };
        // The rules take as long to load as all other commands.
        const { compare } = await import('./compare.ts');
        const { formats } = await import('./report/report.ts');
        const comparison = await compare({ root: process.cwd(), base, head, ...rest, ...filter });
        console.log(formats[format](comparison));
        for (const notice of comparison.approvalResult.notices) {
          console.error(`note: ${notice}`);
        }
        const failures = failOn === 'none' ? [] : unapproved(comparison, failOn);
        return failures.length > 0 ? 1 : 0;
      }),
    );
}

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, ...value.split(',').map((name) => name.trim())];
}

function collectOne(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

function collectLevels(value: string, previous: readonly Level[] = []): Level[] {
  const names = collect(value).map((name) => {
    const level = LEVELS.find((existing) => existing === name);
    if (level === undefined) {
      throw new InvalidArgumentError(`Allowed choices are ${LEVELS.join(', ')}.`);
    }
    return level;
  });
  return [...previous, ...names];
}
