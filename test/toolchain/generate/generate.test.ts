import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGenerator, formatProblem, generate } from '../../../spec/toolchain/main.ts';
import { runCommand, SCRIPTS } from '../run-command.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

const files = [
  'generated/openapi.json',
  'generated/schema.d.ts',
  'generated/operations.ts',
  'generated/functions.ts',
];

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
});
afterEach(() => workspace.remove());

const CONTRACT = ['--contract', 'api/main.tsp'];

/** Runs the npm script on the workspace, in this process. */
async function command(...args: string[]): Promise<{ code: number; output: string }> {
  const { code, out, err } = await runCommand(SCRIPTS, workspace.project.root, [...args, ...CONTRACT]);
  return { code, output: out + err };
}

describe('generating from a contract', () => {
  test('writes the document, the types and the table, each with a header that names its source and command', async () => {
    expect((await generate(workspace.project)).written).toEqual(files);
    const by = 'npm run generate -- --contract api/main.tsp';
    const document = JSON.parse(await workspace.read('generated/openapi.json'));
    expect(document.info['x-generated']).toEqual({ from: 'api/main.tsp', by });
    for (const path of files.slice(1)) {
      expect((await workspace.read(path)).split('\n')[0]).toContain(
        `Generated from api/main.tsp by \`${by}\``,
      );
    }
  });

  test('leaves no other files', async () => {
    await generate(workspace.project);
    expect((await readdir(join(workspace.project.root, 'generated'))).sort()).toEqual([
      'functions.ts',
      'openapi.json',
      'operations.ts',
      'schema.d.ts',
    ]);
  });

  test('describes each operation for the router and the client', async () => {
    await generate(workspace.project);
    const { operations } = await import(join(workspace.project.root, 'generated/operations.ts'));
    expect(operations).toEqual({
      listArticles: {
        ...{ method: 'get', path: '/articles', status: 200, tag: 'Articles', list: true, secured: true },
        ...{ body: false, defaults: { limit: 20 } },
      },
      createArticle: {
        ...{ method: 'post', path: '/articles', status: 201, tag: 'Articles', list: false, secured: true },
        ...{ body: 'required', defaults: {} },
      },
      countVisit: {
        ...{
          method: 'post',
          path: '/articles/visits',
          status: 204,
          tag: 'Articles',
          list: false,
          secured: false,
        },
        ...{ body: 'optional', defaults: {} },
      },
    });
  });

  test('does not mark a response without a cursor as a list', async () => {
    await workspace.edit('api/main.tsp', '  next?: string;', '  total?: int32;');
    await generate(workspace.project);
    expect(await workspace.read('generated/operations.ts')).toMatch(/listArticles: .* list: false/);
  });

  test('keeps fields with a default optional in the types', async () => {
    await generate(workspace.project);
    expect(await workspace.read('generated/schema.d.ts')).toContain('price?: number;');
  });

  test('touches no file if nothing changed', async () => {
    await generate(workspace.project);
    const times = () =>
      Promise.all(files.map(async (file) => (await stat(join(workspace.project.root, file))).mtimeMs));
    const before = await times();
    expect(await command('generate')).toEqual({ code: 0, output: 'nothing changed\n' });
    expect(await times()).toEqual(before);
  });

  test('writes only the files that an edit affects', async () => {
    const generator = createGenerator(workspace.project);
    await generate(workspace.project, generator);
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(81)');
    expect((await generate(workspace.project, generator)).written).toEqual(['generated/openapi.json']);
  });

  test('reloads an edited script of the contract and its imports within one process', async () => {
    const rule = (name: string) => `export const rule = 'own/${name}';\n`;
    await workspace.write('api/rules/rule.js', rule('first'));
    await workspace.write(
      'api/checks.js',
      `import { rule } from './rules/rule.js';
      export function $onValidate(program) {
        const target = program.getGlobalNamespaceType();
        program.reportDiagnostic({ code: rule, severity: 'warning', message: 'Not so.', target });
      }`,
    );
    await workspace.edit('api/main.tsp', 'using Http;', 'import "./checks.js";\nusing Http;');
    const generator = createGenerator(workspace.project);
    const codes = async () => (await generator.run()).problems.map(({ code }) => code);
    expect(await codes()).toEqual(['own/first']);
    await workspace.write('api/rules/rule.js', rule('second'));
    expect(await codes()).toEqual(['own/second']);
  });
});

describe('a contract with errors', () => {
  test('is reported with its location, and nothing is written', async () => {
    await workspace.edit('api/main.tsp', 'keywords?: Record<string>', 'keywords?: Record<Words>');
    const { problems, written } = await generate(workspace.project);
    expect(written).toEqual([]);
    expect(problems.map(formatProblem)).toEqual([
      'api/main.tsp:27:21 error invalid-ref: Unknown identifier Words',
    ]);
    const { code, output } = await command('generate');
    expect(code).toBe(1);
    expect(output).toContain('api/main.tsp:27:21 error invalid-ref');
    expect(output).toContain('Nothing was written');
  });

  test('is rejected if two operations have the same id', async () => {
    await workspace.edit('api/main.tsp', '"createArticle"', '"listArticles"');
    const { problems } = await generate(workspace.project);
    expect(problems.map(formatProblem).join('\n')).toContain('listArticles');
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
  });

  test('is rejected if an operation has no success response', async () => {
    await workspace.edit('api/main.tsp', '): void | Failure', '): Failure');
    const { problems } = await generate(workspace.project);
    expect(problems.map(formatProblem)).toEqual([
      'api/main.tsp error: POST /articles/visits declares no success response (2xx or 3xx). Declare one.',
    ]);
  });

  test('is reported with a warning if the project has another TypeSpec compiler', async () => {
    const folder = 'node_modules/@typespec/compiler';
    const manifest = { name: '@typespec/compiler', version: '0.1.0', main: 'index.js' };
    await workspace.write(`${folder}/package.json`, JSON.stringify(manifest));
    await workspace.write(`${folder}/index.js`, '');
    const { problems } = await generate(workspace.project);
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^warning compiler-version-mismatch: .* Uninstall @typespec\/compiler, http/),
    ]);
  });

  test('may redirect instead of returning a success response', async () => {
    await workspace.edit(
      'api/main.tsp',
      '): void | Failure',
      '): { @statusCode _: 303; @header location: url } | Failure',
    );
    expect((await generate(workspace.project)).problems).toEqual([]);
    const { operations } = await import(join(workspace.project.root, 'generated/operations.ts'));
    expect(operations.countVisit).toMatchObject({ status: 303, list: false });
  });

  test('is rejected if it does not emit OpenAPI 3.1', async () => {
    await workspace.write('api/tspconfig.yaml', 'emit: []\n');
    const { problems } = await generate(workspace.project);
    expect(problems.map(formatProblem).join()).toMatch(/OpenAPI 3\.0\.0.*openapi-versions: \[3\.1\.0\]/);
  });
});

describe('generate --if-missing', () => {
  test('writes the files if one is missing, and otherwise leaves them unchanged', async () => {
    expect(await command('generate', '--if-missing')).toMatchObject({ code: 0 });
    await workspace.edit('generated/openapi.json', '"maxLength": 80', '"maxLength": 90');
    const edited = await workspace.read('generated/openapi.json');
    expect(await command('generate', '--if-missing')).toEqual({ code: 0, output: '' });
    expect(await workspace.read('generated/openapi.json')).toBe(edited);
    await rm(join(workspace.project.root, 'generated/operations.ts'));
    await command('generate', '--if-missing');
    expect((await command('generate', '--check')).code).toBe(0);
  });
});

describe('generate --check', () => {
  test('accepts the line ends of Git on Windows', async () => {
    await generate(workspace.project);
    for (const file of files) {
      await workspace.write(file, (await workspace.read(file)).replaceAll('\n', '\r\n'));
    }
    expect(await command('generate', '--check')).toMatchObject({ code: 0 });
    expect(await command('generate')).toEqual({ code: 0, output: 'nothing changed\n' });
    await workspace.edit('generated/openapi.json', '"maxLength": 80', '"maxLength": 90');
    expect((await command('generate', '--check')).output).toMatch(/actual: .*"maxLength": 90/);
  });

  test('passes if the files are up to date', async () => {
    await generate(workspace.project);
    expect((await command('generate', '--check')).code).toBe(0);
  });

  test('reports each outdated file with its first differing line and the command that updates it', async () => {
    await generate(workspace.project);
    await workspace.edit('generated/openapi.json', '"maxLength": 80', '"maxLength": 90');
    const before = await workspace.read('generated/openapi.json');
    const line = before.split('\n').findIndex((text) => text.includes('"maxLength": 90')) + 1;
    const { code, output } = await command('generate', '--check');
    expect(code).toBe(1);
    expect(output).toContain(`generated/openapi.json:${line} does not match the contract`);
    expect(output).toMatch(/expected: .*"maxLength": 80/);
    expect(output).toMatch(/actual: .*"maxLength": 90/);
    expect(output).toContain('npm run generate -- --contract api/main.tsp');
    expect(output).not.toContain('schema.d.ts');
    expect(await workspace.read('generated/openapi.json')).toBe(before);
  });

  test('reports missing files', async () => {
    const { code, output } = await command('generate', '--check');
    expect(code).toBe(1);
    for (const file of files) {
      expect(output).toContain(`${file} does not exist`);
    }
  });
});
