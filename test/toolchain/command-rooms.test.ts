import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { findReferences } from '../../client/build/imports.ts';

// The toolchain is for any contract and any server: it leans on libraries alone, and knows no word of the platform
// that this repository happens to describe.

const toolchain = join(import.meta.dirname, '../../spec/toolchain');

/** Every source of the toolchain. */
async function sources(): Promise<{ path: string; text: string }[]> {
  const found = await Array.fromAsync(glob('**/*.ts', { cwd: toolchain }));
  return Promise.all(
    found.sort().map(async (path) => ({ path, text: await readFile(join(toolchain, path), 'utf8') })),
  );
}

/** The code of a source: comments may name examples. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

const words =
  /(?<![a-z])(spaces?(?!Delimited)(?=Id|s?\b|[A-Z])|changeRequests?|organi[sz]ations?|revisions?|pageTrees?|siteSections?|gitSync|\/v1\/)/;

it('imports nothing of the server, the client or the tests', async () => {
  const outside = (await sources()).flatMap(({ path, text }) =>
    findReferences(text, path)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => relative(toolchain, resolve(toolchain, dirname(path), specifier)))
      .filter((target) => target.startsWith('..'))
      .map((target) => `${path} imports ${target}`),
  );
  expect(outside).toEqual([]);
});

it('holds no word of the platform', async () => {
  const found = (await sources()).flatMap(({ path, text }) => {
    const word = words.exec(codeOf(text))?.[0];
    return word === undefined ? [] : [`${path} says "${word}"`];
  });
  expect(found).toEqual([]);
});
