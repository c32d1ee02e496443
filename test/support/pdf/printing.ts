import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import {
  type ListedEntry,
  type PrintedEntry,
  type PrintedPage,
  renderPdf,
} from '../../../server/content/pdf/render.ts';
import { type ReadPdf, readPdf } from './pdf.ts';

/** A page to print. */
export interface PageOptions extends Partial<PrintedPage> {
  markdown: string;
  images?: Record<string, Uint8Array>;
}

/** What could not be printed as intended. */
export const failures: string[] = [];

/** Returns a page with a text in Markdown. */
export function printed({ markdown, images = {}, ...page }: PageOptions, at: number): PrintedPage {
  return {
    id: `page_${at}`,
    title: `Page ${at}`,
    depth: 0,
    read: async () => ({
      nodes: parseMarkdown(markdown).nodes,
      reach: (reference) => {
        if (reference.kind === 'page') {
          return { name: 'A page', page: reference.page };
        }
        const url = reference.kind === 'url' ? reference.url : reference.kind;
        if (url.startsWith('#')) {
          return { name: url, page: `page_${at}`, anchor: url.slice(1) };
        }
        const [, to] = /^\/pages\/(\w+)$/.exec(url) ?? [];
        return { name: url, url, ...(to !== undefined && { page: to }) };
      },
      readImage: async (reference) => {
        const bytes = reference.kind === 'url' ? images[reference.url] : undefined;
        return bytes && { bytes };
      },
    }),
    ...page,
  };
}

/** Prints pages. */
export async function bytesOf(pages: ReadonlyArray<PageOptions | ListedEntry>): Promise<Buffer> {
  const output = new PassThrough();
  const job = {
    title: 'The handbook',
    language: 'en',
    createdAt: new Date('2026-01-01'),
    entries: pages.map((page, at): PrintedEntry => ('markdown' in page ? printed(page, at) : page)),
    failed: (error: unknown, part: string) => failures.push(`${part}: ${String(error)}`),
  };
  const [bytes] = await Promise.all([buffer(output), renderPdf(job, output)]);
  return bytes;
}

/** Prints and reads pages. */
export const print = async (...pages: Array<PageOptions | ListedEntry>): Promise<ReadPdf> =>
  await readPdf(await bytesOf(pages));

/** Returns the text of a page that was printed alone, without its title and its number. */
export async function printedText(markdown: string): Promise<string> {
  const { pages } = await print({ markdown });
  return pages
    .map(({ text }, at) => text.replace(new RegExp(`\\s*${at + 1}\\s*$`), ''))
    .join('\n')
    .replace(/^Page 0\s*/, '');
}
