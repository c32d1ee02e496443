import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linksIn } from '../../../server/content/links/graph.ts';
import { writeRevision } from '../../../server/content/new-revision.ts';
import { readBlob } from '../../../server/content/store/blobs.ts';
import { openContent } from '../../../server/content/store/content.ts';
import { transferSpaceContent } from '../../../server/content/store/organization-transfer.ts';
import { copyRevision, findRevision } from '../../../server/content/store/revisions.ts';
import { sweepObjects } from '../../../server/content/store/sweep.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { document, file, imported } from '../../support/content/imported-content.ts';
import { type TestDatabase, testEngine } from '../../support/database/engines.ts';
import {
  countRows,
  createId,
  facts,
  importInto,
  newSpace,
  now,
  openContentDatabase,
  page,
  sample,
  write,
} from './fixture.ts';

let open: TestDatabase;
beforeAll(async () => {
  open = await openContentDatabase();
});
afterAll(() => open.close());

describe('the content of an organization', () => {
  test('is copied when a space is transferred, and stays readable in the old one', async () => {
    const linking = document('linking.md', { markdown: '[Itself](linking.md), [gone](gone.md)' });
    const content = imported({ ...sample(), pages: [linking, ...sample().pages] });
    const { revision } = await importInto(await newSpace(), content);
    const shared = await newSpace();
    const copy = await open.db.transaction((trx) =>
      copyRevision(trx, revision, {
        id: createId('rev'),
        organization: 'org_a',
        space: shared.space,
        createdBy: null,
        now,
      }),
    );
    await open.db.transaction((trx) =>
      transferSpaceContent(trx, NO_QUOTAS, [revision.space], 'org_a', 'org_b'),
    );
    const moved = await findRevision(open.db.query, revision.space, revision.id);
    expect(moved?.organization).toBe('org_b');
    if (!moved) {
      return;
    }
    const [original, copied] = [
      await openContent(open.db.query, moved),
      await openContent(open.db.query, copy),
    ];
    expect(await original.readTree()).toEqual(await copied.readTree());
    const scope = { space: revision.space, findSpaceAddresses: async () => new Map() };
    const links = await linksIn(original, scope);
    expect(links.map(({ target }) => target?.kind)).toEqual(expect.arrayContaining(['page', undefined]));
    expect(links).toEqual(await linksIn(copied, scope));
    for (const { record } of await original.readTree()) {
      expect(await original.readBody(record)).toBe(await copied.readBody(record));
    }
    for (const { blob } of await original.listFiles()) {
      expect(await readBlob({ database: open.db, objectStorage: undefined }, 'org_b', blob)).toBeDefined();
    }
    expect(await sweepObjects(open.db, 'org_b', () => now)).toEqual({ objects: 0, blobs: 0 });
  });

  test('is swept only if no revision refers to it', async () => {
    const organization = 'org_b';
    await sweepObjects(open.db, organization, () => now);
    const current = await importInto(await newSpace(organization), sample());
    const [objects, blobs] = [
      await countRows('objects', organization),
      await countRows('blobs', organization),
    ];
    const previous = await importInto(
      await newSpace(organization),
      imported({
        ...sample(),
        pages: [document('gone.md', { markdown: 'only here' }), ...sample().pages],
        files: [file('gone.png', 'oid-gone'), ...sample().files],
      }),
    );
    await open.db.query.deleteFrom('revisions').where('space', '=', previous.revision.space).execute();
    const swept = await sweepObjects(open.db, organization, () => now);
    expect(swept.objects).toBeGreaterThan(2);
    expect(swept.blobs).toBe(1);
    expect(await countRows('objects', organization)).toBe(objects);
    expect(await countRows('blobs', organization)).toBe(blobs);
    const content = await openContent(open.db.query, current.revision);
    const tree = await content.readTree();
    expect(tree).toHaveLength(2);
    expect((await content.readBodies(tree.map(({ record }) => record))).size).toBe(1);
  });

  test('is not swept after an abort, but by the next sweep', async () => {
    const organization = 'org_b';
    await sweepObjects(open.db, organization, () => now);
    const count = await countRows('objects', organization);
    const { revision } = await importInto(
      await newSpace(organization),
      imported({ pages: [document('aborted.md', { markdown: 'only in the aborted sweep' })] }),
    );
    await open.db.query.deleteFrom('revisions').where('space', '=', revision.space).execute();
    const reason = new Error('The server is stopping.');
    const aborted = sweepObjects(open.db, organization, () => now, AbortSignal.abort(reason));
    await expect(aborted).rejects.toBe(reason);
    expect(await countRows('objects', organization)).toBeGreaterThan(count);
    await sweepObjects(open.db, organization, () => now);
    expect(await countRows('objects', organization)).toBe(count);
  });

  test('is not swept from revisions that are written at the same time', async () => {
    const organization = 'org_b';
    const abandoned = ['left over', ...Array.from({ length: 40 }, (_, n) => `left over ${n}`)];
    const space = await newSpace(organization);
    // Leaves unreferenced objects that the writers below need again.
    const lost = await write(
      space,
      abandoned.map((text, n) => page(`l${n}`, null, `l${n}`, text)),
      abandoned,
    );
    await open.db.query.deleteFrom('revisions').where('id', '=', lost.id).execute();
    const writes = abandoned.map((text, n) => write(space, [page(`l${n}`, null, `l${n}`, text)], [text]));
    const [, ...rows] = await Promise.all([sweepObjects(open.db, organization, () => now), ...writes]);
    for (const revision of rows) {
      const content = await openContent(open.db.query, revision);
      const [node] = await content.readTree();
      expect(node && (await content.readBody(node.record))).toMatch(/^left over/);
    }
  });

  test('is not swept from an uncommitted revision', async () => {
    const organization = 'org_b';
    const space = await newSpace(organization);
    const record = page('late', null, 'late', 'nothing leads here');
    const lost = await write(space, [record], ['nothing leads here']);
    await open.db.query.deleteFrom('revisions').where('id', '=', lost.id).execute();

    const [written, swept] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = open.db.transaction(async (trx) => {
      const row = await writeRevision(trx, {
        ...facts(space),
        type: 'edits',
        base: space,
        change: {
          pages: new Map([['late', record]]),
          children: new Map([[null, ['late']]]),
          texts: [textObject('nothing leads here')],
        },
      });
      written.resolve();
      await swept.promise;
      return row;
    });
    // Whichever comes first, so that a failing writer fails the test.
    await Promise.race([written.promise, writing]);
    const sweeping = sweepObjects(open.db, organization, () => now);
    // SQLite makes the sweep wait for the writer; PostgreSQL does not.
    if (testEngine() === 'postgres') {
      await sweeping;
    }
    swept.resolve();
    await sweeping;
    const content = await openContent(open.db.query, await writing);
    expect(await content.readBody(record)).toBe('nothing leads here');
  });
});
