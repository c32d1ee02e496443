import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { type NamedMigration, runMigrations } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import { describeSchema } from '../../support/describe-schema.ts';
import { migrationsTo, withUnmigrated } from '../../support/earlier-release.ts';
import { isFirstEngine, testLocation } from '../../support/engines.ts';
import { recordLog } from '../../support/own-postgres.ts';
import { LANDED_MIGRATIONS } from './landed-migrations.ts';

/** The last migration of releases that ran migrations in the order of their names. */
const LAST_BY_NAME = '0055-hidden-sources';

const removals: Array<() => Promise<void>> = [];
/** The schema of a database that ran all migrations in the order of the list. */
let schema: string[];

beforeAll(async () => {
  schema = await migratedSchema(await blank());
});
afterAll(async () => {
  await Promise.all(removals.map((remove) => remove()));
});

async function blank(): Promise<DatabaseLocation> {
  const { location, remove } = await testLocation({ blank: true });
  removals.push(remove);
  return location;
}

/** Opens a database as a server does, and returns its schema. */
async function migratedSchema(location: DatabaseLocation): Promise<string[]> {
  const database = await openDatabase(location);
  try {
    return await describeSchema(database.query);
  } finally {
    await database.close();
  }
}

const byName = (list: readonly NamedMigration[]) => list.toSorted(([a], [b]) => (a < b ? -1 : 1));

/** The last migrations of the releases whose databases ran the migrations in an order of their own. */
function releases(): string[] {
  const orders = new Map<string, string>();
  for (const [last] of migrationsTo(LAST_BY_NAME)) {
    const landed = migrationsTo(last);
    const order = [...byName(landed), ...migrations.slice(landed.length)].map(([name]) => name).join();
    orders.set(order, last);
  }
  return [...orders.values()];
}

test.each(releases())(
  'opens the data of releases that ended with %s, and ran migrations in the order of their names',
  async (last) => {
    const location = await blank();
    await withUnmigrated(location, (db) => runMigrations(db, byName(migrationsTo(last))));
    expect(await migratedSchema(location)).toEqual(schema);
  },
);

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
const [a, b, c, d] = [recorder('0003-a'), recorder('0002-b'), recorder('0004-c'), recorder('0001-d')];

async function ran(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select "name" from "ran" order by "position"`.execute(db);
  return rows.map(({ name }) => name);
}

test('runs the migrations that a database lacks in the order of the list, wherever they are in it', async () => {
  await withUnmigrated(await blank(), async (db) => {
    expect(await runMigrations(db, [c, a])).toEqual(['0004-c', '0003-a']);
    expect(await runMigrations(db, [a, b, c, d])).toEqual(['0002-b', '0001-d']);
    expect(await runMigrations(db, [d, c, b, a])).toEqual([]);
    expect(await ran(db)).toEqual(['0004-c', '0003-a', '0002-b', '0001-d']);
  });
});

test('names the migrations of a newer release, and changes nothing', async () => {
  await withUnmigrated(await blank(), async (db) => {
    await runMigrations(db, [a, b]);
    await expect(runMigrations(db, [a, c])).rejects.toThrow(
      'The data is from a newer release: this release does not have its migrations (0002-b). ' +
        'Start that release or a later one, or restore the backup from before the upgrade.',
    );
    expect(await ran(db)).toEqual(['0003-a', '0002-b']);
  });
});

test('names the migration that failed and its cause, and changes nothing', async () => {
  const failing: NamedMigration = [
    '0009-failing',
    {
      up: async (db) => {
        await sql`select * from "missing"`.execute(db);
      },
    },
  ];
  await withUnmigrated(await blank(), async (db) => {
    await runMigrations(db, [a]);
    await expect(runMigrations(db, [a, b, failing])).rejects.toMatchObject({
      message: 'The migration 0009-failing failed. Nothing was changed.',
      cause: { message: expect.stringContaining('missing') },
    });
    expect(await ran(db)).toEqual(['0003-a']);
  });
});

test('runs each migration once if several servers start at once', async () => {
  const location = await blank();
  const log = recordLog();
  const opened = await Promise.all([1, 2, 3].map(() => openDatabase(location, { log })));
  await Promise.all(opened.map((database) => database.close()));
  const migrated = log.lines.filter(({ message }) => message === 'database migrated');
  expect(migrated).toHaveLength(migrations.length);
});

describe('migrations that landed', () => {
  // Databases that ran them exist. On SQLite, because the digests are those of its schema.
  test.runIf(isFirstEngine)('do not change, and new ones are appended', async () => {
    const rows: Array<readonly [name: string, digest: string]> = [];
    await withUnmigrated(await blank(), async (db) => {
      for (const [name] of migrations) {
        await runMigrations(db, migrationsTo(name));
        const text = (await describeSchema(db)).join('\n');
        rows.push([name, createHash('sha256').update(text).digest('hex').slice(0, 8)]);
      }
    });
    expect(
      rows,
      'Migrations that landed must not be moved or changed: append another one to migrations/index.ts, and its name ' +
        'and digest to landed-migrations.ts.',
    ).toEqual(LANDED_MIGRATIONS);
  });
});
