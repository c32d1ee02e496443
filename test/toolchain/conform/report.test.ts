import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../../spec/toolchain/conform/report/context.ts';
import type { Finding, OperationCoverage, Outcome } from '../../../spec/toolchain/conform/report/finding.ts';
import { htmlReport } from '../../../spec/toolchain/conform/report/html.ts';
import { jsonReport } from '../../../spec/toolchain/conform/report/json.ts';
import { junitReport } from '../../../spec/toolchain/conform/report/junit.ts';
import { createProgress } from '../../../spec/toolchain/conform/report/progress.ts';
import { readReplay, writeReplay } from '../../../spec/toolchain/conform/report/replay.ts';
import { textReport } from '../../../spec/toolchain/conform/report/text.ts';
import type { Clock } from '../../../spec/toolchain/conform/wire/clock.ts';
import { readResponse } from '../../../spec/toolchain/conform/wire/response.ts';
import type { Contract } from '../../../spec/toolchain/model/contract/contract.ts';
import type { Plan, Step } from '../../../spec/toolchain/model/plan/plan.ts';
import { UsageError } from '../../../spec/toolchain/usage-error.ts';

const contract: Contract = {
  title: 'Widgets & more',
  version: '2',
  components: {},
  operations: [
    {
      id: 'createWidget',
      method: 'POST',
      path: '/widgets',
      parameters: [],
      body: undefined,
      responses: {},
      security: [[{ name: 'token', kind: 'bearer' }]],
      deprecated: false,
    },
  ],
};
const context: Context = {
  contract,
  url: 'http://127.0.0.1:1',
  curlArguments: [],
  command: 'colophon conform --seed 7',
};

const body = { mediaType: 'application/json', json: { title: '\u0000<]]>&"' }, references: [] };
const plan: Plan = {
  title: 'create',
  steps: [{ operation: 'createWidget', caller: 'own', path: {}, query: [], headers: [], body }],
};
const finding: Finding = {
  operation: 'createWidget',
  check: 'no-server-error',
  message: 'POST /widgets returned 500 for a valid request.',
  expected: 'Servers reject requests with 4xx.',
  cause: 'status 500 at createWidget',
  plan,
  exchanges: [
    {
      request: {
        method: 'POST',
        target: '/widgets',
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify(body.json),
        caller: 'own',
      },
      response: readResponse(
        'POST',
        500,
        { 'content-type': 'text/plain', 'set-cookie': 'secret=1' },
        Buffer.from('\u001b[31mbroken <b>'),
      ),
      milliseconds: 3,
    },
  ],
  seed: 7,
  otherOperations: ['updateWidget'],
  repeatable: true,
};
const covered = (operation: string, more: Partial<OperationCoverage> = {}): OperationCoverage => ({
  operation,
  method: 'GET',
  path: `/${operation}`,
  state: 'tested',
  statuses: {},
  missing: [],
  parameters: {},
  pairs: { tried: 0, total: 0 },
  inconclusive: 0,
  ...more,
});
const outcome: Outcome = {
  findings: [finding],
  coverage: [
    covered('createWidget', {
      statuses: { 500: 1, 201: 12 },
      missing: ['202'],
      parameters: { limit: { valid: 3, invalid: 4 }, body: { valid: 1, invalid: 0 } },
      pairs: { tried: 3, total: 8 },
      inconclusive: 2,
    }),
    covered('getWidget', { statuses: { 200: 1 } }),
    covered('mergeWidgets', { state: 'not-implemented', statuses: { 501: 1 } }),
    covered('getPart', { state: 'not-tested', reason: 'no operation creates a part' }),
  ],
  seed: 7,
  end: 'requests',
  requests: 20,
  milliseconds: 1234,
  excludedChecks: ['allow-header'],
  limitations: ['getWidget: bodies of application/xml, which cannot be generated'],
  undeleted: ['DELETE /widgets/1'],
};

describe('the text report', () => {
  const lines = textReport(outcome, context).split('\n');

  test('shows request, response and expected behavior of a failure, and how to reproduce it', () => {
    const from = lines.indexOf('1. createWidget: no-server-error');
    expect(lines.slice(from, from + 9)).toEqual([
      '1. createWidget: no-server-error',
      '   POST /widgets returned 500 for a valid request.',
      '   Expected: Servers reject requests with 4xx.',
      '   Also affects: updateWidget',
      '   Plan: create',
      '     1. POST /widgets {"title":"\\u0000<]]>&\\""}',
      '        → 500 \\u001b[31mbroken <b>',
      '   Reproduce in bash:',
      `     curl -sS --globoff --path-as-is -X POST -H 'Content-Type: application/json' -H "Authorization: Bearer $TOKEN" --data-raw '{"title":"\\u0000<]]>&\\""}' http://127.0.0.1:1/widgets`,
    ]);
  });

  test('shows the coverage', () => {
    const text = lines.join('\n');
    expect(text).toContain('4 operations: 2 tested, 2 with a success, 1 not implemented, 1 not tested.');
    expect(lines).toContain('  createWidget  201×12 500×1 no 202  3/8    limit 3/4, body 1/0');
    expect(lines).toContain('  getWidget     200×1');
    expect(text).toContain('Not implemented (501, not a failure)\n  mergeWidgets');
    expect(text).toContain('Not tested\n  getPart: no operation creates a part');
    expect(text).toContain('createWidget: 2');
    expect(text).toContain('Excluded checks\n  allow-header');
    expect(text).toContain('could not be deleted\n  DELETE /widgets/1');
    expect(text).toContain('The request limit was reached: 20 requests in 1.2 s.');
    expect(lines.slice(-2)).toEqual(['1 failure.', 'Repeat this run (seed 7): colophon conform --seed 7']);
  });

  test('contains no control characters and no cookie', () => {
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(lines.join('')).not.toContain('secret=1');
  });

  test('states that there are no failures', () => {
    expect(textReport({ ...outcome, findings: [] }, context)).toContain('No failures.');
  });
});

test('the JSON report has failures and coverage', () => {
  const report = JSON.parse(jsonReport(outcome, context));
  expect(report.failures).toHaveLength(1);
  expect(report.failures[0]).toMatchObject({
    operation: 'createWidget',
    check: 'no-server-error',
    message: finding.message,
    expected: finding.expected,
    seed: 7,
    otherOperations: ['updateWidget'],
    steps: [
      {
        caller: 'own',
        request: { method: 'POST', target: '/widgets' },
        response: { status: 500, headers: { 'content-type': 'text/plain' } },
      },
    ],
  });
  expect(report.failures[0].curl).toHaveLength(1);
  expect(report.coverage).toEqual(outcome.coverage);
  expect(report).toMatchObject({
    seed: 7,
    end: 'requests',
    requests: 20,
    notImplemented: ['mergeWidgets'],
    notTested: ['getPart'],
  });
  expect(JSON.stringify(report)).not.toContain('secret=1');
});

test('the JUnit report has a case for each operation, and is XML', () => {
  const xml = junitReport(
    { ...outcome, findings: [finding, { ...finding, operation: 'unheardOf', message: 'a\nb\uffff\ud800' }] },
    context,
  );
  expect(xml).toContain(
    '<testsuite name="conform Widgets &amp; more" tests="5" failures="2" errors="0" skipped="2" time="1.234">',
  );
  expect(xml).toContain('<testcase classname="GET /getWidget" name="getWidget"/>');
  expect(xml).toContain('<skipped message="returns 501: not implemented"/>');
  expect(xml).toContain('<skipped message="no operation creates a part"/>');
  expect(xml).toContain('<failure type="no-server-error" message="a&#10;b\\uffff\ufffd">');
  expect(xml).toContain('broken &lt;b&gt;');
  expect(xml.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\uffff]/u);
  // Every element is closed, in order.
  const open: string[] = [];
  for (const [, close, name, alone] of xml.matchAll(/<(\/?)([a-z]+)(?:"[^"]*"|[^>"])*?(\/?)>/g)) {
    if (close) {
      expect(open.pop()).toBe(name);
    } else if (!alone && name) {
      open.push(name);
    }
  }
  expect(open).toEqual([]);
});

describe('progress', () => {
  /** Clock that is advanced manually. */
  class ManualClock implements Clock {
    #now = 0;
    #waiting: { at: number; call: () => void }[] = [];
    now = () => this.#now;
    after(milliseconds: number, call: () => void): () => void {
      const item = { at: this.#now + milliseconds, call };
      this.#waiting.push(item);
      return () => {
        this.#waiting = this.#waiting.filter((other) => other !== item);
      };
    }
    pass(milliseconds: number): void {
      const end = this.#now + milliseconds;
      for (;;) {
        const next = this.#waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) {
          break;
        }
        this.#waiting = this.#waiting.filter((other) => other !== next);
        this.#now = next.at;
        next.call();
      }
      this.#now = end;
    }
  }
  const started = (live: boolean, columns = 80) => {
    const clock = new ManualClock();
    const written: string[] = [];
    const state = { requests: 0 };
    const write = (text: string) => void written.push(text);
    const progress = createProgress({
      write,
      live,
      columns,
      clock,
      requests: () => state.requests,
      maxSeconds: 60,
    });
    return { clock, written, state, progress };
  };

  test('is a plain line every five seconds without a terminal', () => {
    const { clock, written, state, progress } = started(false);
    progress.update({ phase: 'sequences', operation: 'getWidget', failures: 1 });
    state.requests = 50;
    clock.pass(4_999);
    expect(written).toEqual([]);
    clock.pass(1);
    state.requests = 150;
    clock.pass(5_000);
    expect(written).toEqual([
      'sequences · getWidget · 50 requests · 10/s · 1 failure · 55 s left\n',
      'sequences · getWidget · 150 requests · 20/s · 1 failure · 50 s left\n',
    ]);
    progress.close();
    clock.pass(60_000);
    expect(written).toHaveLength(2);
  });

  test('is one live line on a terminal, truncated to its width and removed at the end', () => {
    const { clock, written, progress } = started(true, 20);
    progress.update({ phase: 'a phase with a long name' });
    clock.pass(100);
    progress.close();
    expect(written).toEqual(['\ra phase with a lon…\u001b[K', '\r\u001b[K']);
  });
});

describe('replay files', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'replay-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('return the saved plans', async () => {
    const file = join(folder, 'replay.json');
    const reference = { step: 0, from: '/id' };
    const rich: Step = {
      operation: 'getWidget',
      caller: 'malformed',
      path: { id: reference },
      query: [['a', reference]],
      headers: [['b', 'c']],
      body: { mediaType: 'application/json', json: [1], references: [{ at: [0], value: reference }] },
      fault: { name: 'x', kind: 'input', method: 'FOO', rawPath: { id: '%' }, rawQuery: { a: '%' } },
    };
    const plans = [{ title: 'two', steps: [...plan.steps, rich] }];
    await writeReplay(
      file,
      { ...outcome, findings: plans.map((item) => ({ ...finding, plan: item })) },
      contract,
    );
    expect(await readReplay(file)).toEqual({
      contract: { title: 'Widgets & more', version: '2' },
      seed: 7,
      plans,
    });
    expect(JSON.parse(await readFile(file, 'utf8')).version).toBe(1);
  });

  const good = { version: 1, contract: { title: 'a', version: 'b' }, seed: 1, plans: [plan] };
  const withStep = (more: object) => ({
    ...good,
    plans: [{ title: '', steps: [{ ...plan.steps[0], ...more }] }],
  });
  test.each<[string, unknown, string]>([
    ['an array', [1], 'it is not an object'],
    ['another version', { ...good, version: 2 }, 'its version is 2, not 1'],
    ['no contract', { ...good, contract: {} }, 'it has no contract'],
    ['no seed', { ...good, seed: 'x' }, 'it has no seed'],
    ['no plans', { ...good, plans: {} }, 'it has no plans'],
    [
      'a plan without steps',
      { ...good, plans: [{ title: '' }] },
      'plan 1: the title or the list of steps is missing',
    ],
    ['a step with an unknown caller', withStep({ caller: 'me' }), 'step 1 has an unknown caller'],
    [
      'a reference to a later step',
      withStep({ path: { id: { step: 0, from: '' } } }),
      'step 1 has an invalid path',
    ],
    ['an invalid query', withStep({ query: [['a']] }), 'step 1 has an invalid query'],
    ['an invalid body', withStep({ body: { mediaType: 'x' } }), 'step 1 has an invalid body'],
    ['an invalid fault', withStep({ fault: { name: 'x', kind: 'y' } }), 'step 1 has an invalid fault'],
  ])('are rejected with %s', async (_, content, message) => {
    const file = join(folder, 'bad.json');
    await writeFile(file, JSON.stringify(content));
    const error = await readReplay(file).catch((error) => error);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(message);
  });

  test('are reported if they cannot be read or written', async () => {
    await expect(readReplay(join(folder, 'none.json'))).rejects.toThrow('no such file');
    await expect(writeReplay(join(folder, 'no', 'x.json'), outcome, contract)).rejects.toBeInstanceOf(
      UsageError,
    );
  });
});

describe('the HTML report', () => {
  const page = htmlReport(outcome, context);

  test('loads nothing, runs no script, and escapes what servers and contracts contain', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|src=|@import|url\(|href=/i);
    expect(page).toContain('\\u001b[31mbroken &lt;b&gt;');
    expect(page).toContain('Widgets &amp; more 2');
    expect(page).not.toContain('secret=1');
  });

  test('shows the coverage at a glance', () => {
    for (const tile of [
      'Operations tested</span> <strong>2 of 4</strong>',
      'Operations with a success</span> <strong>2 of 4</strong>',
      'Success statuses returned</span> <strong>2 of 3</strong>',
      'Parameters with valid and invalid values</span> <strong>1 of 2</strong>',
      'Pairs of values tried</span> <strong>3 of 8</strong>',
    ]) {
      expect(page).toContain(tile);
    }
    expect(page).toContain('<span class="status status-2">201 × 12</span>');
    expect(page).toContain('<span class="status missing">never 202</span>');
    expect(page).toContain('<span class="parameter">limit 3/4</span>');
    expect(page).toContain('<span class="parameter missing">body 1/0</span>');
    expect(page).toContain('<td>3 of 8</td>');
    expect(page).toContain('<li>getPart: no operation creates a part</li>');
  });

  test('shows a failure with its requests, responses and commands', () => {
    expect(page).toContain('<h3 id="failure-1">1. <code>createWidget</code>: no-server-error</h3>');
    expect(page).toContain('<code>POST /widgets</code>');
    expect(page).toContain('<span class="status status-5">500</span>');
    expect(page).toContain('Rule: No request causes a status of 500 or above');
    expect(page).toContain('-H &quot;Authorization: Bearer $TOKEN&quot;');
  });

  test('has a language, a title, labelled sections, and headers of its table', () => {
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('<title>Conformance of Widgets &amp; more 2</title>');
    const labels = [...page.matchAll(/aria-labelledby="([^"]+)"/g)].map(([, id]) => id);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(labels));
    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    for (const [at, level] of levels.slice(1).entries()) {
      expect(level).toBeLessThanOrEqual((levels[at] ?? 0) + 1);
    }
    expect(page.match(/<th scope="col">/g)).toHaveLength(4);
    expect(page.match(/<th scope="row">/g)).toHaveLength(2);
    expect(page).toContain('<caption>');
    // Only elements that scroll can be reached with the keyboard, and each of them has a name.
    expect(page.match(/tabindex="0"/g)?.length).toBe(
      page.match(/tabindex="0" role="(group|region)" aria-label/g)?.length,
    );
  });
});
