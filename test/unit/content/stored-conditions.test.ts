import { describe, expect, test } from 'vitest';
import { conditionsHold, writeConditions } from '../../../server/content/expressions/stored-conditions.ts';
import { conditionalParts } from '../../../server/content/expressions/visible-text.ts';

const PAGE = `Everyone

{% if visitor.claims.beta %}
Beta

{% if visitor.claims.staff %}
Both
{% endif %}
{% endif %}

{% tabs %}
{% tab title="First" %}
Tab

{% if visitor.claims.staff %}
Staff
{% endif %}
{% endtab %}
{% endtabs %}

\`\`\`
{% if visitor.claims.code %}
Code
{% endif %}
\`\`\`
`;

const NO_VARIABLES = { space: {}, page: {} };

describe('the parts of a page', () => {
  test('are what everyone sees, and what visitors see under the same conditions', () => {
    const [everyone, ...others] = conditionalParts(PAGE);
    expect(everyone?.conditions).toEqual([]);
    expect(everyone?.markdown).toMatch(/Everyone[\s\S]*First[\s\S]*Tab[\s\S]*Code/);
    expect(everyone?.markdown).not.toMatch(/Beta|Both|Staff/);
    expect(others.map(({ conditions, markdown }) => [conditions, markdown.trim()])).toEqual([
      [['visitor.claims.beta'], 'Beta'],
      [['visitor.claims.beta', 'visitor.claims.staff'], 'Both'],
      [['visitor.claims.staff'], 'Staff'],
    ]);
  });

  test('do not contain conditional text that exceeds a limit of the parser', () => {
    const source = `${'>'.repeat(100)} {% if visitor.claims.staff %}\n\nStaff\n\n{% endif %}`;
    const markers = `{% if visitor.claims.staff %}\nStaff\n{% endif %}\n${'*a **b '.repeat(3_000)}`;
    for (const text of [source, markers]) {
      const parts = conditionalParts(`Everyone\n\n${text}\n`);
      expect(parts.filter(({ conditions }) => conditions.length === 0)).toHaveLength(1);
      expect(parts[0]?.markdown).not.toContain('Staff');
    }
  });

  test('are shown to visitors for whom all their conditions hold', () => {
    const shownTo = (claims: Record<string, boolean>) =>
      conditionalParts(PAGE)
        .map((part) => ({ part, stored: writeConditions(part, NO_VARIABLES) }))
        .filter(({ stored }) => stored === null || conditionsHold(stored, claims))
        .map(({ part }) => part.conditions.length);
    expect(shownTo({})).toEqual([0]);
    expect(shownTo({ beta: true })).toEqual([0, 1]);
    expect(shownTo({ staff: true })).toEqual([0, 1]);
    expect(shownTo({ beta: true, staff: true })).toEqual([0, 1, 2, 1]);
  });

  test('have conditions on variables of their page, and equal ones without', () => {
    const stored = (condition: string, page: Record<string, string>) =>
      writeConditions({ conditions: [condition], markdown: '' }, { space: {}, page }) ?? '';
    const onVariable = stored('page.vars.edition == "pro"', { edition: 'pro' });
    expect(conditionsHold(onVariable, {})).toBe(true);
    expect(conditionsHold(stored('page.vars.edition == "pro"', { edition: 'free' }), {})).toBe(false);
    expect(stored('visitor.claims.beta', { edition: 'pro' })).toBe(stored('visitor.claims.beta', {}));
    expect(conditionsHold(stored('visitor.claims.', {}), { beta: true })).toBe(false);
  });
});
