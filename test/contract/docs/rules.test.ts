import { expect, test } from 'vitest';
import { html } from '../../../server/contract/docs/html.ts';
import type { OpenApiDocument } from '../../../server/contract/document.ts';
import { isObject } from '../../../server/contract/json-values.ts';
import { readDocument, serveDocs } from './server.ts';

/** Returns the rules in words that a part of a contract states, without those of the schemas that it refers to. */
const rulesIn = (node: unknown): string[] => {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  const own = 'x-rule' in node && typeof node['x-rule'] === 'string' ? [node['x-rule']] : [];
  return [...own, ...Object.values(node).flatMap(rulesIn)];
};

/** Returns the pages of the models and operations of a contract, with the rules that each has to show. */
function* pagesWithRules({ paths = {}, components }: OpenApiDocument): Generator<[string, Set<string>]> {
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
    yield [`models/${name}`, new Set(rulesIn(schema))];
  }
  const parameters: Record<string, unknown> = components?.parameters ?? {};
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item ?? {}))) {
    if (isObject(operation) && typeof operation.operationId === 'string') {
      const declared = Array.isArray(operation.parameters) ? operation.parameters : [];
      const resolved = declared.map((parameter: unknown) =>
        isObject(parameter) && typeof parameter.$ref === 'string'
          ? parameters[parameter.$ref.replace('#/components/parameters/', '')]
          : parameter,
      );
      yield [`operations/${operation.operationId}`, new Set(rulesIn({ ...operation, parameters: resolved }))];
    }
  }
}

test('the documentation shows every rule that the contract states in words', async () => {
  const document = readDocument();
  const url = await serveDocs(document);
  const pages = [...pagesWithRules(document)].filter(([, rules]) => rules.size > 0);
  expect(pages.length).toBeGreaterThan(20);
  for (const [path, rules] of pages) {
    const page = await (await fetch(`${url}/docs/${path}`)).text();
    expect(
      [...rules].filter((rule) => !page.includes(html`${rule}`.text)),
      path,
    ).toEqual([]);
  }
});

test('a reference and its target show the constraints and rules of both', async () => {
  const url = await serveDocs({
    openapi: '3.1.0',
    info: { title: 'Rules', version: '1' },
    paths: {},
    components: {
      schemas: {
        Name: { type: 'string', minLength: 2, maxLength: 9, 'x-rule': 'A name in Latin.' },
        Names: {
          type: 'object',
          minProperties: 1,
          properties: {
            first: { $ref: '#/components/schemas/Name', maxLength: 5, 'x-rule': 'Unique in the family.' },
            others: { type: 'array', uniqueItems: true, items: { type: 'string' } },
            byLanguage: { type: 'object', maxProperties: 3 },
          },
        },
      },
    },
  });
  const page = await (await fetch(`${url}/docs/models/Names`)).text();
  for (const fact of [
    'minimum length <code>2</code>, maximum length <code>5</code>, A name in Latin., Unique in the family.',
    'unique items',
    'maximum properties <code>3</code>',
  ]) {
    expect(page).toContain(fact);
  }
});
