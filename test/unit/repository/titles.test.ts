import { describe, expect, test } from 'vitest';
import { findTitleHeading, sameTitle } from '../../../server/content/repository/read/heading.ts';
import { slugify, UniqueNames } from '../../../server/content/tree/slugs.ts';

describe('a title', () => {
  test.each([
    ['Launch', '🚀 Launch'],
    ['Team', '👩🏽‍🚀 Team'],
    ['Deutsch', 'Deutsch 🇩🇪'],
    ['Wales', '🏴󠁧󠁢󠁷󠁬󠁳󠁿 Wales'],
    ['1 first', '1️⃣ first'],
    ['Coffee', '☕️ coffee'],
    ['Thumbs', '👍🏿 Thumbs'],
    ['Ship', ':rocket: Ship'],
    ['Façade', 'Façade'.normalize('NFD')],
  ])('%j equals %j', (item, other) => {
    expect(sameTitle(item, other)).toBe(true);
  });

  test.each([
    ['C', 'C#'],
    ['Version 1', 'Version 2'],
    ['*', '#'],
    ['🚀', '🎉'],
    ['cafe', 'café'],
  ])('%j does not equal %j', (item, other) => {
    expect(sameTitle(item, other)).toBe(false);
  });
});

describe('the heading of a page', () => {
  test.each([
    ['Over\ntwo lines\n===\n', 'Over two lines', true],
    ['# With an ID {#id} #\n', 'With an ID', true],
    ['Second level\n---\n\n# First\n', 'First', false],
    ['Text.\n\n---\n\n# First\n', 'First', true],
    ['* item\n---\n# First\n', 'First', true],
    ['> quoted\n===\n\n# First\n', 'First', true],
    ['<p>\nnot a heading\n===\n</p>\n\n# First\n', 'First', true],
    ['{% hint %}\ntext\n===\n{% endhint %}\n\n# First\n', 'First', true],
    ['  <!-- # no --> # no\n# First\n', 'First', true],
    ['- ```\n  # no\n  ```\n\n# First\n', 'First', true],
  ])('of %j', (text, title, leading) => {
    expect(findTitleHeading(text)).toMatchObject({ text: title, leading });
  });

  test.each(['', 'text', '##', '<!-- # open', '```\n# code', '    # code', '===', '\n===\n'])(
    'is not in %j',
    (text) => {
      expect(findTitleHeading(text)).toBeUndefined();
    },
  );
});

describe('a slug', () => {
  test.each([
    ['Größe & Façade', 'große-facade'],
    ['Ελληνικά', 'ελληνικα'],
    ['Йод и ёж', 'йод-и-ёж'],
    ['ガイド', 'ガイド'],
    ['हिन्दी', 'हिन्दी'],
    ['สวัสดี', 'สวัสดี'],
    ['한국어', '한국어'],
    ["It's ﬁne", 'its-fine'],
    ['!!!', 'page'],
    ['a'.repeat(150), 'a'.repeat(100)],
  ])('of %j', (text, slug) => {
    expect(slugify(text)).toBe(slug);
    expect(slugify(text.normalize('NFD'))).toBe(slug);
  });

  test('is unique among numbered ones', () => {
    const names = new UniqueNames();
    expect(['a', 'a-1', 'a', 'a', 'a-1'].map((name) => names.assign(name))).toEqual([
      'a',
      'a-1',
      'a-2',
      'a-3',
      'a-1-1',
    ]);
  });
});
