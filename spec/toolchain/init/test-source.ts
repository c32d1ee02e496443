import { dereference, type Json, type OpenApiDocument, successKeys } from '../document.ts';
import { literal, type OperationRow, operationRows } from '../generate/operation-table.ts';
import type { Operation } from '../model/contract/contract.ts';
import { readContract } from '../model/contract/read.ts';
import { SampleValues } from '../model/sample/values.ts';
import { ifUsable, SchemaSet } from '../model/schema/schema.ts';
import { documentOf } from '../source.ts';
import type { Group, HandledOperation } from './groups.ts';

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
  const contract = readContract(documentOf('The contract', document));
  const values = new SampleValues(new SchemaSet(contract.components));
  const operations = new Map(contract.operations.map((operation) => [operation.id, operation]));
  const targets = groups.flatMap((group) => group.operations);
  const calls = targets.flatMap((target) => {
    const [row, operation] = [rows.get(target.id), operations.get(target.id)];
    return row?.body === false && operation !== undefined && returnsJson(document, target)
      ? (callOf(target, row, operation, values) ?? [])
      : [];
  });
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

/** Returns the call of an operation without a body; undefined if a required parameter has no value. */
function callOf(
  target: HandledOperation,
  { secured }: OperationRow,
  { parameters }: Operation,
  values: SampleValues,
): Call | undefined {
  if (target.method === 'trace') {
    return undefined;
  }
  const required = parameters.filter((parameter) => parameter.required && parameter.in !== 'cookie');
  const byLocation = Map.groupBy(required, (parameter) => parameter.in);
  return ifUsable(() => {
    const parts = [...byLocation].map(([location, members]) => {
      const sources = members.map(({ name, schema, examples }) => {
        // Values of schemas are JSON.
        const value = values.value(schema, name, 1, examples) as Json;
        return `${literal(name)}: ${literal(value)}`;
      });
      return `${location}: { ${sources.join(', ')} }`;
    });
    return { target, secured, init: parts.length === 0 ? '' : `, { params: { ${parts.join(', ')} } }` };
  });
}

/**
 * Whether the success responses have a JSON body, or none: others, such as the target of a redirect, are read as the caller
 * specifies.
 */
function returnsJson(document: OpenApiDocument, { operation }: HandledOperation): boolean {
  const successes = successKeys(operation).filter((status) => !status.startsWith('3'));
  return (
    successes.length > 0 &&
    successes.every((status) => {
      const declared = operation.responses?.[status];
      const types = Object.keys((declared && dereference(document, declared).content) ?? {});
      return types.length === 0 || types.includes('application/json');
    })
  );
}
