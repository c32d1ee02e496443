import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { formatResults, generate, resolveProject, runChecks, steps } from '../../../spec/toolchain/main.ts';
import { createWorkspace, type Workspace } from '../workspace.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await createWorkspace();
  await generate(workspace.project);
  await workspace.write('api/released/openapi.json', await workspace.read('generated/openapi.json'));
});
afterEach(() => workspace.remove());

const released = steps.filter(({ name }) => name === 'released');

/** Runs the step and returns its report. */
async function check(): Promise<string> {
  return formatResults(await runChecks(workspace.project, released));
}

const approval = { operation: '*', location: '*: title', reason: 'Titles are short.', release: '2.0.0' };

describe('the step "released"', () => {
  test('is green while the contract is compatible with the release', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@minLength(0)\n  @maxLength(80)');
    expect(await check()).toMatch(/^green released/);
  });

  test('reports breaking changes with the reason and the fix', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    const text = await check();
    expect(text).toContain('── released: The contract breaks its last release, 2.0.0, at ');
    expect(text).toMatch(/request body: title: maxLength changed from 80 to 40\./);
    expect(text).toMatch(
      /Fix: Run .*diff -- api\/released\/openapi\.json .*approve it in api\/released\/approvals\.yaml/,
    );
    expect(text).toMatch(/^red {3}released/m);
  });

  test('is green only if the breaking change is approved for this release', async () => {
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    await workspace.write('api/released/approvals.yaml', stringify({ approvals: [approval] }));
    expect(await check()).toMatch(/^green released/);
    const { location: where, ...rest } = approval;
    await workspace.write('api/released/approvals.yaml', stringify({ approvals: [{ ...rest, where }] }));
    expect(await check(), 'with the previous name of the field').toMatch(/^green released/);
    await workspace.write(
      'api/released/approvals.yaml',
      stringify({ approvals: [{ ...approval, release: '1.0.0' }] }),
    );
    expect(await check()).toMatch(/^red {3}released/m);
  });

  test.each([
    ['has expired', { release: '1.0.0' }, 'has expired: it was for release 1.0.0'],
    ['is unused', {}, 'matches no breaking or risky change'],
  ])('is red if an approval %s', async (_name, more, message) => {
    await workspace.write(
      'api/released/approvals.yaml',
      stringify({ approvals: [{ ...approval, ...more }] }),
    );
    const text = await check();
    expect(text).toContain('── released: api/released/approvals.yaml contains 1 unused approval.');
    expect(text).toContain(message);
    expect(text).toContain('Fix: Remove these entries from api/released/approvals.yaml');
    expect(text).toMatch(/^red {3}released/m);
  });

  test('accepts another folder for the last release', async () => {
    await rename(join(workspace.project.root, 'api/released'), join(workspace.project.root, 'last'));
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    const { root, contract } = workspace.project;
    const project = resolveProject({ root, contract, released: 'last' });
    const results = await runChecks(project, released);
    expect(formatResults(results)).toContain('diff -- last/openapi.json');
  });

  test('is red if the approvals are unreadable', async () => {
    await workspace.write('api/released/approvals.yaml', 'approvals: [{}]');
    expect(await check()).toContain('has no "operation"');
  });

  test('is skipped without a release', async () => {
    await rm(join(workspace.project.root, 'api/released'), { recursive: true });
    await workspace.edit('api/main.tsp', '@maxLength(80)', '@maxLength(40)');
    expect(await check()).toMatch(/^skip {2}released .*no release to compare with/);
  });
});
