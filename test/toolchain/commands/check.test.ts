import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  formatResults,
  generate,
  resolveProject,
  runChecks,
  type Step,
  steps,
} from '../../../spec/toolchain/main.ts';
import { runCommand, SCRIPTS } from '../run-command.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

const cli = join(import.meta.dirname, '../../..', 'spec', 'toolchain', 'cli.ts');

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

/** Steps that do not run Biome, which takes half of the CPU time of a check. */
const OWN_STEPS = steps.filter(({ name }) => !['format', 'lint'].includes(name));

/** Names of the red steps, and the complete text. */
async function check(selected?: readonly Step[]): Promise<{ red: string[]; text: string }> {
  const results = await runChecks(workspace.project, selected);
  return {
    red: results.filter(({ failure }) => failure).map(({ name }) => name),
    text: formatResults(results),
  };
}

describe('check', () => {
  test('prints a green line for each step if nothing is wrong', async () => {
    const { red, text } = await check();
    expect(text.split('\n').map((line) => line.replace(/ +[\d.]+ s$/, ''))).toEqual([
      'green format',
      'green contract format',
      'green lint',
      'green contract',
      'green served',
      'green features',
      'green drift',
      'green generated types',
      'skip  released              –    no release to compare with: api/released/openapi.json does not exist',
      'green types',
    ]);
    expect(red).toEqual([]);
  });

  test('reports an unformatted file and the command that formats it', async () => {
    await workspace.edit('server/main.ts', "{ id: '1'", "{id: '1'");
    const { red, text } = await check();
    expect(red).toEqual(['format']);
    expect(text).toContain('server/main.ts is not formatted');
    expect(text).toContain('Fix: npx biome format --write .');
  });

  test('reports an unformatted TypeSpec file', async () => {
    await workspace.edit('api/main.tsp', '  id: string;', '    id: string;');
    const { red, text } = await check();
    expect(red).toEqual(['contract format']);
    expect(text).toContain('api/main.tsp is not formatted');
    expect(text).toMatch(/^Fix: .*npx tsp format "api\/\*\*\/\*\.tsp"/m);
  });

  test('reports lint errors with their location and rule', async () => {
    await workspace.edit('server/main.ts', "title: 'Lamp' }", "title: 'Lamp' as any }");
    const { red, text } = await check();
    expect(red).toEqual(['lint']);
    expect(text).toMatch(/^server\/main\.ts:3:\d+ error lint\/suspicious\/noExplicitAny: /m);
  });

  /** Adds a rule to the contract that reports a warning. */
  async function addWarning(): Promise<void> {
    await workspace.write(
      'api/checks.js',
      `export function $onValidate(program) {
  const target = program.getGlobalNamespaceType();
  program.reportDiagnostic({ code: 'own/rule', severity: 'warning', message: 'Not like that.', target });
}
`,
    );
    await workspace.edit('api/main.tsp', '\nusing Http;', 'import "./checks.js";\n\nusing Http;');
  }

  test('treats warnings of the contract as errors', async () => {
    await addWarning();
    const { red, text } = await check(OWN_STEPS);
    expect(red).toEqual(['contract']);
    expect(text).toContain('warning own/rule: Not like that.');
    expect(text).toContain('can be approved in api/released/approvals.yaml with a reason');
  });

  test('reports a slow pattern with a text that takes long, unless it is approved', async () => {
    await workspace.edit('api/main.tsp', '  title: string;', '  @pattern("^(a|a)*$") title: string;');
    await generate(workspace.project);
    const contract = steps.filter(({ name }) => name === 'contract');
    const { red, text } = await check(contract);
    expect(red).toEqual(['contract']);
    expect(text).toMatch(
      /api\/main\.tsp warning slow-pattern: #\/components\/schemas\/Article\/properties\/title\/pattern: .*'a'\.repeat/,
    );
    const approval = { message: '*exponential*', reason: 'Of another team.', release: '2.0.0' };
    await workspace.write('api/released/approvals.yaml', stringify({ warnings: [approval] }));
    expect((await check(contract)).red).toEqual([]);
  });

  describe('with approved warnings', () => {
    const approve = (...warnings: object[]) =>
      workspace.write('api/released/approvals.yaml', stringify({ warnings }));
    const approval = { message: 'Not like *.', reason: 'Not our contract.', release: '2.0.0' };

    test('is green while the contract has the approved version', async () => {
      await addWarning();
      await approve(approval);
      expect((await check(OWN_STEPS)).red).toEqual([]);
      await workspace.write('api/released/openapi.json', await workspace.read('generated/openapi.json'));
      expect((await check(OWN_STEPS)).red).toEqual([]);
    });

    test('reports approvals that have expired or match nothing', async () => {
      await addWarning();
      await approve({ ...approval, release: '1.0.0' });
      const expired = await check(OWN_STEPS);
      expect(expired.red).toEqual(['contract']);
      expect(expired.text).toContain('warning own/rule: Not like that.');
      expect(expired.text).toContain(
        'Approval of the warning "Not like *." has expired: it was for version 1.0.0 of the contract, not 2.0.0.',
      );
      await approve(approval, { ...approval, location: 'api/other.tsp' });
      const unused = await check(OWN_STEPS);
      expect(unused.red).toEqual(['contract']);
      expect(unused.text).toContain('api/released/approvals.yaml contains 1 unused approval.');
      expect(unused.text).toContain('Approval of the warning "Not like *." matches no warning.');
    });

    test('still reports errors, and entries without a reason', async () => {
      await approve({ ...approval, message: '*' });
      await workspace.edit('api/main.tsp', '"createArticle"', '"listArticles"');
      expect((await check(OWN_STEPS)).red).toContain('contract');
      await workspace.edit(
        'api/main.tsp',
        '@operationId("listArticles")\n  @post',
        '@operationId("createArticle")\n  @post',
      );
      await approve({ message: '*', release: '2.0.0' });
      const args = ['check', '--contract', 'api/main.tsp', '--released', 'api/released'];
      const { code, err } = await runCommand(SCRIPTS, workspace.project.root, args);
      expect({ code, err }).toEqual({
        code: 2,
        err: 'error: api/released/approvals.yaml: entry 1 of "warnings" has no "reason". State why it is intended.\n',
      });
    });
  });

  test('reports an error of the contract once, with its location', async () => {
    await workspace.edit('api/main.tsp', 'keywords?: Record<string>', 'keywords?: Record<Words>');
    const { red, text } = await check(OWN_STEPS);
    expect(red).toEqual(['contract', 'features', 'drift']);
    expect(text.match(/api\/main\.tsp:27:21 error invalid-ref/g)).toHaveLength(1);
    expect(text).toContain('Fix: Fix the step "contract" first.');
  });

  test('reports an unsupported OpenAPI feature', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@format("iso-7")\n  @maxLength(80)');
    await generate(workspace.project);
    const { red, text } = await check(OWN_STEPS);
    expect(red).toEqual(['features']);
    expect(text).toContain('#/components/schemas/Article/properties/title/format has the format "iso-7"');
  });

  test('reports generated files that do not match the contract', async () => {
    await workspace.edit('generated/operations.ts', 'status: 201', 'status: 200');
    const { red, text } = await check(OWN_STEPS);
    expect(red).toEqual(['drift']);
    expect(text).toMatch(/generated\/operations\.ts:\d+ does not match the contract/);
    expect(text).toContain('Fix: Run npm run generate -- --contract api/main.tsp');
  });

  test('reports type errors with their locations', async () => {
    await workspace.edit('server/main.ts', "id: '1'", 'id: 1');
    const { red, text } = await check(OWN_STEPS);
    expect(red).toEqual(['types']);
    expect(text).toMatch(/^server\/main\.ts:3:\d+ error TS2322: /m);
  });

  test('exits with 0, 1 or 2', async () => {
    const args = ['check', '--contract', 'api/main.tsp'];
    const { root } = workspace.project;
    const exitCode = async (...more: string[]) => (await runCommand(SCRIPTS, root, [...args, ...more])).code;
    expect(await exitCode('--tsconfig', 'none.json')).toBe(2);
    expect(await exitCode('--released', 'none')).toBe(2);
    expect(await exitCode()).toBe(0);
    await workspace.edit('server/main.ts', "id: '1'", 'id: 1');
    // As a process: CI reads its exit code.
    await expect(promisify(execFile)(process.execPath, [cli, ...args], { cwd: root })).rejects.toMatchObject({
      code: 1,
    });
  });

  test('skips steps that do not apply to the project, with the reason', async () => {
    await rm(join(workspace.project.root, '.biome.json'));
    await rm(join(workspace.project.root, 'tsconfig.json'));
    const { red, text } = await check();
    expect(red).toEqual([]);
    const skipped = text.split('\n').filter((line) => line.startsWith('skip '));
    expect(skipped.map((line) => line.replace(/ +– +/, ': '))).toEqual([
      `skip  format: there is no biome.json in ${workspace.project.root}`,
      `skip  lint: there is no biome.json in ${workspace.project.root}`,
      'skip  released: no release to compare with: api/released/openapi.json does not exist',
      'skip  types: tsconfig.json does not exist, so there is no code to check',
    ]);
  });

  test('accepts each name of the Biome configuration file', async () => {
    const config = await workspace.read('.biome.json');
    await rm(join(workspace.project.root, '.biome.json'));
    await workspace.write('biome.jsonc', `// Comment.\n${config}`);
    await workspace.edit('server/main.ts', "{ id: '1'", "{id: '1'");
    expect((await check()).red).toEqual(['format']);
  });

  test('skips the checks of TypeSpec and of server features if the contract is an OpenAPI document', async () => {
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

  test('is red if a step does not complete', async () => {
    const step: Step = {
      name: 'broken',
      run: async () => {
        throw new Error('no such tool');
      },
    };
    const results = await runChecks(workspace.project, [step]);
    expect(formatResults(results)).toMatch(
      /broken: The step did not complete[\s\S]*no such tool[\s\S]*red {3}broken/,
    );
  });
});
