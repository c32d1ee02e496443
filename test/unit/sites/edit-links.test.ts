import { describe, expect, test } from 'vitest';
import { editHref } from '../../../server/platform/sites/reading/edit-links/address.ts';

const git = {
  url: 'https://github.com/acme/docs',
  ref: 'refs/heads/main',
  installationProvider: null,
  treeURL: null,
};

describe('an edit link', () => {
  test.each([
    ['https://github.com/acme/docs/blob/main', 'https://github.com/acme/docs/edit/main/guide/a%20b.md'],
    [
      'https://git.acme.example/acme/docs/tree/v2/x/',
      'https://git.acme.example/acme/docs/edit/v2/x/guide/a%20b.md',
    ],
    [
      'https://code.acme.example/a/b/docs/-/blob/main',
      'https://code.acme.example/a/b/docs/-/edit/main/guide/a%20b.md',
    ],
    [
      'https://gitlab.com/acme/docs/-/tree/feat/x',
      'https://gitlab.com/acme/docs/-/edit/feat/x/guide/a%20b.md',
    ],
    [
      'https://codeberg.org/acme/docs/src/branch/main',
      'https://codeberg.org/acme/docs/_edit/main/guide/a%20b.md',
    ],
    [
      'https://bitbucket.org/acme/docs/src/main/',
      'https://bitbucket.org/acme/docs/src/main/guide/a%20b.md?mode=edit',
    ],
    [
      'https://stash.acme.example/projects/A/repos/docs/browse?at=refs%2Fheads%2Fmain',
      'https://stash.acme.example/projects/A/repos/docs/browse/guide/a%20b.md?at=refs%2Fheads%2Fmain',
    ],
    [
      'https://dev.azure.com/acme/web/_git/docs?path=/&version=GBmain',
      'https://dev.azure.com/acme/web/_git/docs?path=%2Fguide%2Fa%20b.md&version=GBmain',
    ],
    [
      'https://dev.azure.com/acme/web/_git/docs?path=%2Fa%20site%2F&version=GBmain',
      'https://dev.azure.com/acme/web/_git/docs?path=%2Fa%20site%2Fguide%2Fa%20b.md&version=GBmain',
    ],
    [
      'https://git.sr.ht/~acme/docs/tree/main/item',
      'https://git.sr.ht/~acme/docs/tree/main/item/guide/a%20b.md',
    ],
    ['http://127.0.0.1:3000/files?raw=1#top', 'http://127.0.0.1:3000/files/guide/a%20b.md?raw=1'],
    ['https://example.com', 'https://example.com/guide/a%20b.md'],
  ])('follows the tree %s', (treeURL, expected) => {
    expect(editHref({ ...git, url: 'https://other.example/x', treeURL }, 'guide/a b.md')).toBe(expected);
  });

  test.each([
    ['https://github.com/acme/docs.git', null, 'https://github.com/acme/docs/edit/feat/x/a.md'],
    ['https://github.com/acme/docs/', null, 'https://github.com/acme/docs/edit/feat/x/a.md'],
    ['https://gitlab.com/acme/group/docs.git', null, 'https://gitlab.com/acme/group/docs/-/edit/feat/x/a.md'],
    ['https://gitlab.acme.example/docs', null, 'https://gitlab.acme.example/docs/-/edit/feat/x/a.md'],
    ['https://code.acme.example/docs', 'gitlab', 'https://code.acme.example/docs/-/edit/feat/x/a.md'],
    ['https://code.acme.example/a/docs', 'github', 'https://code.acme.example/a/docs/edit/feat/x/a.md'],
    ['https://code.acme.example/a/docs', null, undefined],
    ['https://notgitlab.example/docs', null, undefined],
    ['ssh://git@github.com/acme/docs', 'github', undefined],
  ] as const)('leads to the editor of %s (%s)', (url, installationProvider, expected) => {
    expect(editHref({ ...git, url, ref: 'refs/heads/feat/x', installationProvider }, 'a.md')).toBe(expected);
  });

  test('exists only for pages with a file in a repository', () => {
    expect(editHref(null, 'a.md')).toBeUndefined();
    expect(editHref(git, undefined)).toBeUndefined();
  });

  test('leads to the host of the repository without the URL of a web page of the tree', () => {
    for (const treeURL of [null, 'javascript:alert(1)', 'file:///srv', 'nonsense']) {
      expect(editHref({ ...git, treeURL }, 'a.md')).toBe('https://github.com/acme/docs/edit/main/a.md');
    }
  });
});
