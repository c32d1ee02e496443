// Parses markdown in a thread with the heap of those that parse pages, and reports the cost.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mathFromMarkdown } from 'mdast-util-math';
import { gfm } from 'micromark-extension-gfm';
import { math } from 'micromark-extension-math';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { contentTasks } from '../../../server/content/threads/tasks.ts';
import { serveTasks } from '../../../server/threads/threads.ts';
import { ADVERSARIAL_SHAPES, ORDINARY_SHAPES } from '../../support/content/markdown-shapes.ts';

/** Returns a page of a shape with about that length. */
export interface Page {
  shape: string;
  characters: number;
}

/** Repetitions of measurements. */
export interface Rounds {
  /**
   * Rounds after one that warms up the compiler. Other processes compete for the caches, which makes a large page
   * slower than its tenths, so a single round could be disturbed.
   */
  rounds: number;
  /**
   * Minimum duration of a measurement. Fast work is repeated: the clock of a thread ticks only a few hundred times a
   * second.
   */
  roundMs: number;
  /** Repetitions of a single text, enough for some of them to be undisturbed. */
  inlineRounds: number;
}

/** Milliseconds of CPU of the thread, without the helper threads that collect garbage and compile. */
export interface Costs {
  /** Time to parse the page. */
  whole: number;
  /** Time to parse ten pages of a tenth of its length. */
  tenths: number;
  /** Time of the parser alone. */
  parser: number | undefined;
}

const extensions = [gfm(), math({ singleDollarTextMath: false })];
const mdastExtensions = [...gfmFromMarkdown(), mathFromMarkdown()];

const tasks = {
  /** Measures the cost of parsing a page. */
  costs({ shape, characters, withParser, ...rounds }: Page & Rounds & { withParser: boolean }): Costs {
    const [text, tenth] = [pageOf(shape, characters), pageOf(shape, characters / 10)];
    const works = [
      () => parseMarkdown(text),
      () => {
        for (let time = 0; time < 10; time++) {
          parseMarkdown(tenth);
        }
      },
      ...(withParser ? [() => fromMarkdown(text, { extensions, mdastExtensions })] : []),
    ];
    const [complete = Number.NaN, tenths = Number.NaN, parser] = leastCosts(works, rounds);
    return { whole: complete, tenths, parser };
  },

  /** Reason why a page is stored verbatim; undefined for a parsed one. */
  problem({ shape, characters }: Page): string | undefined {
    const [block] = parseMarkdown(pageOf(shape, characters)).nodes;
    return block?.type === 'paragraph' ? block.data.problem?.reason : undefined;
  },

  /** Returns the slowest shape of a length, and its milliseconds: the shortest of many repetitions. */
  longest({ characters, rounds }: { characters: number; rounds: number }): { shape: string; time: number } {
    const shapes = { ...ORDINARY_SHAPES, ...ADVERSARIAL_SHAPES };
    const times = Object.entries(shapes).map(([shape, make]) => {
      const markdown = make(characters).slice(0, characters);
      let time = Number.POSITIVE_INFINITY;
      for (let round = 0; round < rounds; round++) {
        const began = performance.now();
        contentTasks.readDocument({ markdown });
        time = Math.min(time, performance.now() - began);
      }
      return { shape, time };
    });
    return times.reduce((most, other) => (other.time > most.time ? other : most));
  },
};

export type MarkdownTasks = typeof tasks;

const pageOf = (shape: string, characters: number): string => ORDINARY_SHAPES[shape]?.(characters) ?? '';

/** Returns the minimum cost of each work. The works take turns. */
function leastCosts(works: readonly (() => unknown)[], { rounds, roundMs }: Rounds): number[] {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= rounds; round++) {
    works.forEach((work, index) => {
      const cost = costOf(work, roundMs);
      if (round > 0) {
        least[index] = Math.min(least[index] ?? cost, cost);
      }
    });
  }
  return least;
}

function costOf(work: () => unknown, roundMs: number): number {
  const before = process.threadCpuUsage();
  for (let times = 1; ; times++) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const spent = (user + system) / 1000;
    if (spent >= roundMs) {
      return spent / times;
    }
  }
}

serveTasks(tasks);
