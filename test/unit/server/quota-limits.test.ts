import { expect, test } from 'vitest';
import { MAX_QUOTA, parseChange, parseLimits } from '../../../server/quotas/names.ts';

test.each([
  ['spaces=100', { spaces: 100 }],
  ['spaces=0,bytes=10GB', { spaces: 0, bytes: 10_000_000_000 }],
  [' bytes = 5KB , jobs = 3 ', { bytes: 5000, jobs: 3 }],
  [`bytes=${MAX_QUOTA / 1e12}TB`, { bytes: MAX_QUOTA }],
  ['pages=1,members=2,integrations=3', { pages: 1, members: 2, integrations: 3 }],
])('the limits %j are valid', (text, limits) => {
  expect(parseLimits(text)).toEqual(limits);
});

test.each([
  ...['', 'spaces', 'spaces=', 'spaces=-1', 'spaces=1.5', 'spaces=1e3', 'spaces=off', 'sites=1'],
  ...[
    'spaces=1,spaces=2',
    'spaces=10GB',
    'bytes=10gb',
    'bytes=GB',
    'bytes=1001TB',
    'spaces=1,',
    'spaces=1;pages=2',
  ],
])('the limits %j are invalid', (text) => {
  expect(parseLimits(text)).toBeUndefined();
});

test('a change is a limit, no limit, or the default one', () => {
  expect(['spaces=7', 'bytes=1MB', 'pages=off', 'jobs=default'].map(parseChange)).toEqual([
    ['spaces', 7],
    ['bytes', 1_000_000],
    ['pages', 'off'],
    ['jobs', 'default'],
  ]);
  expect(['spaces', 'spaces=', 'spaces=none', 'sites=off', '=off'].map(parseChange)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
