import type { Rule } from './rule.ts';

/** What may change of schemas, beside which values they allow. */
export const schemaRules = {
  'request-property-removed': {
    level: 'breaking',
    affects: 'clients',
    why: 'The object takes no properties that it does not declare, so clients that send it are refused.',
    mend: 'Keep it, optional and deprecated.',
  },
  'request-property-ignored': {
    level: 'risky',
    affects: 'clients',
    why: 'What clients send there is no longer checked, and likely has no effect.',
    mend: 'Keep it, optional and deprecated.',
  },
  'request-property-required-added': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that do not know it are refused.',
    mend: 'Make it optional, with a default that keeps what happened until now.',
  },
  'request-property-added': {
    level: 'safe',
    affects: 'servers',
    why: 'Clients that do not know it leave it out; servers have to read it.',
  },
  'request-property-became-required': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that leave it out are refused.',
    mend: 'Keep it optional, with a default.',
  },
  'request-property-became-optional': {
    level: 'safe',
    affects: 'servers',
    why: 'Clients that send it go on doing so; servers have to do without it.',
  },
  'request-default-changed': {
    level: 'risky',
    affects: 'clients',
    why: 'Clients that leave it out get another behaviour than before.',
    mend: 'Keep the default; let clients ask for the new behaviour.',
  },
  'response-default-changed': {
    level: 'safe',
    affects: 'clients',
    why: 'A default says nothing about what a response holds.',
  },
  'response-property-removed': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that read it find nothing, and those with types from the contract no longer compile; that it was optional helps only who never needed it.',
    mend: 'Go on sending it, mark it as deprecated, and remove it in a later release.',
  },
  'response-property-added': {
    level: 'safe',
    affects: 'servers',
    why: 'Clients pass over properties that they do not know; servers have to send it.',
  },
  'response-property-became-required': {
    level: 'risky',
    affects: 'servers',
    why: 'Clients get what they were ready for; a server as it is may still leave it out.',
    mend: 'See that every server always sends it before the contract says so.',
  },
  'response-property-became-optional': {
    level: 'breaking',
    affects: 'clients',
    why: 'Clients that read it without asking whether it is there fail when it is not.',
    mend: 'Go on sending it always, or let a new property be the optional one.',
  },
  'property-deprecated': {
    level: 'safe',
    affects: 'clients',
    why: 'It works as before; clients should plan to leave it.',
  },
  'request-keyword-changed': {
    level: 'risky',
    affects: 'both',
    why: 'The comparison does not judge this keyword; clients may be refused.',
    mend: 'Compare both versions of it by hand.',
  },
  'response-keyword-changed': {
    level: 'risky',
    affects: 'both',
    why: 'The comparison does not judge this keyword; clients may get what they were told never comes.',
    mend: 'Compare both versions of it by hand.',
  },
  'union-kind-changed': {
    level: 'risky',
    affects: 'both',
    why: 'A value that fits several variants is allowed by anyOf and refused by oneOf.',
    mend: 'Give the variants a property that tells them apart; then both mean the same.',
  },
  'discriminator-changed': {
    level: 'risky',
    affects: 'both',
    why: 'What is generated from the contract chooses the variant by another property.',
    mend: 'Keep the property that tells the variants apart.',
  },
} as const satisfies Record<string, Rule>;
