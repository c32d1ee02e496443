import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { $lib } from '../../spec/checks.js';
import { openReader, type Reader, readBlocks, readText } from '../support/guides.ts';
import { freePort } from '../support/ports.ts';
import { checkTypes } from '../support/program.ts';
import { checkTypesIncrementally, installedCopy, removeTests } from '../support/repository-copy.ts';

const PAGE = 'spec/authoring.md';

let copy: Awaited<ReturnType<typeof installedCopy>>;
let reader: Reader;

beforeAll(async () => {
  copy = await installedCopy();
  const { folder } = copy;
  await removeTests(folder);
  await checkTypesIncrementally(folder);
  // The page starts right after a release, regardless of later approvals.
  await copyFile(join(folder, 'generated/openapi.json'), join(folder, 'spec/released/openapi.json'));
  await writeFile(join(folder, 'spec/released/approvals.yaml'), 'approvals: []\n');
  const contract = JSON.parse(await readFile(join(folder, 'generated/openapi.json'), 'utf8'));
  const release: string = contract.info.version;
  const next = `${Number.parseInt(release, 10) + 1}.0.0`;
  const port = String(await freePort());
  reader = openReader({
    folder,
    // Each edit of the page restarts the server.
    environment: { PORT: port, COLOPHON_COMPILE_AHEAD: 'off' },
    replace: (text) =>
      text
        .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
        .replaceAll(/\b[12]\.0\.0\b(?!\.)/g, (version) => (version === '1.0.0' ? release : next)),
  });
});

afterAll(async () => {
  await reader?.close();
  await copy?.remove();
});

// A chapter continues where the previous one ended.
const chapters = Map.groupBy(readBlocks(PAGE), ({ section }) => section);
test.each([...chapters])(
  '%s: works as described',
  async (_, blocks) => {
    for (const block of blocks) {
      await reader.follow(block);
    }
  },
  400_000,
);

test('compiles its calls', async () => {
  const saved = readBlocks(PAGE).flatMap(({ action: does, argument: of }) => (does === 'save' ? of : []));
  // `npm run check` of the page checks the types of its tests.
  const include = saved.filter((file) => !file.startsWith('test/'));
  expect(include).toContain('rename.ts');
  await writeFile(
    join(copy.folder, 'tsconfig.page.json'),
    JSON.stringify({ extends: './tsconfig.json', include }),
  );
  const checked = await checkTypes('tsconfig.page.json', copy.folder);
  expect(checked).toMatchObject({ code: 0, stdout: '' });
});

test('lists exactly the rules that the compiler checks', () => {
  const [, table = ''] = /<!-- every rule of checks\.js -->\n\n((?:\|.*\n)+)/.exec(readText(PAGE)) ?? [];
  const rules = [...table.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  expect(rules.sort()).toEqual(Object.keys($lib.diagnostics).sort());
});
