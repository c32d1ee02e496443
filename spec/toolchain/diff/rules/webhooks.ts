import type { Rule } from './rule.ts';

/** Rules for webhooks and callbacks, in addition to those for the opposite direction. */
export const WEBHOOK_RULES = {
  'webhook-operation-removed': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that depend on it no longer receive it.',
    alternative: 'Deprecate it, document its replacement, and remove it in a later release.',
  },
  'webhook-operation-added': {
    level: 'safe',
    affects: 'servers',
    why: 'Existing clients do not depend on it; servers must send it.',
  },
  'webhook-parameter-optional-removed': {
    level: 'risky',
    affects: 'clients',
    why: 'Clients had to support requests without it, but never receive it now.',
    alternative: 'Keep sending it.',
  },
  'webhook-body-became-required': {
    level: 'risky',
    affects: 'servers',
    why: 'Clients support it already; existing servers may still omit it.',
    alternative: 'Before the contract requires it, make sure that all servers always send it.',
  },
  'webhook-body-became-optional': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that read it without checking for its presence fail if it is missing.',
    alternative: 'Keep sending it always.',
  },
  'webhook-media-type-removed': {
    level: 'risky',
    affects: 'servers',
    why: 'Clients no longer receive it; existing servers may still send it.',
    alternative: 'Keep it until no server sends it.',
  },
  'webhook-media-type-added': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients may receive a type that they do not support.',
    alternative: 'Send it only to clients that opted in.',
  },
  'webhook-status-removed': {
    level: 'breaking',
    affects: 'clients',
    why: 'Servers treat the responses of existing clients as failures or misinterpret them.',
    alternative: 'Keep accepting it.',
  },
  'webhook-status-error-removed': {
    level: 'risky',
    affects: 'clients',
    why: 'Existing clients may still return it, and servers may misinterpret it.',
    alternative: 'Keep it until no client returns it.',
  },
  'webhook-status-added': {
    level: 'safe',
    affects: 'servers',
    why: 'Existing clients do not return it; servers must support it.',
  },
  'webhook-header-required-added': {
    level: 'breaking',
    affects: 'clients',
    why: 'Responses of existing clients omit it.',
    alternative: 'Make it optional.',
  },
  'webhook-security-changed': {
    level: 'risky',
    affects: 'both',
    why: 'Existing servers send, and existing clients verify, the previous credentials.',
    alternative: 'Keep sending the previous credentials in addition to the new ones.',
  },
} as const satisfies Record<string, Rule>;
