import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findReferences } from '../../../client/build/imports.ts';

// The toolchain works with any contract and any server: it imports only libraries, and contains no term of the
// platform in this repository.

const toolchain = join(import.meta.dirname, '../../../spec/toolchain');

/** Source files of the toolchain. */
async function sources(): Promise<{ path: string; text: string }[]> {
  const paths = await Array.fromAsync(glob('**/*.ts', { cwd: toolchain, exclude: ['**/node_modules/**'] }));
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(join(toolchain, path), 'utf8') })),
  );
}

/** Code of a source file without comments, which may contain examples. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

const PLATFORM_TERMS =
  /(?<![a-z]|white-)(spaces?(?!Delimited)(?=Id|s?\b|[A-Z])|changeRequests?|organi[sz]ations?|revisions?|pageTrees?|siteSections?|gitSync|\/v1\/)/;

/**
 * The mock serves contracts with the server runtime, which also depends on no contract. All commands limit
 * patterns and schemas, and validate values, like it does, and report what it cannot serve. What both need of JSON, media
 * types, markup and messages of errors is in the runtime, in modules that import no others.
 */
const SERVED =
  /^(?:mock\/\S+ imports \.\.\/\.\.\/server\/contract\/|\S+ imports \.\.\/\.\.\/server\/contract\/(?:document|errors|json-values|media-types|docs\/html|limits\/schema-size|request\/values\/unsupported-places|validation\/(?:patterns\/)?[a-z-]+)\.ts$)/;

test('imports nothing from the server, the client or the tests, except the server runtime for the mock, and what all commands share with it', async () => {
  const outside = (await sources()).flatMap(({ path, text }) =>
    findReferences(text, path)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => relative(toolchain, resolve(toolchain, dirname(path), specifier)))
      .filter((target) => target.startsWith('..'))
      .map((target) => `${path} imports ${target}`)
      .filter((line) => !SERVED.test(line)),
  );
  expect(outside).toEqual([]);
});

test('contains no term of the platform', async () => {
  const terms = (await sources()).flatMap(({ path, text }) => {
    const term = PLATFORM_TERMS.exec(codeOf(text))?.[0];
    return term === undefined ? [] : [`${path} contains "${term}"`];
  });
  expect(terms).toEqual([]);
});

/** Paths of this repository that defaults have in common with those of other projects. */
const DEFAULT_PATHS = ['spec/main.tsp', 'generated/openapi.json'];

test('names no file of this repository in messages', async () => {
  // The paths in `init/` are those of the projects that it writes.
  const others = (await sources()).filter(({ path }) => !path.startsWith('init/'));
  const named = others.flatMap(({ path, text }) => {
    const references = new Set(findReferences(text, path).map(({ specifier }) => specifier));
    return [...codeOf(text).matchAll(/(?<![\w@/.])(spec|server|client|generated|test)\/[\w.-]+/g)]
      .map(([name]) => name)
      .filter((name) => !DEFAULT_PATHS.includes(name) && !references.has(name))
      .map((name) => `${path} contains "${name}"`);
  });
  expect(named).toEqual([]);
});

test('documents only errors that exist', async () => {
  const files = await sources();
  const code = files.map(({ text }) => codeOf(text)).join('\n');
  const unknown = files.flatMap(({ path, text }) =>
    [...text.matchAll(/@throws \{(\w+)\}/g)]
      .map(([, name = '']) => name)
      .filter((name) => !(name in globalThis) && !new RegExp(`\\b${name}\\b`).test(code))
      .map((name) => `${path} names ${name}`),
  );
  expect(unknown).toEqual([]);
});
