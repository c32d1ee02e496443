import { array, assert, constantFrom, integer, oneof, property, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { parseSummaryInSteps, type SummaryEntry } from '../../../server/content/repository/read/summary.ts';
import type { ImportedPage } from '../../../server/content/repository/types.ts';
import { costRatio } from '../../support/processes/processor-time.ts';
import { runs } from '../../support/seed.ts';
import { parseSummary } from './reading-samples.ts';
import { inMemory } from './writing-samples.ts';

function* links(entries: readonly SummaryEntry[]): Generator<SummaryEntry> {
  for (const entry of entries) {
    if (entry.target !== undefined) {
      yield entry;
    }
    yield* links(entry.entries);
  }
}

describe('a table of contents', () => {
  /** Each text with the number of its links; `@` is replaced by a different target each time. */
  const inline = constantFrom<[string, number]>(
    ['[T](@)', 1],
    ['[T](@)', 1],
    ['**[T](@)**', 1],
    ['[T](@) and [U](@)', 2],
    ['text [T](<@> "title")', 1],
    ['[T](a folder/@)', 1],
    ['<a href="@">T</a>', 1],
    ['[![i](i.png)](@)', 1],
    ['Group', 0],
    ['`[no](link.md)`', 0],
  );
  const line = oneof(
    {
      weight: 6,
      arbitrary: tuple(integer({ min: 0, max: 3 }), constantFrom('* ', '- ', '+ ', '1. '), inline).map(
        ([level, marker, [text, count]]): [string, number] => [
          `${'   '.repeat(level)}${marker}${text}`,
          count,
        ],
      ),
    },
    { weight: 2, arbitrary: inline.map(([text, count]): [string, number] => [`\n${text}\n`, count]) },
    inline.map(([text, count]): [string, number] => [`\n## ${text.replace('a folder/', '')}\n`, count]),
    constantFrom<[string, number]>(
      ['', 0],
      ['\n---\n', 0],
      ['\n<!-- [no](link.md) -->\n', 0],
      ['\n<!--\n* [no](link.md)\n-->\n', 0],
      ['\n<div>\n\n[T](@)\n\n</div>\n', 1],
      ['\n<ul><li><a href="@">T</a>, [T](@)</li></ul>\n', 2],
      ['\n> [T](@)\n', 1],
      ['\n```\n[no](link.md)\n```\n', 0],
    ),
  );
  const text = array(line, { minLength: 1, maxLength: 40 }).map((lines) => {
    let targets = 0;
    const next = () => {
      targets += 1;
      return `t${targets}.md`;
    };
    const all = lines.map(([part]) => part.replaceAll('@', next)).join('\n');
    return {
      summary: `# Summary\n\n${all}\n`,
      count: lines.reduce((sum, [, each]) => sum + each, 0),
      targets,
    };
  });

  test('lists each link once, on its line', () => {
    assert(
      property(text, ({ summary, count, targets }) => {
        expect(count).toBe(targets);
        const found = [...links(parseSummary(summary))];
        const lines = summary.split('\n');
        const names = found.map(({ target = '' }) => target.replace('a folder/', ''));
        expect(names.toSorted()).toEqual(Array.from({ length: targets }, (_, at) => `t${at + 1}.md`).sort());
        for (const { target = '', line } of found) {
          expect(lines[line - 1]).toContain(target);
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test('has each link as one page, link or group', () => {
    assert(
      property(text, integer(), ({ summary, targets }, seed) => {
        const names = Array.from({ length: targets }, (_, at) => `t${at + 1}.md`);
        const listed = summary.replaceAll('a folder/', '');
        const kinds = ['page', 'missing', 'twice', 'part', 'https', 'script'];
        const kindOf = (name: string) => kinds[Math.abs(seed + Number(name.slice(1, -3))) % kinds.length];
        const files = Object.fromEntries(
          names.filter((name) => ['page', 'twice'].includes(kindOf(name) ?? '')).map((name) => [name, '']),
        );
        const targetOf = (name: string) =>
          ({
            twice: names.find((other) => kindOf(other) === 'twice') ?? name,
            part: `${name}#part`,
            https: `https://example.com/${name}`,
            script: `javascript:${name}`,
          })[kindOf(name) ?? ''] ?? name;
        const text = listed.replace(/\bt\d+\.md/g, targetOf).replace('# Summary', '');
        const countOf = (level: readonly ImportedPage[]): number =>
          level.reduce((sum, page) => sum + 1 + ('pages' in page ? countOf(page.pages) : 0), 0);
        const { pages } = readRepository(inMemory({ ...files, 'SUMMARY.md': text }));
        const headings = [...text.matchAll(/^## /gm)].length;
        const texts = [...text.matchAll(/^ *(?:[*+-]|1\.) (?:`|Group)/gm)].length;
        // Without any entry, pages are arranged by folders.
        const count = targets + headings + texts;
        expect(countOf(pages)).toBe(count === 0 ? Object.keys(files).length : count);
      }),
      { numRuns: runs(200) },
    );
  });

  test.each([
    ['HTML', '<div>\n\n', '\n</div>\n'],
    ['HTML without an empty line', '<div>\n', '\n</div>\n'],
    ['a comment', '<!--\n* [No](no.md)\n-->\n\n', ''],
    ['comments in items', '* [First](first.md) <!--\n  hidden -->\n', ''],
    ['a definition', '[x]: y.md\n\n', '\n* [Defined][x]\n'],
    ['code', '* ```yaml\n  type: builtin:openapi\n', ''],
    ['one root', '* [Root](root.md)\n', '', '  '],
    ['one root with numbers', '* [Root](root.md)\n', '', '  ', '1.'],
    ['a space before each entry', '', '', ' '],
    ['tabs', '* [Root](root.md)\n', '', '\t'],
  ])('of many entries is read in short steps with %s', (_name, before, after, indent = '', marker = '*') => {
    const count = 1_500;
    const items = Array.from({ length: count }, (_, at) => `${indent}${marker} [A & _${at}_](p${at}.md)`);
    const summary = `# Summary\n\n${before}${items.join('\n')}\n${after}`;
    const steps = parseSummaryInSteps(summary);
    let parts = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      parts += 1;
    }
    const found = [...links(step.value)].map(({ target }) => target);
    expect(new Set(found).size).toBe(found.length);
    expect(found.filter((target) => /^p\d+\.md$/.test(target ?? ''))).toHaveLength(count);
    expect(parts).toBeGreaterThanOrEqual(count / 500);
  });

  test('of many entries resolves references to definitions anywhere', () => {
    const items = Array.from({ length: 1_000 }, (_, at) => `* [Page ${at}][p${at % 400}]\n  * [Below][b]\n`);
    const definitions = Array.from({ length: 400 }, (_, at) => `[p${at}]: p${at}.md\n`);
    const found = [...links(parseSummary(`${items.join('')}\n${definitions.join('')}\n[b]: b.md\n`))];
    expect(found.map(({ target }) => target)).toEqual(items.flatMap((_, at) => [`p${at % 400}.md`, 'b.md']));
  });

  test('reports problems on the lines of the file', () => {
    const summary = '---\ntitle: x\n---\n\n# Summary\n\n[Gone](gone.md)\n[Lost](lost.md)\n';
    expect(readRepository(inMemory({ 'SUMMARY.md': summary })).problems).toMatchObject([
      { line: 7 },
      { line: 8 },
    ]);
  });

  test('that is malicious takes time in proportion to its length', () => {
    for (const part of ['<a href=x>', '[x](', '<a ', '](', '<!--', '[', '<div>\n', '<a href="', "='"]) {
      for (const start of ['', '<div>\n', '* <div>\n', '* <a href="x">']) {
        const read = (parts: number) => () => void parseSummaryOrThrow(start + part.repeat(parts));
        // Four times as much work; quadratic time would be 16 times as much.
        const ratio = costRatio(read(30_000), read(7_500), 10);
        expect(ratio, start + part).toBeLessThanOrEqual(10);
      }
    }
  });
});

/** A text that is too costly is rejected, which is also quick. */
function parseSummaryOrThrow(text: string): void {
  try {
    parseSummary(text);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
}
