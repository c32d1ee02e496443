import type { CreateId } from '../../database/seams.ts';
import { writeRef } from '../links/address.ts';
import {
  assignIds,
  entriesWithText,
  type ImportedBodies,
  importedTexts,
  TreeImport,
} from '../repository/read/records.ts';
import type { ImportedPage } from '../repository/types.ts';
import type { ContentChange } from '../tree/change.ts';
import type { Content } from '../tree/content.ts';
import { hashOf } from '../tree/hash.ts';
import { type FileRecord, type PageRecord, slugOf } from '../tree/records.ts';
import { UniqueNames } from '../tree/slugs.ts';
import { rewriteAddresses } from './references.ts';
import type { Converted, ConvertedFile } from './types.ts';

/** The change that an import makes to content, apart from its position in the tree. */
export type Addition = Omit<Required<Pick<ContentChange, 'pages' | 'children' | 'files'>>, 'pages'> &
  Pick<ContentChange, 'texts' | 'variables'> & {
    pages: ReadonlyMap<string, PageRecord>;
    /** The pages to add at the top level, in order. */
    top: readonly string[];
    /** The bytes of the files, read on access. */
    bytes: Iterable<Uint8Array>;
  };

/**
 * Converts a source to new pages and files. URLs in the texts that refer to one of them are replaced by references by
 * ID. Pure except for the generated IDs.
 */
export function planAddition(
  { pages, files, variables, target }: Converted,
  { createId, now }: { createId: CreateId; now: Date },
): Addition {
  const ids = {
    pages: assignIds(pages, new Map(), createId),
    files: new Map(files.map(({ key }) => [key, createId('file')])),
  };
  const linked = withLinks(pages, (address, from) => {
    const resolved = target(address, from);
    const id = resolved && ids[resolved.kind === 'page' ? 'pages' : 'files'].get(resolved.key);
    if (resolved === undefined || id === undefined) {
      return undefined;
    }
    if (resolved.kind === 'file') {
      return writeRef({ kind: 'file', file: id });
    }
    const anchor = /#(.+)$/s.exec(address)?.[1];
    return writeRef(anchor === undefined ? { kind: 'page', page: id } : { kind: 'anchor', page: id, anchor });
  });
  const imported = {
    pages: linked,
    files: [],
    reusableContents: [],
    redirects: [],
    variables: {},
    samples: [],
    problems: [],
  };
  const bodies: ImportedBodies = new Map();
  const texts = [...importedTexts(entriesWithText(imported), bodies)];
  const tree = new TreeImport(imported, new Map(), ids, { createId, now, bodies });
  const children = new Map(tree.children);
  children.delete(null);
  return {
    pages: new Map([...tree.records].map(([id, record]) => [id, withoutOrigin(record)])),
    children,
    top: tree.children.get(null) ?? [],
    texts,
    files: new Map(
      files.flatMap((file) => {
        const { key, name, contentType, dimensions, size } = file;
        const id = ids.files.get(key);
        if (id === undefined) {
          return [];
        }
        const record: FileRecord = {
          id,
          name,
          contentType,
          size,
          ...(dimensions && { dimensions }),
          blob: hashOf(file.content),
          createdAt: now.toISOString(),
        };
        return [[id, record]];
      }),
    ),
    bytes: contentsOf(files),
    variables,
  };
}

function* contentsOf(files: readonly ConvertedFile[]): Generator<Uint8Array> {
  for (const file of files) {
    yield file.content;
  }
}

/** Joins additions in their order. Of variables with the same name, the first one is used. */
export function joinAdditions(additions: ReadonlyArray<Omit<Addition, 'bytes'>>): Omit<Addition, 'bytes'> {
  const joined = <Key, Value>(mapOf: (addition: Omit<Addition, 'bytes'>) => ReadonlyMap<Key, Value>) =>
    new Map(additions.flatMap((addition) => [...mapOf(addition)]));
  const variables = additions.toReversed().flatMap((addition) => Object.entries(addition.variables ?? {}));
  return {
    pages: joined(({ pages }) => pages),
    children: joined(({ children }) => children),
    files: joined(({ files }) => files),
    top: additions.flatMap(({ top }) => top),
    texts: additions.flatMap(({ texts }) => [...(texts ?? [])]),
    // Later entries replace earlier ones.
    variables: Object.fromEntries(variables),
  };
}

/**
 * Appends an addition to content. Existing content is unchanged; new names are changed where they collide.
 *
 * @param into the page that the pages are added to; null for the root
 */
export async function addTo(
  content: Content,
  { top, variables, ...change }: Omit<Addition, 'bytes'>,
  into: string | null = null,
): Promise<ContentChange> {
  const existingPages = await content.readChildren(into);
  const slugs = new UniqueNames();
  for (const record of existingPages) {
    slugs.assign(slugOf(record) ?? '');
  }
  const pages = new Map(change.pages);
  for (const id of top) {
    const record = pages.get(id);
    if (record) {
      const placed = { ...record, parent: into };
      pages.set(id, 'slug' in placed ? { ...placed, slug: slugs.assign(placed.slug) } : placed);
    }
  }
  const existingVariables = await content.readVariables();
  const hasNewVariables = Object.keys(variables ?? {}).some(
    (name) => !Object.hasOwn(existingVariables, name),
  );
  return {
    ...change,
    pages,
    children: new Map([...change.children, [into, [...existingPages.map(({ id }) => id), ...top]]]),
    ...(hasNewVariables && { variables: { ...variables, ...existingVariables } }),
  };
}

function withLinks(
  pages: readonly ImportedPage[],
  change: (address: string, from: string) => string | undefined,
): ImportedPage[] {
  return pages.map((page) => {
    if (!('pages' in page)) {
      return page;
    }
    const children = withLinks(page.pages, change);
    if (page.type === 'group') {
      return { ...page, pages: children };
    }
    const markdown = rewriteAddresses(page.markdown, (address) => change(address, page.git.path));
    return { ...page, markdown, pages: children };
  });
}

/** Removes the data that an import from Git uses to recognize a page: this source is not imported repeatedly. */
function withoutOrigin(record: PageRecord): PageRecord {
  const { git: _git, origin: _origin, ...rest } = record;
  // Both fields are optional in every kind of record.
  return rest as PageRecord;
}
