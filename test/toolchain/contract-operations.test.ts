import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Parameter {
  name: string;
  in: string;
}

interface Operation {
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  responses: Record<string, unknown>;
  'x-addition'?: boolean;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}

/** What the service must have, one operation a row; what the document says of an operation has the same shape. */
interface Row {
  method: string;
  path: string;
  group: string;
  success: string;
  /** Names of query parameters, sorted. */
  query: string[];
}

const test = join(import.meta.dirname, '..');
const document: Document = JSON.parse(readFileSync(join(test, '..', 'generated', 'openapi.json'), 'utf8'));
const table = readRows(readFileSync(join(test, 'fixtures', 'operations.tsv'), 'utf8'));
const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];
const declared = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method];
    return operation ? [{ operation, row: describeOperation(method, path, operation) }] : [];
  }),
);

describe('the emitted document', () => {
  it('is held against a table of 151 operations', () => {
    expect(table).toHaveLength(151);
    expect(new Set(table.map(nameOf)).size).toBe(151);
  });

  it.each(table.map((row) => [nameOf(row), row] as const))('has %s as the table has it', (name, row) => {
    expect(declared.find((one) => nameOf(one.row) === name)?.row).toEqual(row);
  });

  it('marks every operation that is not in the table as an addition, and no other', () => {
    const inTable = new Set(table.map(nameOf));
    for (const { operation, row } of declared) {
      const name = nameOf(row);
      expect([name, operation['x-addition'] === true]).toEqual([name, !inTable.has(name)]);
    }
  });
});

function nameOf({ method, path }: Row): string {
  return `${method} ${path}`;
}

function readRows(text: string): Row[] {
  const [head, ...lines] = text.trimEnd().split('\n');
  expect(head).toBe('method\tpath\tgroup\tsuccess\tquery');
  return lines.map((line) => {
    const [method = '', path = '', group = '', success = '', query = ''] = line.split('\t');
    return { method, path, group, success, query: query === '-' ? [] : query.split(' ').sort() };
  });
}

function describeOperation(method: string, path: string, operation: Operation): Row {
  const parameters = (operation.parameters ?? []).map(resolve);
  return {
    method: method.toUpperCase(),
    path,
    group: (operation.tags ?? []).join(' and '),
    success: Object.keys(operation.responses)
      .filter((status) => /^[123]/.test(status))
      .join(' and '),
    query: parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name)
      .sort(),
  };
}

function resolve(parameter: Parameter | { $ref: string }): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.slice('#/components/parameters/'.length);
  const found = document.components.parameters[name];
  if (found === undefined) throw new Error(`The document has no parameter ${name}.`);
  return found;
}
