import { type Command, Option } from 'commander';
import { BadInput } from '../bad-input.ts';
import { readSource } from '../source.ts';
import { readApprovals } from './approvals.ts';
import { compareSources } from './diff.ts';
import { type Comparison, type Format, formats, unapproved } from './report.ts';

/** What to compare. */
export interface DiffOptions {
  /** The folder that paths start from. */
  root: string;
  /** A path, or `REF:PATH` for a file in git. */
  base: string;
  head: string;
  /** A ledger of approved breaks. */
  approvals?: string;
}

/**
 * Compares two documents on disk or in git, and holds what breaks against the ledger.
 * @throws {BadInput} when a document or the ledger cannot be used
 */
export async function compare({ root, base, head, approvals }: DiffOptions): Promise<Comparison> {
  const [before, after] = await Promise.all([readSource(base, root), readSource(head, root)]);
  const ledger = approvals === undefined ? [] : await readApprovals(approvals, root);
  return compareSources(before, after, ledger);
}

/** Adds `diff` to a program. Exits 0 when nothing breaks that is not approved, 1 when something does, 2 on bad input. */
export function addDiffCommand(program: Command): void {
  program
    .command('diff')
    .description('what changed between two OpenAPI documents, and whom that breaks')
    .argument('<base>', 'the older document: a file, or REF:PATH for one in git')
    .argument('[head]', 'the newer document', 'generated/openapi.json')
    .addOption(
      new Option('--format <format>', 'how to write it').choices(Object.keys(formats)).default('text'),
    )
    .option('--approvals <file>', 'the ledger of approved breaks, YAML or JSON')
    .addHelpText(
      'after',
      '\nExits 0 when nothing breaks that is not approved, 1 when something does, 2 on bad input.',
    )
    // What cannot be understood must not look like a break to a script.
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (base: string, head: string, options: { format: Format; approvals?: string }) => {
      const { format, ...rest } = options;
      try {
        const comparison = await compare({ root: process.cwd(), base, head, ...rest });
        console.log(formats[format](comparison));
        for (const notice of comparison.judgement.notices) console.error(`note: ${notice}`);
        process.exitCode = unapproved(comparison).length > 0 ? 1 : 0;
      } catch (error) {
        const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
        console.error(error instanceof BadInput ? `error: ${error.message}` : fault);
        process.exitCode = 2;
      }
    });
}
