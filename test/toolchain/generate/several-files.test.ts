import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isObject, type Json } from '../../../spec/toolchain/document.ts';
import { readDocument } from '../../../spec/toolchain/documents/read.ts';
import { formatProblem } from '../../../spec/toolchain/problem.ts';
import { runs } from '../../support/seed.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'documents-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Record<string, string | object>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const read = async (name = 'openapi.yaml') => {
  const { root: document, problems, files } = await readDocument(name, root);
  return { document, problems: problems.map(formatProblem), files };
};

const HEAD = 'openapi: 3.1.0\ninfo: { title: Pets, version: "1" }\n';

describe('a document in several files', () => {
  test('may refer to a file by its own name, also the only one', async () => {
    const schemas = (name: string) => `components:
  schemas:
    Pet: { type: object, properties: { friend: { $ref: "${name}#/components/schemas/Pet" } } }
`;
    await write({
      'openapi.yaml': `${HEAD}paths: {}\n${schemas('openapi.yaml')}`,
      'other.yaml': `${HEAD}paths: {}\n${schemas('./openapi.yaml').replace('Pet:', 'Owner:')}    Tree: { $ref: models/tree.yaml }\n`,
      'models/tree.yaml':
        'type: object\nproperties: { left: { $ref: ../models/tree.yaml }, right: { $ref: "#" } }\n',
    });
    const single = await read();
    expect(single.problems).toEqual([]);
    const Pet = { type: 'object', properties: { friend: { $ref: '#/components/schemas/Pet' } } };
    expect(single.document.components).toEqual({ schemas: { Pet } });
    const several = await read('other.yaml');
    expect(several.problems).toEqual([]);
    const tree = { $ref: '#/components/schemas/Tree' };
    expect(several.document.components).toEqual({
      schemas: {
        Owner: Pet,
        Pet,
        Tree: { type: 'object', properties: { left: tree, right: tree } },
      },
    });
  });

  test('is read with the names of its models, from nested folders, in a cycle', async () => {
    await write({
      'openapi.yaml': `${HEAD}paths:
  /pets: { $ref: paths/pets.yaml }
components:
  schemas:
    Owner: { $ref: ./models/owner.yaml }
`,
      'paths/pets.yaml': `get:
  operationId: listPets
  parameters:
    - { $ref: ../shared.yaml#/components/parameters/Limit }
  responses:
    "200":
      description: Pets.
      content: { application/json: { schema: { type: array, items: { $ref: "../models/My%20pet.yaml#/Pet" } } } }
    default: { $ref: "../shared.yaml#/components/responses/Failure" }
`,
      'models/My pet.yaml': 'Pet: { type: object, properties: { owner: { $ref: owner.yaml } } }',
      'models/owner.yaml':
        'type: object\nproperties:\n  pets: { type: array, items: { $ref: "My pet.yaml#/Pet" } }\n',
      'shared.yaml': `components:
  parameters: { Limit: { name: limit, in: query, schema: { type: integer } } }
  responses:
    Failure: { description: No., content: { application/json: { schema: { $ref: "#/components/schemas/Failure" } } } }
  schemas: { Failure: { type: object } }
`,
    });
    const { document, problems, files } = await read();
    expect(problems).toEqual([]);
    expect(files.sort()).toEqual([
      'models/My pet.yaml',
      'models/owner.yaml',
      'openapi.yaml',
      'paths/pets.yaml',
      'shared.yaml',
    ]);
    expect(document.components).toMatchObject({
      parameters: { Limit: { name: 'limit' } },
      responses: {
        Failure: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } } },
      },
      schemas: {
        Owner: { properties: { pets: { items: { $ref: '#/components/schemas/Pet' } } } },
        Pet: { properties: { owner: { $ref: '#/components/schemas/Owner' } } },
      },
    });
    expect(document.paths).toMatchObject({
      '/pets': { get: { responses: { default: { $ref: '#/components/responses/Failure' } } } },
    });
  });

  test('keeps models of the same name apart', async () => {
    await write({
      'openapi.yaml': `${HEAD}paths: {}
components: { schemas: { All: { anyOf: [{ $ref: "a.yaml#/Item" }, { $ref: "b.yaml#/Item" }] } } }
`,
      'a.yaml': 'Item: { type: string }',
      'b.yaml': 'Item: { type: integer }',
    });
    const { document } = await read();
    const schemas = (document.components as { schemas: Record<string, { anyOf: { $ref: string }[] }> })
      .schemas;
    const targets = schemas.All?.anyOf.map(({ $ref }) => schemas[$ref.split('/').at(-1) ?? '']);
    expect(targets).toEqual([{ type: 'string' }, { type: 'integer' }]);
  });

  test('follows the names and references of discriminators', async () => {
    await write({
      'openapi.yaml': `${HEAD}paths: {}
components:
  schemas:
    Pet: { $ref: pet.yaml }
    Cat: { type: object }
`,
      'pet.yaml': `oneOf: [{ $ref: "openapi.yaml#/components/schemas/Cat" }, { $ref: dog.yaml }]
discriminator: { propertyName: kind, mapping: { cat: Cat, dog: dog.yaml } }
`,
      'dog.yaml': 'type: object',
    });
    const { document, problems } = await read();
    expect(problems).toEqual([]);
    expect(JSON.stringify(document)).toContain(
      '"mapping":{"cat":"#/components/schemas/Cat","dog":"#/components/schemas/dog"}',
    );
  });

  test('reports references that do not resolve in the file that contains them', async () => {
    await write({
      'openapi.yaml': `${HEAD}paths:\n  /a:\n    $ref: paths/a.yaml\n`,
      'paths/a.yaml': `get:
  responses:
    "200": { $ref: "missing.yaml#/Ok" }
    "201": { $ref: "../other.yaml#/Nothing" }
    "202":
      $ref: https://example.com/ok.yaml
`,
      'other.yaml': 'Ok: { description: Yes. }',
    });
    const { problems } = await read();
    expect(problems).toEqual([
      expect.stringMatching(/^paths\/a\.yaml:3:14 error reference: .*missing\.yaml cannot be read/),
      expect.stringMatching(/^paths\/a\.yaml:4:14 error reference: .*does not exist/),
      expect.stringMatching(/^paths\/a\.yaml:6:7 error reference: .*not loaded from the network/),
    ]);
  });

  test('keeps references within data as they are written', async () => {
    const target = { $ref: 'missing.yaml', list: [{ $ref: '#/missing' }] };
    const schema = { type: 'object', default: target, examples: [target], 'x-note': target };
    await write({
      'openapi.yaml': `${HEAD}paths:
  /pets:
    get:
      operationId: getPet
      responses:
        "200":
          description: A pet.
          content:
            application/json:
              schema: { $ref: pet.json }
              examples: { inner: { value: ${JSON.stringify(target)} }, outer: { $ref: example.json } }
        default: { $ref: response.json }
`,
      'pet.json': schema,
      'example.json': { summary: 'A pet.', value: target },
      'response.json': { description: 'No.', content: { 'application/json': { example: target } } },
    });
    const { document, problems } = await read();
    expect(problems.filter((problem) => !/^\S+ note /.test(problem))).toEqual([]);
    const { components, paths } = document as unknown as { components: object; paths: object };
    expect(components).toMatchObject({ schemas: { pet: schema } });
    expect(JSON.stringify(paths)).toContain(`"inner":{"value":${JSON.stringify(target)}}`);
  });

  test('reports a reference within a response with the name of a keyword', async () => {
    await write({
      'openapi.yaml': `${HEAD}paths:
  /pets: { get: { operationId: getPet, responses: { default: { $ref: pet.json } } } }
components: { schemas: { example: { $ref: missing.json } } }
`,
      'pet.json': { description: 'No.', content: { 'application/json': { schema: { $ref: '#/missing' } } } },
    });
    const { problems } = await read();
    expect(problems).toEqual([
      expect.stringMatching(/^pet\.json:1:\d+ error reference: .*#\/missing does not resolve/),
      expect.stringMatching(/^openapi\.yaml:5:\d+ error reference: .*missing\.json does not resolve/),
    ]);
  });

  test('reads no file outside of the project, not even through a symbolic link', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    try {
      await writeFile(join(outside, 'secret.yaml'), 'type: object\ntitle: secret\n');
      await symlink(join(outside, 'secret.yaml'), join(root, 'link.yaml'));
      for (const path of [
        join(outside, 'secret.yaml'),
        'link.yaml',
        `../${outside.split('/').at(-1)}/secret.yaml`,
      ]) {
        await write({
          'openapi.yaml': `${HEAD}paths: {}\ncomponents: { schemas: { A: { $ref: "${path}" } } }\n`,
        });
        const { document, problems } = await read();
        expect(problems, path).toEqual([expect.stringContaining('outside of the project')]);
        expect(JSON.stringify(document)).not.toContain('secret"');
      }
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  test('is read from a commit', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
    await write({
      'api/openapi.yaml': `${HEAD}paths: {}\ncomponents: { schemas: { A: { $ref: "../a.yaml#/A" } } }\n`,
      'a.yaml': 'A: { type: integer }',
    });
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'one');
    await write({ 'a.yaml': 'A: { type: string }' });
    const { document, problems, files } = await read('HEAD:api/openapi.yaml');
    expect(problems).toEqual([]);
    expect(files).toEqual(['HEAD:api/openapi.yaml', 'HEAD:a.yaml']);
    expect(document.components).toMatchObject({ schemas: { A: { type: 'integer' } } });
  });

  test('means the same as in one file, however its schemas are divided', async () => {
    const names = ['A', 'B', 'C', 'D'];
    const schema = fc.oneof(
      fc.constantFrom<object>({ type: 'string' }, { type: 'integer' }),
      fc.constantFrom(...names).map((name) => ({ $ref: name })),
      fc.constantFrom(...names).map((name) => ({ type: 'array', items: { $ref: name } })),
      fc.constantFrom(...names).map((name) => ({ type: 'object', properties: { $ref: { $ref: name } } })),
    );
    const places = fc.constantFrom('openapi.json', 'one.json', 'sub/two.json', 'sub/deep/three.json');
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(schema, { minLength: names.length, maxLength: names.length }),
        fc.array(places, { minLength: names.length, maxLength: names.length }),
        async (schemas, files) => {
          // Chains of references only are circular.
          const own = schemas.map((value, index) =>
            '$ref' in value ? { type: 'null', title: `${index}` } : value,
          );
          round += 1;
          const folder = `round-${round}`;
          const contents: Record<string, Record<string, Json>> = { 'openapi.json': {} };
          for (const [index, name] of names.entries()) {
            const file = files[index] ?? 'openapi.json';
            contents[file] = {
              ...contents[file],
              [name]: relocated(own[index] as Json, file, (target) => files[names.indexOf(target)] ?? ''),
            };
          }
          const { 'openapi.json': entry = {}, ...others } = contents;
          const references = names.map((name) =>
            relocated({ $ref: name }, 'openapi.json', (target) => files[names.indexOf(target)] ?? ''),
          );
          await write({
            ...Object.fromEntries(
              Object.entries(others).map(([file, definitions]) => [
                `${folder}/${file}`,
                { components: { schemas: definitions } },
              ]),
            ),
            [`${folder}/openapi.json`]: {
              openapi: '3.1.0',
              info: { title: 'T', version: '1' },
              paths: {},
              components: { schemas: { ...entry, All: { anyOf: references } } },
            },
          });
          const { document, problems } = await read(`${folder}/openapi.json`);
          expect(problems).toEqual([]);
          const single = Object.fromEntries(names.map((name, index) => [name, pointers(own[index] as Json)]));
          expect((document.components as { schemas: object }).schemas).toEqual({
            ...single,
            All: { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
          });
        },
      ),
      { numRuns: runs(25) },
    );
  });
});

/** Replaces the names of schemas by references from one file to others. */
function relocated(value: Json, from: string, fileOf: (name: string) => string): Json {
  return rewritten(value, (name) => {
    const file = fileOf(name);
    const up = '../'.repeat(from.split('/').length - 1);
    return `${file === from ? '' : up + file}#/components/schemas/${name}`;
  });
}

const pointers = (value: Json): Json => rewritten(value, (name) => `#/components/schemas/${name}`);

function rewritten(value: Json, change: (name: string) => string): Json {
  if (Array.isArray(value)) {
    return value.map((item) => rewritten(item, change));
  }
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).map(([key, member]) => [
          key,
          key === '$ref' && typeof member === 'string' ? change(member) : rewritten(member, change),
        ]),
      )
    : value;
}
