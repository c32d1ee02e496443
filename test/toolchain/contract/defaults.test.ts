import { describe, expect, test } from 'vitest';
import { type OperationEntry, operations } from '../../../generated/operations.ts';

const all: [string, OperationEntry][] = Object.entries(operations);

/** Default of each parameter, in every operation: callers depend on it implicitly. */
const DEFAULTS: Record<string, unknown> = {
  computed: true,
  dereferenced: 'false',
  evaluated: false,
  extended: false,
  format: 'document',
  limit: 50,
  metadata: true,
  nested: true,
  order: 'desc',
  sort: 'joinedAt',
};
/** A comparison is not a list: people read its first changes. */
const LIMITS: Record<string, number> = { getChangeRequestChanges: 10, getRevisionChanges: 10 };
/** Change requests are listed while they are open, comments in any status. */
const STATUS: Record<string, string> = {
  listChangeRequests: 'open',
  listChangeRequestComments: 'all',
  listSpaceComments: 'all',
};

describe('the contract', () => {
  test('has the same defaults for a parameter in every operation', () => {
    const said = all.flatMap(([id, { defaults }]) =>
      Object.entries(defaults).map(([name, value]) => ({ id, name, value })),
    );
    expect(said.length).toBeGreaterThan(50);
    for (const { id, name, value } of said) {
      const own = { status: STATUS, limit: LIMITS }[name]?.[id];
      expect([id, name, value]).toEqual([id, name, own ?? DEFAULTS[name]]);
    }
    expect(new Set(said.map(({ name }) => name))).toEqual(new Set([...Object.keys(DEFAULTS), 'status']));
  });

  test('has pages of fifty items in each list', () => {
    const lists = all.filter(([, { list }]) => list);
    expect(lists.filter(([, { defaults }]) => defaults.limit !== 50).map(([id]) => id)).toEqual([]);
  });

  test('requires a token of every caller, except of visitors of published sites', () => {
    const unsecured = all.filter(([, { secured }]) => !secured).map(([id]) => id);
    expect(unsecured.sort()).toEqual([
      'askSite',
      'getPublishedSite',
      'getRevision',
      'getRevisionPage',
      'getRevisionPageByPath',
      'getRevisionPageDocument',
      'getRevisionPageTree',
      'getRevisionReusableContentDocument',
      'getSiteRedirectBySource',
      'getSiteStructure',
      'getSpace',
      'listRevisionFiles',
      'listSiteSections',
      'listSiteSpaces',
      'recordSiteEvents',
      'resolvePublishedUrl',
      'searchSite',
    ]);
  });
});
