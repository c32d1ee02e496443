import { expect, test } from 'vitest';
import type { Outcome } from '../../../../spec/toolchain/conform/report/finding.ts';
import { run } from '../../../../spec/toolchain/conform/run/run.ts';
import { createWire } from '../../../../spec/toolchain/conform/wire/wire.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { garageDocument, garageKey, startGarage } from '../server-other.ts';

const contract = readContract(documentOf('garage', garageDocument));

async function testGarage(url: URL, limit: number): Promise<Outcome> {
  const wire = createWire({
    url,
    tokens: { own: garageKey },
    limits: { maxRequests: limit, maxSeconds: 60 },
  });
  const progress = { update: () => {}, close: () => {} };
  const { signal } = new AbortController();
  const options = { excludedChecks: [], touchExisting: false, secondToken: false, progress, signal };
  try {
    return await run({ contract, wire, seed: 3, ...options });
  } finally {
    wire.close();
  }
}

test('reports no failure of a conforming server of another kind, and deletes created resources', async () => {
  await using garage = await startGarage();
  const { findings, coverage, undeleted } = await testGarage(garage.url, 1000);
  expect(
    findings.map(({ check, message, plan }) => `${check} ${message} ${JSON.stringify(plan.steps)}`),
  ).toEqual([]);
  for (const row of coverage) {
    expect(row.missing, row.operation).toEqual([]);
  }
  expect(undeleted).toEqual([]);
  expect(garage.count()).toBe(0);
});

test('reports an incomplete page of a list with offsets', async () => {
  await using garage = await startGarage('omits the last item of a page');
  const { findings } = await testGarage(garage.url, 300);
  const failures = findings.map(({ check, operation }) => `${check} ${operation}`);
  expect(failures).toContain('list-contains-created GET /api/customers');
});

test('reports an update without effect, even if writes return no body', async () => {
  await using garage = await startGarage('ignores updates');
  const { findings } = await testGarage(garage.url, 300);
  const failure = findings.find(({ check }) => check === 'read-after-update');
  expect(failure?.plan.steps.map(({ operation }) => operation)).toEqual([
    'POST /api/customers',
    'PUT /api/customers/{customer_id}',
    'GET /api/customers/{customer_id}',
  ]);
});
