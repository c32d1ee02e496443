import { describe, expect, test } from 'vitest';
import { formatLine } from '../../../server/app/log.ts';

const line = (fields: object) =>
  `${JSON.stringify({ level: 30, time: 1_700_000_000_123, pid: 7, hostname: 'here', ...fields })}\n`;
const format = (fields: object) => formatLine(line(fields), false).replace(/^\d\d:\d\d:\d\d /, '');

describe('a log line as text', () => {
  test('has the time, the level, the message and the fields', () => {
    expect(formatLine(line({}), false)).toMatch(/^\d\d:\d\d:\d\d INFO /);
    expect(format({ msg: 'request completed', method: 'GET', path: '/v1/user', status: 200 })).toBe(
      'INFO  request completed method=GET path=/v1/user status=200\n',
    );
  });

  test('quotes values that a reader could misread', () => {
    expect(format({ msg: 'job failed', cause: 'heap out of memory', none: null, ids: ['a', 'b'] })).toBe(
      'INFO  job failed cause="heap out of memory" none=null ids=["a","b"]\n',
    );
  });

  test('shows the stack of an error below it', () => {
    const err = { type: 'Error', message: 'broken', stack: 'Error: broken\n    at run (a.ts:1:2)' };
    expect(format({ level: 50, msg: 'internal error', requestId: 'r', err })).toBe(
      'ERROR internal error requestId=r\n  Error: broken\n      at run (a.ts:1:2)\n',
    );
    expect(format({ level: 40, msg: 'refused', err: 'ECONNREFUSED' })).toBe(
      'WARN  refused err=ECONNREFUSED\n',
    );
  });

  test('contains no control characters of callers', () => {
    const attack = '/\u001b[2J\u009b31m\r\n\u0007';
    const text = format({ msg: attack, path: attack, err: { stack: attack } });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text).toContain(String.raw`path="/\u001b[2J\u009b31m\r\n\u0007"`);
  });
});
