import { describe, expect, test } from 'vitest';
import type { Finding, Outcome } from '../../../../spec/toolchain/conform/report/finding.ts';
import { type RunOptions, run } from '../../../../spec/toolchain/conform/run/run.ts';
import { createWire } from '../../../../spec/toolchain/conform/wire/wire.ts';
import type { Contract } from '../../../../spec/toolchain/model/contract/contract.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import type { Plan } from '../../../../spec/toolchain/model/plan/plan.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';
import { type Bug, type Library, libraryTokens, startLibrary } from '../server.ts';
import { libraryDocument } from '../server-document.ts';
import { runOnce } from './run-once.ts';

const contract: Contract = readContract(documentOf('library', libraryDocument));

/** Tests a library, by default with enough requests for all phases before random sequences. */
async function testLibrary(
  library: Library,
  options: Partial<RunOptions> & { limit?: number; timeout?: number } = {},
): Promise<Outcome> {
  const { limit = 400, timeout = 5000, ...more } = options;
  const limits = { maxRequests: limit, maxSeconds: 60 };
  const wireOptions = { url: library.url, tokens: libraryTokens, limits, timeout };
  return await runOnce(wireOptions, { contract, seed: 5, secondToken: true, ...more });
}

const brief = ({ check, operation, message, plan }: Finding) =>
  `${check} at ${operation}: ${message} ${JSON.stringify(plan.steps)}`;

describe('a run against a server with one bug', () => {
  const cases: [bug: Bug, check: string, operation: string, limit: number][] = [
    ['fails for unusual characters', 'no-server-error', 'createShelf', 1],
    ['returns an undeclared status', 'declared-status', 'createShelf', 1],
    ['returns an additional field', 'undeclared-fields', 'getShelf', 2],
    ['omits a required field', 'declared-body', 'getShelf', 2],
    ['returns a field of the wrong type', 'declared-body', 'getBook', 3],
    ['loses created resources', 'read-after-create', 'getShelf', 2],
    ['omits the third item of a list', 'pages-complete', 'listBooks', 8],
    ['repeats the last item of a page', 'pages-complete', 'listBooks', 5],
    ['returns the same cursor again', 'pages-complete', 'listBooks', 8],
    ['keeps deleted resources', 'read-after-delete', 'getShelf', 3],
    ['fails for a second deletion', 'no-server-error', 'deleteShelf', 3],
    ['rejects a second deletion', 'valid-input-accepted', 'deleteShelf', 3],
    ['resets an omitted field in a patch', 'patch-preserves-omitted', 'updateShelf', 3],
    ['ignores patches', 'read-after-update', 'updateShelf', 2],
    ['ignores replacements', 'read-after-update', 'getBook', 4],
    ['stores a different text', 'read-after-create', 'createBook', 2],
    ['allows anonymous reads', 'authentication', 'getBook', 3],
    ['accepts unknown tokens', 'authentication', 'getShelf', 2],
    ['returns resources of other users', 'isolation', 'getShelf', 2],
    ['lists resources of other users', 'isolation', 'listShelves', 2],
    ['lists resources of other parents', 'isolation', 'listBooks', 4],
    ['deletes resources of other users', 'isolation', 'getShelf', 3],
    ['accepts a title that is too long', 'invalid-input-rejected', 'createShelf', 1],
    ['rejects the longest title', 'valid-input-accepted', 'createShelf', 1],
    ['omits the Allow header', 'allow-header', 'getStatus', 2],
    ['accepts any method', 'undeclared-method', 'getStatus', 2],
    ['accepts any media type', 'invalid-input-rejected', 'createShelf', 1],
    ['returns JSON as text', 'declared-media-type', 'getStatus', 3],
    ['omits a required header', 'declared-headers', 'createShelf', 1],
    ['closes connections', 'no-server-error', 'replaceBook', 3],
    ['sends no response', 'no-server-error', 'replaceBook', 3],
  ];

  // Each value of a body is a request of its own.
  const bugsOfValues = new Set<Bug>([
    'fails for unusual characters',
    'accepts a title that is too long',
    'accepts any media type',
  ]);
  const limitsOf = (bug: Bug) => {
    // Requests without a response take long.
    if (bug === 'sends no response') {
      return { limit: 60, timeout: 400 };
    }
    return { limit: bugsOfValues.has(bug) ? 400 : 200 };
  };

  test.each(cases)('reports that the server %s', async (bug, check, operation, limit) => {
    await using library = await startLibrary(bug);
    const { findings } = await testLibrary(library, limitsOf(bug));
    const failures = findings.filter((item) => item.check === check);
    const all = findings.map(brief).join('\n');
    const entry = failures.find(
      (each) => each.operation === operation || each.otherOperations.includes(operation),
    );
    expect(entry, all).toBeDefined();
    expect(entry?.repeatable, all).toBe(true);
    expect(entry?.plan.steps.length, all).toBeLessThanOrEqual(limit);
    expect(entry?.exchanges).toHaveLength(entry?.plan.steps.length ?? -1);
  });
});

test('reports no failure of a conforming server', async () => {
  await using library = await startLibrary();
  const { findings, coverage, undeleted, end } = await testLibrary(library, { limit: 1500 });
  expect(findings.map(brief)).toEqual([]);
  expect(end).toBe('requests');
  expect(undeleted).toEqual([]);
  expect(library.ids()).toEqual([]);
  for (const row of coverage) {
    expect(row.state, row.operation).toBe('tested');
    expect(row.missing, row.operation).toEqual([]);
  }
});

test('reports the same failures and requests for the same seed', async () => {
  const bugs: Bug[] = [
    'accepts a title that is too long',
    'omits the third item of a list',
    'keeps deleted resources',
  ];
  const runs: Outcome[] = [];
  for (let time = 0; time < 2; time += 1) {
    await using library = await startLibrary(...bugs);
    runs.push(await testLibrary(library));
  }
  const [first, second] = runs.map(({ findings }) =>
    findings.map(({ plan, check, cause }) => ({ plan, check, cause })),
  );
  expect(first?.length).toBeGreaterThanOrEqual(3);
  expect(second).toEqual(first);
});

test('shrinks values to the simplest failing ones', async () => {
  await using library = await startLibrary(
    'accepts a title that is too long',
    'fails for unusual characters',
  );
  const { findings } = await testLibrary(library);
  const bodies = findings.flatMap(({ plan }) =>
    plan.steps.map(({ body }) => (body && 'json' in body ? body.json : {})),
  );
  expect(bodies.length).toBeGreaterThanOrEqual(2);
  for (const body of bodies) {
    expect(JSON.stringify(body).length).toBeLessThan(45);
  }
});

test('replays failures, and reports none after a fix', async () => {
  await using broken = await startLibrary('omits the third item of a list');
  const { findings } = await testLibrary(broken);
  const replay: Plan[] = findings.map(({ plan }) => JSON.parse(JSON.stringify(plan)));
  const again = await testLibrary(broken, { replay });
  expect(again.findings.map(({ check, cause }) => [check, cause])).toEqual(
    findings.map(({ check, cause }) => [check, cause]),
  );
  expect(again.end).toBe('complete');
  await using fixed = await startLibrary();
  expect((await testLibrary(fixed, { replay })).findings).toEqual([]);
});

test('tests only the selected operations, and excludes checks', async () => {
  await using library = await startLibrary(
    'returns an undeclared status',
    'ignores replacements',
    'keeps deleted resources',
  );
  const only = await testLibrary(library, { only: '*Book' });
  const tested = only.coverage.map(({ operation }) => operation);
  expect(tested).toEqual(expect.arrayContaining(['createBook', 'getBook', 'replaceBook', 'deleteBook']));
  expect(tested).not.toContain('updateShelf');
  const excluded = await testLibrary(library, {
    excludedChecks: ['read-after-update', 'declared-status'],
  });
  expect(excluded.findings.map(({ check }) => check)).not.toContain('read-after-update');
  expect(excluded.findings.map(({ check }) => check)).not.toContain('declared-status');
  expect(excluded.findings.map(({ check }) => check)).toContain('read-after-delete');
  expect(excluded.excludedChecks).toEqual(['read-after-update', 'declared-status']);
});

test('changes only resources that it created', async () => {
  await using library = await startLibrary();
  const old = [library.addShelf(libraryTokens.own), library.addShelf(libraryTokens.second)];
  await testLibrary(library, { limit: 500 });
  expect(library.ids()).toEqual(old);
  const changed = library.changes.filter(({ path }) => old.some((id) => path.split('/').includes(id)));
  expect(changed).toEqual([]);
});

test('deletes created resources when it is interrupted', async () => {
  await using library = await startLibrary();
  const controller = new AbortController();
  const wire = createWire({ url: library.url, tokens: libraryTokens, limits: {}, signal: controller.signal });
  const outcome = await run({
    contract,
    wire,
    seed: 1,
    excludedChecks: [],
    touchExisting: false,
    secondToken: false,
    progress: { update: () => wire.requests() > 200 && controller.abort(), close: () => {} },
    signal: controller.signal,
  });
  wire.close();
  expect(outcome.end).toBe('interrupted');
  expect(library.ids()).toEqual([]);
});

test('reads existing resources if none can be created, and changes them only if allowed', async () => {
  const { post: _, ...shelves } = libraryDocument.paths['/shelves'];
  const paths = { ...libraryDocument.paths, '/shelves': shelves };
  const older = readContract(documentOf('library', { ...libraryDocument, paths }));
  await using library = await startLibrary();
  const old = library.addShelf(libraryTokens.own);
  const readOnly = await testLibrary(library, { contract: older, limit: 300 });
  const statuses = readOnly.coverage.find(({ operation }) => operation === 'getShelf')?.statuses;
  expect(Object.keys(statuses ?? {})).toContain('200');
  expect(library.ids()).toEqual([old]);
  expect(library.changes.filter(({ path }) => path.includes(old))).toEqual([]);
  await testLibrary(library, { contract: older, limit: 300, touchExisting: true });
  expect(library.changes.filter(({ path }) => path.includes(old))).not.toEqual([]);
});
