import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  blockForUrl,
  MAX_MATCHED_URL_CHARACTERS,
  type UrlPatterns,
} from '../../../server/content/links/url-patterns.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';

const block = (name: string, ...patterns: string[]): UrlPatterns => ({
  integration: name,
  block: 'block',
  patterns,
});
const matches = (pattern: string, url: string) => blockForUrl(url, [block('a', pattern)]) !== undefined;

describe('the pattern of a URL', () => {
  test.each<[pattern: string, matching: string[], others: string[]]>([
    [
      'https://boards.example.com/file/**',
      ['https://boards.example.com/file/a/b?x=1#y', 'https://BOARDS.example.com/file/'],
      [
        'https://boards.example.com/files/a',
        'http://boards.example.com/file/a',
        'https://boards.example.com.evil.test/file/a',
        'https://evil.test/?https://boards.example.com/file/a',
        'https://user@boards.example.com/file/a',
        'https://boards.example.com:8443/file/a',
      ],
    ],
    [
      'https://app.example/*',
      ['https://app.example/a/b', 'https://app.example/'],
      ['https://app.example.org/a'],
    ],
    [
      'https://*.example.net/browse/**',
      ['https://a.example.net/browse/X-1', 'https://a.b.example.net/browse/X-1'],
      [
        'https://example.net/browse/X-1',
        'https://evil.test/.example.net/browse/X',
        'https://evil.test?.example.net/browse/X',
        'https://evil.test#.example.net/browse/X',
      ],
    ],
    [
      'https://code.example/*/*/blob/**',
      ['https://code.example/o/r/blob/main/a.ts', 'https://code.example/o/r/blob/'],
      [
        'https://code.example/o/blob/main',
        'https://code.example/o/r/x/blob/main',
        'https://code.example/?/r/blob/a',
      ],
    ],
    ['https://a.example/embed.html*', ['https://a.example/embed.html?id=1'], ['https://a.example/embed.htm']],
    [
      'https://b.example',
      ['https://b.example', 'https://b.example/x', 'https://b.example?x'],
      ['https://b.example.test/', 'https://b.examples/'],
    ],
    [
      'https://b.example/docs',
      ['https://b.example/docs', 'https://b.example/docs/a'],
      ['https://b.example/docsx'],
    ],
    ['https://b.example/docs/', ['https://b.example/docs/a'], ['https://b.example/docs']],
    ['c.example/**', ['https://c.example/x', 'http://c.example/x'], ['ftp://c.example/x']],
    ['*://d.example/**', ['https://d.example/x', 'http://d.example/x'], ['https://e.example/x']],
    ['https://f.example/a.c?', ['https://f.example/a.c?x'], ['https://f.example/abc?x']],
    ['', [], ['https://a.example/']],
    ['https://', [], ['https://a.example/']],
    ['**', ['https://a.example/x'], []],
  ])('%s matches what it describes', (pattern, matching, others) => {
    expect(matching.filter((url) => !matches(pattern, url))).toEqual([]);
    expect(others.filter((url) => matches(pattern, url))).toEqual([]);
  });

  test('is compared with URLs of the web only, up to a length', () => {
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'mailto:a@b.example',
      '/path',
      '',
      'https://',
    ]) {
      expect(matches('**', url)).toBe(false);
    }
    const long = `https://a.example/${'a'.repeat(MAX_MATCHED_URL_CHARACTERS)}`;
    expect(matches('https://a.example/**', long.slice(0, MAX_MATCHED_URL_CHARACTERS))).toBe(true);
    expect(matches('https://a.example/**', long)).toBe(false);
  });

  test('that is the most specific one determines the block, and else the first one', () => {
    const blocks = [
      block('any', '**'),
      block('host', 'https://a.example/**'),
      block('again', 'https://a.example/*'),
    ];
    expect(blockForUrl('https://a.example/x', blocks)?.integration).toBe('host');
    expect(blockForUrl('https://b.example/x', blocks)?.integration).toBe('any');
    const more = [...blocks, block('path', 'https://b.example', 'https://a.example/x/**')];
    expect(blockForUrl('https://a.example/x/y', more)?.integration).toBe('path');
    expect(blockForUrl('https://a.example/x/y', [])).toBeUndefined();
  });

  test('is compared in linear time', () => {
    const pattern = `https://a.example/${'*a**b'.repeat(300)}`;
    const url = `https://a.example/${'ab'.repeat(1000)}c`;
    const elapsedMs = startProcessorClock();
    matches(pattern, url);
    expect(elapsedMs()).toBeLessThan(2000);
  });

  test('matches each URL that it is made of, whatever is replaced by wildcards', () => {
    const part = fc.stringMatching(/^[a-z0-9._~-]{1,8}$/).filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(part, fc.boolean()), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (parts, isOpen) => {
          const url = `https://a.example/${parts.map(([text]) => text).join('/')}`;
          const written = parts.map(([text, isWild]) => (isWild ? '*' : text)).join('/');
          expect(
            matches(`https://a.example/${written}${isOpen ? '/**' : ''}`, isOpen ? `${url}/x/y` : url),
          ).toBe(true);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
