/** Translates pages, block by block. */
import { hasSameConditions } from '../expressions/condition-tags.ts';
import { referenceWriter } from '../links/page-references.ts';
import type { AnyBlock, Document, InlineNode } from '../markdown/document.ts';
import { inlineText, plainText } from '../markdown/document.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { reviseMarkdown } from '../markdown/revise/revise.ts';
import { anchorsOfHeadings, visibleText } from '../markdown/slug.ts';
import type { Glossary } from './glossary.ts';
import { mapRuns } from './runs.ts';
import { decodeText, type Segment, SegmentEncoder, segmentOf, wordCounter } from './segments.ts';
import { headingsIn, structureOf, type Unit, unitsIn } from './units.ts';

/** The texts of a page. */
export interface PageTexts {
  title: string;
  description?: string | undefined;
  markdown?: string | undefined;
}

/** The texts of a page after a translation. */
export interface TranslatedPage extends PageTexts {
  /** Number of blocks that remain in the source language, because their structure would have changed. */
  problems: number;
}

/** Translations by the hash of the segment. */
export type Translations = ReadonlyMap<string, string>;

/** Lists the segments of a page to send to the translation service, without duplicates. */
export function listSegments(
  { title, description, markdown }: PageTexts,
  glossary: Glossary,
  language: string,
): Segment[] {
  const encoder = new SegmentEncoder(glossary);
  const countWords = wordCounter(language);
  const lists = [title, description ?? ''].map((text) => [plainText(text)] as InlineNode[]);
  for (const unit of markdown === undefined ? [] : unitsIn(parseMarkdown(markdown).nodes)) {
    lists.push(inlinesOf(unit));
  }
  const segments = new Map<string, Segment>();
  for (const nodes of lists) {
    mapRuns(nodes, (run) => {
      const encoded = encoder.encode(run);
      if (encoded.isTranslatable) {
        const segment = segmentOf(encoded, countWords);
        segments.set(segment.hash, segment);
      }
      return run;
    });
  }
  return [...segments.values()];
}

/**
 * Returns the texts of a page in another language. Texts without a translation are unchanged. Structure, code, links
 * and variables are those of the source, and headings keep their anchors, so that links to them still work.
 */
export function translatePage(
  { title, description, markdown }: PageTexts,
  glossary: Glossary,
  translations: Translations,
): TranslatedPage {
  const translator = new TextTranslator(glossary, translations);
  const body = markdown === undefined ? undefined : translateMarkdown(markdown, translator);
  return {
    title: translator.translate(title),
    ...(description !== undefined && { description: translator.translate(description) }),
    ...(body && { markdown: body.markdown }),
    problems: body?.problems ?? 0,
  };
}

function translateMarkdown(
  markdown: string,
  translator: TextTranslator,
): { markdown: string; problems: number } {
  const source = parseMarkdown(markdown);
  const fixed = new Set<number>();
  // Blocks keep their text if their structure would change. A second attempt can only fail for other reasons.
  for (let attempt = 0; attempt < 2; attempt++) {
    const translated = translateDocument(source, translator, fixed);
    const revised = reviseMarkdown(markdown, translated, referenceWriter(new Map()));
    const changed = hasSameConditions(markdown, revised)
      ? changedBlocks(source.nodes, parseMarkdown(revised).nodes)
      : undefined;
    if (changed?.length === 0) {
      return { markdown: revised, problems: fixed.size };
    }
    for (const at of changed ?? []) {
      fixed.add(at);
    }
  }
  return { markdown, problems: source.nodes.length };
}

/** Returns the positions of blocks with another structure; undefined if the numbers of blocks differ. */
function changedBlocks(before: readonly AnyBlock[], after: readonly AnyBlock[]): number[] | undefined {
  if (before.length !== after.length) {
    return undefined;
  }
  return before.flatMap((block, at) => {
    const other = after[at];
    return other && structureOf(block) === structureOf(other) ? [] : [at];
  });
}

/** Translates the blocks of a document, except for those at some positions. */
function translateDocument(
  source: Document,
  translator: TextTranslator,
  fixed: ReadonlySet<number>,
): Document {
  const document = structuredClone(source);
  const anchors = anchorsOf(source);
  for (const unit of unitsIn(document.nodes.filter((_, at) => !fixed.has(at)))) {
    if (unit.kind === 'text') {
      unit.replace(translator.translate(unit.text));
    } else {
      unit.replace(translator.translateInlines(unit.nodes));
    }
  }
  const translated = anchorsOf(document);
  for (const [at, { data }] of [...headingsIn(document.nodes)].entries()) {
    const anchor = anchors[at];
    if (data.id === undefined && anchor !== undefined && translated[at] !== anchor) {
      data.id = anchor;
    }
  }
  return document;
}

/** Returns the anchors of all headings, in order. */
function anchorsOf(document: Document): string[] {
  return anchorsOfHeadings(
    [...headingsIn(document.nodes)].map(({ data, nodes }) => ({ id: data.id, title: visibleText(nodes) })),
  );
}

const inlinesOf = (unit: Unit): InlineNode[] =>
  unit.kind === 'inline' ? unit.nodes : [plainText(unit.text)];

/** Replaces texts by their translations. */
class TextTranslator {
  readonly #encoder: SegmentEncoder;
  readonly #translations: Translations;

  constructor(glossary: Glossary, translations: Translations) {
    this.#encoder = new SegmentEncoder(glossary);
    this.#translations = translations;
  }

  translate(text: string): string {
    return inlineText(this.translateInlines([plainText(text)]));
  }

  translateInlines(nodes: InlineNode[]): InlineNode[] {
    return mapRuns(nodes, (run) => this.#translateRun(run));
  }

  #translateRun(nodes: InlineNode[]): InlineNode[] {
    const encoded = this.#encoder.encode(nodes);
    const html = encoded.isTranslatable
      ? this.#translations.get(segmentOf(encoded, () => 0).hash)
      : encoded.hasTerms
        ? encoded.html
        : undefined;
    return (html === undefined ? undefined : decodeText(encoded, html)) ?? nodes;
  }
}
