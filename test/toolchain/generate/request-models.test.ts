import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject, OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { createGenerator, findDrifts, generate, resolveProject } from '../../../spec/toolchain/main.ts';
import { splitModels } from '../../../spec/toolchain/normalize/request-models.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: JsonObject) => ({ content: { 'application/json': { schema } } });
const object = (properties: JsonObject, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const text = { type: 'string' };
const id = { type: 'string', readOnly: true };
const password = { type: 'string', writeOnly: true };

/** Splits the models of an operation with these bodies. */
function split(schemas: JsonObject, request: JsonObject, response: JsonObject, more: JsonObject = {}) {
  const post = { requestBody: content(request), responses: { 200: content(response) } };
  const document = {
    openapi: '3.1.0',
    info: {},
    paths: { '/a': { post } },
    components: { schemas, ...more },
  };
  const copy = structuredClone(document);
  const result = splitModels(document as unknown as OpenApiDocument);
  expect(document).toEqual(copy);
  return result;
}

describe('a model with properties of one direction', () => {
  const schemas = { User: object({ id, name: text, password }) };

  test('becomes two models if requests and responses have it', () => {
    const { components, paths } = split(schemas, ref('User'), ref('User'));
    expect(components?.schemas).toEqual({
      User: object({ id, name: text }),
      UserRequest: object({ name: text, password }),
    });
    expect(paths['/a']?.post).toEqual({
      requestBody: content(ref('UserRequest')),
      responses: { 200: content(ref('User')) },
    });
  });

  test('keeps its name if only one direction has it', () => {
    const requests = split(schemas, ref('User'), {});
    expect(requests.components?.schemas).toEqual({ User: object({ name: text, password }) });
    const responses = split(schemas, {}, ref('User'));
    expect(responses.components?.schemas).toEqual({ User: object({ id, name: text }) });
  });

  test('splits the models that refer to it, and no others', () => {
    const nested = {
      ...schemas,
      Team: object({
        members: { type: 'array', items: ref('User') },
        parent: ref('Team'),
        color: ref('Color'),
      }),
      Color: text,
    };
    const { components } = split(nested, ref('Team'), ref('Team'));
    expect(Object.keys(components?.schemas ?? {})).toEqual([
      'User',
      'UserRequest',
      'Team',
      'TeamRequest',
      'Color',
    ]);
    expect(components?.schemas?.TeamRequest).toEqual(
      object({
        members: { type: 'array', items: ref('UserRequest') },
        parent: ref('TeamRequest'),
        color: ref('Color'),
      }),
    );
    expect(components?.schemas?.Team).toEqual(nested.Team);
  });

  test('gets an unused name', () => {
    const existing = { ...schemas, UserRequest: text };
    const { components } = split(existing, ref('User'), ref('User'));
    expect(Object.keys(components?.schemas ?? {})).toEqual(['User', 'UserRequest2', 'UserRequest']);
  });

  test('is found in compositions, in shared components, and by a marked target of a reference', () => {
    const composed = {
      Id: id,
      Base: object({ id: ref('Id') }),
      User: { allOf: [ref('Base'), object({ name: text })] },
    };
    const { components } = split(composed, {}, ref('User'), {
      requestBodies: { Shared: content(ref('User')) },
      parameters: { Filter: { name: 'filter', in: 'query', ...content(object({ id })) } },
    });
    // Nothing refers to the shared body.
    expect(components?.schemas).toEqual(composed);
    const used = splitModels({
      openapi: '3.1.0',
      info: {},
      paths: {
        '/a': {
          post: {
            requestBody: { $ref: '#/components/requestBodies/Shared' },
            responses: { 200: content(ref('User')) },
          },
        },
      },
      components: { schemas: composed, requestBodies: { Shared: content(ref('User')) } },
    } as unknown as OpenApiDocument);
    expect(used.components?.schemas?.BaseRequest).toEqual(object({}));
    expect(used.components?.schemas?.UserRequest).toEqual({
      allOf: [ref('BaseRequest'), object({ name: text })],
    });
    expect(used.components?.requestBodies?.Shared).toEqual(content(ref('UserRequest')));
    expect(components?.parameters?.Filter).toMatchObject(content(object({})));
  });

  test('omits them from the required ones of the schemas that compose it', () => {
    const composed = {
      Base: object({ id, name: text }),
      User: { allOf: [ref('Base'), { required: ['id', 'name'] }], required: ['id'] },
    };
    const { components } = split(composed, ref('User'), ref('User'));
    expect(components?.schemas?.User).toEqual(composed.User);
    expect(components?.schemas?.UserRequest).toEqual({
      allOf: [ref('BaseRequest'), { required: ['name'] }],
      required: [],
    });
  });
});

test('inline schemas omit the properties of the other direction', () => {
  const { paths } = split({}, object({ id, password }), object({ id, password }));
  expect(paths['/a']?.post).toMatchObject({
    requestBody: content(object({ password })),
    responses: { 200: content(object({ id })) },
  });
});

test('a document without such properties is not copied', () => {
  const document = {
    openapi: '3.1.0',
    info: {},
    paths: {},
    components: { schemas: { User: object({ name: text }) } },
  };
  expect(splitModels(document)).toBe(document);
});

describe('the visibility of TypeSpec', () => {
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await createWorkspace();
  });
  afterEach(() => workspace.remove());

  test('has types for creating, updating and reading', async () => {
    await workspace.edit(
      'api/main.tsp',
      '@operationId("createArticle")',
      `@operationId("createUser")
      @route("/users")
      @post
      op createUser(@body body: User): User;
      @operationId("createArticle")`,
    );
    await workspace.write(
      'api/user.tsp',
      `model User {
        @visibility(Lifecycle.Read) id: string;
        name: string;
        @visibility(Lifecycle.Create) password: string;
      }`,
    );
    await workspace.edit('api/main.tsp', 'using Http;', 'import "./user.tsp";\nusing Http;');
    expect((await generate(workspace.project)).problems).toEqual([]);
    const types = await workspace.read('generated/schema.d.ts');
    expect(types).toContain('export type User = {\n    readonly id: string;\n    name: string;\n};');
    expect(types).toContain('export type UserCreate = {\n    name: string;\n    password: string;\n};');
    const functions = await workspace.read('generated/functions.ts');
    expect(functions).toMatch(/interface CreateUserInput {\n {2}body: UserCreate;/);
    expect(functions).toContain('): Promise<User> {');
  });
});

test('the files generated from the photos are up to date', async () => {
  const root = join(import.meta.dirname, '../../fixtures/photos');
  const project = resolveProject({ root, contract: 'openapi.yaml', tool: 'npx colophon' });
  const output = await createGenerator(project).run();
  expect(output.problems).toEqual([]);
  expect(await findDrifts(project, output)).toEqual([]);
});
