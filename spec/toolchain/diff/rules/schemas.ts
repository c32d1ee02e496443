import type { Rule } from './rule.ts';

/** Rules for schemas, except for the values that they allow. */
export const SCHEMA_RULES = {
  'request-property-removed': {
    level: 'breaking',
    affects: 'clients',
    why: 'The object does not accept undeclared properties, so requests with it are rejected.',
    alternative: 'Keep it as optional, and deprecate it.',
  },
  'request-property-ignored': {
    level: 'risky',
    affects: 'clients',
    why: 'Its values are no longer validated, and likely have no effect.',
    alternative: 'Keep it as optional, and deprecate it.',
  },
  'request-property-required-added': {
    level: 'breaking',
    affects: 'clients',
    why: 'Requests of existing clients are rejected.',
    alternative: 'Make it optional, with a default that preserves the current behavior.',
  },
  'request-property-added': {
    level: 'safe',
    affects: 'servers',
    why: 'Existing clients omit it; servers must read it.',
  },
  'request-property-became-required': {
    level: 'breaking',
    affects: 'clients',
    why: 'Requests that omit it are rejected.',
    alternative: 'Keep it optional, with a default.',
  },
  'request-property-became-optional': {
    level: 'safe',
    affects: 'servers',
    why: 'Clients can still send it; servers must support requests without it.',
  },
  'request-default-changed': {
    level: 'risky',
    affects: 'clients',
    why: 'Requests that omit it have a different effect.',
    alternative: 'Keep the default, and let clients opt in to the new behavior.',
  },
  'response-default-changed': {
    level: 'safe',
    affects: 'clients',
    why: 'A default does not affect the content of responses.',
  },
  'response-property-removed': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that read it no longer receive it, and clients with generated types no longer compile, even if it was optional.',
    alternative: 'Keep sending it, deprecate it, and remove it in a later release.',
  },
  'response-property-added': {
    level: 'safe',
    affects: 'servers',
    why: 'Clients ignore unknown properties; servers must send it.',
  },
  'response-property-became-required': {
    level: 'risky',
    affects: 'servers',
    why: 'Clients support it already; existing servers may still omit it.',
    alternative: 'Before the contract requires it, make sure that all servers always send it.',
  },
  'response-property-became-optional': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that read it without checking for its presence fail if it is missing.',
    alternative: 'Keep sending it always, or add a new optional property.',
  },
  'property-deprecated': {
    level: 'safe',
    affects: 'clients',
    why: 'It works as before; clients should plan to migrate.',
  },
  'request-keyword-changed': {
    level: 'risky',
    affects: 'both',
    why: 'The comparison does not interpret this keyword; requests may be rejected.',
    alternative: 'Compare both versions manually.',
  },
  'response-keyword-changed': {
    level: 'risky',
    affects: 'both',
    why: 'The comparison does not interpret this keyword; clients may receive values that were not declared.',
    alternative: 'Compare both versions manually.',
  },
  'variant-covered': {
    level: 'safe',
    affects: 'both',
    why: 'The union allows the same values: another variant includes them.',
  },
  'union-kind-changed': {
    level: 'risky',
    affects: 'both',
    why: 'A value that matches several variants is valid for anyOf but not for oneOf.',
    alternative: 'Add a property that distinguishes the variants; then anyOf and oneOf are equivalent.',
  },
  'discriminator-changed': {
    level: 'risky',
    affects: 'both',
    why: 'Generated code selects the variant by another property.',
    alternative: 'Keep the property that distinguishes the variants.',
  },
} as const satisfies Record<string, Rule>;
