import { operationRules } from './operation-rules.ts';
import type { Rule } from './rule.ts';
import { schemaRules } from './schema-rules.ts';
import { type ValueRuleId, valueRules } from './value-rules.ts';

/** The id of any rule. */
export type RuleId = ValueRuleId | keyof typeof operationRules | keyof typeof schemaRules;

/** Every rule, by its id. */
export const rules: ReadonlyMap<RuleId, Rule> = new Map<RuleId, Rule>([
  // The keys of a constant are exactly the ids.
  ...(Object.entries(operationRules) as [keyof typeof operationRules, Rule][]),
  ...(Object.entries(schemaRules) as [keyof typeof schemaRules, Rule][]),
  ...valueRules(),
]);

/** The rule of an id. @throws when there is none, which is a fault of this program */
export function ruleOf(id: RuleId): Rule {
  const rule = rules.get(id);
  if (rule === undefined)
    throw new Error(`There is no rule "${id}". Add it to spec/toolchain/diff/rules.ts.`);
  return rule;
}
