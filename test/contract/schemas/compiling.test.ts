import { expect, onTestFinished, test, vi } from 'vitest';
import { operationsOf } from '../../../server/contract/document.ts';
import { MAX_FULL_REPORT_BYTES } from '../../../server/contract/validation/faults.ts';
import { compileSchema } from '../../../server/contract/validation/schema-check.ts';
import { createValidation } from '../../../server/contract/validation/validation.ts';
import { watchCompiler } from '../../support/contract/compiler.ts';
import { document } from '../small-contract.ts';
import { serveSmallContract } from '../small-server.ts';

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
  const server = await serveSmallContract({}, { validateResponses: false, ownDocument: true });
  expect(compile).not.toHaveBeenCalled();
  await sendAll(server);
  expect(compile).toHaveBeenCalled();
});

test('compiles validators before the first request if the server requests it', async () => {
  const compile = watchCompiler();
  const operations = Object.values(document.paths).flatMap(operationsOf);
  // Validations of the same document share what they compile.
  const counted = structuredClone(document);
  for (const [, operation] of operations) {
    const validation = createValidation(counted, operation);
    while (validation.prepare()) {
      // Each call compiles one validator.
    }
  }
  const schemas = compile.mock.calls.length;
  expect(schemas).toBeGreaterThan(operations.length);
  compile.mockClear();
  const server = await serveSmallContract(
    {},
    { validateResponses: false, compileAhead: true, ownDocument: true },
  );
  await vi.waitFor(() => expect(compile).toHaveBeenCalledTimes(schemas), { timeout: 60_000 });
  await sendAll(server);
  expect(compile).toHaveBeenCalledTimes(schemas);
});

const JSON_TYPE = 'application/json';

/** Returns the validations of operations that receive and return schemas of one document. */
function validationsOf(schemas: Record<string, object>, used: readonly object[]) {
  const operations = used.map((schema, index) => {
    const content = { [JSON_TYPE]: { schema } };
    return {
      operationId: `get${index}`,
      requestBody: { content },
      responses: { 200: { description: 'OK', content } },
    };
  });
  const paths = Object.fromEntries(operations.map((post, index) => [`/${index}`, { post }]));
  const described = {
    openapi: '3.1.0',
    info: { title: 'Shared', version: '1' },
    paths,
    components: { schemas },
  };
  return operations.map((operation) => {
    const validation = createValidation(described, operation);
    return {
      /** Throws for an invalid body of a response. */
      respond: (body: unknown) => validation.response('200', JSON_TYPE, body),
      /** Returns the messages for a body of a size. */
      faults: (value: unknown, bytes = 0) =>
        validation
          .request({ path: {}, query: {}, headers: {}, cookies: {}, json: { type: JSON_TYPE, value }, bytes })
          .map(({ path, message }) => `${path} ${message}`),
    };
  });
}

const NAME = { type: 'object', properties: { name: { type: 'string' } } };
const PERSON = { type: 'object', properties: { name: { $ref: '#/components/schemas/Name' } } };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Counts the functions that are compiled until the test ends. */
function countFunctions() {
  const counter = { compiled: 0 };
  const construct = (target: FunctionConstructor, args: string[]) => {
    counter.compiled++;
    return Reflect.construct(target, args);
  };
  vi.stubGlobal('Function', new Proxy(Function, { construct }));
  onTestFinished(() => void vi.unstubAllGlobals());
  return counter;
}

test('compiles the components of several responses once', () => {
  const [first, second] = validationsOf({ Name: NAME, Person: PERSON }, [ref('Person'), ref('Person')]);
  const counter = countFunctions();
  first?.respond({ name: { name: 'Ada' } });
  expect(counter.compiled).toBeGreaterThan(1);
  counter.compiled = 0;
  second?.respond({ name: { name: 'Ada' } });
  expect(counter.compiled).toBe(1);
  expect(() => second?.respond({ name: { name: 1 } })).toThrow('get1 returned status 200');
});

test.each([0, MAX_FULL_REPORT_BYTES + 1])(
  'compiles the components of several bodies of %i bytes once',
  (bytes) => {
    const [first, second] = validationsOf({ Name: NAME, Person: PERSON }, [ref('Person'), ref('Person')]);
    const counter = countFunctions();
    expect(first?.faults({ name: { name: 'Ada' } }, bytes)).toEqual([]);
    // The parameters and the body of the operation, and the components.
    expect(counter.compiled).toBeGreaterThan(2);
    counter.compiled = 0;
    expect(second?.faults({ name: { name: 1 } }, bytes)).toEqual(['name.name must be string']);
    expect(counter.compiled).toBe(2);
  },
);

test('resolves references of components to parts of other components', () => {
  const part = { type: 'object', properties: { alias: ref('Name/properties/name') } };
  const validations = validationsOf({ Name: NAME, Part: part }, [ref('Name'), ref('Part'), ref('Name')]);
  for (const [index, body] of [{ name: 'Ada' }, { alias: 'Ada' }, { name: 'Ada' }].entries()) {
    expect(validations[index]?.faults(body)).toEqual([]);
    expect(() => validations[index]?.respond(body)).not.toThrow();
  }
  expect(validations[1]?.faults({ alias: 1 })).toEqual(['alias must be string']);
  expect(() => validations[1]?.respond({ alias: 1 })).toThrow('get1 returned status 200');
});

test('rejects only the operations whose references do not resolve', () => {
  const dangling = { type: 'object', properties: { name: ref('Missing') } };
  const [first, second] = validationsOf({ Name: NAME, Dangling: dangling }, [ref('Dangling'), ref('Name')]);
  expect(() => first?.faults({})).toThrow('#/components/schemas/Missing');
  expect(second?.faults({ name: 1 })).toEqual(['name must be string']);
});

test('accepts formats that are not defined, without a warning', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const badge = { type: 'object', properties: { icon: { type: 'string', format: 'emoji' } } };
  const [validation] = validationsOf({ Badge: badge }, [ref('Badge')]);
  expect(validation?.faults({ icon: ':tree:' })).toEqual([]);
  expect(() => validation?.respond({ icon: ':tree:' })).not.toThrow();
  const compile = compileSchema({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {} }, badge);
  expect(compile({ icon: ':tree:' })).toEqual([]);
  expect(warn).not.toHaveBeenCalled();
});
