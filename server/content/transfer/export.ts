import type { components } from '../../../generated/schema.d.ts';
import { batches } from '../../database/batches.ts';
import type { Texts } from '../../threads/scratch-file.ts';
import { writeRef } from '../links/address.ts';
import type { GitOrigin } from '../repository/types.ts';
import type {
  ExportedContent,
  ExportedCover,
  ExportedDocument,
  ExportedPage,
  ExportedReference,
  ExportedTarget,
} from '../repository/write/types.ts';
import type { Content } from '../tree/content.ts';
import { DEFAULT_LAYOUT, type DocumentRecord, type PageNode, walk } from '../tree/records.ts';
import { type GitOrigins, relocated } from './origins.ts';

/** Texts that are in memory at a time while they are read. */
const TEXTS_PER_BATCH = 16;

/**
 * Reads the content to write to a repository; the bytes of files are not read.
 *
 * @param bodies receives the texts of pages and reusable contents by ID; the result reads from it
 * @param origins of the content in the repository to write to; by default those of the last synchronization
 */
export async function exportContent(
  content: Content,
  bodies: Texts,
  origins?: GitOrigins,
): Promise<ExportedContent> {
  const [tree, files, reusables, redirects, variables] = await Promise.all([
    content.readTree(),
    content.listFiles(),
    content.readReusableContents(),
    content.readRedirects(),
    content.readVariables(),
  ]);
  const records = [...[...walk(tree)].map(({ record }) => record), ...reusables];
  for (const batch of batches(records, TEXTS_PER_BATCH)) {
    for (const [id, text] of await content.readBodies(batch)) {
      bodies.set(id, text);
    }
  }
  return {
    pages: tree.map((node) => exportPage(node, bodies, origins)),
    files: files.map(({ id, name, size, ...file }) => {
      const git = relocated(file.git, origins?.files, id);
      return { id, name, size, ...(git && { git }) };
    }),
    reusableContents: reusables.map(({ id, title, ...reusable }) => {
      const git = relocated(reusable.git, origins?.reusableContents, id);
      return {
        id,
        title,
        get markdown() {
          return bodies.get(id) ?? '';
        },
        ...(git && { git }),
      };
    }),
    redirects,
    variables,
  };
}

function exportPage(
  { record, path, pages }: PageNode,
  bodies: Texts,
  origins: GitOrigins | undefined,
): ExportedPage {
  const { id, title } = record;
  const exportChildren = () => pages.map((node) => exportPage(node, bodies, origins));
  switch (record.type) {
    case 'document':
      return {
        ...exportDocument(record, relocated(record.git, origins?.pages, id)),
        get markdown() {
          return bodies.get(id) ?? '';
        },
        path,
        pages: exportChildren(),
      };
    case 'group':
      return { type: 'group', id, title, slug: record.slug, path, pages: exportChildren() };
    case 'link': {
      const { target } = record;
      return {
        type: 'link',
        id,
        title,
        target: exportTarget(target),
      };
    }
    case 'computed': {
      const { type, props = {}, dependencies = {} } = record.computed;
      // Dependencies differ only in their references, which a repository stores unchanged.
      const exported = dependencies as Extract<
        ExportedPage,
        { type: 'computed' }
      >['computed']['dependencies'];
      return { type: 'computed', id, title, computed: { type, props: { ...props }, dependencies: exported } };
    }
  }
}

/** Pages of the same space are written as paths in the repository. */
function exportTarget(target: components['schemas']['ContentRef']): ExportedTarget {
  if (target.kind === 'file') {
    return { kind: 'file', file: target.file };
  }
  const { page, space } = { page: undefined, space: undefined, ...target };
  if (page === undefined || space !== undefined) {
    return { kind: 'url', url: writeRef(target) };
  }
  return { kind: 'page', page, ...(target.kind === 'anchor' && { anchor: target.anchor }) };
}

function exportDocument(
  record: DocumentRecord,
  git: GitOrigin | undefined,
): Omit<ExportedDocument, 'markdown' | 'path' | 'pages'> {
  const { id, title, slug, description, emoji, icon } = record;
  const cover = coverOf(record);
  return {
    type: 'document',
    id,
    title,
    slug,
    ...(description !== undefined && { description }),
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    ...(git && { git }),
    ...(cover && { cover }),
    layout: { ...DEFAULT_LAYOUT, ...record.layout },
    variables: record.variables ?? {},
    hidden: record.hidden ?? false,
    noIndex: record.noIndex ?? false,
    noRobotsIndex: record.noRobotsIndex ?? false,
  };
}

/** An image for dark mode only is used for both modes, as a repository cannot represent it. */
function coverOf({ cover }: DocumentRecord): ExportedCover | undefined {
  const ref: ExportedReference | undefined = cover?.ref ?? cover?.refDark;
  if (!cover || !ref) {
    return undefined;
  }
  return { ref, ...(cover.refDark && { refDark: cover.refDark }), yPos: cover.yPos };
}
