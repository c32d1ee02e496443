import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../client/build/main.ts';

const root = join(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'colophon-package-'));
const dist = join(place, 'dist');
const project = join(place, 'project');
const token = 'a-token-for-the-test-of-the-package';

/**
 * Environment of a user's shell, with the Node that runs this test first on the path. The command of an `npm exec -c` that
 * started the tests is left out: every `npx` would read it as its own.
 */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'npm_config_call')),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
};

/** Runs a program in the empty project. */
async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: project, env });
  return stdout;
}

let tarball: string;
let manifest: { dependencies: Record<string, string> } & Record<string, unknown>;

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  build(root, dist);
  tarball = join(place, (await run('npm', 'pack', '--silent', '--pack-destination', place, dist)).trim());
  manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
  await run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', tarball);
}, 300_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the package', () => {
  test('is well made in the eyes of publint', async () => {
    const { messages } = await publint({ pack: { tarball: bytesOf(tarball) }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that are right for everyone who uses modules', async () => {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), {
      excludeEntrypoints: ['./openapi.json'],
    });
    if (result.types === false) {
      throw new Error('The package has no types.');
    }
    // The package has no CommonJS, and Node 10's resolution knows no exports.
    const old = ['NoResolution node10', 'CJSResolvesToESM node16-cjs'];
    const problems = result.problems.map(
      (problem) => `${problem.kind} ${'resolutionKind' in problem ? problem.resolutionKind : ''}`,
    );
    expect(problems.filter((problem) => !old.includes(problem))).toEqual([]);
    expect(Object.keys(result.entrypoints)).toEqual(['./client', './server']);
  });

  test('names the packages that it imports, at one version, and nothing else', () => {
    const given = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(Object.keys(manifest).sort()).toEqual(
      'bin dependencies description engines exports license name peerDependencies peerDependenciesMeta type version'.split(
        ' ',
      ),
    );
    expect(manifest.dependencies).toMatchObject({ 'openapi-fetch': '0.17.0', express: '5.3.0' });
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(given.dependencies[name] ?? given.devDependencies[name]).toBe(version);
      // TypeScript is what writes the types of a contract; compilers of TypeSpec are for those who have some.
      expect(name).not.toMatch(/node-linux|typespec|ts7|vitest|biome|esbuild/);
    }
  });
});

describe('an empty project that installs it', () => {
  test.each(['nodenext', 'bundler'])(
    'checks its calls with module resolution %s',
    async (moduleResolution) => {
      const folder = join(project, moduleResolution);
      mkdirSync(folder);
      const compilerOptions = {
        module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        types: [],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      writeFileSync(join(folder, 'consumer.ts'), consumer);
      const compiler = join(root, 'node_modules/ts7/bin/tsc');
      const outcome = run(process.execPath, compiler, '-p', folder).catch(({ stdout }) => stdout);
      expect(await outcome).toBe('');
    },
  );

  test('has types of the server too', async () => {
    const folder = join(project, 'server-types');
    mkdirSync(folder);
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    writeFileSync(
      join(folder, 'consumer.ts'),
      `import { createApp } from 'colophon/server';
       const listen: (port: number) => unknown = createApp(null as never).listen;
       // @ts-expect-error: an application is not a number, so its type was found
       const wrong: number = createApp(null as never);
       void [listen, wrong];`,
    );
    const compiler = join(root, 'node_modules/ts7/bin/tsc');
    const outcome = run(process.execPath, compiler, '-p', folder).catch(({ stdout }) => stdout);
    expect(await outcome).toBe('');
  });

  test('imports the contract and the server', async () => {
    writeFileSync(
      join(project, 'imports.js'),
      `import contract from 'colophon/openapi.json' with { type: 'json' };
       import { createApp } from 'colophon/server';
       console.log(contract.openapi, typeof createApp);`,
    );
    expect(await run(process.execPath, 'imports.js')).toBe('3.1.0 function\n');
  });

  test('shows the help of the server', async () => {
    expect(await run(join(project, 'node_modules/.bin/colophon-server'), '--help')).toContain('DATABASE_URL');
  });

  describe('has the command colophon, which', () => {
    const contract = ['--contract', 'carts.yaml'];
    beforeAll(() => cpSync(join(root, 'test/fixtures/carts/openapi.yaml'), join(project, 'carts.yaml')));

    /** How the command ends, as a script sees it. */
    async function colophon(...args: string[]): Promise<{ code: number; out: string; err: string }> {
      return promisify(execFile)('npx', ['colophon', ...args], { cwd: project, env }).then(
        ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
        ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
      );
    }

    test('shows its help and its version', async () => {
      const { code, out } = await colophon('--help');
      expect(code).toBe(0);
      for (const name of ['generate', 'check', 'diff', 'conform']) {
        expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
      }
      expect((await colophon('--version')).out).toBe(`${manifest.version}\n`);
    });

    test('generates from a document in YAML, and tells drift from what it cannot read', async () => {
      expect((await colophon('generate', ...contract)).out).toMatch(/^wrote generated\/openapi\.json$/m);
      expect((await colophon('generate', '--check', ...contract)).code).toBe(0);
      writeFileSync(join(project, 'generated/operations.ts'), '// Edited by hand.');
      const { code, err } = await colophon('generate', '--check', ...contract);
      expect(code).toBe(1);
      expect(err).toContain('Fix: npx colophon generate --contract carts.yaml');
      expect((await colophon('generate', '--contract', 'none.yaml')).code).toBe(2);
    });

    test('checks what there is to check, and says what it skips', async () => {
      await colophon('generate', ...contract);
      const green = await colophon('check', ...contract);
      expect(green.code).toBe(0);
      expect(green.out).toMatch(/^skip {2}format .*there is no biome\.json/m);
      expect(green.out).toMatch(/^green drift/m);
      writeFileSync(join(project, 'tsconfig.json'), typed);
      writeFileSync(join(project, 'typed.ts'), "export const wrong: number = 'text';\n");
      const red = await colophon('check', ...contract);
      expect(red.code).toBe(1);
      expect(red.out).toMatch(/^typed\.ts:1:14 error TS2322/m);
      rmSync(join(project, 'tsconfig.json'));
      expect((await colophon('check', '--colour')).code).toBe(2);
    });

    test('tells what a change breaks', async () => {
      const text = readFileSync(join(project, 'carts.yaml'), 'utf8');
      writeFileSync(join(project, 'new.yaml'), text.replace('maxLength: 10', 'maxLength: 9'));
      expect((await colophon('diff', 'carts.yaml', 'carts.yaml')).code).toBe(0);
      const { code, out } = await colophon('diff', 'carts.yaml', 'new.yaml');
      expect(code).toBe(1);
      expect(out).toContain('maxLength changed from 10 to 9');
      expect((await colophon('diff', 'carts.yaml', 'none.yaml')).code).toBe(2);
    });

    test('says what to install for a contract in TypeSpec, and takes it when that is there', async () => {
      cpSync(join(root, 'test/fixtures/shop'), join(project, 'shop'), { recursive: true });
      const shop = ['--contract', 'shop/main.tsp', '--generated', 'shop/generated'];
      const { code, err } = await colophon('generate', ...shop);
      expect(code).toBe(2);
      expect(err).toContain('npm install --save-dev @typespec/compiler @typespec/http');
      symlinkSync(join(root, 'node_modules/@typespec'), join(project, 'node_modules/@typespec'));
      expect((await colophon('generate', ...shop)).code).toBe(0);
      expect((await colophon('generate', '--check', ...shop)).code).toBe(0);
    });
  });

  test('starts the server and talks to it', async () => {
    const server = spawn(join(project, 'node_modules/.bin/colophon-server'), {
      cwd: project,
      env: {
        ...env,
        PORT: '0',
        COLOPHON_BOOTSTRAP_TOKEN: token,
        LOG_LEVEL: 'error',
        DATABASE_URL: undefined,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'exit');
    try {
      writeFileSync(join(project, 'talk.js'), talk);
      const [name, ...more] = (await run(process.execPath, 'talk.js', await addressOf(server.stdout), token))
        .trim()
        .split('\n');
      expect(name).toMatch(/./);
      expect(more).toEqual(['http 404']);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
  });
});

const consumer = `
import { ApiError, createClient, ok, paginate, type Schemas } from 'colophon/client';

const client = createClient({ baseUrl: 'https://docs.example.com', token: 'clp_x' });

export async function titles(organizationId: string): Promise<string[]> {
  const found: string[] = [];
  const params = { path: { organizationId } };
  for await (const space of paginate(client, '/v1/orgs/{organizationId}/spaces', { params })) {
    const title: Schemas['Space']['title'] = space.title;
    found.push(title);
  }
  const organization: Schemas['Organization'] = await ok(client.GET('/v1/orgs/{organizationId}', { params }));
  // @ts-expect-error: one organization is not a list
  paginate(client, '/v1/orgs/{organizationId}', { params });
  // @ts-expect-error: there is no such field
  return [organization.colour, ...found];
}

export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
`;

const typed = JSON.stringify({
  compilerOptions: { strict: true, noEmit: true, types: [] },
  files: ['typed.ts'],
});

const talk = `
import { ApiError, createClient, ok, paginate } from 'colophon/client';

const [baseUrl, token] = process.argv.slice(2);
const client = createClient({ baseUrl, token });
for await (const organization of paginate(client, '/v1/orgs', { params: { query: { limit: 1 } } })) {
  console.log(organization.title);
}
try {
  await ok(client.GET('/v1/orgs/{organizationId}', { params: { path: { organizationId: 'org_none' } } }));
} catch (error) {
  console.log(error instanceof ApiError ? error.kind + ' ' + error.status : error);
}
`;

function bytesOf(path: string): ArrayBuffer {
  return new Uint8Array(readFileSync(path)).buffer;
}

/** The address that a server says it listens on. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface(output)) {
    said.push(line);
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (address !== undefined) {
      return address;
    }
  }
  throw new Error(`The server ended without naming its address. It said:\n${said.join('\n')}`);
}
