import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typeCheck } from '../../spec/toolchain/check/type-check.ts';
import { readManifest, toolkitSource } from '../../spec/toolchain/init/manifest.ts';
import { formatResults, resolveProject, runChecks, steps } from '../../spec/toolchain/main.ts';
import { ROOT } from '../support/processes/program.ts';
import { type CommandResult, PACKAGE, runCommand } from './run-command.ts';

// Projects that `colophon init` writes, in a folder that resolves packages of this repository. The tests of the
// packages install the toolkit in such a project, and follow its page.

const FIXTURES = join(ROOT, 'test/fixtures');
const PETS = join(FIXTURES, 'pets/openapi.yaml');

/** A contract with names that are valid only in OpenAPI. */
const ODD_NAMES = join(FIXTURES, 'odd-names/openapi.yaml');

/** A contract without tags, with the ids that TypeSpec derives from interfaces. */
const LETTERS = `import "@typespec/http";
import "@typespec/openapi";

using Http;

@service(#{ title: "Letters" })
namespace Post;

@route("/letters")
interface Letters {
  list(): string[];
  send(@body text: string): void;
}

@get
@route("/count")
@OpenAPI.operationId("count_letters")
op count(): { letters: int32 };
`;

let place: string;
beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  place = await mkdtemp(join(parent, 'init-'));
});
afterAll(() => rm(place, { recursive: true, force: true }));

/** Folder of a project. */
interface Folder {
  path: string;
  init(...args: string[]): Promise<CommandResult>;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** Files of the folder, sorted. */
  files(): Promise<string[]>;
}

async function createFolder(name: string): Promise<Folder> {
  const path = join(place, name);
  await mkdir(path);
  return {
    path,
    init: (...args) => runCommand(PACKAGE, path, ['init', ...args]),
    read: (file) => readFile(join(path, file), 'utf8'),
    async write(file, text) {
      await mkdir(dirname(join(path, file)), { recursive: true });
      await writeFile(join(path, file), text);
    },
    async files() {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const found = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      return found.map((file) => file.slice(path.length + 1)).sort();
    },
  };
}

const done = { responses: { 204: { description: 'Done.' } } };
/** A contract with operations that the server refuses, which need no handler. */
const REFUSED = {
  openapi: '3.1.0',
  info: { title: 'Odd', version: '1' },
  paths: {
    '/items': {
      get: { operationId: 'getItem', tags: ['Items'], ...done },
      trace: { operationId: 'traceItem', tags: ['Items'], ...done },
    },
    '/odd/{a}{b}': { get: { operationId: 'getOdd', tags: ['Odd'], ...done } },
    '/files/{+path}': { get: { operationId: 'getFile', ...done } },
  },
};

describe('the projects of init', () => {
  let starter: Folder;
  let pets: Folder;
  let shop: Folder;
  let odd: Folder;
  let printed: CommandResult[];
  beforeAll(async () => {
    starter = await createFolder('starter');
    pets = await createFolder('pets');
    shop = await createFolder('Shop');
    await cp(join(FIXTURES, 'shop'), join(shop.path, 'api'), {
      recursive: true,
      filter: (path) => !/\.ts$|generated$/.test(path),
    });
    const letters = await createFolder('letters');
    await letters.write('tspconfig.yaml', await readFile(join(FIXTURES, 'shop/tspconfig.yaml'), 'utf8'));
    await letters.write('spec/main.tsp', LETTERS);
    await letters.init('spec/main.tsp');
    odd = await createFolder('odd');
    // Notes on the security schemes that the server does not support.
    expect(await odd.init(ODD_NAMES)).toMatchObject({
      code: 0,
      err: expect.not.stringMatching(/error|warning/),
    });
    const refused = await createFolder('refused');
    await refused.write('spec/openapi.json', JSON.stringify(REFUSED));
    await refused.init('spec/openapi.json');
    printed = [await starter.init(), await pets.init(PETS), await shop.init('api/main.tsp')];
  });

  test('are written without a question, and name the next commands', () => {
    for (const { code, out, err } of printed) {
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/\nNext:\n {2}npm install\n {2}npm test\n {2}npm run dev\n$/);
    }
  });

  test('consist of a contract, generated files, a server, a test and a workflow', async () => {
    const files = await starter.files();
    expect(files).toEqual([
      '.colophon-init.json',
      '.github/workflows/contract.yml',
      '.gitignore',
      'README.md',
      'generated/functions.ts',
      'generated/openapi.json',
      'generated/operations.ts',
      'generated/schema.d.ts',
      'package.json',
      'server/app.ts',
      'server/contract.ts',
      'server/error-format.ts',
      'server/handlers.ts',
      'server/handlers/tasks.ts',
      'server/main.ts',
      'server/security.ts',
      'server/services.ts',
      'server/tasks.ts',
      'spec/errors.tsp',
      'spec/main.tsp',
      'spec/released/approvals.yaml',
      'spec/tasks.tsp',
      'test/service.test.ts',
      'test/start-service.ts',
      'tsconfig.json',
      'tspconfig.yaml',
    ]);
    for (const file of files) {
      expect(await starter.read(file)).not.toMatch(/\{\{\w+\}\}/);
    }
  });

  test('compile in strict mode', async () => {
    const sources = ['client', 'server'].map((name) => [
      `@colophon/toolkit/${name}`,
      [join(ROOT, name === 'client' ? 'client/index.ts' : 'server/contract/index.ts')],
    ]);
    const compilerOptions = {
      // The sources of the toolkit need more than its declarations.
      allowJs: true,
      lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
      rewriteRelativeImportExtensions: true,
      paths: Object.fromEntries(sources),
    };
    const include = ['*/generated', '*/server', '*/test'];
    const config = { extends: './starter/tsconfig.json', compilerOptions, include };
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify(config));
    const problems = await typeCheck(resolveProject({ root: place }));
    expect(problems.map(({ file, message }) => `${file}: ${message}`)).toEqual([]);
  });

  test.each(['starter', 'pets', 'Shop'])('pass the checks of their contract: %s', async (name) => {
    const contract = { starter: 'spec/main.tsp', pets: 'spec/openapi.yaml', Shop: 'api/main.tsp' }[name];
    const project = resolveProject({
      root: join(place, name),
      contract: contract ?? '',
      tool: 'npx colophon',
    });
    const checked = steps.filter((step) => ['contract', 'contract format', 'drift'].includes(step.name));
    const results = await runChecks(project, checked);
    expect(formatResults(results)).not.toMatch(/^red/m);
  });

  test('have scripts for their contract, and the versions of this repository', async () => {
    const { name, scripts } = JSON.parse(await shop.read('package.json'));
    expect(name).toBe('shop');
    expect(scripts).toEqual({
      generate: 'colophon generate --contract api/main.tsp',
      dev: 'colophon dev --contract api/main.tsp --server server/main.ts',
      check: 'colophon check --contract api/main.tsp',
      mock: 'colophon mock --contract api/main.tsp',
      test: 'vitest run',
      start: 'node server/main.ts',
    });
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const used = JSON.parse(await starter.read('package.json'));
    const { '@colophon/toolkit': toolkit, ...others } = { ...used.dependencies, ...used.devDependencies };
    expect(toolkit).toBe('0.1.0');
    expect({ ...dependencies, ...devDependencies }).toMatchObject(others);
  });

  test('group stubs by tag, under the path of the first server', async () => {
    const files = await pets.files();
    expect(files.filter((file) => file.startsWith('server/handlers/'))).toEqual([
      'server/handlers/pet-orders.ts',
      'server/handlers/pets.ts',
      'server/handlers/untagged.ts',
    ]);
    expect(await pets.read('server/handlers/pets.ts')).toContain(
      "  /** Lists pets: GET /pets */\n  'pets/list': async () => {\n    throw notImplemented('pets/list');",
    );
    expect(await pets.read('server/contract.ts')).toContain("BASE_PATH = '/api/v2';");
    expect(await pets.read('spec/openapi.yaml')).toBe(await readFile(PETS, 'utf8'));
  });

  test('group stubs by interface if there are no tags', async () => {
    const read = (file: string) => readFile(join(place, 'letters/server/handlers', file), 'utf8');
    expect(await readdir(join(place, 'letters/server/handlers'))).toEqual(['letters.ts', 'untagged.ts']);
    expect(await read('letters.ts')).toContain(
      "lettersHandlers: HandlersOf<'Letters'> = {\n  /** GET /letters */\n",
    );
    expect(await read('untagged.ts')).toContain('  count_letters: async');
  });

  test('have a handler for each operation, whatever the names of operations and tags are', async () => {
    const table = await odd.read('generated/operations.ts');
    const ids = [...table.matchAll(/^ {2}(.+): \{ method:/gm)].map(([, key = '']) => key);
    const files = await odd.files();
    const modules = files.filter((file) => file.startsWith('server/handlers/'));
    const texts = await Promise.all(modules.map((file) => odd.read(file)));
    const handled = texts.flatMap((text) => [...text.matchAll(/^ {2}(\S.*): async \(\) => \{$/gm)]);
    expect(ids).toHaveLength(17);
    // The server refuses one, because of its security schemes.
    expect(handled.map(([, key]) => key).sort()).toEqual(ids.filter((id) => id !== '_x').sort());
    expect(Math.max(...modules.map((file) => Buffer.byteLength(basename(file))))).toBeLessThan(255);
    expect(new Set(modules.map((file) => file.toLowerCase())).size).toBe(modules.length);
    const handlers = await odd.read('server/handlers.ts');
    expect(handlers.match(/^import \{/gm)).toHaveLength(modules.length);
    expect(await odd.read('server/contract.ts')).toContain("BASE_PATH = '/it\\'s/$';");
    expect(await odd.read('README.md')).toMatch(
      /^# Odd \*\/ names: 'quoted' `ticks` \$\{x\} "and" \\ more\n/,
    );
  });

  test('have a hook for each required security scheme', async () => {
    const security = await pets.read('server/security.ts');
    const hooks = [...security.matchAll(/^ {2}(\w+): \{\n {4}(\w+): async/gm)].map(([, name, kind]) => [
      name,
      kind,
    ]);
    expect(hooks).toEqual([
      ['adminKey', 'apiKey'],
      ['clerk', 'basic'],
      ['petToken', 'bearer'],
    ]);
  });

  test('report derived operation ids and the format of errors of their contract', async () => {
    const [own, given, problems] = printed.map(({ out }) => out);
    expect(given).toContain(
      '\nnote: 4 operations have no operationId. Handlers use a name that follows from the method and path, and changes with them. To keep it, add it to the contract:\n  POST /pets  operationId: postPets\n',
    );
    expect(given).toContain('\nnote: The error responses of the contract have a format of their own.');
    expect(own + String(problems)).not.toContain('note:');
    expect(await shop.read('server/error-format.ts')).toContain('problemDetails');
    expect(await starter.read('server/error-format.ts')).toContain('errorEnvelope');
  });

  test('call the operation that needs the least, as their first test', async () => {
    expect(await pets.read('test/service.test.ts')).toContain("client.GET('/pets')");
    expect(await shop.read('test/service.test.ts')).toContain("client.GET('/health')");
  });
});

describe('init', () => {
  test('quotes the paths of its commands', async () => {
    const folder = await createFolder('quoted');
    const contract = {
      openapi: '3.1.0',
      info: { title: 'Pings', version: '1.0.0' },
      servers: [{ url: 'https://ping.example/{stage}', variables: { stage: {} } }],
      paths: { '/ping': { get: { operationId: 'ping', responses: { 204: { description: 'Done.' } } } } },
    };
    await folder.write('api docs/openapi.json', JSON.stringify(contract));
    expect(await folder.init('api docs/openapi.json')).toMatchObject({ code: 0, err: '' });
    const { scripts } = JSON.parse(await folder.read('package.json'));
    expect(scripts).toMatchObject({
      check: 'colophon check --contract "api docs/openapi.json"',
      dev: 'colophon dev --contract "api docs/openapi.json" --server server/main.ts',
    });
    expect(await folder.read('generated/operations.ts')).toContain(
      '`npx colophon generate --contract "api docs/openapi.json"`',
    );
    expect(await folder.read('.github/workflows/contract.yml')).toContain(
      'npx colophon diff "api docs/released/openapi.json"\n          --approvals "api docs/released/approvals.yaml" ',
    );
    // The first server has no value for its variable.
    expect(await folder.read('server/contract.ts')).toContain("BASE_PATH = '';");
  });

  test('names the files that it would replace, and writes nothing', async () => {
    const folder = await createFolder('occupied');
    await folder.write('README.md', 'Mine.\n');
    await folder.write(
      'package.json',
      '{ "type": "commonjs", "scripts": { "test": "jest", "lint": "eslint" } }',
    );
    const { code, err } = await folder.init();
    expect(code).toBe(2);
    expect(err).toBe(
      'error: Nothing was written, because these files exist:\n  README.md\n  package.json: scripts.test\n  package.json: type\nMove them, or replace them with --force.\n',
    );
    expect(await folder.files()).toEqual(['README.md', 'package.json']);
  });

  test('replaces its own files with --force, and no others', async () => {
    const folder = await createFolder('forced');
    await folder.write('README.md', 'Mine.\n');
    await folder.write('server/mine.ts', 'Mine.\n');
    await folder.write(
      'package.json',
      '{ "version": "3.0.0", "scripts": { "test": "jest", "lint": "eslint" }, "dependencies": { "express": "5.0.0" } }',
    );
    expect((await folder.init('--force')).code).toBe(0);
    expect(await folder.read('README.md')).toContain('# Tasks');
    expect(await folder.read('server/mine.ts')).toBe('Mine.\n');
    const { version, scripts, dependencies } = JSON.parse(await folder.read('package.json'));
    expect({ version, ...scripts }).toMatchObject({ version: '3.0.0', test: 'vitest run', lint: 'eslint' });
    expect(dependencies.express).toBe('5.0.0');
  });

  test('does not replace a contract, even with --force', async () => {
    const folder = await createFolder('contract');
    await folder.write('spec/main.tsp', 'namespace Mine;\n');
    const { code, err } = await folder.init('--force');
    expect(code).toBe(2);
    expect(err).toContain('\n  spec/main.tsp\nContracts are never replaced.');
    expect(await folder.read('spec/main.tsp')).toBe('namespace Mine;\n');
  });

  test('adds to the manifest of npm init, and changes nothing when it is repeated', async () => {
    const folder = await createFolder('repeated');
    await folder.write(
      'package.json',
      '{ "name": "mine", "type": "module", "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }',
    );
    expect((await folder.init()).code).toBe(0);
    expect(JSON.parse(await folder.read('package.json'))).toMatchObject({
      name: 'mine',
      scripts: { test: 'vitest run' },
    });
    await folder.write('spec/released/approvals.yaml', 'approvals: [] # none\n');
    expect((await folder.init()).out).toMatch(/^nothing changed\n/);
  });

  test('writes nothing for a contract with errors, or one that is missing or outside of the folder', async () => {
    const folder = await createFolder('errors');
    await folder.write('api/main.tsp', 'op broken(): Missing;\n');
    const broken = await folder.init('api/main.tsp');
    expect(broken.code).toBe(1);
    expect(broken.err).toMatch(/^api\/main\.tsp:1:14 error .*Missing/);
    expect((await folder.init('none.yaml')).err).toContain('Contract none.yaml does not exist.');
    expect((await folder.init('../Shop/api/main.tsp')).err).toContain('Copy its folder here first');
    expect(await folder.files()).toEqual(['api/main.tsp']);
  });

  test('uses a document in several files where it is, and bundles one from elsewhere', async () => {
    const files = {
      'openapi.yaml': `openapi: 3.1.0
info: { title: Pets, version: "1" }
paths: { /pets: { $ref: paths/pets.yaml } }
`,
      'paths/pets.yaml': `get:
  operationId: listPets
  responses:
    "200": { description: OK., content: { application/json: { schema: { $ref: "../pet.yaml" } } } }
`,
      'pet.yaml': 'type: object\nproperties: { name: { type: string } }\n',
    };
    const inside = await createFolder('several-inside');
    for (const [file, text] of Object.entries(files)) {
      await inside.write(`api/${file}`, text);
    }
    expect((await inside.init('api/openapi.yaml')).code).toBe(0);
    expect(await inside.files()).not.toContain('spec/openapi.json');
    expect(await inside.read('package.json')).toContain('--contract api/openapi.yaml');

    const outside = await createFolder('several-outside');
    expect((await outside.init('../several-inside/api/openapi.yaml')).code).toBe(0);
    const bundled = JSON.parse(await outside.read('spec/openapi.json'));
    expect(JSON.stringify(bundled)).not.toContain('.yaml');
    expect(Object.values(bundled.components.schemas)).toEqual([
      { type: 'object', properties: { name: { type: 'string' } } },
    ]);
    expect(await outside.read('generated/openapi.json')).toContain('listPets');
    // It can be generated without the folder that it was copied from.
    await rm(join(inside.path, 'api'), { recursive: true });
    expect(
      (await runCommand(PACKAGE, outside.path, ['generate', '--contract', 'spec/openapi.json'])).code,
    ).toBe(0);
  });

  test('installs the toolkit from where it was installed', async () => {
    const folder = await createFolder('installer');
    await folder.write('package.json', '{ "dependencies": { "@colophon/toolkit": "file:../packed.tgz" } }');
    const own = join(folder.path, 'node_modules/@colophon/toolkit');
    expect(toolkitSource(join(folder.path, 'service'), own)).toBe('file:../../packed.tgz');
    await folder.write('package.json', '{ "dependencies": { "@colophon/toolkit": "1.2.3" } }');
    expect(toolkitSource(join(folder.path, 'service'), own)).toBe('1.2.3');
    expect(readManifest(join(folder.path, 'service'))).toEqual({});
  });
});
