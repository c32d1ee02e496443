import type { SearchLanguage } from '../database/search/stems.ts';
import type { Section as SearchedSection } from '../database/search/types.ts';
import { mayContainConditions, mayContainTags } from './expressions/condition-tags.ts';
import { evaluateMarkdown } from './expressions/markdown.ts';
import { writeConditions } from './expressions/stored-conditions.ts';
import type { ConditionalPart } from './expressions/visible-text.ts';
import { includingPages } from './links/includers.ts';
import { normalizedText } from './markdown/markdown.ts';
import { searchSections } from './markdown/sections.ts';
import { variablesOf } from './threads/body.ts';
import type { Content, LocatedPage } from './tree/content.ts';
import { hashOf } from './tree/hash.ts';
import type { DocumentRecord, PageRecord, Variables } from './tree/records.ts';
import { canonicalJson, storable } from './tree/values.ts';

/**
 * Changes with the definition of sections and words. A migration that clears `searchedRevision` has the pages indexed
 * by earlier releases indexed again.
 */
const SECTIONS_VERSION = 'sections 7';

/** Divides a text with conditions, see `conditionalParts`; jobs run it in threads. */
export type DivideText = (
  markdown: string,
) => readonly ConditionalPart[] | Promise<readonly ConditionalPart[]>;

/** Returns versions of pages: short digests that change whenever the sections of a page may change. */
export async function pageVersions(
  active: Content,
  language: SearchLanguage,
): Promise<(page: LocatedPage) => string> {
  const variables = canonicalJson([active.roots.variables, active.roots.reusableContents]);
  const including = await includingPages(active);
  return ({ record, path }) => {
    // Any page may be included.
    const included = including.has(record.id) ? [active.roots.pages] : [];
    return hashOf(
      canonicalJson([SECTIONS_VERSION, language, path, variables, storable(record), ...included]),
    );
  };
}

/**
 * Returns the sections of a page. A page that is not a document or that is excluded from indexes has none, so that it is
 * removed from the index. What visitors see under a condition is in sections of its own.
 */
export async function sectionsOf(
  { record }: LocatedPage,
  markdown = '',
  space: Variables,
  divide: DivideText,
): Promise<SearchedSection[]> {
  if (!isIndexed(record)) {
    return [];
  }
  const variables = variablesOf(record, space);
  const read = (text: string) => readSections(evaluateMarkdown(text, variables));
  if (!mayContainTags(markdown)) {
    return withStart(record, read(markdown));
  }
  // The text is one part: no thread has to divide it.
  if (!mayContainConditions(markdown)) {
    return withStart(record, read(normalizedText(markdown)));
  }
  const [first, ...conditional] = await divide(markdown);
  return [
    ...withStart(record, first ? read(first.markdown) : []),
    ...conditional.flatMap((part, at) => {
      const condition = writeConditions(part, variables);
      // Headings have no colons in their IDs.
      return read(part.markdown).map((section) => ({
        ...section,
        section: `if:${at + 1}:${section.section}`,
        condition,
      }));
    }),
  ];
}

const readSections = (text: string): SearchedSection[] =>
  searchSections(text).map(({ id, title, path, body }) => ({ section: id, title, anchor: path, body }));

export const isIndexed = (record: PageRecord): record is DocumentRecord =>
  record.type === 'document' && !record.noIndex;

/** Adds the description to the first section, which is created if only the title exists. */
function withStart({ description }: DocumentRecord, sections: SearchedSection[]): SearchedSection[] {
  const [first, ...others] = sections;
  const start = first?.section === '' ? first : undefined;
  const remaining = start ? others : sections;
  const body = [description, start?.body].filter((part) => part !== undefined && part !== '').join('\n');
  if (body === '' && remaining.length > 0) {
    return remaining;
  }
  return [{ section: '', title: '', anchor: '', body }, ...remaining];
}
