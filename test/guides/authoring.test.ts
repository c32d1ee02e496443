import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { $lib } from '../../spec/checks.js';
import {
  checkTypesIncrementally,
  commitAll,
  installedCopy,
  limitChecks,
  removeTests,
} from '../support/content/repository-copy.ts';
import { openReader, type Reader, readBlocks, readText } from '../support/guides.ts';
import { freePort } from '../support/processes/ports.ts';
import { checkTypes } from '../support/processes/program.ts';

const PAGE = 'spec/authoring.md';
const blocks = readBlocks(PAGE);
const filesOf = (action: string) =>
  blocks.flatMap((block) => (block.action === action ? [block.argument] : []));
/** Tests of the repository that the page runs over its result. */
const ARCHITECTURE_TESTS = 'test/unit/server/imports.test.ts';
/** Folder of temporary files of the page's programs, in the copy. */
const TEMPORARY = '.colophon/temporary';
/** Link to the folder where the development loop caches types. */
const SHARED_TYPES = 'types';

/** Chapter that starts the loop. */
const FIRST_CHAPTER = 'The loop';

let copy: Awaited<ReturnType<typeof installedCopy>>;
let reader: Reader;

beforeAll(async () => {
  copy = await installedCopy();
  const { folder } = copy;
  await removeTests(folder, [ARCHITECTURE_TESTS]);
  await limitChecks(folder, [...filesOf('save'), ...filesOf('edit')]);
  await checkTypesIncrementally(folder, join(TEMPORARY, SHARED_TYPES, 'types.tsbuildinfo'));
  await mkdir(join(folder, TEMPORARY), { recursive: true });
  await commitAll(folder, join(folder, '.colophon/origin.git'));
  const contract = JSON.parse(await readFile(join(folder, 'generated/openapi.json'), 'utf8'));
  const release: string = contract.info.version;
  const next = `${Number.parseInt(release, 10) + 1}.0.0`;
  const port = String(await freePort());
  reader = openReader({
    folder,
    // Each edit of the page restarts the server.
    environment: { PORT: port, COLOPHON_COMPILE_AHEAD: 'off', TMPDIR: join(folder, TEMPORARY) },
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
const chapters = Map.groupBy(blocks, ({ section }) => section);
test.each([...chapters])(
  '%s: works as described',
  async (chapter, blocks) => {
    for (const block of blocks) {
      await reader.follow(block);
    }
    if (chapter === FIRST_CHAPTER) {
      await shareTypes();
    }
  },
  400_000,
);

/** Lets `npm run check` continue the type checks of the loop, instead of checking all types once more. */
async function shareTypes(): Promise<void> {
  const temporary = join(copy.folder, TEMPORARY);
  const names = await readdir(temporary);
  await symlink(names.find((name) => name.startsWith('type-check-')) ?? '', join(temporary, SHARED_TYPES));
}

test('compiles its calls', async () => {
  // `npm run check` of the page checks the types of its tests.
  const include = filesOf('save').filter((file) => !file.startsWith('test/'));
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
