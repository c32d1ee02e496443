/**
 * What of the content engine runs in threads: pure functions over plain data. Results are small, or bytes that are
 * moved, so that taking them in costs the thread of the requests next to nothing.
 */
import type { ComputedPageRecord, ComputedPages } from '../computed/pages.ts';
import { evaluateMarkdown, type PageVariables } from '../expressions/markdown.ts';
import { type PlaceOfText, writeRef } from '../links/address.ts';
import { nodesByLink } from '../links/nodes.ts';
import { addressesIn } from '../links/written.ts';
import type { Document, ProblemReason } from '../markdown/document.ts';
import { parseMarkdown, printMarkdown, verbatimDocument } from '../markdown/markdown.ts';
import { findBlock, hasCell, keysOf, previewOf } from '../markdown/nodes.ts';
import { mergeTexts } from '../merge/lines.ts';
import { type EntryToCompute, pagesOfEntry, type SpecificationHost } from './specifications.ts';

/** The text of a page, to be parsed. */
export interface PageText {
  markdown: string;
  /** Values for its expressions; without them expressions are left as written. */
  variables?: PageVariables | undefined;
  /** The limit that parsing exceeded before: the text is then shown as it is. */
  exceeded?: ProblemReason | undefined;
}

/** A block that a comment is about. */
export interface CommentedBlock {
  preview: string;
  /** Whether it has the cell that was asked for. */
  hasCell: boolean;
}

const encoder = new TextEncoder();

function documentOf({ markdown, variables, exceeded }: PageText): Document {
  const text = variables ? evaluateMarkdown(markdown, variables) : markdown;
  return exceeded === undefined ? parseMarkdown(text) : verbatimDocument(text, exceeded);
}

export const contentTasks = {
  /** The document of a text as JSON. */
  readDocument: (text: PageText): Uint8Array => encoder.encode(JSON.stringify(documentOf(text))),

  /** A text with values in the place of its expressions. */
  evaluate: ({ markdown, variables }: { markdown: string; variables: PageVariables }): string =>
    evaluateMarkdown(markdown, variables),

  /** The markdown of a document in JSON; undefined where it cannot be written as markdown. */
  printDocument(json: Uint8Array): string | undefined {
    try {
      // The contract was held against it before.
      return printMarkdown(JSON.parse(new TextDecoder().decode(json)) as Document, writeRef);
    } catch {
      // The printer is not ours, and fails on what nobody writes.
      return undefined;
    }
  },

  mergeTexts,

  /** The records of the pages of a computed entry; undefined where its specification is gone. */
  async computeEntry(
    input: EntryToCompute,
    host: SpecificationHost,
  ): Promise<ComputedPages<ComputedPageRecord> | undefined> {
    const pages = await pagesOfEntry(input, host);
    return pages && { overview: pages.overview.record, below: pages.below.map(({ record }) => record) };
  },

  /** The markdown of a computed page. */
  async printComputed(
    { page, ...input }: EntryToCompute & { page: string },
    host: SpecificationHost,
  ): Promise<string> {
    const pages = await pagesOfEntry(input, host);
    const all = pages ? [pages.overview, ...pages.below] : [];
    return all.find(({ record }) => record.id === page)?.printBody() ?? '';
  },

  /** The addresses that a text names. */
  findAddresses: addressesIn,

  /** The block of a page with a key; undefined where there is none. */
  findBlock({
    node,
    cell,
    ...text
  }: PageText & { node: string; cell?: { record: string; definition: string } | undefined }):
    | CommentedBlock
    | undefined {
    const block = findBlock(documentOf(text), node);
    return block && { preview: previewOf(block), hasCell: cell !== undefined && hasCell(block, cell) };
  },

  /** Those of some keys that blocks of a page have. */
  existingKeys({ keys, ...text }: PageText & { keys: readonly string[] }): string[] {
    const existing = keysOf(documentOf(text));
    return keys.filter((key) => existing.has(key));
  },

  /** The keys of the blocks of a page that hold links, by some of the names of `nodesByLink`. */
  linkNodes({
    page,
    place,
    names,
    ...text
  }: PageText & { page: string; place: PlaceOfText; names: readonly string[] }): Array<[string, string]> {
    const nodes = nodesByLink(documentOf(text), page, place);
    return names.flatMap((name): Array<[string, string]> => {
      const node = nodes.get(name);
      return node === undefined ? [] : [[name, node]];
    });
  },
};

export type ContentTasks = typeof contentTasks;
