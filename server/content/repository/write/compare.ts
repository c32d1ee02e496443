import { isDeepStrictEqual } from 'node:util';
import { writeRef } from '../../links/address.ts';
import type { Steps } from '../steps.ts';
import { collapse } from '../text.ts';
import type {
  ImportedContent,
  ImportedDocument,
  ImportedLink,
  ImportedPage,
  ImportedReference,
  ImportedTarget,
} from '../types.ts';
import type { WrittenPaths } from './paths.ts';
import type {
  ExportedContent,
  ExportedDocument,
  ExportedPage,
  ExportedReference,
  ExportedReusableContent,
  ExportedTarget,
} from './types.ts';

type Settings = Omit<ImportedDocument, 'key' | 'type' | 'path' | 'git' | 'pages' | 'cover'>;

/**
 * Whether the content read from a repository equals the exported content, compared page by page.
 *
 * @param summaryPaths paths of the tables of contents; if one is a page, its text follows from the tree
 */
export function* hasSameContent(
  content: ExportedContent,
  read: ImportedContent,
  places: WrittenPaths,
  summaryPaths: ReadonlySet<string>,
): Steps<boolean> {
  const included = new Map(read.reusableContents.map((reusable) => [reusable.git.path, reusable]));
  return (
    isDeepStrictEqual(content.variables, read.variables) &&
    content.reusableContents.every((reusable) =>
      isEquivalentReusableContent(reusable, included.get(places.reusableContents.get(reusable.id) ?? '')),
    ) &&
    (yield* hasSamePages(content.pages, read.pages, places, summaryPaths))
  );
}

/** Whether a page tree that was read equals the exported one, see {@link hasSameContent}. */
export function* hasSamePages(
  pages: readonly ExportedPage[],
  read: readonly ImportedPage[],
  places: WrittenPaths,
  summaryPaths: ReadonlySet<string>,
): Steps<boolean> {
  if (pages.length !== read.length) {
    return false;
  }
  for (const [at, page] of pages.entries()) {
    yield;
    const other = read[at];
    if (other === undefined || !(yield* isSameResource(page, other, places, summaryPaths))) {
      return false;
    }
  }
  return true;
}

function* isSameResource(
  page: ExportedPage,
  read: ImportedPage,
  places: WrittenPaths,
  summaryPaths: ReadonlySet<string>,
): Steps<boolean> {
  if (page.type === 'document' && read.type === 'document') {
    const { path } = read.git;
    const compared = summaryPaths.has(path) ? { ...page, markdown: read.markdown } : page;
    return (
      path === places.pages.get(page.id) &&
      isEquivalentPage(compared, read, places) &&
      (yield* hasSamePages(page.pages, read.pages, places, summaryPaths))
    );
  }
  if (!hasTitleOf(page, read)) {
    return false;
  }
  if (page.type === 'group' && read.type === 'group') {
    return page.slug === read.slug && (yield* hasSamePages(page.pages, read.pages, places, summaryPaths));
  }
  if (page.type === 'link' && read.type === 'link') {
    return hasSameTarget(page.target, read, places);
  }
  return (
    page.type === 'computed' && read.type === 'computed' && isDeepStrictEqual(page.computed, read.computed)
  );
}

function hasSameTarget(target: ExportedTarget, read: ImportedLink, places: WrittenPaths): boolean {
  return isDeepStrictEqual(targetIn(target, places), read.target);
}

/** Whether a page's file is equivalent to the page. */
export function isEquivalentPage(
  page: ExportedDocument,
  read: ImportedDocument | undefined,
  places: WrittenPaths,
): boolean {
  return (
    read !== undefined &&
    hasTitleOf(page, read) &&
    isDeepStrictEqual(settingsOf(page), settingsOf(read)) &&
    isDeepStrictEqual(coverIn(page, places), read.cover)
  );
}

/** Whether a file is equivalent to a reusable content. */
export function isEquivalentReusableContent(
  { title, markdown }: ExportedReusableContent,
  read: Pick<ExportedReusableContent, 'title' | 'markdown'> | undefined,
): boolean {
  return read !== undefined && title === read.title && normalizeBody(markdown) === read.markdown;
}

/** A page without a title gets one from its file. */
function hasTitleOf({ title }: ExportedPage, read: ImportedPage): boolean {
  return collapse(title) === '' || collapse(title) === read.title;
}

function settingsOf(page: Settings): object {
  const { slug, description, emoji, icon, layout, variables, hidden, noIndex, noRobotsIndex } = page;
  const markdown = normalizeBody(page.markdown);
  return { slug, description, emoji, icon, markdown, layout, variables, hidden, noIndex, noRobotsIndex };
}

/** Normalizes a body as a file stores it: uniform newlines, no leading empty lines. */
export function normalizeBody(markdown: string): string {
  return markdown.replace(/\r\n?/g, '\n').replace(/^(?:[ \t]*\n)+/, '');
}

/** Returns the cover of a page as it is read from the repository. */
export function coverIn({ cover }: ExportedDocument, places: WrittenPaths): ImportedDocument['cover'] {
  const ref = cover && referenceIn(cover.ref, places);
  if (cover === undefined || ref === undefined) {
    return undefined;
  }
  const refDark = cover.refDark && referenceIn(cover.refDark, places);
  return { ref, ...(refDark && { refDark }), yPos: cover.yPos };
}

/**
 * Converts the target of a link in the tree to the form that the repository reader returns; undefined for a file that
 * does not exist in the content.
 */
export function targetIn(target: ExportedTarget, places: WrittenPaths): ImportedTarget | undefined {
  if (target.kind !== 'page') {
    return referenceIn(target, places);
  }
  const { page, anchor } = target;
  const path = places.pages.get(page);
  return path === undefined
    ? {
        kind: 'url',
        url: writeRef(anchor === undefined ? { kind: 'page', page } : { kind: 'anchor', page, anchor }),
      }
    : { kind: 'page', path, ...(anchor !== undefined && { anchor }) };
}

/**
 * Converts a reference to the form that the repository reader returns; undefined for a file that does not exist in the
 * content.
 */
function referenceIn(reference: ExportedReference, { files }: WrittenPaths): ImportedReference | undefined {
  if (reference.kind === 'url') {
    return reference;
  }
  const path = files.get(reference.file);
  return path === undefined ? undefined : { kind: 'file', path };
}
