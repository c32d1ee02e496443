/**
 * The tasks of the content engine that run in threads: pure functions of plain data. Results are small, or bytes that
 * are transferred, so that receiving them costs the request thread almost nothing.
 */
import type { components } from '../../../generated/schema.d.ts';
import type { JsonObject } from '../computed/json.ts';
import type { ComputedPageRecord, ComputedPages } from '../computed/pages.ts';
import type { Claims } from '../expressions/conditions.ts';
import { evaluateMarkdown, type PageVariables } from '../expressions/markdown.ts';
import {
  type ConditionalPart,
  conditionalParts,
  conditionProblems,
  type LocatedProblem,
  readableText,
} from '../expressions/visible-text.ts';
import type { RenderedPage } from '../html/options.ts';
import type { PageToRender } from '../html/page.ts';
import type { PageToPrint } from '../html/print.ts';
import type { TextLocation } from '../links/address.ts';
import { type LinkPosition, nodesByLink, positionsOf } from '../links/nodes.ts';
import { type References, referenceWriter, targetFormatter } from '../links/page-references.ts';
import { addressesIn, indexedAddressesIn } from '../links/text-links.ts';
import type { UrlPatterns } from '../links/url-patterns.ts';
import type { Document, ProblemReason } from '../markdown/document.ts';
import { parseMarkdown, parseOnce, printMarkdown, verbatimDocument } from '../markdown/markdown.ts';
import { findBlock, hasCell, keysOf, previewOf } from '../markdown/nodes.ts';
import { reviseMarkdown } from '../markdown/revise/revise.ts';
import { foldBlocks, unfurlBlocks } from '../markdown/unfurl.ts';
import { mergeTexts } from '../merge/lines.ts';
import type { Glossary } from '../translation/glossary.ts';
import {
  listSegments,
  type PageTexts,
  type TranslatedPage,
  type Translations,
  translatePage,
} from '../translation/page.ts';
import type { Segment } from '../translation/segments.ts';
import { promptMarkdown } from '../wire/prompts.ts';
import { readWireDocument } from '../wire/read.ts';
import { writeDocument } from '../wire/write.ts';
import type { AnchoredText, ListedAnchors } from './anchors.ts';
import { includeDocuments } from './include.ts';
import {
  type EntryToCompute,
  pagesOfEntry,
  readSpecification,
  type SpecificationHost,
} from './specifications.ts';

/** The text of a page, to be parsed. */
export interface PageText {
  markdown: string;
  /** Values for its expressions; without them, expressions are unchanged. */
  variables?: PageVariables | undefined;
  /** Limit that an earlier parse exceeded; the text is then shown verbatim. */
  exceeded?: ProblemReason | undefined;
}

/** Reads the specifications of a page, as JSON in UTF-8, by the name that its blocks have for them. */
export interface RenderingHost {
  readSpecification(spec: string): Promise<Uint8Array | undefined>;
}

/** A block that a comment refers to. */
export interface CommentedBlock {
  preview: string;
  /** Whether the block has the requested cell. */
  hasCell: boolean;
}

const encoder = new TextEncoder();

function documentOf({ markdown, variables, exceeded }: PageText): Document {
  const text = variables ? evaluateMarkdown(markdown, variables) : markdown;
  return exceeded === undefined ? parseMarkdown(text) : verbatimDocument(text, exceeded);
}

/**
 * Returns a printed document; undefined if printing it exhausts the stack or exceeds the maximum length of a text. Other
 * errors are not caused by the document.
 */
function unlessTooLarge(print: () => string): string | undefined {
  try {
    return print();
  } catch (error) {
    if (error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}

/** Reads specifications by the name that blocks have for them. */
async function readSpecifications(
  versions: ReadonlyMap<string, string>,
  host: RenderingHost,
): Promise<Map<string, JsonObject>> {
  const documents = new Map<string, JsonObject>();
  for (const [spec, version] of versions) {
    const document = await readSpecification(version, () => host.readSpecification(spec));
    if (document) {
      documents.set(spec, document);
    }
  }
  return documents;
}

function printedDocument(
  page: Omit<PageText, 'exceeded'> & { claims?: Claims | undefined },
  exceeded: PageText['exceeded'],
): Document {
  const text = readableText(page, exceeded === undefined);
  return exceeded === undefined ? parseOnce(text) : verbatimDocument(text, exceeded);
}

export const contentTasks = {
  /**
   * Returns the document of a text as JSON, with the references by resource that are known, and its problems.
   *
   * @param blocks those of integrations that replace links and embeds
   */
  readDocument({
    references,
    blocks,
    ...text
  }: PageText & {
    references?: References | undefined;
    blocks?: readonly UrlPatterns[] | undefined;
  }): Uint8Array {
    const read = documentOf(text);
    const shown = { ...read, nodes: unfurlBlocks(read.nodes, blocks) };
    const { data, ...document } = writeDocument(shown, { references, prompts: promptMarkdown });
    const problems = conditionProblems(text.markdown);
    const marked = problems.length === 0 ? data : { ...data, conditionProblems: problems };
    return encoder.encode(JSON.stringify({ ...document, data: marked }));
  },

  includeDocuments,

  /** Returns the conditions of texts that cannot be evaluated. */
  listConditionProblems: ({ texts }: { texts: readonly string[] }): LocatedProblem[][] =>
    texts.map(conditionProblems),

  /**
   * Returns the document of a text that is printed, see `parseOnce`, as JSON; with `claims`, of the text that this
   * visitor sees.
   */
  readPrinted: ({ exceeded, ...page }: PageText & { claims?: Claims | undefined }): Uint8Array =>
    encoder.encode(JSON.stringify(printedDocument(page, exceeded))),

  /** Returns the same with the parts of specifications instead of the blocks that refer to them. */
  async readPrintedParts(
    {
      specifications,
      exceeded,
      ...page
    }: PageText & { claims?: Claims | undefined; specifications: ReadonlyMap<string, string> },
    host: RenderingHost,
  ): Promise<Uint8Array> {
    const { withSpecifications } = await import('../html/specifications/specifications.ts');
    const { nodes, ...document } = printedDocument(page, exceeded);
    const documents = await readSpecifications(specifications, host);
    return encoder.encode(JSON.stringify({ ...document, nodes: withSpecifications(nodes, documents) }));
  },

  /** Divides a text by its conditions, see `conditionalParts`. */
  divide: ({ markdown }: { markdown: string }): ConditionalPart[] => conditionalParts(markdown),

  /** Renders a page as HTML. Only threads load the renderer, with its grammars, icons and formulas. */
  async renderPage(
    { specifications = new Map(), ...page }: PageToRender & { specifications?: ReadonlyMap<string, string> },
    host: RenderingHost,
  ): Promise<RenderedPage> {
    const { renderPage } = await import('../html/page.ts');
    return renderPage(page, await readSpecifications(specifications, host));
  },

  /**
   * Returns a page as Markdown for readers outside of the platform, see `printPage`; undefined if it is too long or too
   * deeply nested.
   */
  async printPage(
    { specifications, ...page }: PageToPrint & { specifications: ReadonlyMap<string, string> },
    host: RenderingHost,
  ): Promise<string | undefined> {
    const { printPage } = await import('../html/print.ts');
    const documents = await readSpecifications(specifications, host);
    return unlessTooLarge(() => printPage(page, documents));
  },

  /** Returns the link destinations in a text. */
  listDestinations: ({ markdown, variables, exceeded }: PageText): readonly string[] => {
    // A verbatim text contains no links.
    return exceeded === undefined
      ? addressesIn(variables ? evaluateMarkdown(markdown, variables) : markdown)
      : [];
  },

  /** Replaces the expressions of a text with their values; with `claims`, returns what this visitor sees of it. */
  evaluate: (text: { markdown: string; variables: PageVariables; claims?: Claims | undefined }): string =>
    readableText(text),

  /**
   * Prints a document in JSON as Markdown; undefined if it is too deeply nested. Blocks that are equal to those of the
   * current text of the page keep their text.
   *
   * @param references of the links in the current text
   */
  printDocument({
    json,
    current,
    references = new Map(),
  }: {
    json: Uint8Array;
    current?: string | undefined;
    references?: References | undefined;
  }): string | undefined {
    // Already validated against the contract.
    const written = JSON.parse(new TextDecoder().decode(json)) as components['schemas']['Document'];
    const addressOf = referenceWriter(references);
    return unlessTooLarge(() => {
      const read = readWireDocument(written, { addressOf, prompts: promptMarkdown });
      const nodes = foldBlocks(read.nodes, () => parseMarkdown(current ?? '').nodes);
      const document = { ...read, nodes };
      return current === undefined
        ? printMarkdown(document, addressOf)
        : reviseMarkdown(current, document, addressOf, targetFormatter(references));
    });
  },

  mergeTexts,

  /** Returns the records of the pages of a computed entry; undefined if its specification was deleted. */
  async computeEntry(
    input: EntryToCompute,
    host: SpecificationHost,
  ): Promise<ComputedPages<ComputedPageRecord> | undefined> {
    const pages = await pagesOfEntry(input, host);
    return pages && { overview: pages.overview.record, children: pages.children.map(({ record }) => record) };
  },

  /** Returns the Markdown of a computed page. */
  async printComputed(
    { page, ...input }: EntryToCompute & { page: string },
    host: SpecificationHost,
  ): Promise<string> {
    const pages = await pagesOfEntry(input, host);
    const all = pages ? [pages.overview, ...pages.children] : [];
    return all.find(({ record }) => record.id === page)?.printBody() ?? '';
  },

  /** Lists the segments of a page to translate. */
  listSegments: ({
    texts,
    glossary,
    language,
  }: {
    texts: PageTexts;
    glossary: Glossary;
    language: string;
  }): readonly Segment[] => listSegments(texts, glossary, language),

  /** Returns the texts of a page in another language. */
  translatePage: ({
    texts,
    glossary,
    translations,
  }: {
    texts: PageTexts;
    glossary: Glossary;
    translations: Translations;
  }): TranslatedPage => translatePage(texts, glossary, translations),

  /** Returns the URLs in a text. */
  findAddresses: indexedAddressesIn,

  /** Lists the anchors of a page, as it is rendered. */
  async listAnchors(
    { specifications, ...page }: AnchoredText & { specifications: ReadonlyMap<string, string> },
    host: RenderingHost,
  ): Promise<ListedAnchors> {
    const { listAnchors } = await import('./anchors.ts');
    return listAnchors(page, await readSpecifications(specifications, host));
  },

  /** Returns the block of a page with a key; undefined if there is none. */
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

  /** Returns those of the keys that belong to blocks of a page. */
  existingKeys({ keys, ...text }: PageText & { keys: readonly string[] }): string[] {
    const existing = keysOf(documentOf(text));
    return keys.filter((key) => existing.has(key));
  },

  /** Returns the positions of links in a page, by those of the names in `nodesByLink` that exist. */
  linkNodes({
    page,
    location,
    names,
    ...text
  }: PageText & { page: string; location: TextLocation; names: readonly string[] }): Array<
    [string, LinkPosition]
  > {
    const nodes = nodesByLink(documentOf(text), page, location);
    const requested = new Set(names);
    return [...positionsOf(text.markdown, new Map([...nodes].filter(([name]) => requested.has(name))))];
  },
};

export type ContentTasks = typeof contentTasks;
