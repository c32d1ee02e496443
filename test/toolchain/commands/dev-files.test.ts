import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Dev, resolveProject, startDev } from '../../../spec/toolchain/main.ts';
import { createWorkspace, until, type Workspace } from '../workspace.ts';

let workspace: Workspace;
let dev: Dev | undefined;
let lines: string[] = [];
beforeEach(async () => {
  workspace = await createWorkspace();
  // The types are no part of these tests.
  await rm(join(workspace.project.root, 'tsconfig.json'));
  lines = [];
});
afterEach(async () => {
  await dev?.close();
  dev = undefined;
  await workspace.remove();
});

/** Starts the loop for a contract, with only its folder watched. */
async function start(contract: string): Promise<void> {
  const { root } = workspace.project;
  dev = await startDev(resolveProject({ root, contract }), {
    watch: ['api'],
    log: (line) => lines.push(line),
  });
}

/** Makes an edit, and waits for a line that it leads to. */
async function after(edit: () => Promise<void>, line: RegExp): Promise<void> {
  lines.length = 0;
  await edit();
  await until(
    () => lines.some((text) => line.test(text)),
    () => `Expected ${line} in:\n${lines.join('\n')}`,
  );
}

const WRITTEN = /contract +wrote generated\/openapi\.json/;
const generated = async () => await readFile(join(workspace.project.root, 'generated/openapi.json'), 'utf8');

test('dev generates after a change of any file of an OpenAPI document, and after its error is fixed', async () => {
  await workspace.write(
    'api/openapi.yaml',
    `openapi: 3.1.0
info: { title: Pets, version: "1" }
paths:
  /pets: { $ref: paths/pets.yaml }
`,
  );
  await workspace.write(
    'api/paths/pets.yaml',
    `get:
  operationId: listPets
  responses:
    "200":
      description: OK.
      content: { application/json: { schema: { $ref: "../../shared/pet.yaml" } } }
`,
  );
  await workspace.write('shared/pet.yaml', 'type: object\nproperties: { name: { type: string } }\n');
  await start('api/openapi.yaml');
  expect(await generated()).toContain('"name"');

  await after(() => workspace.edit('api/paths/pets.yaml', 'listPets', 'findPets'), WRITTEN);
  expect(await generated()).toContain('findPets');
  // A folder that is watched only because the contract refers to it.
  await after(() => workspace.edit('shared/pet.yaml', 'name', 'title'), WRITTEN);
  expect(lines[0]).toBe('changed: shared/pet.yaml');
  expect(await generated()).toContain('"title"');

  await after(() => workspace.edit('shared/pet.yaml', 'type: object', 'type: ['), /has errors/);
  await after(() => workspace.edit('shared/pet.yaml', 'type: [', 'type: object'), /nothing changed/);
  await after(() => rm(join(workspace.project.root, 'shared/pet.yaml')), /has errors/);
  await after(
    () => workspace.write('shared/pet.yaml', 'type: object\nproperties: { age: { type: integer } }\n'),
    WRITTEN,
  );
  expect(await generated()).toContain('"age"');
});

test('dev generates after a change of a file that a TypeSpec contract imports', async () => {
  await workspace.write('shared/names.tsp', 'scalar Name extends string;\n');
  const main = await workspace.read('api/main.tsp');
  await workspace.write('api/main.tsp', `import "../shared/names.tsp";\n${main}`);
  await workspace.edit('api/main.tsp', '  title: string;', '  title: Name;');
  await start('api/main.tsp');
  expect(await generated()).not.toContain('"maxLength": 7');
  await after(
    () => workspace.write('shared/names.tsp', '@maxLength(7)\nscalar Name extends string;\n'),
    WRITTEN,
  );
  expect(await generated()).toContain('"maxLength": 7');
});
