import { expect, test } from 'vitest';
import { describeLocation } from '../../../server/database/folder/location.ts';

test.each([
  [{ folder: '/var/lib/colophon' }, '/var/lib/colophon/colophon.sqlite (SQLite)'],
  [{ folder: '/data/../data/' }, '/data/colophon.sqlite (SQLite)'],
  [{ url: 'postgres://ada:hunter2@db.example.com/docs' }, 'docs at db.example.com:5432 (PostgreSQL)'],
  [{ url: 'postgresql://ada@[::1]:6432/docs?password=hunter2' }, 'docs at [::1]:6432 (PostgreSQL)'],
  [
    { url: 'postgres://ada:hunter2@/docs?host=/var/run/postgresql' },
    'docs at /var/run/postgresql (PostgreSQL)',
  ],
  [
    { url: 'postgres://db.example.com/my%20docs?user=ada&password=hunter2' },
    'my docs at db.example.com:5432 (PostgreSQL)',
  ],
])('describes %j for an operator, without its password', async (location, description) => {
  expect(await describeLocation(location)).toBe(description);
});

test('completes a relative folder', async () => {
  expect(await describeLocation({ folder: '.colophon' })).toBe(
    `${process.cwd()}/.colophon/colophon.sqlite (SQLite)`,
  );
});
