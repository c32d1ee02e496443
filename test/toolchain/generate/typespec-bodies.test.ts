import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGenerator, formatProblem, resolveProject } from '../../../spec/toolchain/main.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

/** Generates a service with these declarations. */
async function generate(declarations: string, isSealed = false) {
  await workspace.write(
    'tspconfig.yaml',
    `options:\n  "@typespec/openapi3":\n    openapi-versions: [3.1.0]\n    seal-object-schemas: ${isSealed}\n`,
  );
  await workspace.write(
    'spec/main.tsp',
    `import "@typespec/http"; using Http; @service(#{ title: "T" }) namespace T;\n${declarations}`,
  );
  const { document, problems } = await createGenerator(
    resolveProject({ root: workspace.project.root }),
  ).run();
  expect(problems.map(formatProblem)).toEqual([]);
  return document;
}

const SHAPES = `
  model Circle { radius: int32; }
  model Square { width: int32; }
  @discriminated(#{ envelope: "none", discriminatorPropertyName: "form" })
  union Shape { circle: Circle, square: Square }
  @discriminated(#{ envelope: "none" })
  union Figure { round: Circle, square: Square }
  @post op draw(@body shape: Shape | Figure): Circle;`;

test.each([false, true])(
  'a union without an envelope declares its discriminator in its variants',
  async (isSealed) => {
    const document = await generate(SHAPES, isSealed);
    const schemas = document?.components?.schemas ?? {};
    expect(schemas.Shape).toMatchObject({
      oneOf: [{ $ref: '#/components/schemas/ShapeCircle' }, { $ref: '#/components/schemas/ShapeSquare' }],
      discriminator: {
        propertyName: 'form',
        mapping: {
          circle: '#/components/schemas/ShapeCircle',
          square: '#/components/schemas/ShapeSquare',
        },
      },
    });
    expect(schemas.ShapeCircle).toEqual({
      ...{ type: 'object', required: ['form', 'radius'] },
      properties: {
        form: { type: 'string', enum: ['circle'] },
        radius: { type: 'integer', format: 'int32' },
      },
      ...(isSealed && { additionalProperties: false }),
    });
    expect(schemas.FigureRound).toMatchObject({ properties: { kind: { enum: ['round'] } } });
    expect(schemas.Circle).toMatchObject({ required: ['radius'] });
  },
);

test('bytes that are a whole body have the declared encoding', async () => {
  const document = await generate(`
    @route("/a") @post op a(
      @header contentType: "application/json",
      @body @encode(BytesKnownEncoding.base64url) value: bytes,
    ): { @header contentType: "application/json"; @body @encode(BytesKnownEncoding.base64url) value: bytes };
    @route("/b") @post op b(@header contentType: "application/json", @body value: bytes): void;`);
  const json = (schema: object) => ({ 'application/json': { schema } });
  const url = { type: 'string', contentEncoding: 'base64url' };
  expect(document?.paths['/a']?.post).toMatchObject({
    requestBody: { content: json(url) },
    responses: { 200: { content: json(url) } },
  });
  expect(document?.paths['/a']?.post?.requestBody).not.toMatchObject({ content: json({ format: 'byte' }) });
  expect(document?.paths['/b']?.post).toMatchObject({
    requestBody: { content: json({ type: 'string', contentEncoding: 'base64', format: 'byte' }) },
  });
});

test('GET and HEAD have no body of a model whose properties all belong to other operations', async () => {
  const document = await generate(`
    model Pet {
      @query color: string;
      @visibility(Lifecycle.Read) id: string;
      @visibility(Lifecycle.Create) name: string;
    }
    @route("/a") @get op a(@bodyRoot pet: Pet): void;
    @route("/a") @head op headA(@bodyRoot pet: Pet): void;
    @route("/a") @post op postA(@bodyRoot pet: Pet): void;
    model Filter { text: string; }
    @route("/b") @get op b(@body filter: Filter): void;
    @route("/c") @get op c(@body labels: Record<string>): void;`);
  const { get, head, post } = document?.paths['/a'] ?? {};
  expect([get?.requestBody, head?.requestBody]).toEqual([undefined, undefined]);
  expect(get?.parameters).toMatchObject([{ name: 'color', in: 'query' }]);
  expect(post?.requestBody).toBeDefined();
  expect(document?.paths['/b']?.get?.requestBody).toBeDefined();
  expect(document?.paths['/c']?.get?.requestBody).toBeDefined();
});
