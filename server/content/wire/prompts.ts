/** The text of prompts: the Markdown of their blocks. */
import type { Block, Reference } from '../markdown/document.ts';
import { parseMarkdown, printMarkdown } from '../markdown/markdown.ts';

/** Converts the blocks of prompts to Markdown and back. */
export interface PromptMarkdown {
  print(blocks: readonly Block[], addressOf: (ref: Reference) => string): string;
  parse(markdown: string): Block[];
}

/** The printer and parser of pages. Only threads load them. */
export const promptMarkdown: PromptMarkdown = {
  print: (blocks, addressOf) =>
    printMarkdown({ object: 'document', data: {}, nodes: [...blocks] }, addressOf).replace(/\n$/, ''),
  parse: (markdown) => parseMarkdown(markdown).nodes,
};
