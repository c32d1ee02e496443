import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGenerator, formatProblem, resolveProject } from '../../../spec/toolchain/main.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  await workspace.write(
    'tspconfig.yaml',
    'options:\n  "@typespec/openapi3":\n    openapi-versions: [3.1.0]\n',
  );
});
afterEach(() => workspace.remove());

/** Generates a service with these operations. */
async function generate(operations: string) {
  await workspace.write(
    'spec/main.tsp',
    `import "@typespec/http"; using Http; @service(#{ title: "T" }) namespace T;\n${operations}`,
  );
  const { document, problems } = await createGenerator(
    resolveProject({ root: workspace.project.root }),
  ).run();
  const parameters = Object.values(document?.paths ?? {}).flatMap((item) => item.get?.parameters ?? []);
  return { paths: Object.keys(document?.paths ?? {}), parameters, problems: problems.map(formatProblem) };
}

test('parameters can have the name of a property of all objects', async () => {
  const { paths, parameters, problems } = await generate(`
    @get @route("/a/{constructor}") op a(
      @path constructor: string,
      @query hasOwnProperty: string,
      @query ok?: string,
      @header(#{ name: "valueOf" }) value: string,
      @query(#{ name: "__proto__" }) proto: string,
    ): void;`);
  expect(problems).toEqual([]);
  expect(paths).toEqual(['/a/{constructor}']);
  expect(parameters.map((parameter) => 'name' in parameter && `${parameter.in} ${parameter.name}`)).toEqual([
    'path constructor',
    'query hasOwnProperty',
    'query ok',
    'header valueOf',
    'query __proto__',
  ]);
});

test('path expansion keeps its slash', async () => {
  const { paths, problems } = await generate(`
    @get @route("/a{/name}") op a(@path name: string): void;
    @get @route("/b{/name}") op b(@path name: string[]): void;
    @get @route("/c{/x}{/y}") op c(@path x: string, @path y: string): void;
    @get @route("/e{;name}") op e(@path name: string): void;`);
  expect(paths).toEqual(['/a/{name}', '/b/{name}', '/c/{x}/{y}', '/e{name}']);
  expect(problems).toEqual([]);
});

test('what OpenAPI cannot express of path expansion is a warning', async () => {
  const { paths, parameters, problems } = await generate(`
    @get @route("/a{/name}") op a(@path name?: string): void;
    @get @route("/b{/names*}") op b(@path names: string[]): void;
    @get @route("/c{/name*}") op c(@path name: string): void;`);
  expect(paths).toEqual(['/a/{name}', '/b/{names}', '/c/{name}']);
  expect(parameters).toMatchObject([{ required: true }, { required: true }, { required: true }]);
  expect(problems).toEqual([
    expect.stringMatching(/warning path-parameter: The path parameter name of \/a\/\{name\} is optional/),
    expect.stringMatching(
      /warning path-parameter: The path parameter names of \/b\/\{names\} has several segments/,
    ),
  ]);
});
