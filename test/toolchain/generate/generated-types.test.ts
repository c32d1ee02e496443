import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkGeneratedTypes } from '../../../spec/toolchain/check/generated-types.ts';
import { createGenerator, resolveProject } from '../../../spec/toolchain/main.ts';
import { ROOT } from '../../support/processes/program.ts';

const project = resolveProject({ root: ROOT });
const file = (path: string, text: string) => ({ path: `generated/${path}`, text });

test('reports generated types that do not compile, with their schemas and operations', async () => {
  const schemas = `export interface operations {
    "put/a": {
        query: Missing;
    };
}
/** Comment. */
export type Thing = {
    a: Absent["a"];
};
`;
  const functions =
    "import type { Thing, Gone } from './schema.d.ts';\nexport const thing = (a: Thing): Gone => a;\n";
  const files = [file('schema.d.ts', schemas), file('functions.ts', functions), file('openapi.json', '{}')];
  const problems = await checkGeneratedTypes(project, { files, problems: [] });
  expect(problems.map(({ file, line, message }) => `${file}:${line} ${message}`).sort()).toEqual([
    expect.stringMatching(/^generated\/functions\.ts:1 .*Gone/),
    expect.stringMatching(/^generated\/schema\.d\.ts:3 "put\/a": Cannot find name 'Missing'/),
    expect.stringMatching(/^generated\/schema\.d\.ts:8 Thing: Cannot find name 'Absent'/),
  ]);
});

test('reports nothing for a contract whose functions send forms, files and texts', async () => {
  const photos = resolveProject({ root: join(ROOT, 'test/fixtures/photos'), contract: 'openapi.yaml' });
  const output = await createGenerator(photos).run();
  expect(output.files.length).toBe(4);
  expect(await readFile(join(photos.root, 'openapi.yaml'), 'utf8')).toContain('multipart');
  expect(await checkGeneratedTypes(photos, output)).toEqual([]);
});
