import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseMarkdown, parseOnce } from '../../../server/content/markdown/markdown.ts';

const folder = new URL('../../fixtures/markdown/', import.meta.url);
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));

/** Removes the keys of blocks. */
const withoutKeys = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document, (name, value) => (name === 'key' ? undefined : value)));

describe('a page that is parsed once', () => {
  test.each(pages)('has the document of %s without keys', (name) => {
    const markdown = readFileSync(new URL(name, folder), 'utf8');
    expect(JSON.parse(JSON.stringify(parseOnce(markdown)))).toEqual(withoutKeys(parseMarkdown(markdown)));
  });

  test('is verbatim if it exceeds a limit', () => {
    const markdown = '> '.repeat(200_000);
    expect(withoutKeys(parseOnce(markdown))).toEqual(withoutKeys(parseMarkdown(markdown)));
  });
});
