import { type Command, Option } from 'commander';
import { readSource } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { readApprovals } from './approvals.ts';
import { compareSources } from './diff.ts';
import { type Comparison, type Format, formats, unapproved } from './report.ts';

/** Documents to compare. */
export interface DiffOptions {
  /** Folder that paths are relative to. */
  root: string;
  /** Path, or `REF:PATH` for a file in Git. */
  base: string;
  head: string;
  /** Path of the approvals file. */
  approvals?: string;
}

/**
 * Compares two documents on disk or in Git, and applies the approvals to the breaking changes.
 * @throws {BadInput} if a document or the approvals file is unusable
 */
export async function compare({ root, base, head, approvals }: DiffOptions): Promise<Comparison> {
  const [before, after] = await Promise.all([readSource(base, root), readSource(head, root)]);
  const entries = approvals === undefined ? [] : await readApprovals(approvals, root);
  return compareSources(before, after, entries);
}

/** Adds `diff` to a program. Exit codes: 0 without unapproved breaking changes, 1 with them, 2 for bad input. */
export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('compare two OpenAPI documents and report breaking changes')
    .argument('<base>', 'older document: a file, or REF:PATH for one in Git')
    .argument('[head]', 'newer document', 'generated/openapi.json')
    .addOption(new Option('--format <format>', 'output format').choices(Object.keys(formats)).default('text'))
    .option('--approvals <file>', 'approved breaking changes, in YAML or JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 no unapproved breaking changes, 1 breaking changes, 2 usage error.',
    )
    // Usage errors must not look like breaking changes to a script.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (base: string, head: string, options: { format: Format; approvals?: string }) => {
      const { format, ...rest } = options;
      try {
        const comparison = await compare({ root: process.cwd(), base, head, ...rest });
        console.log(formats[format](comparison));
        for (const notice of comparison.approvalResult.notices) {
          console.error(`note: ${notice}`);
        }
        process.exitCode = unapproved(comparison).length > 0 ? 1 : 0;
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        console.error(error instanceof UsageError ? `error: ${error.message}` : text);
        process.exitCode = 2;
      }
    });
}
