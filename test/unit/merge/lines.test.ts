import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareLines } from '../../../server/content/merge/hunks.ts';
import { mergeTexts } from '../../../server/content/merge/lines.ts';
import { hasConflictMarkers } from '../../../server/content/merge/merge.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';

const merge = (ancestor: string, primary: string, branch: string) =>
  mergeTexts({ ancestor, primary, branch });
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

describe('two texts', () => {
  test('that change different paragraphs become one with both changes', () => {
    const text = lines('One.', '', 'Two.', '', 'Three.');
    const merged = merge(text, text.replace('One', 'First'), text.replace('Three', 'Third'));
    expect(merged).toEqual({ text: lines('First.', '', 'Two.', '', 'Third.'), conflict: false });
  });

  test('that change the same line keep both between markers, the branch first, without the ancestor', () => {
    const merged = merge(lines('a', 'b', 'c'), lines('a', 'P', 'c'), lines('a', 'B', 'c'));
    expect(merged).toEqual({
      text: lines('a', '<<<<<<< change request', 'B', '=======', 'P', '>>>>>>> primary content', 'c'),
      conflict: true,
      line: 2,
    });
  });

  test('that change neighboring lines conflict', () => {
    expect(merge(lines('a', 'b'), lines('P', 'b'), lines('a', 'B')).conflict).toBe(true);
  });

  test('that make the same change do not conflict, and contain the change once', () => {
    const merged = merge(lines('a', 'b', 'c', 'd'), lines('a', 'X', 'c', 'P'), lines('a', 'X', 'c', 'd'));
    expect(merged).toEqual({ text: lines('a', 'X', 'c', 'P'), conflict: false });
  });

  test('have their common beginning and end outside the markers', () => {
    const { text } = merge('', lines('same', 'P', 'end'), lines('same', 'B', 'end'));
    expect(text.split('\n')[0]).toBe('same');
    expect(text.split('\n').at(-2)).toBe('end');
  });

  test('have an empty side if one deletes what the other changes', () => {
    expect(merge(lines('a', 'b'), lines('a'), lines('a', 'B')).text).toBe(
      lines('a', '<<<<<<< change request', 'B', '=======', '>>>>>>> primary content'),
    );
  });
});

describe('the ends of lines', () => {
  test('do not conflict when one side changes all of them', () => {
    const text = lines('a', 'b', 'c', 'd');
    const merged = merge(text, text.replaceAll('\n', '\r\n'), text.replace('c', 'B'));
    expect(merged).toEqual({ text: 'a\r\nb\r\nB\r\nd\r\n', conflict: false });
  });

  test('are unchanged around and within a conflict', () => {
    expect(merge('a\r\nb\r\n', 'a\r\nP\r\n', 'a\r\nB\r\n').text).not.toMatch(/[^\r]\n/);
  });

  test('allow a line after the last one on one side and a change of it on neither', () => {
    expect(merge('a\nb\nc', 'a\nb\nc\nP\n', 'B\nb\nc')).toEqual({ text: 'B\nb\nc\nP\n', conflict: false });
  });

  test('are added before closing markers if a text does not end with one', () => {
    expect(hasConflictMarkers(merge('a', 'P', 'B').text)).toBe(true);
  });
});

describe('conflict markers are detected', () => {
  const all = ['<<<<<<< change request', 'B', '=======', 'P', '>>>>>>> primary content'];
  test.each([
    ['in a set, whatever the lines end with', all.join('\r\n'), true],
    ['not without the one in the middle', all.toSpliced(2, 1).join('\n'), false],
    ['not in another order', all.toReversed().join('\n'), false],
    ['not with something else on the line', all.map((line) => ` ${line}`).join('\n'), false],
    ['not of another program', all.join('\n').replace('change request', 'HEAD'), false],
    ['not in a heading that is underlined', 'Title\n=======\n', false],
  ])('%s', (_, text, expected) => {
    expect(hasConflictMarkers(text)).toBe(expected);
  });
});

describe('texts of many lines take little time', () => {
  /** Far more than they take, far less than comparing each line with each other would. */
  const bound = 10_000;
  const timed = (work: () => void) => {
    const elapsedMs = startProcessorClock();
    work();
    return elapsedMs();
  };

  test('when all lines are equal', () => {
    const equal = Array.from({ length: 20_000 }, () => 'x');
    const [p, b] = [equal.toSpliced(5_000, 0, 'P'), [...equal, 'B']];
    const time = timed(() => {
      const merged = merge(lines(...equal), lines(...p), lines(...b));
      // Compared manually: showing the difference of texts of this size takes long.
      expect(merged.text === lines(...p, 'B')).toBe(true);
    });
    expect(time).toBeLessThan(bound);
  });

  test('are one difference without unique lines', () => {
    const noise = (factor: number) =>
      Array.from({ length: 20_000 }, (_, at) => String(((at * factor) % 7919) % 10));
    const time = timed(() => expect(compareLines(noise(31), noise(57))).toHaveLength(1));
    expect(time).toBeLessThan(bound);
  });

  test('when all lines differ', () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `line ${at}`);
    const time = timed(() => {
      const merged = merge(lines(...many), lines(...many.with(3, 'P')), lines(...many.with(49_990, 'B')));
      expect(merged.text === lines(...many.with(3, 'P').with(49_990, 'B'))).toBe(true);
    });
    expect(time).toBeLessThan(bound);
  });
});

describe('for any texts', () => {
  const text = fc
    .tuple(
      fc.array(fc.constantFrom('a', 'b', 'c', '', 'd e', '__proto__', '======='), { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
    )
    .map(([all, end, closed]) => all.join(end) + (closed ? end : ''));
  const contentOf = (text: string) => text.split(/\r?\n/);

  test('one changed side wins, and equal sides agree', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(merge(a, a, b)).toEqual({ text: b, conflict: false });
        expect(merge(a, b, a)).toEqual({ text: b, conflict: false });
        expect(merge(a, b, b)).toEqual({ text: b, conflict: false });
      }),
    );
  });

  test('no line is lost that a side has more often than the ancestor', () => {
    fc.assert(
      fc.property(text, text, text, (a, p, b) => {
        const merged = contentOf(merge(a, p, b).text);
        const count = (lines: string[], line: string) => lines.filter((other) => other === line).length;
        for (const side of [contentOf(p), contentOf(b)]) {
          for (const line of side) {
            if (line !== '' && count(side, line) > count(contentOf(a), line)) {
              expect(merged).toContain(line);
            }
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('the sides can be swapped without conflicts, and conflict in either order', () => {
    fc.assert(
      fc.property(text, text, text, (a, p, b) => {
        const [first, second] = [merge(a, p, b), merge(a, b, p)];
        expect(first.conflict).toBe(second.conflict);
        if (!first.conflict) {
          expect(first.text).toBe(second.text);
        }
        expect(first.conflict && !hasConflictMarkers(first.text)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('the differences transform one into the other', () => {
    const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 15 });
    fc.assert(
      fc.property(some, some, (before, after) => {
        const hunks = compareLines(before, after);
        const result = hunks.reduceRight(
          (lines, { from, to, start, end }) => lines.toSpliced(from, to - from, ...after.slice(start, end)),
          before,
        );
        expect(result).toEqual(after);
        hunks.forEach(({ from }, at) => {
          expect(from).toBeGreaterThan(hunks[at - 1]?.to ?? -1);
        });
      }),
    );
  });
});
