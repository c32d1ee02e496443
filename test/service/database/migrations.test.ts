import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { tableNames } from '../../../server/database/catalog.ts';
import { type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { runMigrations } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import type { NamedMigration } from '../../../server/database/migrations/migration.ts';
import { describeSchema } from '../../support/database/describe-schema.ts';
import { testEngine, testLocation } from '../../support/database/engines.ts';
import { recordLog } from '../../support/database/own-postgres.ts';
import { withUnmigrated } from '../../support/database/unmigrated.ts';
import { LANDED_MIGRATIONS } from './landed-migrations.ts';

const removals: Array<() => Promise<void>> = [];

afterAll(async () => {
  await Promise.all(removals.map((remove) => remove()));
});

async function blank(): Promise<DatabaseLocation> {
  const { location, remove } = await testLocation({ blank: true });
  removals.push(remove);
  return location;
}

/** A migration that records that it ran. */
const recorder = (name: string): NamedMigration => [
  name,
  {
    up: async (db: Kysely<unknown>) => {
      await sql`create table if not exists "ran" ("position" integer, "name" text)`.execute(db);
      await sql`insert into "ran" select count(*), ${name} from "ran"`.execute(db);
    },
  },
];
const failing: NamedMigration = [
  'failing',
  {
    up: async (db) => {
      await sql`select * from "missing"`.execute(db);
    },
  },
];
const [first, a, b, c] = [recorder('baseline'), recorder('3-a'), recorder('2-b'), recorder('1-c')];

async function ran(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select "name" from "ran" order by "position"`.execute(db);
  return rows.map(({ name }) => name);
}

describe('pending migrations', () => {
  test.each([
    { state: 'none', has: [], run: ['baseline', '3-a', '2-b', '1-c'] },
    { state: 'the first one', has: [first], run: ['3-a', '2-b', '1-c'] },
    { state: 'one from the middle', has: [first, b], run: ['3-a', '1-c'] },
    { state: 'some in another order', has: [first, c, a], run: ['2-b'] },
    { state: 'all', has: [first, a, b, c], run: [] },
  ])('run in the order of the list, in a database that has run $state', async ({ has, run }) => {
    await withUnmigrated(await blank(), async (db) => {
      await runMigrations(db, has);
      expect(await runMigrations(db, [first, a, b, c])).toEqual(run);
      expect(await ran(db)).toEqual([...has.map(([name]) => name), ...run]);
      expect(await runMigrations(db, [first, c, b, a])).toEqual([]);
    });
  });

  test('follow the baseline', async () => {
    const location = await blank();
    await (await openDatabase(location)).close();
    await withUnmigrated(location, async (db) => {
      expect(await runMigrations(db, [...migrations, a])).toEqual(['3-a']);
    });
  });

  test('change nothing if one fails, whose name and cause are stated', async () => {
    await withUnmigrated(await blank(), async (db) => {
      await runMigrations(db, [first]);
      await expect(runMigrations(db, [first, a, failing])).rejects.toMatchObject({
        message: 'The migration failing failed. Nothing was changed.',
        cause: { message: expect.stringContaining('missing') },
      });
      expect(await ran(db)).toEqual(['baseline']);
      expect(await runMigrations(db, [first, a])).toEqual(['3-a']);
    });
  });

  test('run once if several servers start at once', async () => {
    const location = await blank();
    const log = recordLog();
    const opened = await Promise.all([1, 2, 3].map(() => openDatabase(location, { log })));
    await Promise.all(opened.map((database) => database.close()));
    const migrated = log.lines.filter(({ message }) => message === 'database migrated');
    expect(migrated).toHaveLength(migrations.length);
  });
});

describe('data that cannot be migrated is refused, and not changed:', () => {
  test('that of a newer release, whose migrations are named', async () => {
    await withUnmigrated(await blank(), async (db) => {
      await runMigrations(db, [first, a, b]);
      await expect(runMigrations(db, [first, a, c])).rejects.toThrow(
        'The data is from a newer release: this release does not have its migrations (2-b). ' +
          'Start that release or a later one, or restore the backup from before the upgrade.',
      );
      expect(await ran(db)).toEqual(['baseline', '3-a', '2-b']);
    });
  });

  test.each([
    { name: 'all of its migrations', earlier: ['0001-organizations', '0002-content', '0090-space-maps'] },
    { name: 'only the first one', earlier: ['0001-organizations'] },
  ])('that of a version from before the first release, which ran $name', async ({ earlier }) => {
    const location = await blank();
    await withUnmigrated(location, (db) => runMigrations(db, earlier.map(recorder)));
    // As a server does.
    await expect(openDatabase(location)).rejects.toThrow(
      /^The data was created by a development version from before the first release, which no release can upgrade: /,
    );
    await withUnmigrated(location, async (db) => {
      expect(await ran(db)).toEqual(earlier);
      expect(await tableNames(db)).not.toContain('organizations');
    });
  });
});

test('migrations that landed do not change, and new ones are appended', async () => {
  const engine = testEngine();
  const rows: Array<readonly [name: string, digest: string]> = [];
  await withUnmigrated(await blank(), async (db) => {
    for (const [index, [name]] of migrations.entries()) {
      await runMigrations(db, migrations.slice(0, index + 1));
      rows.push([name, digestOf(await describeSchema(db))]);
    }
  });
  expect(
    rows,
    'Migrations that landed must not be moved or changed: append another one to migrations/index.ts, and its name ' +
      'and digests to landed-migrations.ts.',
  ).toEqual(LANDED_MIGRATIONS.map(([name, digests]) => [name, digests[engine]]));
});

test('migrations that do not stop the servers of the last release only add what these ignore', async () => {
  await withUnmigrated(await blank(), async (db) => {
    let before = { tables: new Set<string>(), lines: new Set<string>() };
    for (const [index, [name, { stopsServers = false }]] of migrations.entries()) {
      await runMigrations(db, migrations.slice(0, index + 1));
      const [tables, lines] = [await tableNames(db), new Set(await describeSchema(db))];
      if (index > 0 && !stopsServers) {
        const problems = [
          ...[...before.lines.difference(lines)].filter((line) => !isIndex(line)),
          ...[...lines.difference(before.lines)].filter((line) => isConstraint(line, before.tables)),
        ];
        expect(problems, `The migration ${name} must export stopsServers`).toEqual([]);
      }
      before = { tables, lines };
    }
  });
});

const isIndex = (line: string): boolean => /^create index /i.test(line);

/** Returns whether a line of a schema limits the rows that can be inserted into one of the tables. */
function isConstraint(line: string, tables: ReadonlySet<string>): boolean {
  const [, unique] = /^create unique index .*? on (?:public\.)?"?(\w+)/i.exec(line) ?? [];
  const [, constrained] = /^(?:constraint|reference) "?(\w+)/.exec(line) ?? [];
  // Required, and without a default.
  const required =
    /^column (\w+)\["\w+","\w+",1,null,/.exec(line) ??
    /^column (\w+) \w+ [a-z ]+ t (?:[a-z] )?[a-z](?: C| default)?$/.exec(line);
  return [unique, constrained, required?.[1]].some((table) => table !== undefined && tables.has(table));
}

test.each([
  ['a required column', 'alter table "t" add column "b" text not null', 1],
  ['a required column with a default', `alter table "t" add column "b" text not null default ''`, 0],
  ['an optional column', 'alter table "t" add column "b" text', 0],
  ['a table', 'create table "t2" ("a" text not null primary key)', 0],
  ['a unique index', 'create unique index "i" on "t" ("a")', 1],
  ['an index', 'create index "i" on "t" ("a")', 0],
])('%s is judged by this rule', async (_name, statement, problems) => {
  await withUnmigrated(await blank(), async (db) => {
    await sql`create table "t" ("a" text)`.execute(db);
    const [tables, before] = [await tableNames(db), new Set(await describeSchema(db))];
    // SQLite adds a required column only to a new table.
    const isAdded = testEngine() === 'postgres' || !/not null$/.test(statement);
    if (!isAdded) {
      await sql`drop table "t"`.execute(db);
    }
    await sql.raw(isAdded ? statement : 'create table "t" ("a" text, "b" text not null)').execute(db);
    const added = new Set(await describeSchema(db)).difference(before);
    expect([...added].filter((line) => isConstraint(line, tables))).toHaveLength(problems);
  });
});

function digestOf(schema: readonly string[]): string {
  // Servers that were built without LZ4 compress columns with their default.
  const lines = schema.map((line) => line.replace(/^(column .* t) l x /, '$1 x '));
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
}
