import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGenerator, type OpenApiDocument, resolveProject } from '../../spec/toolchain/main.ts';
import { createMock } from '../../spec/toolchain/mock/mock.ts';
import { countOperations, startRouter } from '../corpus/router.ts';
import { programOf, type Sample, samplesOf, unexpectedResults } from '../corpus/samples.ts';
import { compile, STRICT } from '../corpus/stages.ts';
import { ROOT } from '../support/processes/program.ts';

// Small documents in the style of well-known ones; `npm run corpus` has those themselves.

const FIXTURES = join(ROOT, 'test/fixtures/corpus');
const NAMES = (await readdir(FIXTURES)).map((file) => file.replace('.yaml', '')).sort();

let folder: string;
const documents = new Map<string, OpenApiDocument>();
const samples = new Map<string, Sample[]>();
let errors: string[];

beforeAll(async () => {
  const parent = join(import.meta.dirname, '.colophon');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'corpus-'));
  const files: string[] = [];
  for (const name of NAMES) {
    const project = resolveProject({ root: FIXTURES, contract: `${name}.yaml`, generated: 'generated' });
    const output = await createGenerator(project).run();
    expect(output.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    await mkdir(join(folder, name, 'generated'), { recursive: true });
    for (const { path, text } of output.files) {
      await writeFile(join(folder, name, path), text);
      files.push(...(path.endsWith('.ts') ? [join(name, path)] : []));
    }
    if (output.document) {
      documents.set(name, output.document);
      samples.set(name, samplesOf(output.document, name));
    }
    await writeFile(join(folder, name, 'samples.ts'), programOf(samples.get(name) ?? []));
    files.push(join(name, 'samples.ts'));
  }
  errors = await compile(folder, 'tsconfig.json', { compilerOptions: STRICT, files }, 'typescript');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('there are a dozen documents', () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(12);
});

test.each(NAMES)('types of values in %s compile as they validate', (name) => {
  const own = errors
    .filter((error) => error.startsWith(`${name}/`))
    .map((error) => error.slice(name.length + 1));
  const all = samples.get(name) ?? [];
  expect(all.length).toBeGreaterThan(10);
  expect(all.some(({ violates }) => violates !== undefined)).toBe(true);
  expect(unexpectedResults(all, own)).toEqual([]);
});

/** Operations that the router cannot serve yet: references with escapes, and a base with a discriminator. */
const MAX_REFUSED: Readonly<Record<string, number>> = { droplets: 1, fleet: 2 };

test.each(NAMES)('the router and the mock serve %s', (name) => {
  const document = documents.get(name);
  expect(document && countOperations(document).refused.length).toBeLessThanOrEqual(MAX_REFUSED[name] ?? 0);
  startRouter(document as OpenApiDocument);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  createMock(name, document as OpenApiDocument, { log });
});
