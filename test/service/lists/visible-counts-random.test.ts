import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { countCollectionsByCounts, countSpacesByCounts } from '../../../server/identity/large-counts.ts';
import type { Subject } from '../../../server/identity/visibility.ts';
import {
  countCollectionsByGrants,
  countSpacesByGrants,
  countSpacesVisibleBySubject,
} from '../../../server/identity/visible-counts.ts';
import { isFirstEngine, openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { organizationRow, userRow } from '../database/rows.ts';

const TIME = '2026-01-01T00:00:00.000Z';
const SUBJECTS = 3;
const COLLECTIONS = 5;
const SPACES = 8;

let opened: TestDatabase;
let db: Database;
let users: string[];
beforeAll(async () => {
  opened = await openTestDatabase();
  db = opened.db;
  users = Array.from({ length: SUBJECTS }, (_, index) => `usr_${index}`);
  await db.query.insertInto('users').values(users.map(userRow)).execute();
});
afterAll(() => opened.close());

/** A small organization. Teams, collections and spaces are numbered. */
interface World {
  memberships: Array<{ user: number; team: number }>;
  /** The number of the parent of each collection, which is less than its own; -1 at the root. */
  collections: number[];
  spaces: Array<{ parent: number; deleted: boolean }>;
  grants: Array<{
    subjectKind: 'user' | 'team';
    subject: number;
    targetKind: 'space' | 'collection';
    target: number;
  }>;
}

const upTo = (count: number) => fc.nat({ max: count - 1 });
const parentBelow = (count: number) => fc.integer({ min: -1, max: count - 1 });

const worlds: fc.Arbitrary<World> = fc.record({
  memberships: fc.uniqueArray(fc.record({ user: upTo(SUBJECTS), team: upTo(SUBJECTS) }), {
    selector: ({ user, team }) => `${user} ${team}`,
  }),
  collections: fc.tuple(...Array.from({ length: COLLECTIONS }, (_, index) => parentBelow(index))),
  spaces: fc.array(fc.record({ parent: parentBelow(COLLECTIONS), deleted: fc.boolean() }), {
    minLength: SPACES,
    maxLength: SPACES,
  }),
  grants: fc.uniqueArray(
    fc.record({
      subjectKind: fc.constantFrom('user' as const, 'team' as const),
      subject: upTo(SUBJECTS),
      targetKind: fc.constantFrom('space' as const, 'space' as const, 'collection' as const),
      target: upTo(COLLECTIONS),
    }),
    { selector: (grant) => Object.values(grant).join(' '), maxLength: 25 },
  ),
});

let created = 0;

/** IDs of the resources of a {@link World} in an organization of its own. */
const namesIn = (organization: string) => ({
  organization,
  id: (kind: 'team' | 'collection' | 'space', index: number) => `${organization}_${kind}_${index}`,
  subject: (kind: 'user' | 'team', index: number) =>
    kind === 'user' ? `usr_${index}` : `${organization}_team_${index}`,
});
type Names = ReturnType<typeof namesIn>;

async function write(world: World): Promise<Names> {
  const organization = `org_${created++}`;
  const names = namesIn(organization);
  const { query } = db;
  const owned = { organization, createdAt: TIME };
  await query.insertInto('organizations').values(organizationRow(organization)).execute();
  const teams = users.map((_, index) => ({
    ...owned,
    id: names.id('team', index),
    title: 'Team',
    createdBy: null,
  }));
  await query.insertInto('teams').values(teams).execute();
  for (const { user, team } of world.memberships) {
    await query
      .insertInto('teamMembers')
      .values({
        organization,
        team: names.id('team', team),
        user: `usr_${user}`,
        role: 'member',
        joinedAt: TIME,
        teamCreatedAt: TIME,
      })
      .execute();
  }
  const placed = (parent: number, index: number) => ({
    ...owned,
    parent: parent < 0 ? null : names.id('collection', parent),
    title: 'Title',
    defaultLevel: null,
    position: `V${index}`,
  });
  for (const [index, parent] of world.collections.entries()) {
    await query
      .insertInto('collections')
      .values({ ...placed(parent, index), id: names.id('collection', index), description: null })
      .execute();
  }
  await query
    .insertInto('spaces')
    .values(
      world.spaces.map(({ parent }, index) => ({
        ...placed(parent, index),
        id: names.id('space', index),
        emoji: null,
        icon: null,
        editMode: 'live',
        language: null,
        updatedAt: TIME,
        deletedAt: null,
        deletedBy: null,
        revision: 'rev_1',
        searchedRevision: null,
        searchedEntries: null,
        git: null,
        computedSource: null,
        template: null,
      })),
    )
    .execute();
  for (const { subjectKind, subject, targetKind, target } of world.grants) {
    await query
      .insertInto('grants')
      .values({
        ...owned,
        subjectKind,
        subject: names.subject(subjectKind, subject),
        targetKind,
        target: names.id(targetKind, target),
        role: 'read',
      })
      .execute();
  }
  const deleted = world.spaces.flatMap(({ deleted }, index) => (deleted ? names.id('space', index) : []));
  await query
    .updateTable('spaces')
    .set({ deletedAt: TIME })
    .where('id', 'in', ['', ...deleted])
    .execute();
  return names;
}

/** Numbers of the collections and spaces that are visible to a subject, determined one by one. */
function visibleIn(world: World, kind: 'user' | 'team', subject: number) {
  const teams = world.memberships.flatMap(({ user, team }) =>
    kind === 'user' && user === subject ? team : [],
  );
  const isGranted = (targetKind: 'space' | 'collection', target: number) =>
    world.grants.some(
      (grant) =>
        grant.targetKind === targetKind &&
        grant.target === target &&
        (grant.subjectKind === kind ? grant.subject === subject : teams.includes(grant.subject)) &&
        (grant.subjectKind === kind || kind === 'user'),
    );
  const isVisible = (collection: number): boolean =>
    collection >= 0 &&
    (isGranted('collection', collection) || isVisible(world.collections[collection] ?? -1));
  const collections = world.collections.flatMap((_, index) => (isVisible(index) ? index : []));
  const spaces = world.spaces.flatMap(({ parent, deleted }, index) =>
    !deleted && (isGranted('space', index) || isVisible(parent)) ? index : [],
  );
  return { collections, roots: collections.filter((index) => world.collections[index] === -1), spaces };
}

test('are the same however they are computed', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const names = await write(world);
      const { organization } = names;
      const { query } = db;
      const subjects = (['user', 'team'] as const).flatMap((kind) =>
        users.map((_, index) => ({ kind, index, id: names.subject(kind, index) })),
      );
      for (const { kind, index, id } of subjects) {
        const subject: Subject = { organization, kind, id };
        const alone = { organization, kind, ids: [id] };
        const visible = visibleIn(world, kind, index);
        const what = `${kind} ${index}`;
        for (const startsFromCounts of [true, false]) {
          const count = await countSpacesByCounts(query, subject, { startsFromCounts });
          expect(count, `spaces of ${what} by counts`).toBe(visible.spaces.length);
        }
        for (const nested of [true, false]) {
          const expected = nested ? visible.collections : visible.roots;
          const byCounts = await countCollectionsByCounts(query, subject, { nested });
          expect(byCounts, `collections of ${what} by counts`).toBe(expected.length);
          const byGrants = await countCollectionsByGrants(query, alone, { nested });
          expect(byGrants, `collections of ${what} by grants`).toBe(expected.length);
        }
        for (const [other, user] of users.entries()) {
          const shared = visibleIn(world, 'user', other).spaces.filter((space) =>
            visible.spaces.includes(space),
          );
          for (const spaces of [undefined, 0, 2]) {
            const counts = await countSpacesByGrants(query, alone, {
              subject: { organization, kind: 'user', id: user },
              ...(spaces !== undefined && { spaces }),
            });
            expect(counts.get(id) ?? 0, `spaces of ${what} and user ${other}`).toBe(shared.length);
          }
        }
      }
      for (const kind of ['user', 'team'] as const) {
        const ofKind = subjects.filter((one) => one.kind === kind);
        const expected = new Map(
          ofKind.map(({ id, index }) => [id, visibleIn(world, kind, index).spaces.length]),
        );
        const all = { organization, kind, ids: ofKind.map(({ id }) => id) };
        expect(await countSpacesVisibleBySubject(query, all)).toEqual(expected);
        const inTransaction = await db.transaction((trx) => countSpacesVisibleBySubject(trx, all));
        expect(inTransaction).toEqual(expected);
      }
    }),
    { numRuns: isFirstEngine ? 40 : 10 },
  );
}, 240_000);
