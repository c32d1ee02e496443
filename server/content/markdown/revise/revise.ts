/** Changes the text of a page to that of a document. Blocks that do not change keep their text as written. */
import { compareLines } from '../../merge/hunks.ts';
import type { AddressOf, AnyBlock, Document, Reference } from '../document.ts';
import { normalizedText, parseMarkdown, printMarkdown, readMarkdown } from '../markdown.ts';
import { DocumentSource } from '../read/read.ts';
import { verbatimText } from '../verbatim.ts';
import { changesOf, type LocatedBlocks } from './changes.ts';
import { editOf } from './chunks.ts';
import { applyEdits, editsAsWritten, type TextEdit } from './edits.ts';
import { Identities, refsIn } from './identities.ts';
import { NoteLabels } from './notes.ts';

/**
 * Returns the text of a page after the replacement of its document. Only blocks that differ from the current text are
 * printed; everything else is unchanged. If that is impossible, the whole document is printed.
 *
 * @param addressOf formats references
 * @param targetOf formats the targets of references, to compare them
 */
export function reviseMarkdown(
  markdown: string,
  document: Document,
  addressOf: (ref: Reference) => string,
  targetOf = addressOf,
): string {
  const verbatim = verbatimText(document);
  if (verbatim !== undefined) {
    return verbatim === markdown.toWellFormed() ? markdown : verbatim;
  }
  const source = new DocumentSource();
  const current = readMarkdown(markdown, source);
  if (!current.first) {
    return printMarkdown(document, addressOf);
  }
  const identities = new Identities(targetOf);
  const target = identities.ofList(document.nodes);
  if (identities.ofList(current.document.nodes) === target) {
    return markdown;
  }
  const blocks = withSettled(current.first.nodes, current.document.nodes, document.nodes, identities);
  const text = normalizedText(markdown);
  const printed = printMarkdown(document, addressOf);
  let settled: string | undefined;
  for (const attempt of ATTEMPTS) {
    const page: LocatedBlocks = { text, ranges: source.ranges, identities, ...attempt };
    const edits = editsFor(current.first.nodes, blocks, page, source, { addressOf, targetOf });
    const revised = edits && applyEdits(markdown, editsAsWritten(markdown, edits));
    if (revised === undefined) {
      continue;
    }
    const result = identities.ofList(parseMarkdown(revised).nodes);
    if (result === target) {
      return revised;
    }
    // A document that has no exact text is compared as it is read from the text that is printed anew.
    settled ??= identities.ofList(parseMarkdown(printed).nodes);
    if (result === settled) {
      return revised;
    }
  }
  return printed;
}

/** The ways to revise a text, from the smallest change to the safest one. Each is verified by reading the result. */
const ATTEMPTS = [
  { isByWord: true, isShallow: false, isSpaced: false },
  { isByWord: false, isShallow: false, isSpaced: false },
  { isByWord: false, isShallow: false, isSpaced: true },
  { isByWord: false, isShallow: true, isSpaced: true },
];

/**
 * Replaces the blocks of the new document that are equal to blocks of the current one by what was read first in their
 * place: what the text contains, if it has no exact document.
 */
function withSettled(
  first: readonly AnyBlock[],
  settled: readonly AnyBlock[],
  next: readonly AnyBlock[],
  identities: Identities,
): AnyBlock[] {
  const replacements = new Map<string, AnyBlock>();
  for (const { from, to, start, end } of compareLines(identities.all(first), identities.all(settled))) {
    for (let at = 0; to - from === end - start && at < to - from; at++) {
      const [read, block] = [first[from + at], settled[start + at]];
      if (read && block) {
        replacements.set(identities.of(block), read);
      }
    }
  }
  return next.map((block) => replacements.get(identities.of(block)) ?? block);
}

/** Returns the text of blocks by identity. The labels of notes are assigned anew, so text with notes is omitted. */
function sourcesOf(
  blocks: readonly AnyBlock[],
  { text, ranges, identities }: LocatedBlocks,
): Map<string, string> {
  const sources = new Map<string, string>();
  for (const block of blocks) {
    const range = ranges.get(block);
    const source = range && text.slice(range.start, range.end);
    if (source && !source.includes('[^')) {
      sources.set(identities.of(block), source);
    }
  }
  return sources;
}

/** Returns the edits of the text; undefined if blocks cannot be replaced one by one. */
function editsFor(
  before: readonly AnyBlock[],
  after: readonly AnyBlock[],
  page: LocatedBlocks,
  { notes }: DocumentSource,
  { addressOf, targetOf }: { addressOf: AddressOf; targetOf: AddressOf },
): TextEdit[] | undefined {
  const changes = changesOf(before, after, page);
  if (!changes) {
    return undefined;
  }
  const labels = new NoteLabels(page.text, notes, changes, page.identities);
  const moved = sourcesOf(before, page);
  const options = {
    addressOf,
    noteOf: labels.labelOf,
    currentNoteOf: labels.currentLabelOf,
    sourceOf: (block: AnyBlock) => moved.get(page.identities.of(block)),
    currentAddressOf: (next: AnyBlock) => {
      const addresses = new Map(refsIn(next).map((ref) => [targetOf(ref), addressOf(ref)]));
      return (ref: Reference) => addresses.get(targetOf(ref)) ?? addressOf(ref);
    },
  };
  const edits: TextEdit[] = [];
  for (const change of changes) {
    const edit = editOf(change, page, options);
    if (!edit) {
      return undefined;
    }
    edits.push(edit);
  }
  return [...edits, ...labels.edits(page.text, options, page.isByWord)];
}
