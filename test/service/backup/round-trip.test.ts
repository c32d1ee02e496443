import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openSnapshot } from '../../../server/database/backup/open-snapshot.ts';
import { backedUpTables } from '../../../server/database/backup/tables.ts';
import { type DatabaseLocation, openDatabase } from '../../../server/database/database.ts';
import { runMigrations } from '../../../server/database/migrate.ts';
import { migrations } from '../../../server/database/migrations/index.ts';
import { readRowCount } from '../../../server/database/row-counts.ts';
import { BACKED_UP_KEY, backUp, restore, useBackups } from '../../support/database/backups.ts';
import { describeSchema } from '../../support/database/describe-schema.ts';
import { testEngine } from '../../support/database/engines.ts';
import { fillEveryTable, readEveryTable } from '../../support/database/every-table.ts';
import { withUnmigrated } from '../../support/database/unmigrated.ts';
import { fill } from '../../support/large/fill-table.ts';
import { organizationRow, userRow } from '../database/rows.ts';

const backups = useBackups();
const { place } = backups;

/** An empty folder, on either engine. */
const emptyFolder = (): DatabaseLocation => ({ folder: join(backups.folder, 'data') });

const schemaOf = (location: DatabaseLocation) => withUnmigrated(location, describeSchema);

/** Runs work on one connection. */
const onConnection = (location: DatabaseLocation, work: (db: Kysely<unknown>) => Promise<void>) =>
  withUnmigrated(location, (db) => db.connection().execute(work));

describe('every table', () => {
  test('has the same rows after a round trip, and the schema of a new database', async () => {
    const [source, target] = [await place(), await place({ blank: true })];
    await onConnection(source, (db) => fillEveryTable(db, 40));
    const before = await readEveryTable(source);
    expect(Object.values(before).filter((rows) => rows.length === 0)).toEqual([]);
    const { end } = await backUp(source, backups.file);
    expect(end.rows).toEqual(
      Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])),
    );
    await restore(backups.file, target);
    const { spaces, ...after } = await readEveryTable(target);
    const { spaces: spacesBefore, ...others } = before;
    expect(after).toEqual(others);
    // What is indexed is unknown until they are indexed.
    expect(spaces).toHaveLength(spacesBefore?.length ?? 0);
    expect(await schemaOf(target)).toEqual(await schemaOf(await place()));
  });

  test.runIf(testEngine() === 'postgres')('moves between the engines in both directions', async () => {
    const [source, folder, target] = [await place(), emptyFolder(), await place({ blank: true })];
    await onConnection(source, (db) => fillEveryTable(db, 40));
    const before = await readEveryTable(source);
    await backUp(source, backups.file);
    await restore(backups.file, folder);
    const second = `${backups.file}.second`;
    await backUp(folder, second);
    await restore(second, target);
    const { spaces, ...after } = await readEveryTable(target);
    expect(after).toEqual((({ spaces: _, ...others }) => others)(before));
    expect(spaces).toHaveLength(before.spaces?.length ?? 0);
  });

  test('is backed up, except those of processes and of the search index', async () => {
    const snapshot = await openSnapshot(await place());
    const columns = await snapshot.columns();
    await snapshot.close();
    const tables = new Set(backedUpTables(columns).map(({ table }) => table));
    const excluded = new Set(columns.map(({ table }) => table)).difference(tables);
    expect([...excluded].filter((table) => !/^(?:search|sqlite_|kysely_)/.test(table)).sort()).toEqual([
      'countingProcesses',
      'lockTickets',
      'requestCounts',
      ...(testEngine() === 'postgres' ? ['transaction_outcomes'] : []),
    ]);
  });
});

test('what triggers maintain is not counted twice, and is maintained afterwards', async () => {
  const [source, target] = [await place(), await place({ blank: true })];
  const database = await openDatabase(source);
  await database.query.insertInto('organizations').values(organizationRow('org_a')).execute();
  for (const id of ['team_1', 'team_2', 'team_3']) {
    await fill(database, 'teams', 1, { id, organization: 'org_a', title: id, createdAt: '2026' });
  }
  await database.close();
  await backUp(source, backups.file);
  await restore(backups.file, target);
  const restored = await openDatabase(target);
  const count = () => readRowCount(restored.query, { organization: 'org_a', kind: 'teams' });
  expect(Number(await count())).toBe(3);
  await restored.query.deleteFrom('teams').where('id', '=', 'team_1').execute();
  expect(Number(await count())).toBe(2);
  const orphan = { id: 'team_4', organization: 'none', title: '', createdAt: '2026' };
  await expect(fill(restored, 'teams', 1, orphan)).rejects.toThrow(/foreign key/i);
  await restored.close();
});

test('numbers of rows that were deleted are not used again', async () => {
  const [source, target] = [await place(), await place({ blank: true })];
  const insert = async (location: DatabaseLocation) => {
    const database = await openDatabase(location);
    const job = {
      id: 'job_a',
      organization: '',
      kind: 'a',
      orderKey: '',
      payload: '{}',
      state: 'queued' as const,
    };
    const rest = { createdAt: '', runAt: '', attempts: 0, maxAttempts: 1 };
    await fill(database, 'jobs', 1, { ...job, ...rest });
    const { sequence } = await database.query.selectFrom('jobs').select('sequence').executeTakeFirstOrThrow();
    await database.query.deleteFrom('jobs').execute();
    await database.close();
    return Number(sequence);
  };
  await insert(source);
  const last = await insert(source);
  await backUp(source, backups.file);
  await restore(backups.file, target);
  expect(await insert(target)).toBeGreaterThan(last);
});

test('contains what was committed when it began, and nothing later', async () => {
  const source = await place();
  const database = await openDatabase(source);
  await database.query.insertInto('users').values(userRow('usr_before')).execute();
  const snapshot = await openSnapshot(source);
  await database.query.insertInto('users').values(userRow('usr_after')).execute();
  await database.query.deleteFrom('users').where('id', '=', 'usr_before').execute();
  const table = { table: 'users', columns: ['id'], bytes: [] };
  expect(await Array.fromAsync(snapshot.rows(table))).toEqual([[['usr_before']]]);
  await snapshot.close();
  await database.close();
});

test('data of an earlier release are migrated', async () => {
  const [source, target] = [await place({ blank: true }), await place({ blank: true })];
  const [baseline] = migrations;
  await withUnmigrated(source, async (db) => {
    await runMigrations(db, baseline ? [baseline] : []);
    await db.connection().execute((connection) => fillEveryTable(connection, 1));
  });
  const before = await readEveryTable(source);
  await backUp(source, backups.file);
  await restore(backups.file, target);
  const restored = await openDatabase(target);
  const kinds = await restored.query.selectFrom('rowCounts').select('kind').execute();
  expect(kinds.map(({ kind }) => kind)).toContain('audit events by action');
  await restored.close();
  expect((await readEveryTable(target)).auditEvents).toEqual(before.auditEvents);
});

test('the file is private and complete, with its content in the first line', async () => {
  await backUp(await place(), backups.file);
  expect((await stat(backups.file)).mode & 0o777).toBe(0o600);
  expect(await readdir(backups.folder)).toEqual(['colophon.backup']);
  const [header = ''] = (await readFile(backups.file, 'latin1')).split('\n', 1);
  expect(JSON.parse(header)).toMatchObject({
    format: 'colophon-backup',
    engine: testEngine(),
    migrations: migrations.map(([name]) => name),
    secretKey: { fingerprint: BACKED_UP_KEY.fingerprint, place: 'backup' },
  });
  expect(header).not.toContain(BACKED_UP_KEY.key);
});
