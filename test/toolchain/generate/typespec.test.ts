import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { emptySchemas } from '../../../spec/toolchain/documents/empty-schemas.ts';
import { createGenerator, formatProblem, resolveProject } from '../../../spec/toolchain/main.ts';
import { runCommand, SCRIPTS } from '../run-command.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  await workspace.write(
    'tspconfig.yaml',
    'options:\n  "@typespec/openapi3":\n    openapi-versions: [3.1.0]\n    seal-object-schemas: true\n',
  );
});
afterEach(() => workspace.remove());

async function generate(text: string, options: { apiVersion?: string; service?: string } = {}) {
  await workspace.write('spec/main.tsp', text);
  const { root } = workspace.project;
  const { document, problems } = await createGenerator(resolveProject({ root, ...options })).run();
  return { document, problems: problems.map(formatProblem) };
}

const VERSIONED = `import "@typespec/http";
import "@typespec/versioning";
using Http;
using Versioning;

@service(#{ title: "T" })
@versioned(Versions)
namespace T;
enum Versions { v1: "1.0", v2: "2.0" }
model A { id: string; @added(Versions.v2) extra: string; @removed(Versions.v2) old?: string }
@get @route("/a") op getA(): A;
@added(Versions.v2) @get @route("/b") op getB(): A;
`;

describe('a versioned service', () => {
  const propertiesOf = (document: OpenApiDocument | undefined) =>
    Object.keys((document?.components?.schemas?.A as { properties: object } | undefined)?.properties ?? {});

  test('is generated in its newest version, or in a selected one', async () => {
    const newest = await generate(VERSIONED);
    expect(newest.document?.info.version).toBe('2.0');
    expect(propertiesOf(newest.document)).toEqual(['id', 'extra']);
    expect(Object.keys(newest.document?.paths ?? {})).toEqual(['/a', '/b']);
    const first = await generate(VERSIONED, { apiVersion: '1.0' });
    expect(first.document?.info.version).toBe('1.0');
    expect(propertiesOf(first.document)).toEqual(['id', 'old']);
    expect(Object.keys(first.document?.paths ?? {})).toEqual(['/a']);
    expect((await generate(VERSIONED, { apiVersion: '3.0' })).problems).toEqual([
      'spec/main.tsp error: The service has no version 3.0. Its versions are 1.0, 2.0.',
    ]);
  });

  test('can be selected in tspconfig.yaml, and has generated files of its own', async () => {
    await workspace.edit(
      'tspconfig.yaml',
      'options:',
      'options:\n  "@colophon/toolkit": { api-version: "1.0" }',
    );
    expect((await generate(VERSIONED)).document?.info.version).toBe('1.0');
    const { root } = workspace.project;
    const args = ['--api-version', '2.0', '--generated', 'generated/v2'];
    expect(await runCommand(SCRIPTS, root, ['generate', ...args])).toMatchObject({ code: 0, err: '' });
    const text = await workspace.read('generated/v2/openapi.json');
    expect(JSON.parse(text).info).toMatchObject({
      version: '2.0',
      'x-generated': { by: 'npm run generate -- --generated generated/v2 --api-version 2.0' },
    });
    expect(await runCommand(SCRIPTS, root, ['generate', '--check', ...args])).toMatchObject({ code: 0 });
    const other = ['--api-version', '1.0', '--generated', 'generated/v2'];
    expect(await runCommand(SCRIPTS, root, ['generate', '--check', ...other])).toMatchObject({ code: 1 });
  });
});

test('one of several services is selected by its namespace', async () => {
  const text = `import "@typespec/http";
using Http;
@service(#{ title: "A" }) namespace A { @get op a(): string; }
@service(#{ title: "B" }) namespace B { @get op b(): string; }
`;
  expect((await generate(text)).problems).toEqual([
    expect.stringMatching(/several services: A, B\. Select one with --service/),
  ]);
  expect((await generate(text, { service: 'B' })).document?.info.title).toBe('B');
  expect((await generate(text, { service: 'C' })).problems).toEqual([
    expect.stringContaining('no service C. Its services are A, B.'),
  ]);
  expect((await generate(text, { service: 'B', apiVersion: '1' })).problems).toEqual([
    expect.stringContaining('The service has no versions'),
  ]);
});

const SERVICE = `import "@typespec/http";
using Http;
@service(#{ title: "T" })
namespace T;
`;

describe('faults of the emitter', () => {
  test('in encodings of nullable properties are repaired', async () => {
    const { document } = await generate(`${SERVICE}
model Order {
  @encode(DateTimeKnownEncoding.unixTimestamp, int64) at: utcDateTime | null;
  @encode(DateTimeKnownEncoding.rfc7231) seen: utcDateTime | null;
  @encode("base64url", string) data?: bytes | null;
  @encode(DurationKnownEncoding.seconds, float32) wait?: duration | null;
  @encode(string) big?: int64 | null;
  @encode(ArrayEncoding.commaDelimited) tags?: string[] | null;
  @minLength(2) short?: string | null;
}
@post op addOrder(@body body: Order): Order;
`);
    const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
    expect(document?.components?.schemas?.Order).toMatchObject({
      properties: {
        at: nullable({ type: 'integer', format: 'unixtime' }),
        seen: nullable({ type: 'string', format: 'http-date' }),
        data: nullable({ type: 'string', contentEncoding: 'base64url' }),
        wait: nullable({ type: 'number', format: 'float' }),
        big: nullable({ type: 'string' }),
        tags: nullable({ type: 'string', format: 'ArrayEncoding.commaDelimited' }),
        short: { ...nullable({ type: 'string' }), minLength: 2 },
      },
    });
    expect(emptySchemas(document as OpenApiDocument, 'spec/main.tsp')).toEqual([]);
  });

  test('in merge patches of extended models are repaired', async () => {
    const { document } = await generate(`${SERVICE}
model Root { id: string; note?: string }
model Base extends Root { @minLength(1) name: string }
model Item extends Base { extra?: string }
@patch(#{ implicitOptionality: false }) op change(@body body: MergePatchUpdate<Item>): Item;
`);
    expect(document?.components?.schemas).toMatchObject({
      ItemMergePatchUpdate: { allOf: [{ $ref: '#/components/schemas/BaseMergePatchUpdate' }] },
      BaseMergePatchUpdate: {
        properties: { name: { type: 'string', minLength: 1 } },
        allOf: [{ $ref: '#/components/schemas/RootMergePatchUpdate' }],
      },
      RootMergePatchUpdate: {
        properties: { id: { type: 'string' }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      },
    });
    expect(document?.components?.schemas?.BaseMergePatchUpdate).not.toHaveProperty('required');
  });

  test('in examples leave the document without examples', async () => {
    // An example that the compiler accepts and the emitter cannot write.
    await workspace.write(
      'spec/bad.js',
      `export function $bad({ program }, target) {
  program.stateMap(Symbol.for('TypeSpec.examples')).set(target, [{ value: null }]);
}
`,
    );
    const { document, problems } = await generate(`import "./bad.js";
${SERVICE}
@bad
model Day { at: plainDate }
@get op day(): Day;
`);
    expect(document?.components?.schemas?.Day).toMatchObject({ properties: { at: { format: 'date' } } });
    expect(problems).toEqual([
      expect.stringMatching(/warning emitter: .*failed because of an example \(.*\)/),
    ]);
  });

  test('that cannot be repaired are errors without a stack trace', async () => {
    // A decorator with state that only the emitter reads.
    await workspace.write(
      'spec/bad.js',
      `export function $bad({ program }, target) {
  program.stateMap(Symbol.for('@typespec/openapi.openApiExtension')).set(target, 5);
}
`,
    );
    const { document, problems } = await generate(`import "./bad.js";
${SERVICE}
@bad @get op day(): string;
`);
    expect(document).toBeUndefined();
    expect(problems).toEqual([
      expect.stringMatching(
        /^spec\/main\.tsp error emitter: The emitter @typespec\/openapi3 failed: [^\n]+$/,
      ),
    ]);
  });

  test('that leave out an operation are warnings', async () => {
    const { document, problems } = await generate(`${SERVICE}
@get @route("/a?kind=b") op a(): string;
@get @route("/b") op b(): string;
`);
    expect(Object.keys(document?.paths ?? {})).toEqual(['/b']);
    expect(problems).toEqual([
      expect.stringMatching(/^spec\/main\.tsp:\d+:\d+ warning .*path-query: .* The operation is left out\.$/),
    ]);
  });
});

test.each<[string, object]>([
  ['a type that contradicts a union', { type: 'integer', anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['parts of different types', { allOf: [{ type: 'string' }, { type: 'integer' }] }],
  ['limits in the wrong order', { type: 'string', minLength: 3, maxLength: 2 }],
  ['values of another type', { type: 'integer', enum: ['a'] }],
  [
    'a required property that contains it',
    { type: 'object', required: ['a'], properties: { a: { $ref: '#/components/schemas/S' } } },
  ],
])('check warns about a schema that accepts no value: %s', (_name, schema) => {
  const document = { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} };
  const [problem, ...others] = emptySchemas(
    { ...document, components: { schemas: { S: { ...schema } as never } } },
    'a.yaml',
  );
  expect(problem?.message).toContain('#/components/schemas/S accepts no value');
  expect(others).toEqual([]);
});
