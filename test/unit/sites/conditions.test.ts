import { describe, expect, test } from 'vitest';
import { writeJson } from '../../../server/database/json.ts';
import type { StoredAdaptiveSchema } from '../../../server/database/schema/sites/sites.ts';
import { conditionsOf, requireCondition } from '../../../server/platform/sites/visitors/conditions.ts';
import { visitorOf } from '../../../server/platform/sites/visitors/visitor.ts';

const claim = { type: 'boolean', description: 'Claim.' } as const;
const schema: StoredAdaptiveSchema = {
  type: 'object',
  properties: {
    beta: claim,
    'has-plan': claim,
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: { returning: claim },
    },
  },
  additionalProperties: false,
};
const site = { adaptiveContent: 1, adaptiveSchema: writeJson(schema) } as const;

const holds = (condition: string, signed: Record<string, unknown>, unsigned: Record<string, unknown> = {}) =>
  conditionsOf(site, visitorOf(site, signed, { unsigned }).claims)(condition);

const errorOf = (adaptiveSchema: typeof site.adaptiveSchema | null, condition: string) => {
  try {
    requireCondition({ adaptiveSchema }, condition, 'condition');
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('conditions', () => {
  test.each([
    ['visitor.claims.beta', true],
    ['visitor.claims.beta == true && !visitor.claims["has-plan"]', true],
    ['visitor.claims.beta != true || visitor.claims.unsigned.returning', true],
    ['("beta" in visitor.claims) && "returning" in visitor.claims.unsigned', true],
    ['"has-plan" in visitor.claims', false],
    ['visitor.claims["has-plan"]', false],
    ['visitor.claims.unsigned.returning == false', false],
    ['visitor["claims"]["unsigned"].returning ? visitor.claims.beta : false', true],
    ['true', true],
  ])('%s selects the visitor: %s', (condition, expected) => {
    expect(errorOf(site.adaptiveSchema, condition)).toBeUndefined();
    expect(holds(condition, { beta: true }, { returning: true })).toBe(expected);
  });

  test.each([
    [
      'visitor.claims.gamma',
      /claim visitor\.claims\.gamma is not in the adaptive schema\. It has visitor\.claims\.beta, visitor\.claims\["has-plan"\], visitor\.claims\.unsigned\.returning\./,
    ],
    ['visitor.claims.returning', /claim visitor\.claims\.returning is not in/],
    ['visitor.claims.unsigned.beta', /claim visitor\.claims\.unsigned\.beta is not in/],
    ['"gamma" in visitor.claims', /claim visitor\.claims\.gamma is not in/],
    ['visitor.claims.__proto__', /is not in the adaptive schema/],
    ['visitor.claims.constructor', /is not in the adaptive schema/],
    ['"toString" in visitor.claims', /is not in the adaptive schema/],
    ['visitor.claims.beta.constructor', /is not a claim/],
    ['visitor.claims', /is not a claim/],
    ['visitor.claims.unsigned', /is not a claim/],
    ['space.vars.x', /is not a claim/],
    ['visitor.claims[visitor.claims.beta]', /Members must be claims with a literal name/],
    ['visitor.claims.beta in visitor.claims', /left side of "in"/],
    ['"beta" in "beta"', /Members must be claims/],
    ['visitor.claims.beta &&', /unexpected end/],
    ['process.exit()', /unexpected "\("|Invalid expression/],
  ])('%s is rejected', (condition, problem) => {
    expect(errorOf(site.adaptiveSchema, condition)).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: 'condition', message: expect.stringMatching(problem) }],
    });
    expect(holds(condition, { beta: true, gamma: true })).toBe(false);
  });

  test('conditions on claims require an adaptive schema', () => {
    expect(errorOf(null, 'visitor.claims.beta')).toMatchObject({
      status: 400,
      message: expect.stringContaining('Set it before conditions on claims.'),
    });
    expect(errorOf(null, 'true')).toBeUndefined();
  });

  test('are not applied without adaptive content', () => {
    const disabled = { ...site, adaptiveContent: 0 } as const;
    const visitor = visitorOf(disabled, { beta: true });
    expect(visitor.claims).toEqual({});
    expect(conditionsOf(disabled, visitor.claims)('visitor.claims.gamma')).toBe(true);
  });
});

describe('claims of visitors', () => {
  test('only declared booleans are retained, and the unsigned ones only from the browser', () => {
    const signed = { beta: true, 'has-plan': 'yes', email: 'ada@example.com', unsigned: { returning: true } };
    expect(visitorOf(site, signed).claims).toEqual({ beta: true, unsigned: {} });
    expect(visitorOf(site, {}, { unsigned: { returning: true, beta: true } }).claims).toEqual({
      unsigned: { returning: true },
    });
  });

  test('inherited members are no claims', () => {
    const inherited: Record<string, unknown> = Object.create({ beta: true });
    expect(visitorOf(site, inherited).claims).toEqual({ unsigned: {} });
  });

  test('visitors with the same claims have the same key, whatever else their tokens state', () => {
    const { key } = visitorOf(site, { beta: true, 'has-plan': false, sub: 'ada' });
    expect(visitorOf(site, { 'has-plan': false, sub: 'grace', beta: true }).key).toBe(key);
    expect(visitorOf(site, { beta: true, 'has-plan': true }).key).not.toBe(key);
    const spaces = new Set(['spc_a']);
    expect(visitorOf(site, { beta: true, 'has-plan': false }, { spaces }).key).not.toBe(key);
    expect(
      visitorOf(site, { beta: true, 'has-plan': false }, { unsigned: { returning: true } }).key,
    ).not.toBe(key);
  });
});
