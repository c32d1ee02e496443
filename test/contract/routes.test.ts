import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTemplate } from '../../server/contract/request/paths/path-template.ts';
import { Routes } from '../../server/contract/request/paths/routes.ts';
import { startProcessorClock } from '../support/processes/processor-time.ts';
import { runs } from '../support/seed.ts';

/** Returns a function that matches a path: the template, and the raw values of its parameters. */
function routesOf(...paths: string[]): (path: string) => string[] | undefined {
  const routes = new Routes<string>();
  for (const path of paths) {
    routes.add(parseTemplate(path), () => path);
  }
  return (path) => {
    const match = routes.match(path);
    return match && [match.value, ...match.raw];
  };
}

test('finds paths among others with the same prefix', () => {
  const match = routesOf('/a/{x}/c', '/a/b/{y}', '/a/b/d', '/{z}', '/a/{x}/{y}/e', '/');
  expect(['/a/b/c', '/a/b/d', '/a/x/c', '/q', '/', '/a/b/c/e'].map(match)).toEqual([
    ['/a/b/{y}', 'c'],
    ['/a/b/d'],
    ['/a/{x}/c', 'x'],
    ['/{z}', 'q'],
    ['/'],
    ['/a/{x}/{y}/e', 'b', 'c'],
  ]);
  expect(['/a/x/d', '/a/b', '', '/a/b/', '//', '/q/'].map(match)).toEqual(Array(6).fill(undefined));
});

describe('segments with a parameter and text', () => {
  test.each<[string, string, string[] | undefined]>([
    ['/{id}.json', '/12.json', ['12']],
    ['/{id}.json', '/a.json.json', ['a.json']],
    ['/{id}.json', '/.json', undefined],
    ['/{id}.json', '/12.xml', undefined],
    ['/{base}...{head}', '/main...topic', ['main', 'topic']],
    ['/{base}...{head}', '/a...b...c', ['a', 'b...c']],
    ['/{base}...{head}', '/a....b', ['a', '.b']],
    ['/{base}...{head}', '/...b', undefined],
    ['/{base}...{head}', '/a...', undefined],
    ['/{name}:verb', '/a:verb', ['a']],
    ['/{name}:verb', '/a:b:verb', ['a:b']],
    ['/{name}:verb', '/a%3Averb', undefined],
    ['/x:verb', '/x:verb', []],
    ['/x:verb', '/x%3Averb', undefined],
    ['/@{lat},{lon}', '/@1.5,-2', ['1.5', '-2']],
    ['/@{lat},{lon}', '/@1.5', undefined],
    ['/v{major}.{minor}-{tag}.zip', '/v1.2-rc.1.zip', ['1', '2', 'rc.1']],
    ['/page-{number}.atom', '/page-.atom', undefined],
    ['/ab{x}ba', '/aba', undefined],
  ])('%s matches %s with %j', (template, path, values) => {
    expect(routesOf(template)(path)).toEqual(values && [template, ...values]);
  });
});

describe('parameters of several segments', () => {
  test.each<[string, string, string[] | undefined]>([
    ['/files/{+path}', '/files/a/b.txt', ['a/b.txt']],
    ['/files/{+path}', '/files/a', ['a']],
    ['/files/{+path}', '/files//a', ['/a']],
    ['/files/{+path}', '/files/a/', ['a/']],
    ['/files/{+path}', '/files/', undefined],
    ['/files/{+path}', '/files', undefined],
    ['/v1/{+name}:cancel', '/v1/projects/a/jobs/b:cancel', ['projects/a/jobs/b']],
    ['/v1/{+name}:cancel', '/v1/projects/a:cancel/b', undefined],
    ['/v1/{+name}:cancel', '/v1/:cancel', undefined],
    ['/v1/x{+name}x', '/v1/x', undefined],
    ['/{+path}/versions/{v}', '/a/versions/b/versions/c', ['a/versions/b', 'c']],
    ['/{+a}/x/{+b}', '/1/x/2/x/3', ['1/x/2', '3']],
    ['/{+a}/x/{+b}', '/1/y/2', undefined],
  ])('%s matches %s with %j', (template, path, values) => {
    expect(routesOf(template)(path)).toEqual(values && [template, ...values]);
  });
});

test('compares letters outside ASCII in every spelling', () => {
  for (const template of ['/café/{größe}', '/caf%C3%A9/{größe}', '/caf%c3%a9/{größe}']) {
    const match = routesOf(template);
    for (const path of ['/caf%C3%A9/1', '/caf%c3%a9/1']) {
      expect(match(path)).toEqual([template, '1']);
    }
    expect(match('/cafe/1')).toBeUndefined();
  }
  expect(routesOf('/a b/{x}')('/a%20b/%7ec')).toEqual(['/a b/{x}', '%7Ec']);
  // A proxy may restrict paths by their text.
  expect(routesOf('/search')('/%73earch')).toBeUndefined();
});

describe('precedence', () => {
  const paths = ['/{+a}', '/{a}', '/{a}.json', '/{a}.min.json', '/x.json', '/{a}-{b}', '/{+a}:x'];
  test.each([paths, [...paths].reverse()])('does not depend on the order of paths', (...ordered) => {
    const match = routesOf(...ordered);
    expect(['/x.json', '/y.json', '/y.min.json', '/y', '/y-z', '/y/z', '/y/z:x', '/y:x'].map(match)).toEqual([
      ['/x.json'],
      ['/{a}.json', 'y'],
      ['/{a}.min.json', 'y'],
      ['/{a}', 'y'],
      ['/{a}-{b}', 'y', 'z'],
      ['/{+a}', 'y/z'],
      ['/{+a}:x', 'y/z'],
      ['/{a}', 'y:x'],
    ]);
  });

  test('is that of the first segment in which paths differ', () => {
    const match = routesOf('/{a}.json/x', '/{a}/{b}', '/y.json/z');
    expect(match('/y.json/x')).toEqual(['/{a}.json/x', 'y']);
    expect(match('/y.json/w')).toEqual(['/{a}/{b}', 'y.json', 'w']);
  });
});

test('paths that differ in the names of parameters only share a value', () => {
  const routes = new Routes<string>();
  expect(routes.add(parseTemplate('/a/{x}.json'), () => 'first')).toBe('first');
  expect(routes.add(parseTemplate('/a/{y}.json'), () => 'second')).toBe('first');
});

test.each([
  ['/{a}{b}', 'no text before the parameter b'],
  ['/{a', 'a brace that does not enclose'],
  ['/a}', 'a brace that does not enclose'],
  ['/{}', 'a brace that does not enclose'],
  ['/{a}/{a}', 'the parameter a more than once'],
  ['/a#b', 'contains #'],
  ['/a?b={c}', 'contains ?'],
  ['a/b', 'does not begin with a slash'],
  ['/{a}-{+b}', 'next to another one'],
  ['/x{?limit,offset}', 'the expression {?limit,offset}'],
  ['/x/{path*}', 'the expression {path*}'],
])('does not support %s', (path, reason) => {
  expect(() => parseTemplate(path)).toThrow(reason);
});

test('reads a parameter of several segments from its declaration', () => {
  const { segments, names } = parseTemplate(
    '/{a}/{b+}/{+c}',
    new Map([
      ['a', true],
      ['b', false],
    ]),
  );
  expect(names).toEqual(['a', 'b', 'c']);
  expect(segments.map(({ isReserved }) => isReserved)).toEqual([true, true, true]);
});

test('every filled template is matched, with the same values', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-', 'é', '~', ' '), minLength: 1 });
  const text = fc.constantFrom('.', '-', '...', ':x', 'b', 'é');
  const template = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(template, fc.array(value, { minLength: 12, maxLength: 12 }), (segments, values) => {
      let used = 0;
      let path = '';
      let filled = '';
      for (const [first = '', ...texts] of segments) {
        path += `/${first}`;
        filled += `/${encodeURI(first)}`;
        for (const after of texts) {
          path += `{p${used}}${after}`;
          filled += `${encodeURIComponent(values[used] ?? '')}${encodeURI(after)}`;
          used += 1;
        }
      }
      const [found, ...raw] = routesOf(path)(filled) ?? [];
      expect(found).toBe(path);
      // A value that contains the text after it is split elsewhere, but nothing is lost.
      const expected = parseTemplate(path).segments.map(({ texts }) => texts);
      let at = 0;
      const rebuilt = expected.map((texts) =>
        texts.map((part, index) => (index === 0 ? part : `${raw[at++]}${part}`)).join(''),
      );
      expect(decodeURIComponent(`/${rebuilt.join('/')}`)).toBe(decodeURIComponent(filled));
    }),
    { numRuns: runs(200) },
  );
});

test('takes linear time for every path', () => {
  const hostile = routesOf(
    ...Array.from(
      { length: 12 },
      (_, index) => `/x${Array.from({ length: index }, (_x, at) => `/{+p${at}}/x`).join('')}`,
    ),
    '/{a}a{b}a{c}a{d}a{e}a{f}b',
    ...Array.from({ length: 256 }, (_, bits) =>
      Array.from({ length: 8 }, (_bit, index) => ((bits >> index) & 1 ? `/{p${index}}` : '/x')).join(''),
    ),
  );
  const elapsedMs = startProcessorClock();
  for (const path of ['/x'.repeat(8000), '/'.repeat(16_000), `/${'a'.repeat(16_000)}`, '/%61'.repeat(4000)]) {
    hostile(`${path}y`);
  }
  expect(elapsedMs()).toBeLessThan(2000);
});
