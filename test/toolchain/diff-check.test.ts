import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatResults, generate, runChecks, steps } from '../../spec/toolchain/main.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  await generate(workspace.project);
  await workspace.write('api/released/openapi.json', await workspace.read('generated/openapi.json'));
});
afterEach(() => workspace.remove());

/** What the step over the last release says of the contract. */
async function check(): Promise<string> {
  const results = await runChecks(
    workspace.project,
    steps.filter(({ name }) => name === 'released'),
  );
  return formatResults(results);
}

const approval = { operation: '*', where: '*: title', reason: 'Titles are short.', release: '2.0.0' };

describe('the step over the last release', () => {
  it('is green while the contract keeps what was released', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@minLength(0)\n  @maxLength(80)');
    expect(await check()).toMatch(/^green released/);
  });

  it('names what the contract breaks, why, and what to do', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    const text = await check();
    expect(text).toContain('── released: The contract breaks its last release, 2.0.0, at ');
    expect(text).toMatch(/request body: title: maxLength changed from 80 to 40\./);
    expect(text).toMatch(
      /Mend: .*diff api\/released\/openapi\.json .*A break that is meant goes into api\/released\/approvals\.yaml/,
    );
    expect(text).toMatch(/^red {3}released/m);
  });

  it('is green when the break is approved for this release, and only then', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    await workspace.write('api/released/approvals.yaml', stringify({ approvals: [approval] }));
    expect(await check()).toMatch(/^green released/);
    await workspace.write(
      'api/released/approvals.yaml',
      stringify({ approvals: [{ ...approval, release: '1.0.0' }] }),
    );
    expect(await check()).toMatch(/^red {3}released/m);
  });

  it('is red when the ledger cannot be read', async () => {
    await workspace.write('api/released/approvals.yaml', 'approvals: [{}]');
    expect(await check()).toContain('has no "operation"');
  });

  it('is green when nothing was released yet', async () => {
    await rm(join(workspace.project.root, 'api/released'), { recursive: true });
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    expect(await check()).toMatch(/^green released/);
  });
});
