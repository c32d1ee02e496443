import { Readable } from 'node:stream';
import { writeRevision } from '../../../server/content/new-revision.ts';
import type { ImportedContent } from '../../../server/content/repository/types.ts';
import { openContent } from '../../../server/content/store/content.ts';
import { storeFiles } from '../../../server/content/store/files.ts';
import { type RevisionRow, storeRevision } from '../../../server/content/store/revisions.ts';
import { prepareImport } from '../../../server/content/transfer/import.ts';
import { missingFiles } from '../../../server/content/transfer/import-files.ts';
import { changedPages } from '../../../server/content/tree/changes.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { PageRecord } from '../../../server/content/tree/records.ts';
import { NO_QUOTAS } from '../../../server/quotas/quotas.ts';
import { document, file, group, imported, link } from '../../support/content/imported-content.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { organizationRow } from '../database/rows.ts';

/* A database with the organizations `org_a` and `org_b`, and helpers for the tests of stored content. */

let open: TestDatabase;
let spaces = 0;
let ids = 0;
export const createId = (prefix: string) => `${prefix}_${ids++}`;
export const now = new Date('2026-03-01T00:00:00.000Z');
export const later = new Date('2026-04-01T00:00:00.000Z');

/** Opens the database. Call it before all tests of a file, and close the result after them. */
export async function openContentDatabase(): Promise<TestDatabase> {
  open = await openTestDatabase();
  await open.db.query
    .insertInto('organizations')
    .values([organizationRow('org_a'), organizationRow('org_b')])
    .execute();
  return open;
}

/** Creates a space with its empty first revision. */
export async function newSpace(organization = 'org_a'): Promise<RevisionRow> {
  const space = `spc_${spaces++}`;
  const revision = createId('rev');
  return open.db.transaction(async (trx) => {
    await trx
      .insertInto('spaces')
      .values({
        id: space,
        organization,
        parent: null,
        title: space,
        emoji: null,
        icon: null,
        editMode: 'live',
        language: null,
        defaultLevel: null,
        position: space,
        createdAt: now.toISOString(),
        updatedAt: now.toISOString(),
        deletedAt: null,
        deletedBy: null,
        revision,
        git: null,
        computedSource: null,
        template: null,
      })
      .execute();
    return writeRevision(trx, {
      id: revision,
      organization,
      space,
      createdBy: null,
      now,
      type: 'edits',
      parents: [],
      base: null,
      change: {},
    });
  });
}

export const facts = (base: RevisionRow, when = now) => ({
  id: createId('rev'),
  organization: base.organization,
  space: base.space,
  parents: [base.id],
  createdBy: null,
  now: when,
});

export const page = (id: string, parent: string | null, slug = id, body?: string): PageRecord => ({
  type: 'document',
  id,
  parent,
  title: id,
  slug,
  documentId: `doc_${id}`,
  ...(body === undefined ? {} : { body: textObject(body).hash }),
});

export async function write(
  base: RevisionRow,
  pages: PageRecord[],
  texts: string[] = [],
): Promise<RevisionRow> {
  const children = Map.groupBy(pages, ({ parent }) => parent);
  return open.db.transaction((trx) =>
    writeRevision(trx, {
      ...facts(base),
      type: 'edits',
      base,
      change: {
        pages: new Map(pages.map((record) => [record.id, record])),
        children: new Map([...children].map(([parent, records]) => [parent, records.map(({ id }) => id)])),
        texts: texts.map(textObject),
      },
    }),
  );
}

export const countRows = async (table: 'objects' | 'blobs' | 'revisions', organization: string) => {
  const { count } = await open.db.query
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number | string | bigint>().as('count'))
    .where('organization', '=', organization)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Imports content. The bytes of a file are its object id by default. */
export async function importInto(
  base: RevisionRow,
  content: ImportedContent,
  when = now,
  bytesOf: (oid: string) => Buffer = Buffer.from,
) {
  const previous = await openContent(open.db.query, base);
  const missing = missingFiles(content.files, await previous.listFiles());
  async function* contents() {
    for (const oid of missing) {
      const bytes = bytesOf(oid);
      yield { oid, size: bytes.length, chunks: Readable.from([bytes]) };
    }
  }
  const services = { database: open.db, clock: () => when, objectStorage: undefined, quotas: NO_QUOTAS };
  const files = await storeFiles(services, base.organization, contents(), () => ({ width: 2, height: 1 }));
  const prepared = await prepareImport(open.db, {
    previous: base,
    imported: content,
    files,
    createId,
    now: when,
  });
  const revision = await open.db.transaction((trx) =>
    storeRevision(trx, { ...facts(base, when), type: 'edits' }, prepared.planned),
  );
  const imported = await openContent(open.db.query, revision);
  const changes = await changedPages(previous, imported);
  return { revision, content: imported, changes, problems: prepared.problems, fetched: [...missing] };
}

/** Pages, a group, a link and files that refer to each other. */
export const sample = () =>
  imported({
    pages: [
      document('README.md', { cover: { ref: { kind: 'file', path: 'img/a.png' }, yPos: 3 } }),
      group('group:Guides', [
        document('guides/setup.md', { pages: [document('guides/setup/linux.md')] }),
        link('link:0', { kind: 'file', path: 'guides/setup.md' }),
      ]),
    ],
    files: [file('img/a.png', 'oid-a'), file('img/b.png', 'oid-b')],
    variables: { product: 'Colophon' },
  });
