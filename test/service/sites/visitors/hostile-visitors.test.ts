// Runs on one engine: requests are limited before and after the reads of reading-visitors.test.ts.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_TREE_ENTRIES } from '../../../../server/content/tree/limits.ts';
import { MAX_BUFFERED_BODY_BYTES_PER_CALLER } from '../../../../server/contract/limits/body-memory.ts';
import { MAX_QUERY_PARAMETERS } from '../../../../server/contract/request/paths/target.ts';
import { MAX_ACCEPT_CHARACTERS } from '../../../../server/contract/response/accept.ts';
import { MAX_LOOKED_UP_CHARACTERS } from '../../../../server/platform/sites/reading/moved-pages.ts';
import { MAX_CACHED_TREE_PAGES } from '../../../../server/platform/sites/reading/reading-site.ts';
import { importRepository } from '../../../support/content/imports.ts';
import { statementsOf } from '../../../support/database/statements.ts';
import { type GitServer, startGitServer } from '../../../support/git/git-server.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';
import { publishSite, spaceFrom } from '../../../support/sites/published-site.ts';

interface Read {
  headers: Headers;
  text: string;
}

/** Levels of entries without a page. Each entry is a group. */
const NESTED_GROUPS = 30;
/** More than the buffers of a connection contain. */
const LARGE = `# Large\n\n${'A paragraph of a large page.\n\n'.repeat(250_000)}`;

let server: TestServer;
let git: GitServer;
let url: string;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  const nested = Array.from({ length: NESTED_GROUPS }, (_, at) => `${'  '.repeat(at)}* Group ${at}`);
  const { space, repository } = await spaceFrom(server, git, 'Hostile', {
    'README.md': '# Start\n',
    'large.md': LARGE,
    'SUMMARY.md': [
      '# Table of contents',
      '',
      '* [Start](README.md)',
      '* [Large](large.md)',
      ...nested,
      `${'  '.repeat(NESTED_GROUPS)}* [Elsewhere](https://example.com)`,
      '',
    ].join('\n'),
  });
  // A second revision, so that paths are looked up in an earlier revision.
  await repository.update({ 'README.md': '# Start again\n' });
  await importRepository(server, space.id, repository);
  ({ url } = await publishSite(server, { spaces: [space.id] }));
});
afterAll(() => Promise.all([server.stop(), git.close()]));

describe('a visitor of a published site', () => {
  test('sees a page next to nested groups without a page', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('Group 0');
  });

  test.each([
    ['Accept-Language', ',fr', ({ text }: Read) => text.includes('lang="fr"')],
    ['Accept-Encoding', ',gzip', ({ headers }: Read) => headers.has('content-encoding')],
  ])('whose header %s is too long is served without it', async (name, entry, isApplied) => {
    // Pages that do not exist are in the language of the visitor.
    const address = name === 'Accept-Language' ? `${url}x` : url;
    const read = async (value: string) => {
      const response = await fetch(address, { headers: { [name]: value } });
      return isApplied({ headers: response.headers, text: await response.text() });
    };
    const [first = '', repeated] = [entry.slice(1), Math.ceil(MAX_ACCEPT_CHARACTERS / entry.length)];
    expect(await read(first)).toBe(true);
    expect(await read(`${first}${entry.repeat(repeated)}`)).toBe(false);
  });

  test('cannot send more parameters than operations accept', async () => {
    const query = (count: number) =>
      `?${Array.from({ length: count }, (_, at) => `visitor.c${at}=`).join('&')}`;
    const accepted = await fetch(`${url}${query(MAX_QUERY_PARAMETERS)}`, { redirect: 'manual' });
    expect([accepted.status, accepted.headers.get('location')]).toEqual([303, new URL(url).pathname]);
    expect((await fetch(`${url}${query(MAX_QUERY_PARAMETERS + 1)}`)).status).toBe(400);
  });

  test('causes no lookup of a long path in earlier revisions', async () => {
    const lookups = async (path: string) => {
      const { sql } = await statementsOf(async () => {
        expect((await fetch(`${url}/${path}`)).status).toBe(404);
      });
      return sql.filter((statement) => /from "revisions".*order by/s.test(statement)).length;
    };
    expect(await lookups('short')).toBe(1);
    expect(await lookups('a'.repeat(MAX_LOOKED_UP_CHARACTERS + 1))).toBe(0);
  });

  test('uses limited memory for responses that are not read', async () => {
    const address = new URL(`${url}/large.md`);
    const size = Buffer.byteLength(await (await fetch(address)).text());
    const readers: Socket[] = [];
    const statuses = new Set<string>();
    for (let opened = 0; opened < MAX_BUFFERED_BODY_BYTES_PER_CALLER / size + 8; opened++) {
      const reader = connect(Number(address.port), address.hostname).pause();
      readers.push(reader);
      reader.write(`GET ${address.pathname} HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`);
      await once(reader, 'readable');
      statuses.add(String(reader.read(12)));
    }
    expect([...statuses].toSorted()).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503']);
    for (const reader of readers) {
      reader.destroy();
    }
    await expect.poll(async () => (await fetch(address)).status).toBe(200);
  });
});

describe('a published site', () => {
  test('reads no specification for a page that is cached', async () => {
    await fetch(url);
    const { sql } = await statementsOf(async () => expect((await fetch(url)).status).toBe(200));
    expect(sql.filter((statement) => statement.includes('"openAPISpecs"'))).toEqual([]);
  });

  test('caches the largest page tree', () => {
    expect(MAX_CACHED_TREE_PAGES).toBeGreaterThan(MAX_TREE_ENTRIES);
  });
});
