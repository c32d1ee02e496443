import { operationRules } from './operation-rules.ts';
import type { Rule } from './rule.ts';
import { schemaRules } from './schema-rules.ts';
import { type ValueRuleId, valueRules } from './value-rules.ts';

/** Identifier of a rule. */
export type RuleId = ValueRuleId | keyof typeof operationRules | keyof typeof schemaRules;

/** Rules by id. */
export const rules: ReadonlyMap<RuleId, Rule> = new Map<RuleId, Rule>([
  // The keys of a constant are exactly the ids.
  ...(Object.entries(operationRules) as [keyof typeof operationRules, Rule][]),
  ...(Object.entries(schemaRules) as [keyof typeof schemaRules, Rule][]),
  ...valueRules(),
]);

/** Returns a rule by its id. @throws if it does not exist, which is a bug */
export function ruleOf(id: RuleId): Rule {
  const rule = rules.get(id);
  if (rule === undefined) {
    throw new Error(`Unknown rule "${id}".`);
  }
  return rule;
}
