import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rules } from '../../../spec/toolchain/diff/rules/rules.ts';
import { linesOf, requestOf, responseOf } from './cases/document.ts';
import { equivalentDocuments, equivalentSchemas } from './cases/equivalent.ts';
import { notationCases } from './cases/notations.ts';
import { operationCases as operations } from './cases/operations.ts';
import { propertyCases } from './cases/properties.ts';
import { responseCases } from './cases/responses.ts';
import { valueCases as values } from './cases/values.ts';
import { webhookCases } from './cases/webhooks.ts';

const valueCases = [...values, ...propertyCases];
const operationCases = [...operations, ...notationCases, ...responseCases, ...webhookCases];

const readme = join(import.meta.dirname, '../../..', 'spec', 'toolchain', 'diff', 'README.md');

describe('a change of a schema', () => {
  describe.each(valueCases)('$name', ({ base, head, parts = {}, headParts = parts, ...expected }) => {
    test('is classified in a request', () => {
      expect(linesOf(requestOf(base, parts), requestOf(head, headParts))).toEqual(expected.request);
    });
    test('is classified in a response', () => {
      expect(linesOf(responseOf(base, parts), responseOf(head, headParts))).toEqual(expected.response);
    });
    test('is classified backwards in a request', () => {
      expect(linesOf(requestOf(head, headParts), requestOf(base, parts))).toEqual(expected.requestBack);
    });
    test('is classified backwards in a response', () => {
      expect(linesOf(responseOf(head, headParts), responseOf(base, parts))).toEqual(expected.responseBack);
    });
  });
});

describe('a change of an operation', () => {
  test.each(operationCases)('is classified: $name', ({ base, head, changes }) => {
    expect(linesOf(base, head)).toEqual(changes);
  });
  test.each(operationCases)('is classified backwards: $name', ({ base, head, back }) => {
    expect(linesOf(head, base)).toEqual(back);
  });
});

describe('equivalent notations have no changes', () => {
  test.each(equivalentSchemas)('$name', ({ base, head, parts = {}, headParts = parts }) => {
    for (const wrap of [requestOf, responseOf]) {
      expect(linesOf(wrap(base, parts), wrap(head, headParts))).toEqual([]);
      expect(linesOf(wrap(head, headParts), wrap(base, parts))).toEqual([]);
    }
  });
  test.each(equivalentDocuments)('$name', ({ base, head }) => {
    expect(linesOf(base, head)).toEqual([]);
    expect(linesOf(head, base)).toEqual([]);
  });
});

describe('the table of rules', () => {
  test('has a case for every rule', () => {
    const lines = [
      ...valueCases.flatMap(({ request, response, requestBack, responseBack }) => [
        ...request,
        ...response,
        ...requestBack,
        ...responseBack,
      ]),
      ...operationCases.flatMap(({ changes, back }) => [...changes, ...back]),
    ];
    const covered = new Set(lines.map((line) => line.split(' | ')[2]));
    expect([...rules.keys()].filter((id) => !covered.has(id))).toEqual([]);
  });

  test('matches the documentation', () => {
    const rows = [...rules].map(
      ([id, { level, affects, why }]) => `| \`${id}\` | ${level} | ${affects} | ${why} |`,
    );
    const documented = readFileSync(readme, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(documented).toEqual(rows);
  });

  test('has a compatible alternative for each change that is not safe', () => {
    expect([...rules].filter(([, { level, alternative }]) => level !== 'safe' && !alternative)).toEqual([]);
  });
});
