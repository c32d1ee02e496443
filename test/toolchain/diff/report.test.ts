import { expect, test } from 'vitest';
import { compareSources } from '../../../spec/toolchain/diff/diff.ts';
import { formats } from '../../../spec/toolchain/diff/report/report.ts';
import type { JsonObject } from '../../../spec/toolchain/document.ts';
import { type Approval, documentOf } from '../../../spec/toolchain/main.ts';
import { documentWith } from './cases/document.ts';

/** Builds a document with a schema that two operations return and one accepts. */
function document(properties: JsonObject, rest: JsonObject = {}): JsonObject {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Space' } } };
  const responses = { 200: { content } };
  return documentWith({
    schemas: { Space: { type: 'object', properties } },
    paths: {
      '/spaces': { get: { operationId: 'getSpace', responses } },
      '/spaces/{id}': { put: { operationId: 'setSpace', requestBody: { content }, responses, ...rest } },
    },
  });
}

function compared(base: JsonObject, head: JsonObject, approvals: readonly Approval[] = []) {
  return compareSources(documentOf('old.json', base), documentOf('new.json', head), approvals);
}

test('the HTML report groups changes by severity, with reasons, fixes and all operations', () => {
  const base = document({ title: { type: 'string' }, size: { type: 'integer' } });
  const head = document({ title: { type: 'string', maxLength: 9 }, size: { type: 'integer' }, icon: {} });
  const html = formats.html(compared(base, head));
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(html).toContain('<title>Contract changes: 1.0.0 → 1.0.0</title>');
  expect(html).toContain('<a class="breaking" href="#breaking">Breaking <b>1</b></a>');
  expect(html).toContain('<a class="safe" href="#safe">Safe <b>1</b></a>');
  expect(html).not.toContain('href="#risky"');
  const [, breaking = '', safe = ''] = html.split('<h2>');
  expect(breaking).toContain('<h3>Schema Space</h3>');
  expect(breaking).toContain('<p class="message">maxLength changed from none to 9.</p>');
  expect(breaking).toContain(
    '<span class="badge">breaking for clients</span> <code>schema Space: title</code>',
  );
  expect(breaking).toContain(
    '<dd>Requests that were valid before are rejected. (breaking for clients, in 1 operation)</dd>',
  );
  expect(breaking).toContain('<dt>Fix</dt><dd>Keep the previous limit');
  expect(breaking).toContain('<summary>2 operations</summary>');
  expect(breaking).toContain('<b>getSpace</b> GET /spaces <code>response 200: title</code>');
  expect(breaking).toContain('<b>setSpace</b> PUT /spaces/{id} <code>request body: title</code>');
  expect(breaking).toContain('<code>request-limit-narrowed</code>, <code>response-limit-narrowed</code>');
  expect(safe).toContain('The optional property &quot;icon&quot; was added.');
});

test('the HTML report states why a change is approved, in place of the fix', () => {
  const base = document({ title: { type: 'string' } });
  const head = document({ title: { type: 'string', maxLength: 9 } });
  const reason = 'Titles are short.';
  const html = formats.html(
    compared(base, head, [{ operation: '*', location: 'schema Space: title', reason, release: '1.0.0' }]),
  );
  expect(html).toContain('<span class="badge">breaking for clients, approved</span>');
  expect(html).toContain(`<dt>Approved</dt><dd>${reason}</dd>`);
  expect(html).not.toContain('<dt>Fix</dt>');
});

test('the HTML report escapes texts of the documents, and loads nothing', () => {
  const attack = '<script src="https://example.com/x.js">&\'"';
  const html = formats.html(compared(document({ [attack]: {} }), document({}, { operationId: attack })));
  expect(html).not.toContain('<script');
  expect(html).toContain("&lt;script src=&quot;https://example.com/x.js&quot;&gt;&amp;'&quot;");
  expect(html).not.toMatch(/<(link|img|iframe|object)|url\(|@import/);
});

test('the HTML report states that nothing changed', () => {
  const html = formats.html(compared(document({}), document({})));
  expect(html).toContain('<p class="summary">No changes that affect clients or servers.</p>');
  expect(html).not.toContain('<nav');
});

test('the JSON report has the reason and the fix of each effect', () => {
  const { changes } = JSON.parse(
    formats.json(
      compared(
        document({ title: { type: 'string' } }),
        document({ title: { type: 'string', maxLength: 9 } }),
      ),
    ),
  );
  expect(changes).toEqual([
    {
      operation: 'setSpace',
      location: 'request body: title',
      where: 'request body: title',
      message: 'maxLength changed from none to 9.',
      level: 'breaking',
      affects: 'clients',
      rule: 'request-limit-narrowed',
      why: 'Requests that were valid before are rejected.',
      fix: 'Keep the previous limit, and apply the new one only to new features.',
      schema: { name: 'Space', path: 'title' },
      effects: [
        {
          rule: 'request-limit-narrowed',
          level: 'breaking',
          affects: 'clients',
          why: 'Requests that were valid before are rejected.',
          fix: 'Keep the previous limit, and apply the new one only to new features.',
        },
        {
          rule: 'response-limit-narrowed',
          level: 'risky',
          affects: 'servers',
          why: expect.stringContaining('existing servers may still send'),
          fix: expect.stringContaining('no server sends these values'),
        },
      ],
      operationCount: 2,
      operations: ['getSpace', 'setSpace', 'setSpace'].map((operation) =>
        expect.objectContaining({ operation, location: expect.stringMatching(/title$/) }),
      ),
    },
  ]);
});

test('a message lists credentials once, with their scopes', () => {
  const secured = (...security: JsonObject[]) =>
    documentWith({
      securitySchemes: { oauth: { type: 'oauth2', flows: {} } },
      paths: { '/a': { get: { operationId: 'a', security } } },
    });
  expect(formats.text(compared(secured({ oauth: ['read'] }), secured({ oauth: ['write'] })))).toContain(
    '    OAuth 2.0 with read: no longer sufficient; now OAuth 2.0 with write.\n',
  );
});

test('an approval matches the location and the message of the report', () => {
  const enums = (...values: string[]) => document({ kind: { enum: values } });
  const comparison = compared(enums('a'), enums('a', 'b'), [
    {
      operation: '*',
      location: 'schema Space: kind',
      message: 'The value "b" is allowed now.',
      reason: 'Clients ignore it.',
      release: '1.0.0',
    },
  ]);
  expect(comparison.approvalResult.notices).toEqual([]);
  expect(formats.text(comparison)).toContain('1 breaking, 0 risky, 0 safe; 1 breaking approved.');
  expect(formats.text(comparison)).toContain('    The value "b" is allowed now.');
});
