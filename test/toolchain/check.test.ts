import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatResults, generate, resolveProject, runChecks, type Step } from '../../spec/toolchain/main.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

const cli = join(import.meta.dirname, '..', '..', 'spec', 'toolchain', 'cli.ts');

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  await workspace.write(
    'server/main.ts',
    `import type { components } from '../generated/schema.d.ts';

export const article: components['schemas']['Article'] = { id: '1', title: 'Lamp' };
`,
  );
  await generate(workspace.project);
});
afterEach(() => workspace.remove());

/** The names of the red steps, and the whole text. */
async function check(): Promise<{ red: string[]; text: string }> {
  const results = await runChecks(workspace.project);
  return {
    red: results.filter(({ failure }) => failure).map(({ name }) => name),
    text: formatResults(results),
  };
}

describe('check', () => {
  it('is green, with a line for each step, when all fits', async () => {
    const { red, text } = await check();
    expect(text.split('\n').map((line) => line.replace(/ +[\d.]+ s$/, ''))).toEqual([
      'green format',
      'green contract format',
      'green lint',
      'green contract',
      'green features',
      'green drift',
      'skip  released              –    nothing was released: there is no api/released/openapi.json',
      'green types',
    ]);
    expect(red).toEqual([]);
  });

  it('names a file that is not formatted, and the command that mends it', async () => {
    await workspace.edit('server/main.ts', "{ id: '1'", "{id: '1'");
    const { red, text } = await check();
    expect(red).toEqual(['format']);
    expect(text).toContain('server/main.ts is not formatted');
    expect(text).toContain('Mend: npx biome format --write .');
  });

  it('names a TypeSpec file that is not formatted', async () => {
    await workspace.edit('api/main.tsp', '  id: string;', '    id: string;');
    const { red, text } = await check();
    expect(red).toEqual(['contract format']);
    expect(text).toContain('api/main.tsp is not formatted');
    expect(text).toMatch(/^Mend: .*npx tsp format "api\/\*\*\/\*\.tsp"/m);
  });

  it('names what the linter finds, with its place and rule', async () => {
    await workspace.edit('server/main.ts', "title: 'Lamp' }", "title: 'Lamp' as any }");
    const { red, text } = await check();
    expect(red).toEqual(['lint']);
    expect(text).toMatch(/^server\/main\.ts:3:\d+ error lint\/suspicious\/noExplicitAny: /m);
  });

  it('counts warnings of the contract as faults', async () => {
    await workspace.write(
      'api/checks.js',
      `export function $onValidate(program) {
  const target = program.getGlobalNamespaceType();
  program.reportDiagnostic({ code: 'own/rule', severity: 'warning', message: 'Not like that.', target });
}
`,
    );
    await workspace.edit('api/main.tsp', '\nusing Http;', 'import "./checks.js";\n\nusing Http;');
    const { red, text } = await check();
    expect(red).toEqual(['contract']);
    expect(text).toContain('warning own/rule: Not like that.');
  });

  it('says where the contract has an error, once', async () => {
    await workspace.edit('api/main.tsp', 'keywords?: Record<string>', 'keywords?: Record<Words>');
    const { red, text } = await check();
    expect(red).toEqual(['contract', 'features', 'drift']);
    expect(text.match(/api\/main\.tsp:27:21 error invalid-ref/g)).toHaveLength(1);
    expect(text).toContain('Mend: Mend the step "contract" first.');
  });

  it('refuses a feature that nothing handles', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@format("iso-7")\n  @maxLength(80)');
    await generate(workspace.project);
    const { red, text } = await check();
    expect(red).toEqual(['features']);
    expect(text).toContain('#/components/schemas/Article/properties/title/format has the format "iso-7"');
  });

  it('notices generated files that do not follow from the contract', async () => {
    await workspace.edit('generated/operations.ts', 'status: 201', 'status: 200');
    const { red, text } = await check();
    expect(red).toEqual(['drift']);
    expect(text).toMatch(/generated\/operations\.ts:\d+ differs/);
    expect(text).toContain('Mend: npm run generate -- --contract api/main.tsp');
  });

  it('names type errors with their places', async () => {
    await workspace.edit('server/main.ts', "id: '1'", 'id: 1');
    const { red, text } = await check();
    expect(red).toEqual(['types']);
    expect(text).toMatch(/^server\/main\.ts:3:\d+ error TS2322: /m);
  });

  it('tells by its exit code', async () => {
    const exitCode = (...more: string[]) =>
      new Promise<number | null>((resolve) => {
        const args = [cli, 'check', '--contract', 'api/main.tsp', ...more];
        const child = execFile(process.execPath, args, { cwd: workspace.project.root }, () =>
          resolve(child.exitCode),
        );
      });
    expect(await exitCode('--tsconfig', 'none.json')).toBe(2);
    expect(await exitCode('--released', 'none')).toBe(2);
    expect(await exitCode()).toBe(0);
    await workspace.edit('server/main.ts', "id: '1'", 'id: 1');
    expect(await exitCode()).toBe(1);
  });

  it('skips what the project has nothing for, and says why', async () => {
    await rm(join(workspace.project.root, '.biome.json'));
    await rm(join(workspace.project.root, 'tsconfig.json'));
    const { red, text } = await check();
    expect(red).toEqual([]);
    const skipped = text.split('\n').filter((line) => line.startsWith('skip '));
    expect(skipped.map((line) => line.replace(/ +– +/, ': '))).toEqual([
      `skip  format: there is no biome.json in ${workspace.project.root}`,
      `skip  lint: there is no biome.json in ${workspace.project.root}`,
      'skip  released: nothing was released: there is no api/released/openapi.json',
      'skip  types: there is no tsconfig.json, so no code is typed against the contract',
    ]);
  });

  it('looks at the settings of biome under each of their names', async () => {
    const settings = await workspace.read('.biome.json');
    await rm(join(workspace.project.root, '.biome.json'));
    await workspace.write('biome.jsonc', `// Ours.\n${settings}`);
    await workspace.edit('server/main.ts', "{ id: '1'", "{id: '1'");
    expect((await check()).red).toEqual(['format']);
  });

  it('leaves what a server handles to the server, and TypeSpec alone, where the contract is a document', async () => {
    const document = JSON.parse(await workspace.read('generated/openapi.json'));
    await workspace.write('api/openapi.yaml', stringify(document));
    const project = resolveProject({
      root: workspace.project.root,
      contract: 'api/openapi.yaml',
      tool: 'npx colophon',
    });
    await generate(project);
    const results = await runChecks(project);
    expect(results.filter(({ failure }) => failure)).toEqual([]);
    expect(results.filter(({ skipped }) => skipped).map(({ name }) => name)).toEqual([
      'contract format',
      'features',
      'released',
    ]);
  });

  it('is red when a step cannot run to its end', async () => {
    const step: Step = {
      name: 'broken',
      run: async () => {
        throw new Error('no such tool');
      },
    };
    const results = await runChecks(workspace.project, [step]);
    expect(formatResults(results)).toMatch(
      /broken: The step could not run[\s\S]*no such tool[\s\S]*red {3}broken/,
    );
  });
});
