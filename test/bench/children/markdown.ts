// Reads markdown in a thread with the heap of those that read pages, and reports what that costs.
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mathFromMarkdown } from 'mdast-util-math';
import { gfm } from 'micromark-extension-gfm';
import { math } from 'micromark-extension-math';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { contentTasks } from '../../../server/content/threads/tasks.ts';
import { serveTasks } from '../../../server/threads/threads.ts';
import { ADVERSARIAL_SHAPES, ORDINARY_SHAPES } from '../../support/markdown-shapes.ts';

/** A page of a shape, about as long as that. */
export interface Page {
  shape: string;
  characters: number;
}

/** Milliseconds of CPU of the thread: helpers that collect garbage and compile work beside it. */
export interface Costs {
  /** Of reading the page. */
  whole: number;
  /** Of reading ten pages of a tenth of its length. */
  tenths: number;
  /** Of the parser alone. */
  parser: number | undefined;
}

/**
 * After one that prepares the machine code. What other processes take of the caches makes a large page dearer than its
 * tenths: of two rounds, none may have gone undisturbed.
 */
const ROUNDS = 5;
/** What is quick is repeated as long as this: the clock of a thread ticks only a few hundred times a second. */
const ROUND_MS = 150;
/** A single text is read often enough for some reading to go undisturbed. */
const INLINE_ROUNDS = 15;

const extensions = [gfm(), math({ singleDollarTextMath: false })];
const mdastExtensions = [...gfmFromMarkdown(), mathFromMarkdown()];

const tasks = {
  /** What reading a page costs. */
  costs({ shape, characters, withParser }: Page & { withParser: boolean }): Costs {
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
    const [whole = Number.NaN, tenths = Number.NaN, parser] = leastCosts(works);
    return { whole, tenths, parser };
  },

  /** Why a page is stored verbatim; undefined for one that is read. */
  problem({ shape, characters }: Page): string | undefined {
    const [block] = parseMarkdown(pageOf(shape, characters)).nodes;
    return block?.type === 'paragraph' ? block.data.problem?.reason : undefined;
  },

  /** The shape that takes longest at a length, of all, and its milliseconds: the shortest of many readings. */
  longest(characters: number): { shape: string; time: number } {
    const shapes = { ...ORDINARY_SHAPES, ...ADVERSARIAL_SHAPES };
    const times = Object.entries(shapes).map(([shape, make]) => {
      const markdown = make(characters).slice(0, characters);
      let time = Number.POSITIVE_INFINITY;
      for (let round = 0; round < INLINE_ROUNDS; round++) {
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

/** The least that each of some works costs. They take turns. */
function leastCosts(works: readonly (() => unknown)[]): number[] {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round <= ROUNDS; round++) {
    works.forEach((work, index) => {
      const cost = costOf(work);
      if (round > 0) {
        least[index] = Math.min(least[index] ?? cost, cost);
      }
    });
  }
  return least;
}

function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  for (let times = 1; ; times++) {
    work();
    const { user, system } = process.threadCpuUsage(before);
    const spent = (user + system) / 1000;
    if (spent > ROUND_MS) {
      return spent / times;
    }
  }
}

serveTasks(tasks);
