import { isObject, METHODS } from '../document.ts';
import type { Source } from '../source.ts';
import { UsageError } from '../usage-error.ts';
import { matcherOf } from './approvals.ts';
import type { Change } from './change.ts';
import type { Comparison } from './comparison.ts';
import { entriesOf } from './entries.ts';
import type { Level } from './rules/rule.ts';
import { rules } from './rules/rules.ts';

/** Which changes a report contains. */
export interface Filter {
  /** Rules or kinds of rules; `*` matches any characters. */
  only?: readonly string[];
  /** Tags of operations. */
  tags?: readonly string[];
  severities?: readonly Level[];
}

/** Kinds of rules: what part of the contract changed. */
export const RULE_KINDS = [
  'operation',
  'docs',
  'servers',
  'parameter',
  'body',
  'media-type',
  'encoding',
  'field',
  'status',
  'header',
  'security',
  'property',
  'default',
  'keyword',
  'type',
  'null',
  'enum',
  'format',
  'limit',
  'pattern',
  'variant',
  'extra',
  'union',
  'discriminator',
] as const;

/** Kind of a rule: `enum` of `request-enum-narrowed`. */
export function kindOf(rule: string): string | undefined {
  const aspect = rule.replace(/^(request|response|webhook)-/, '');
  return RULE_KINDS.find((kind) => aspect.startsWith(`${kind}-`));
}

/**
 * Returns a comparison with only the changes that pass a filter.
 * @throws {UsageError} if a rule, kind or tag of the filter does not exist
 */
export function filterComparison(
  comparison: Comparison,
  { only = [], tags = [], severities = [] }: Filter,
  sources: readonly Source[],
): Comparison {
  const patterns = only.map(patternOf);
  requireTags(tags, sources);
  const hasTag = ({ tags: own }: { tags: readonly string[] }) =>
    tags.length === 0 || tags.some((tag) => own.includes(tag));
  const passes = (change: Change) =>
    hasTag(change) &&
    (patterns.length === 0 || patterns.some((pattern) => pattern(change.rule))) &&
    (severities.length === 0 || severities.includes(change.level));
  const changes = comparison.changes.filter(passes);
  return {
    ...comparison,
    changes,
    limitations: comparison.limitations.filter(hasTag),
    omitted: entriesOf(comparison.changes).length - entriesOf(changes).length,
  };
}

function patternOf(name: string): (rule: string) => boolean {
  const pattern = matcherOf(name);
  const matches = (rule: string) => kindOf(rule) === name || pattern(rule);
  if (![...rules.keys()].some(matches)) {
    throw new UsageError(
      `--only ${name} is neither a rule nor a kind of rules. Specify a rule of the report, such as ` +
        `request-enum-narrowed, a pattern such as request-*, or a kind: ${RULE_KINDS.join(', ')}.`,
    );
  }
  return matches;
}

function requireTags(tags: readonly string[], sources: readonly Source[]): void {
  const existing = new Set(sources.flatMap(tagsOf));
  for (const tag of tags) {
    if (!existing.has(tag)) {
      const names = existing.size === 0 ? 'none' : [...existing].sort().join(', ');
      throw new UsageError(
        `No operation of ${sources.map(({ name }) => name).join(' or ')} has the tag "${tag}". Existing tags: ${names}.`,
      );
    }
  }
}

function tagsOf({ root }: Source): string[] {
  return [root.paths, root.webhooks].flatMap((paths) =>
    Object.values(isObject(paths) ? paths : {}).flatMap((item) =>
      METHODS.flatMap((method) => {
        const operation = isObject(item) ? item[method] : undefined;
        return isObject(operation) && Array.isArray(operation.tags) ? operation.tags.map(String) : [];
      }),
    ),
  );
}
