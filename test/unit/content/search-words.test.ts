import fc from 'fast-check';
import { expect, test } from 'vitest';
import openapi from '../../../generated/openapi.json' with { type: 'json' };
import { MAX_QUERY_WORDS, readQuery } from '../../../server/database/search/terms.ts';
import { areNeighbors, neighborsOf } from '../../../server/database/search/typos.ts';
import { compoundsOf, indexedWords } from '../../../server/database/search/words.ts';
import { codePoint } from '../../../spec/toolchain/model/schema/code-points.ts';

const languages = openapi.components.schemas.Language.enum;
const phrasesOf = (text: string) => compoundsOf(text).map(({ words }) => words.map(({ word }) => word));

test('creates no empty word from any character, at the start of a run or after a mark', () => {
  const empty: string[] = [];
  for (let start = 0; start <= 0x10_ffff; start += 256) {
    // Most code points are unassigned, and separate words as spaces do, or are of private use, all of the same kind.
    const characters = Array.from({ length: 256 }, (_, at) => String.fromCodePoint(start + at)).filter(
      (character) => !/[\p{Cn}\p{Co}]/u.test(character) || /^[\ue000\ue001\u{f0000}]$/u.test(character),
    );
    for (const add of ['', '\u17b4']) {
      for (const before of ['', 'ក']) {
        const text = characters.map((character) => `${before}${character}${add}`).join('\n');
        if (phrasesOf(text).some((words) => words.length === 0 || words.includes(''))) {
          empty.push(`${start.toString(16)} ${before}${add}`);
        }
      }
    }
  }
  expect(empty).toEqual([]);
});

test('splits scripts without spaces into characters with their marks', () => {
  expect(phrasesOf('Café: 東京!')).toEqual([['cafe'], ['東', '京']]);
  expect(phrasesOf('កាខ')).toEqual([['កា', 'ខ']]);
  expect(phrasesOf('\u17b4\u17b5ក')).toEqual([['\u17b4\u17b5', 'ក']]);
});

test('indexes stems, compounds and names with symbols in addition to words', () => {
  const formsOf = (text: string, language: string | null = null) => {
    const { words, forms } = indexedWords(text, language, 100);
    // Marks and symbols are characters of private use.
    const readable = [...forms.keys()].map((form) => form.replace(/[\u{e000}-\u{e1ff}]/gu, '~'));
    return [words.join(' '), readable.join(' ')];
  };
  expect(formsOf('Databases of users')).toEqual(['databases of users', '~databas ~user']);
  expect(formsOf('Node.js e-mail')).toEqual(['node js e mail', '~node nodejs ~nodej ~mail email ~email']);
  expect(formsOf('C#, c++17 (.NET)')).toEqual(['c c 17 net', 'c~ c~~ ~net ~net']);
  expect(formsOf('End. Next #1 a#b i.e...x')[1]).not.toMatch(/#|~1/);
  expect(formsOf('Häuser Größe', 'de')).toEqual(['hauser große', '~haus ~gross']);
  expect(formsOf('東京 webhooks', 'ja')).toEqual(['東 京 webhooks', '~webhook']);
  expect(formsOf('наука users', null)).toEqual(['наука users', '~user']);
});

test('reads a query as words, compounds and phrases', () => {
  const phrases = (query: string, of: Array<string | null> = []) =>
    readQuery(query, of).terms.map((term) => term.phrases);
  const rateLimits = [
    [['rate'], ['ratelimits']],
    [['limits'], ['ratelimits']],
  ];
  expect(phrases('rate limits')).toEqual(rateLimits);
  expect(phrases('"rate limits" api')).toEqual([[['rate', 'limits']], [['api']]]);
  expect(phrases('"rate limits')).toEqual(rateLimits);
  expect(phrases('one two six')[1]).toEqual([['two'], ['onetwo'], ['twosix']]);
  expect(phrases('10 of hypertexttransfer protocols')).toEqual([
    [['10']],
    [['of']],
    [['hypertexttransfer']],
    [['protocols']],
  ]);
  expect(phrases('v12')).toEqual([[['v12'], ['version', '12']]]);
  expect(phrases('v2.0')).toEqual([[['v2', '0'], ['v20'], ['version', '2', '0']]]);
  expect(phrases('node.js')).toEqual([[['node', 'js'], ['nodejs']]]);
  expect(phrases('a.b.c.d.e')).toEqual([[['a', 'b', 'c', 'd', 'e']]]);
  expect(phrases("user's l'api").map(([first]) => first)).toEqual([['user'], ['api']]);
  expect(phrases('東京')).toEqual([[['東', '京']]]);
  expect(phrases('怎么重置密码呢')).toEqual([[['重', '置', '密', '码']]]);
  expect(phrases('東京とは')).toEqual([[['東', '京']]]);
  for (const query of ['如何', '吗', '为什么呢', '"怎么重置"']) {
    expect(phrases(query).flat(2).join('')).toBe(query.replaceAll('"', ''));
  }
  expect(phrases('')).toEqual([]);
  expect(phrases('how to deploy "the app"', [null])).toEqual([[['deploy']], [['the', 'app']]]);
  expect(phrases('how to', ['en'])).toEqual([[['how']], [['to']]]);
  expect(phrases('die Rechnung', ['de'])).toEqual([[['rechnung']]]);
  expect(phrases('die Rechnung', ['en'])).toHaveLength(2);
  expect(readQuery('rate "limits"', []).hasPrefix).toBe(false);
  expect(readQuery('"rate" limits', []).hasPrefix).toBe(true);
  const many = readQuery(`"${'a '.repeat(20)}" ${'b '.repeat(40)}`, []).terms;
  expect(many.flatMap((term) => term.phrases.flat())).toHaveLength(MAX_QUERY_WORDS);
});

test('searches nouns also as a verb with a second word, and these as the noun', () => {
  const phrases = (query: string) =>
    readQuery(query, ['en']).terms.map((term) => term.phrases.map((words) => words.join(' ')));
  expect(phrases('setup')).toEqual([['setup', 'set up', 'setting up']]);
  expect(phrases('login page')).toEqual([
    ['login', 'log in', 'logging in', 'loginpage'],
    ['page', 'loginpage'],
  ]);
  expect(phrases('setting up mail')).toEqual([['setting', 'setup'], ['up', 'setup'], ['mail']]);
  expect(phrases('how to log in')).toEqual([['log', 'login']]);
  expect(phrases('shut up')).toEqual([['shut'], ['up']]);
  expect(phrases('constructor')).toEqual([['constructor']]);
});

test('searches both stems of short words with a double letter', () => {
  const formsOf = (query: string, language = 'en') =>
    readQuery(query, [language]).terms.flatMap(({ forms }) => forms.map((form) => form.slice(1)));
  expect(formsOf('add')).toEqual(['add', 'ad']);
  expect(formsOf('adding')).toEqual(['ad', 'add']);
  expect(formsOf('eggs')).toEqual(['egg', 'eg']);
  expect(formsOf('ads')).toEqual(['ad']);
  expect(formsOf('all')).toEqual(['all']);
  expect(formsOf('add', 'de')).toEqual(['add']);
});

test('finds the neighbors of a word', () => {
  const neighbors = neighborsOf('words', 'dorsw');
  for (const other of ['word', 'wods', 'wrods', 'worda'.replace('a', 'w'), 'swords', 'wordss', 'sords']) {
    expect.soft(neighbors).toContain(other);
    expect.soft(areNeighbors(other, 'words')).toBe(true);
  }
  expect(neighbors).not.toContain('words');
  for (const other of neighbors) {
    expect(areNeighbors(other, 'words')).toBe(true);
  }
  for (const other of ['words', 'wo', 'wosdr', 'sdrow', 'wordsss', 'wrosd']) {
    expect.soft(areNeighbors(other, 'words')).toBe(false);
  }
  // Those that differ early, and the words with the same prefix, are all of them.
  const early = neighborsOf('words', 'dorsw', 3);
  expect(neighbors.filter((other) => !other.startsWith('wor')).every((other) => early.includes(other))).toBe(
    true,
  );
});

test('stems any word of each language to a short string', () => {
  const word = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 80 }),
    fc.stringMatching(/^[a-zàéüñçßıøåдоительностьήσειςालने]{1,70}$/u),
  );
  fc.assert(
    fc.property(word, fc.constantFrom(...languages), (text, language) => {
      const { words, forms } = indexedWords(text, language, 100);
      for (const form of [...words, ...forms.keys()]) {
        expect(form).toMatch(/^[\p{L}\p{N}\p{M}\p{Co}]{1,90}$/u);
      }
    }),
    { numRuns: 3000 },
  );
});
