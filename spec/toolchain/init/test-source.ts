import { dereference, type OpenApiDocument, type Parameter } from '../document.ts';
import { literal, type OperationRow, operationRows } from '../operation-table.ts';
import type { Group, HandledOperation } from './groups.ts';
import { sampleOf } from './sample.ts';

/** Call of an operation that needs no credentials, or that fails without them. */
interface Call {
  target: HandledOperation;
  secured: boolean;
  /** Arguments after the path, as source text. */
  init: string;
}

/**
 * Generates a test that calls one operation through the client: it returns 501, or 401 if it requires credentials. Of
 * all operations, it calls the one with the fewest required values.
 */
export function testSource(document: OpenApiDocument, groups: readonly Group[]): string {
  const { rows } = operationRows(document, 'warning');
  const calls = groups.flatMap(({ operations }) =>
    operations.flatMap((one) => callOf(document, one, rows.get(one.id)) ?? []),
  );
  const [call] = calls.sort((one, other) => effortOf(one) - effortOf(other));
  return call === undefined ? START_TEST : callTest(call);
}

/** Calls without credentials first, because they reach the handler; then short ones. */
const effortOf = ({ secured, init }: Call) => (secured ? 10_000 : 0) + init.length;

const START_TEST = `import { test } from 'vitest';
import { startService } from './start-service.ts';

// Replace this test with tests of your handlers.
test('serves the contract', async () => {
  await startService();
});
`;

function callTest({ target: { id, method, path }, secured, init }: Call): string {
  const [name, status] = secured ? ['requires credentials', 401] : ['is not implemented yet', 501];
  return `import { expect, test } from 'vitest';
import { startService } from './start-service.ts';

// Replace this test with tests of your handlers.
test(${literal(`${id} ${name}`)}, async () => {
  const client = await startService();
  const { response } = await client.${method.toUpperCase()}(${literal(path)}${init});
  expect(response.status).toBe(${status});
});
`;
}

/** Returns the call of an operation, or undefined if it has a body, or a parameter without an obvious value. */
function callOf(
  document: OpenApiDocument,
  target: HandledOperation,
  row: OperationRow | undefined,
): Call | undefined {
  if (
    row === undefined ||
    row.body !== false ||
    target.method === 'trace' ||
    !returnsJson(document, target)
  ) {
    return undefined;
  }
  const values = new Map<string, string[]>();
  for (const { name, in: location, required, schema } of parametersOf(document, target)) {
    if (!required || location === 'cookie') {
      continue;
    }
    const value = sampleOf(document, schema ?? true);
    if (value === undefined) {
      return undefined;
    }
    values.set(location, [...(values.get(location) ?? []), `${literal(name)}: ${literal(value)}`]);
  }
  const parts = [...values].map(([location, members]) => `${location}: { ${members.join(', ')} }`);
  return {
    target,
    secured: row.secured,
    init: parts.length === 0 ? '' : `, { params: { ${parts.join(', ')} } }`,
  };
}

/** Whether the success response has a JSON body, or none: others are read as the caller specifies. */
function returnsJson(document: OpenApiDocument, { operation }: HandledOperation): boolean {
  return Object.entries(operation.responses ?? {}).every(([status, declared]) => {
    const { content = {} } = dereference(document, declared);
    const types = Object.keys(content);
    return !status.startsWith('2') || types.length === 0 || types.includes('application/json');
  });
}

/** Parameters of an operation. Its own replace those of its path (OpenAPI 3.1, Operation Object). */
function parametersOf(document: OpenApiDocument, { path, operation }: HandledOperation): Parameter[] {
  const declared = [...(document.paths[path]?.parameters ?? []), ...(operation.parameters ?? [])];
  const parameters = declared.map((parameter) => dereference<Parameter>(document, parameter));
  return [...new Map(parameters.map((one) => [`${one.in} ${one.name}`, one])).values()];
}
