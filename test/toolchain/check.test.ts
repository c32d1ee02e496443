import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatResults, generate, runChecks, type Step } from '../../spec/toolchain/main.ts';
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
      'green released',
      'green types',
    ]);
    expect(red).toEqual([]);
  });

  it('names a file that is not formatted, and the command that mends it', async () => {
    await workspace.edit('server/main.ts', "{ id: '1'", "{id: '1'");
    const { red, text } = await check();
    expect(red).toEqual(['format']);
    expect(text).toContain('server/main.ts is not formatted');
    expect(text).toContain('Mend: npm run format');
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
    expect(red).toEqual(['contract', 'features', 'drift', 'released']);
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
    const exitCode = () =>
      new Promise<number | null>((resolve) => {
        const options = { cwd: workspace.project.root };
        const child = execFile(process.execPath, [cli, 'check', '--contract', 'api/main.tsp'], options, () =>
          resolve(child.exitCode),
        );
      });
    expect(await exitCode()).toBe(0);
    await workspace.edit('server/main.ts', "id: '1'", 'id: 1');
    expect(await exitCode()).toBe(1);
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
