/** Writes links to content by path: identifiers of the platform have no meaning in a repository. */
import { mapOutsideFences } from '../../markdown/fences.ts';
import { pathTarget } from './inline.ts';
import type { WrittenPaths } from './paths.ts';
import type { ExportedContent, ExportedPage } from './types.ts';

/**
 * A code span, or a destination by ID after the start of a link, an attribute or a definition, up to its anchor, see
 * `parseAddress`.
 */
const CODE_OR_DESTINATION =
  /(?<!`)(`+)(?!`).{1,1000}?(?<!`)\1(?!`)|(?<=[("'<=]|\]:[ \t]{0,8})(?:\/(pages|files)\/|(page|file|reusable-content):)([a-zA-Z0-9_-]{1,128})(?=[)"'>\s?#]|$)/g;
const POSSIBLE_DESTINATION = /\/(?:pages|files)\/|(?:page|file|reusable-content):/;

const COLLECTIONS = {
  pages: 'pages',
  page: 'pages',
  files: 'files',
  file: 'files',
  'reusable-content': 'reusableContents',
} as const;
type PathKind = 'pages' | 'files';
type Scheme = Exclude<keyof typeof COLLECTIONS, PathKind>;

/**
 * Returns content with relative paths to its pages, files and reusable contents in its texts. Texts are read and
 * changed when they are used.
 */
export function withRelativeLinks(content: ExportedContent, paths: WrittenPaths): ExportedContent {
  const mapPages = (pages: readonly ExportedPage[]): ExportedPage[] =>
    pages.map((page) => {
      if (page.type === 'document') {
        const from = paths.pages.get(page.id) ?? '';
        const copy = withText(page, (markdown) => relativeLinks(markdown, from, paths));
        copy.pages = mapPages(page.pages);
        return copy;
      }
      return page.type === 'group' ? { ...page, pages: mapPages(page.pages) } : page;
    });
  return {
    ...content,
    pages: mapPages(content.pages),
    reusableContents: content.reusableContents.map((reusable) =>
      withText(reusable, (markdown) =>
        relativeLinks(markdown, paths.reusableContents.get(reusable.id) ?? '', paths),
      ),
    ),
  };
}

/** Returns a copy of an item with a changed text, which is computed whenever it is read. */
function withText<Item extends { markdown: string }>(item: Item, change: (markdown: string) => string): Item {
  // A copy of the properties, without reading the text.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(item)) as Item;
  return Object.defineProperty(copy, 'markdown', { get: () => change(item.markdown), enumerable: true });
}

/** Replaces the destinations by ID in a text, except in code. Those of unknown content are unchanged. */
function relativeLinks(markdown: string, from: string, paths: WrittenPaths): string {
  if (!POSSIBLE_DESTINATION.test(markdown)) {
    return markdown;
  }
  return mapOutsideFences(markdown, (line) =>
    line.replace(
      CODE_OR_DESTINATION,
      (written, _code?: string, path?: PathKind, scheme?: Scheme, id?: string) => {
        const kind = path ?? scheme;
        const target = kind && id !== undefined ? paths[COLLECTIONS[kind]].get(id) : undefined;
        return target === undefined ? written : pathTarget(target, from);
      },
    ),
  );
}
