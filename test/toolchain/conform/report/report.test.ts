import { describe, expect, test } from 'vitest';
import { htmlReport } from '../../../../spec/toolchain/conform/report/html.ts';
import { jsonReport } from '../../../../spec/toolchain/conform/report/json.ts';
import { junitReport } from '../../../../spec/toolchain/conform/report/junit.ts';
import { textReport } from '../../../../spec/toolchain/conform/report/text.ts';
import { context, finding, outcome } from '../widget-outcome.ts';

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
