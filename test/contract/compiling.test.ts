import { expect, onTestFinished, test, vi } from 'vitest';
import { operationsOf } from '../../server/contract/document.ts';
import { createValidation, MAX_FULL_REPORT_BYTES } from '../../server/contract/validation.ts';
import { watchCompiler } from '../support/compiler.ts';
import { document } from './small-contract.ts';
import { serveSmallContract } from './small-server.ts';

const sendAll = async ({ send }: Awaited<ReturnType<typeof serveSmallContract>>) => {
  expect((await send('GET', '/v1/widgets')).status).toBe(200);
  expect((await send('POST', '/v1/widgets', { title: 'a' })).status).toBe(201);
  expect((await send('GET', '/v1/widgets/a')).status).toBe(200);
  // Large bodies have a separate validator.
  const padding = ' '.repeat(MAX_FULL_REPORT_BYTES);
  expect((await send('POST', '/v1/widgets', `${padding}{"title":"a"}`)).status).toBe(201);
};

test('compiles validators with the first request that needs them', async () => {
  const compile = watchCompiler();
  const server = await serveSmallContract({}, { validateResponses: false });
  expect(compile).not.toHaveBeenCalled();
  await sendAll(server);
  expect(compile).toHaveBeenCalled();
});

test('compiles validators before the first request if the server requests it', async () => {
  const compile = watchCompiler();
  const operations = Object.values(document.paths).flatMap(operationsOf);
  for (const [method, operation] of operations) {
    const validation = createValidation(document, method, operation);
    while (validation.prepare()) {
      // Each call compiles one validator.
    }
  }
  const schemas = compile.mock.calls.length;
  expect(schemas).toBeGreaterThan(operations.length);
  compile.mockClear();
  const server = await serveSmallContract({}, { validateResponses: false, compileAhead: true });
  await vi.waitFor(() => expect(compile).toHaveBeenCalledTimes(schemas), { timeout: 10_000 });
  await sendAll(server);
  expect(compile).toHaveBeenCalledTimes(schemas);
});

/** Returns the validations of operations that return schemas of one document, and the messages for a value. */
function validationsOf(schemas: Record<string, object>, returned: readonly object[]) {
  const operations = returned.map((schema, index) => ({
    operationId: `get${index}`,
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
  }));
  const paths = Object.fromEntries(operations.map((get, index) => [`/${index}`, { get }]));
  const described = {
    openapi: '3.1.0',
    info: { title: 'Shared', version: '1' },
    paths,
    components: { schemas },
  };
  return operations.map((operation) => createValidation(described, 'get', operation));
}

const NAME = { type: 'object', properties: { name: { type: 'string' } } };
const PERSON = { type: 'object', properties: { name: { $ref: '#/components/schemas/Name' } } };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('compiles the components of several responses once', () => {
  const [first, second] = validationsOf({ Name: NAME, Person: PERSON }, [ref('Person'), ref('Person')]);
  let compiled = 0;
  const construct = (target: FunctionConstructor, args: string[]) => {
    compiled++;
    return Reflect.construct(target, args);
  };
  vi.stubGlobal('Function', new Proxy(Function, { construct }));
  onTestFinished(() => void vi.unstubAllGlobals());
  first?.response(200, { name: { name: 'Ada' } });
  expect(compiled).toBeGreaterThan(1);
  compiled = 0;
  second?.response(200, { name: { name: 'Ada' } });
  expect(compiled).toBe(1);
  expect(() => second?.response(200, { name: { name: 1 } })).toThrow('get1 returned status 200');
});

test('resolves references of components to parts of other components', () => {
  const part = { type: 'object', properties: { alias: ref('Name/properties/name') } };
  const validations = validationsOf({ Name: NAME, Part: part }, [ref('Name'), ref('Part'), ref('Name')]);
  for (const [index, body] of [{ name: 'Ada' }, { alias: 'Ada' }, { name: 'Ada' }].entries()) {
    expect(() => validations[index]?.response(200, body)).not.toThrow();
  }
  expect(() => validations[1]?.response(200, { alias: 1 })).toThrow('get1 returned status 200');
});
