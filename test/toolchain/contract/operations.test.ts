import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Parameter {
  name: string;
  in: string;
}

interface Operation {
  tags?: string[];
  parameters?: (Parameter | { $ref: string })[];
  responses: Record<string, unknown>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}

/** Expected operations of the service, one per row, in the shape of the document's operations. */
interface Row {
  method: string;
  path: string;
  group: string;
  success: string;
  /** Names of query parameters, sorted. */
  query: string[];
}

const testFolder = join(import.meta.dirname, '../..');
const document: Document = JSON.parse(
  readFileSync(join(testFolder, '..', 'generated', 'openapi.json'), 'utf8'),
);
/** Operations of the platform, and those that this project adds to them. */
const platform = readRows(readFileSync(join(testFolder, 'fixtures', 'operations.tsv'), 'utf8'));
const additions = readRows(readFileSync(join(testFolder, 'fixtures', 'additions.tsv'), 'utf8'));
const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];
const declared = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method];
    return operation ? [{ operation, row: describeOperation(method, path, operation) }] : [];
  }),
);

describe('the emitted document', () => {
  test('has the 151 operations of the platform', () => {
    expect(new Set(platform.map(nameOf)).size).toBe(151);
  });

  test.each([...platform, ...additions].map((row) => [nameOf(row), row] as const))(
    'has %s as the table describes it',
    (name, row) => {
      expect(declared.find((item) => nameOf(item.row) === name)?.row).toEqual(row);
    },
  );

  test('has no operation that is in neither table', () => {
    const expected = [...platform, ...additions].map(nameOf).sort();
    expect(declared.map(({ row }) => nameOf(row)).sort()).toEqual(expected);
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
  if (!('$ref' in parameter)) {
    return parameter;
  }
  const name = parameter.$ref.slice('#/components/parameters/'.length);
  const found = document.components.parameters[name];
  if (found === undefined) {
    throw new Error(`The document has no parameter ${name}.`);
  }
  return found;
}
