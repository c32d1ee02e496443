import { OPERATION_RULES } from './operations.ts';
import type { Rule } from './rule.ts';
import { SCHEMA_RULES } from './schemas.ts';
import { type ValueRuleId, valueRules } from './values.ts';
import { WEBHOOK_RULES } from './webhooks.ts';

type OperationRuleId = keyof typeof OPERATION_RULES;
type WebhookRuleId = keyof typeof WEBHOOK_RULES;

/** Identifier of a rule. */
export type RuleId = ValueRuleId | OperationRuleId | WebhookRuleId | keyof typeof SCHEMA_RULES;

/** Rules by id. */
export const rules: ReadonlyMap<RuleId, Rule> = new Map<RuleId, Rule>([
  // The keys of a constant are exactly the ids.
  ...(Object.entries(OPERATION_RULES) as [OperationRuleId, Rule][]),
  ...(Object.entries(WEBHOOK_RULES) as [WebhookRuleId, Rule][]),
  ...(Object.entries(SCHEMA_RULES) as [keyof typeof SCHEMA_RULES, Rule][]),
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

/**
 * Rules that replace others for webhooks and callbacks, since the server sends their requests: clients receive their
 * parameters and request bodies, and send their responses.
 */
const REVERSED_RULES: ReadonlyMap<RuleId, RuleId> = new Map<OperationRuleId, OperationRuleId | WebhookRuleId>(
  [
    ['operation-removed', 'webhook-operation-removed'],
    ['operation-added', 'webhook-operation-added'],
    ['parameter-removed', 'header-removed'],
    ['parameter-required-added', 'header-added'],
    ['parameter-added', 'header-added'],
    ['parameter-became-required', 'header-became-required'],
    ['parameter-became-optional', 'header-became-optional'],
    ['request-body-required-added', 'response-body-added'],
    ['request-body-added', 'response-body-added'],
    ['request-body-removed', 'response-body-removed'],
    ['request-body-became-required', 'webhook-body-became-required'],
    ['request-body-became-optional', 'webhook-body-became-optional'],
    ['request-media-type-removed', 'webhook-media-type-removed'],
    ['request-media-type-added', 'webhook-media-type-added'],
    ['field-type-removed', 'webhook-media-type-removed'],
    ['field-type-added', 'webhook-media-type-added'],
    ['status-removed', 'webhook-status-removed'],
    ['status-narrowed', 'webhook-status-removed'],
    ['status-error-removed', 'webhook-status-error-removed'],
    ['status-added', 'webhook-status-added'],
    ['status-error-added', 'webhook-status-added'],
    ['response-body-removed', 'request-body-removed'],
    ['response-body-added', 'request-body-required-added'],
    ['response-media-type-removed', 'request-media-type-removed'],
    ['response-media-type-narrowed', 'request-media-type-removed'],
    ['response-media-type-added', 'request-media-type-added'],
    ['header-removed', 'parameter-removed'],
    ['header-optional-removed', 'parameter-removed'],
    ['header-added', 'parameter-added'],
    ['header-became-optional', 'parameter-became-optional'],
    ['header-became-required', 'parameter-became-required'],
    ['security-tightened', 'webhook-security-changed'],
    ['security-scheme-removed', 'webhook-security-changed'],
    ['security-added', 'webhook-security-changed'],
    ['security-opened', 'webhook-security-changed'],
  ],
);

/** Returns the rule that applies to webhooks and callbacks instead of another one. */
export function reversedRule(id: RuleId): RuleId {
  return REVERSED_RULES.get(id) ?? id;
}
