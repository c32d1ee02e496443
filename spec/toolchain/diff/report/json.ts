import type { Comparison } from '../comparison.ts';
import { countLevels, type Entry, entriesOf, limitationEntriesOf } from '../entries.ts';
import { ruleOf } from '../rules/rules.ts';

/** Formats a comparison for scripts: one element for each change, with all operations that it reaches. */
export function formatJson(comparison: Comparison): string {
  const { base, head, changes, limitations, omitted } = comparison;
  const entries = entriesOf(changes);
  const report = {
    base,
    head,
    summary: countLevels(entries),
    omitted,
    changes: entries.map((entry) => rowOf(entry, comparison)),
    limitations: limitationEntriesOf(limitations).map(({ place, message, operations }) => ({
      location: place,
      message,
      operations,
    })),
  };
  return JSON.stringify(report, null, 2);
}

function rowOf({ change, message, origin, effects, all }: Entry, { approvalResult }: Comparison): object {
  const { why, alternative } = ruleOf(change.rule);
  return {
    // The first of `operations`.
    operation: change.operation,
    location: change.location,
    // Previous name of `location`, for existing scripts.
    where: change.location,
    message,
    level: change.level,
    affects: change.affects,
    rule: change.rule,
    why,
    ...(alternative && { fix: alternative }),
    ...(origin && { schema: { name: origin.schema, path: origin.path } }),
    ...(effects.length > 1 && { effects: effects.map(({ rule }) => effectOf(rule)) }),
    operationCount: new Set(all.map(({ operation }) => operation)).size,
    operations: all.map((reached) => ({
      operation: reached.operation,
      endpoint: reached.endpoint,
      location: reached.location,
      level: reached.level,
      rule: reached.rule,
      ...reasonOf(approvalResult.approved.get(reached)?.reason),
    })),
  };
}

function reasonOf(approved: string | undefined): object {
  return approved === undefined ? {} : { approved };
}

function effectOf(rule: Parameters<typeof ruleOf>[0]): object {
  const { level, affects, why, alternative } = ruleOf(rule);
  return { rule, level, affects, why, ...(alternative && { fix: alternative }) };
}
