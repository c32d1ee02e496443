import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHandlerFinder } from '../../../spec/toolchain/check/handler-files.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  const operation = (operationId: string, tag?: string) => ({ operationId, ...(tag && { tags: [tag] }) });
  const paths = {
    '/v1/cats': { get: operation('listCats', 'Cats'), post: operation('createCat', 'Cats') },
    '/v1/cats/{cat}/toys': { get: operation('listToys', 'Cats') },
    '/v1/dogs': { get: operation('listDogs', 'Dogs'), post: operation('createDog', 'Dogs') },
    '/v1/birds': { get: operation('listBirds', 'Birds') },
    '/v1/fish': { get: operation('listFish'), post: operation('createFish') },
    '/v1/ants': { get: operation('listAnts') },
  };
  await workspace.write('generated/openapi.json', JSON.stringify({ openapi: '3.1.0', info: {}, paths }));
});
afterEach(() => workspace.remove());

const finder = (entry: string) => createHandlerFinder(workspace.project, [entry]);

test('finds the file with the handlers of a tag, and of the most similar paths', async () => {
  await workspace.write(
    'server/handlers.ts',
    `import { cats } from './cats/handlers.ts';
     import { toys } from './toys.ts';
     import { dogs } from './dogs.js';
     export const handlers = { ...cats(), ...toys, ...dogs };`,
  );
  await workspace.write(
    'server/cats/handlers.ts',
    `import { createDog } from '../rules.ts';
     export const cats = () => ({
       async listCats({ query }: { query: { limit: number } }): Promise<object> {
         return createDog(query, 1), listDogs(query);
       },
     });`,
  );
  await workspace.write('server/rules.ts', 'export function createDog() {}\nexport const listDogs = 1;\n');
  await workspace.write('server/toys.ts', 'export const toys = { listToys: async () => [] };');
  await workspace.write(
    'server/dogs.ts',
    `export const dogs = {
       // Some bark.
       listDogs: function () {},
       /** Fish of dogs. */
       createFish(request, context) { return listDogs(request); },
     };`,
  );
  const find = await finder('server/handlers.ts');
  expect(find('createCat')).toBe('server/cats/handlers.ts');
  expect(find('createDog')).toBe('server/dogs.ts');
  expect(find('listFish')).toBe('server/dogs.ts');
});

test('finds no file for the first operation of a tag or of a path', async () => {
  await workspace.write('server/handlers.ts', 'export const handlers = { async listDogs() {} };');
  const find = await finder('server/handlers.ts');
  expect(find('createDog')).toBe('server/handlers.ts');
  expect(find('listBirds')).toBeUndefined();
  expect(find('listAnts')).toBeUndefined();
  expect(find('unknown')).toBeUndefined();
});

test('finds a handler that is declared in a separate file', async () => {
  await workspace.write(
    'server/main.mjs',
    `import { listDogs } from './operations/list-dogs';
     serve({ listDogs });`,
  );
  await workspace.write('server/operations/list-dogs/index.ts', 'export const listDogs = async () => [];');
  expect((await finder('server/main.mjs'))('createDog')).toBe('server/operations/list-dogs/index.ts');
});

test('finds no file without a generated document or with an unreadable entry', async () => {
  expect((await finder('server/none.ts'))('createDog')).toBeUndefined();
  await workspace.write('generated/openapi.json', JSON.stringify({ openapi: '3.1.0', info: {}, paths: {} }));
  expect((await finder('server/none.ts'))('createDog')).toBeUndefined();
});
