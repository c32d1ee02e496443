import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { circlesOf, type ModuleImports, readImports } from '../../support/module-imports.ts';

// The layers of the server: a folder imports only the folders before it, and no module imports itself through others.

const server = join(import.meta.dirname, '../../../server');

/** Folders from the lowest layer to the highest. */
const LAYERS: readonly string[] = [
  ...[
    'diagnostics',
    'contract',
    'errors',
    'programs',
    'threads',
    'database',
    'quotas',
    'identity',
    'outgoing',
  ],
  ...['jobs', 'sandbox', 'content', 'platform', 'telemetry', 'commands', 'app', 'process'],
];

/** Domains of the platform, from the lowest to the highest. */
const DOMAINS = [
  ...['kit', 'accounts', 'spaces', 'content', 'integrations', 'translations', 'sites', 'transfers'],
];

/** What a folder does not import, although it is before it. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  outgoing: ['database', 'identity'],
  jobs: ['identity', 'outgoing'],
  threads: ['database', 'identity', 'outgoing', 'jobs'],
  sandbox: ['database', 'identity', 'jobs', 'threads'],
  content: ['identity', 'jobs', 'sandbox'],
  commands: ['content', 'sandbox'],
  // The runtime of any contract.
  contract: ['diagnostics'],
  telemetry: ['database', 'identity', 'outgoing', 'jobs', 'sandbox', 'content', 'platform'],
};

/** Folders of the content engine without access to a database, a file system or threads. */
const PURE_CONTENT = [
  ...['tree', 'markdown', 'expressions', 'links', 'merge', 'edit', 'templates', 'computed'],
  ...['repository', 'convert', 'includes', 'language', 'pdf', 'html', 'translation', 'wire'],
];

/** Packages that decompress data. */
const DECOMPRESSORS = /^(?:node:zlib|node:stream\/web|yauzl)$/;
/** Their functions. */
const DECOMPRESSION = /\b(?:create)?(?:Gunzip|Unzip|Inflate|\w*Decompress)\w*\b|\bfrom(?:Fd|Buffer)\w*/i;

/** Imports by module. Paths are relative to the server. */
let imports: ReadonlyMap<string, ModuleImports>;

beforeAll(async () => {
  imports = await readImports(server);
});

/** Lists the imports that satisfy a condition. */
const importsWhere = (isListed: (from: string[], to: string[]) => boolean): string[] =>
  [...imports].flatMap(([path, { modules }]) =>
    modules
      .filter((target) => isListed(path.split('/'), target.split('/')))
      .map((target) => `${path} imports ${target}`),
  );

const layerOf = ([folder = '']: string[]): number => LAYERS.indexOf(folder);

test('folders import only those of lower layers', () => {
  expect(imports.size).toBeGreaterThan(500);
  const upward = importsWhere((from, to) => layerOf(from) >= 0 && layerOf(from) < layerOf(to));
  const ofProgram = importsWhere((from, to) => layerOf(from) >= 0 && layerOf(to) < 0);
  const forbidden = importsWhere(
    ([folder = ''], [target = '']) => FORBIDDEN[folder]?.includes(target) === true,
  );
  // Commands read the configuration and the secret key of the program, and an export calls its handlers.
  const isProgram = (line: string) =>
    /^commands\/\S+ imports app\/(?:config|secret-keys|resource-reader)\b/.test(line);
  expect(upward.filter((line) => !isProgram(line))).toEqual([]);
  expect([...ofProgram, ...forbidden]).toEqual([]);
});

/** Returns the position of the domain of a module; -1 outside of the platform. */
const domainOf = ([folder, domain = '']: string[]): number =>
  folder === 'platform' ? DOMAINS.indexOf(domain) : -1;

test('domains of the platform import only lower ones', () => {
  const domains = new Set(
    [...imports.keys()].filter((path) => path.startsWith('platform/')).map(domainNameOf),
  );
  expect([...domains].sort()).toEqual([...DOMAINS].sort());
  // The context of a request names the types of all services.
  const isContext = (line: string) => line.startsWith('platform/kit/slice.ts imports ');
  const upward = importsWhere((from, to) => domainOf(from) < domainOf(to) && domainOf(from) >= 0);
  expect(upward.filter((line) => !isContext(line))).toEqual([]);
});

const domainNameOf = (path: string): string => path.split('/')[1] ?? '';

/** Files and folders of a noun. */
const PARTS = /^(?:handlers|rules|queries|present|jobs|routes|transfer)(?:\.ts)?$/;

/** Rules that another noun calls, in the same transaction. */
const SHARED_RULES = [
  // A review can have a comment.
  'platform/content/reviews/rules.ts imports platform/content/comments/rules.ts',
  // An integration is deleted with its installations.
  'platform/integrations/integrations/rules.ts imports platform/integrations/installations/rules/remove.ts',
];

test('a noun consists of its parts, and others import only what reads and presents it', () => {
  const nounOf = ([folder, domain, noun]: string[]) =>
    folder === 'platform' && domain !== 'kit' ? `${domain}/${noun}` : '';
  const nouns = new Set(
    [...imports.keys()]
      .filter((path) => /^platform\/.*\/handlers\.ts$/.test(path))
      .map((path) => nounOf(path.split('/'))),
  );
  expect(nouns.size).toBeGreaterThan(30);
  const parts = [...imports.keys()].map((path) => path.split('/')).filter((path) => nouns.has(nounOf(path)));
  expect(parts.filter(([, , , part = '']) => !PARTS.test(part)).map((path) => path.join('/'))).toEqual([]);
  const across = importsWhere(
    (from, to) =>
      from[0] === 'platform' &&
      nounOf(from) !== nounOf(to) &&
      nouns.has(nounOf(to)) &&
      !(from[1] === 'transfers' && to[3] === 'transfer.ts') &&
      !/^(?:queries|present)(?:\.ts)?$/.test(to[3] ?? ''),
  );
  expect(across).toEqual(SHARED_RULES);
});

test('the pure folders of the content engine import only each other, and its store only their records', () => {
  const isPure = ([folder, part = '']: string[]) => folder === 'content' && PURE_CONTENT.includes(part);
  const impure = importsWhere((from, to) => isPure(from) && to[0] === 'content' && !isPure(to));
  const upward = importsWhere(
    ([folder, part], [target, other]) =>
      folder === 'content' &&
      part === 'store' &&
      target === 'content' &&
      other !== 'store' &&
      other !== 'tree',
  );
  expect([...impure, ...upward]).toEqual([]);
});

test('only the folder of the database imports a driver', () => {
  const drivers = [...imports].flatMap(([path, { packages }]) =>
    path.startsWith('database/')
      ? []
      : packages
          .filter((name) => /^(?:pg|node:sqlite)(?:\/|$)/.test(name))
          .map((name) => `${path} imports ${name}`),
  );
  expect(drivers).toEqual([]);
});

test('modules that start programs set their limits', () => {
  const starting = [...imports].filter(([, { packages }]) => packages.includes('node:child_process'));
  expect(starting.length).toBeGreaterThan(0);
  const unlimited = starting.filter(([, { modules }]) => !modules.includes('programs/limits.ts'));
  expect(unlimited.map(([path]) => path)).toEqual([]);
});

test('modules that decompress limit the ratio, or declare the size beforehand', async () => {
  const unlimited: string[] = [];
  let decompressing = 0;
  for (const [path, { modules, packages }] of imports) {
    const text = packages.some((name) => DECOMPRESSORS.test(name))
      ? await readFile(join(server, path), 'utf8')
      : '';
    if (!DECOMPRESSION.test(text)) {
      continue;
    }
    decompressing++;
    if (!modules.includes('contract/limits/inflation-ratio.ts') && !text.includes('maxOutputLength')) {
      unlimited.push(path);
    }
  }
  expect(decompressing).toBeGreaterThan(0);
  expect(unlimited).toEqual([]);
});

test('no module imports itself through others', () => {
  expect(circlesOf(imports)).toEqual([]);
});

/** Packages of the conversion, rendering and printing of content, which take a third of the time of a start. */
const THREAD_PACKAGES = ['fontkit', 'hast-util-from-html', 'katex', 'lowlight', 'mammoth', 'pdfkit'];

test('the server and its job processes start without the packages of the threads', async () => {
  for (const entries of [['process/start.ts'], ['process/job-process.ts', 'process/workers.ts']]) {
    const packages = new Set((await Promise.all(entries.map(packagesOf))).flatMap((names) => [...names]));
    expect(packages).toContain('kysely');
    expect(THREAD_PACKAGES.filter((name) => packages.has(name))).toEqual([]);
  }
  const threads = ['content/convert/thread.ts', 'content/html/page.ts', 'content/pdf/thread.ts'];
  const used = await Promise.all(threads.map(packagesOf));
  expect(THREAD_PACKAGES.filter((name) => !used.some((packages) => packages.has(name)))).toEqual([]);
});

test('the program reads its configuration before it loads the server', async () => {
  const packages = await packagesOf('process/program.ts');
  expect(packages).toContain('pino');
  expect(['kysely', 'express'].filter((name) => packages.has(name))).toEqual([]);
});

/** Returns the packages that a module loads when it starts, also through others. */
async function packagesOf(entry: string): Promise<Set<string>> {
  const [loaded, packages] = [new Set([entry]), new Set<string>()];
  for (const path of loaded) {
    for (const specifier of await staticImports(path)) {
      if (specifier.startsWith('.')) {
        loaded.add(join(dirname(path), specifier));
      } else {
        packages.add(specifier);
      }
    }
  }
  return packages;
}

/** Returns what a module loads when it starts: not types, and nothing that it imports later. */
async function staticImports(path: string): Promise<string[]> {
  const code = path.endsWith('.ts') ? await readFile(join(server, path), 'utf8') : '';
  const imports = /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?\bfrom\s+)?'([^']+)'/gm;
  return [...code.matchAll(imports)].map(([, name = '']) => name);
}

test('handlers leave statements to rules and queries', async () => {
  const handlers = [...imports.keys()].filter((path) => /^platform\/.*\/handlers(?:\.ts|\/)/.test(path));
  expect(handlers.length).toBeGreaterThan(30);
  const statements: string[] = [];
  for (const path of handlers) {
    const text = await readFile(join(server, path), 'utf8');
    statements.push(
      ...(text.match(/\.(?:selectFrom|insertInto|updateTable|deleteFrom|where)\(|\bsql`/g) ?? []).map(
        (call) => `${path}: ${call}`,
      ),
    );
  }
  expect(statements).toEqual([]);
});

test('metrics and traces are loaded only if they are configured', () => {
  const packagesOf = (path: string) => imports.get(path)?.packages ?? [];
  const isTelemetry = (name: string) => name === 'prom-client' || name.startsWith('@opentelemetry/');
  const outside = [...imports.keys()].filter(
    (path) => !path.startsWith('telemetry/') && packagesOf(path).some(isTelemetry),
  );
  expect(outside).toEqual([]);
  const loaded = importsWhere((from, to) => from[0] !== 'telemetry' && to[0] === 'telemetry');
  // `process/metrics.ts` is loaded with `import()`, as are the modules that the others import.
  expect(loaded).toEqual([
    'process/job-process.ts imports telemetry/traces/tracing.ts',
    'process/job-process.ts imports telemetry/metrics/process-metrics.ts',
    'process/metrics.ts imports telemetry/metrics/collection.ts',
    'process/metrics.ts imports telemetry/metrics/endpoint.ts',
    'process/metrics.ts imports telemetry/metrics/process-metrics.ts',
    'process/metrics.ts imports telemetry/metrics/programs.ts',
    'process/program.ts imports telemetry/traces/tracing.ts',
  ]);
  for (const path of ['process/job-process.ts', 'process/program.ts', 'process/start.ts']) {
    expect(readFileSync(join(server, path), 'utf8')).not.toMatch(/^import [^;]*(?:telemetry\/|metrics\.ts)/m);
  }
});

test('the client of the object storage is loaded only if it is configured', () => {
  const isClient = (name: string) => name.startsWith('@aws-sdk/') || name.startsWith('@smithy/');
  const importing = [...imports].filter(([, { packages }]) => packages.some(isClient)).map(([path]) => path);
  expect(importing).toEqual(['outgoing/object-storage/s3.ts']);
  const loading = importsWhere((_, to) => to.join('/') === 'outgoing/object-storage/s3.ts');
  // As a type, and with `import()`.
  expect(new Set(loading)).toEqual(
    new Set(['outgoing/object-storage/object-storage.ts imports outgoing/object-storage/s3.ts']),
  );
  const text = readFileSync(join(server, 'outgoing/object-storage/object-storage.ts'), 'utf8');
  expect(text).toContain("import('./s3.ts')");
  expect(text).not.toMatch(/^import (?!type)[^;]*s3\.ts/m);
});
