import { describe, expect, test } from 'vitest';
import { DEFAULT_LAYOUT, type DocumentRecord, type PageNode } from '../../../server/content/tree/records.ts';
import { jsonText } from '../../../server/contract/response/json.ts';
import { writeJson } from '../../../server/database/json.ts';
import {
  type ContentView,
  presentFile,
  presentPage,
  presentRevision,
} from '../../../server/platform/content/revisions/present.ts';

const view = (metadata: boolean): ContentView => ({
  metadata,
  pageUrls: (id) => ({ app: `https://here/${id}` }),
  downloadURL: ({ id }) => `https://here/files/${id}`,
});

const record: DocumentRecord = {
  type: 'document',
  id: 'page_1',
  parent: null,
  title: 'Guide',
  slug: 'guide',
  documentId: 'doc_1',
  body: 'hash',
  layout: { width: 'wide' },
  createdAt: '2026-01-01T00:00:00.000Z',
  git: { oid: 'o', path: 'guide.md' },
};
const node = (values: Partial<DocumentRecord> = {}, pages: PageNode[] = []): PageNode => ({
  record: { ...record, ...values },
  path: 'guide',
  pages,
});

/** Returns a value as it is in a response. */
const sent = (value: unknown) => JSON.parse(jsonText(value));

describe('a page', () => {
  test('has default values', () => {
    expect(presentPage(node(), view(true))).toEqual({
      type: 'document',
      id: 'page_1',
      title: 'Guide',
      slug: 'guide',
      path: 'guide',
      pages: [],
      hidden: false,
      noIndex: false,
      noRobotsIndex: false,
      documentId: 'doc_1',
      layout: { ...DEFAULT_LAYOUT, width: 'wide' },
      git: { oid: 'o', path: 'guide.md' },
      urls: { app: 'https://here/page_1' },
    });
  });

  test('has dates after its first edit', () => {
    expect(presentPage(node(), view(true))).not.toHaveProperty('createdAt');
    const updatedAt = '2026-02-01T00:00:00.000Z';
    expect(presentPage(node({ updatedAt }), view(true))).toMatchObject({
      createdAt: record.createdAt,
      updatedAt,
    });
  });

  test('has a body, and its descendants have none', () => {
    const page = sent(presentPage(node({}, [node({ id: 'page_2' })]), view(true), { markdown: 'Text.' }));
    expect(page).toMatchObject({ markdown: 'Text.', pages: [{ id: 'page_2' }] });
    expect(page.pages[0]).not.toHaveProperty('markdown');
  });

  test('that is computed has a seed instead of the id of a body', () => {
    const computed = {
      type: 'builtin:openapi' as const,
      props: { doc: 'models' as const },
      dependencies: { spec: { ref: { kind: 'openapi' as const, spec: 'petstore' } } },
    };
    const page = presentPage(node({ computed, computedSeed: 's' }), view(true));
    expect(page).toMatchObject({ computed, computedSeed: 's' });
    expect(page).not.toHaveProperty('documentId');
  });

  test.each([
    [
      'link',
      { type: 'link', id: 'l', parent: null, title: 'L', target: { kind: 'url', url: '/x' }, href: '/x' },
      { type: 'link', id: 'l', title: 'L', target: { kind: 'url', url: '/x' }, href: '/x', hidden: false },
    ],
    [
      'group',
      { type: 'group', id: 'g', parent: null, title: 'G', slug: 'g', hidden: true },
      {
        type: 'group',
        id: 'g',
        title: 'G',
        slug: 'g',
        path: 'here/g',
        pages: [],
        hidden: true,
        noIndex: false,
        noRobotsIndex: false,
      },
    ],
  ] as const)('that is a %s has the fields of its type', (_, stored, shown) => {
    expect(presentPage({ record: stored, path: 'here/g', pages: [] }, view(true))).toEqual(shown);
  });
});

describe('Git metadata', () => {
  const revision = {
    id: 'rev_1',
    organization: 'org',
    space: 'spc',
    type: 'edits' as const,
    root: 'hash',
    parents: writeJson(['rev_0']),
    git: writeJson({ oid: 'c', message: 'Commit', createdByService: false }),
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: null,
    changeRequest: null,
  };
  const file = {
    id: 'file_1',
    name: 'a.png',
    contentType: 'image/png',
    size: 3,
    blob: 'hash',
    createdAt: '2026-01-01T00:00:00.000Z',
    git: { oid: 'f', path: 'a.png' },
  };
  const reusable = { id: 'r', title: 'R', body: 'hash', git: { oid: 'r', path: 'r.md' } };
  const parts = { pages: [node()], files: [file], reusableContents: [reusable], variables: {} };
  const shown = (metadata: boolean) =>
    jsonText(presentRevision(revision, parts, view(metadata), { app: 'https://here' }));

  test('is included by default, and omitted everywhere on request', () => {
    expect(shown(true).match(/"git":/g)).toHaveLength(4);
    expect(shown(false)).not.toContain('"git":');
  });

  test('does not affect the rest of a revision', () => {
    expect(
      sent(presentRevision(revision, { ...parts, pages: [] }, view(false), { app: 'https://here' })),
    ).toEqual({
      object: 'revision',
      id: 'rev_1',
      parents: ['rev_0'],
      pages: [],
      files: [presentFile(file, view(false))],
      reusableContents: [{ id: 'r', title: 'R' }],
      createdAt: revision.createdAt,
      urls: { app: 'https://here' },
    });
  });

  test('of a file is next to its URL', () => {
    expect(presentFile(file, view(true))).toEqual({
      id: 'file_1',
      name: 'a.png',
      contentType: 'image/png',
      size: 3,
      downloadURL: 'https://here/files/file_1',
      git: file.git,
    });
  });
});
