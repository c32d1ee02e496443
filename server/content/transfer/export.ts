import type { components } from '../../../generated/schema.d.ts';
import { batches } from '../../database/batches.ts';
import type { Texts } from '../../threads/scratch-file.ts';
import { writeRef } from '../links/address.ts';
import type { GitOrigin } from '../repository/types.ts';
import type { WrittenRepository } from '../repository/write/repository.ts';
import type {
  ExportedContent,
  ExportedCover,
  ExportedDocument,
  ExportedPage,
  ExportedReference,
  ExportedTarget,
} from '../repository/write/types.ts';
import type { ContentChange } from '../tree/change.ts';
import type { Content } from '../tree/content.ts';
import { isSameRecord } from '../tree/dates.ts';
import { DEFAULT_LAYOUT, type DocumentRecord, type PageNode, walk } from '../tree/records.ts';

/** Texts that are in memory at a time while they are read. */
const TEXTS_PER_BATCH = 16;

/**
 * Reads the content to write to a repository; the bytes of files are not read.
 *
 * @param bodies receives the texts of pages and reusable contents by ID; the result reads from it
 */
export async function exportContent(content: Content, bodies: Texts): Promise<ExportedContent> {
  const [tree, files, reusables, variables] = await Promise.all([
    content.readTree(),
    content.listFiles(),
    content.readReusableContents(),
    content.readVariables(),
  ]);
  const records = [...[...walk(tree)].map(({ record }) => record), ...reusables];
  for (const batch of batches(records, TEXTS_PER_BATCH)) {
    for (const [id, text] of await content.readBodies(batch)) {
      bodies.set(id, text);
    }
  }
  return {
    pages: tree.map((node) => exportPage(node, bodies)),
    files: files.map(({ id, name, size, git }) => ({ id, name, size, ...(git && { git }) })),
    reusableContents: reusables.map(({ id, title, git }) => ({
      id,
      title,
      get markdown() {
        return bodies.get(id) ?? '';
      },
      ...(git && { git }),
    })),
    variables,
  };
}

function exportPage({ record, path, pages }: PageNode, bodies: Texts): ExportedPage {
  const { id, title } = record;
  const exportChildren = () => pages.map((node) => exportPage(node, bodies));
  switch (record.type) {
    case 'document':
      return {
        ...exportDocument(record),
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

function exportDocument(record: DocumentRecord): Omit<ExportedDocument, 'markdown' | 'path' | 'pages'> {
  const { id, title, slug, description, emoji, icon, git } = record;
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

/** The origins of content in a repository, by the IDs of its entities. An import recognizes entities by them. */
export interface GitOrigins {
  /** Origins of documents. */
  pages: Map<string, GitOrigin>;
  /** Keys of all other pages, as assigned by the reader. */
  origins: Map<string, string>;
  files: Map<string, GitOrigin>;
  reusableContents: Map<string, GitOrigin>;
}

/**
 * Returns the origins of content in a commit.
 *
 * @param oids of the files of the commit, by path
 */
export function originsOf(
  { paths, keys }: Pick<WrittenRepository, 'paths' | 'keys'>,
  oids: ReadonlyMap<string, string>,
): GitOrigins {
  const locate = (pathsById: ReadonlyMap<string, string>) =>
    new Map(
      [...pathsById].flatMap(([id, path]) => {
        const oid = oids.get(path);
        return oid === undefined ? [] : [[id, { oid, path }] as const];
      }),
    );
  return {
    pages: locate(paths.pages),
    origins: new Map([...keys].filter(([id]) => !paths.pages.has(id))),
    files: locate(paths.files),
    reusableContents: locate(paths.reusableContents),
  };
}

/** Reads the origins of content. */
export async function readGitOrigins(content: Content): Promise<GitOrigins> {
  const gitOrigins: GitOrigins = {
    pages: new Map(),
    origins: new Map(),
    files: new Map(),
    reusableContents: new Map(),
  };
  for (const { record } of walk(await content.readTree())) {
    if (record.git) {
      gitOrigins.pages.set(record.id, record.git);
    } else if (record.origin !== undefined) {
      gitOrigins.origins.set(record.id, record.origin);
    }
  }
  for (const { id, git } of await content.listFiles()) {
    if (git) {
      gitOrigins.files.set(id, git);
    }
  }
  for (const { id, git } of await content.readReusableContents()) {
    if (git) {
      gitOrigins.reusableContents.set(id, git);
    }
  }
  return gitOrigins;
}

/** Returns the paths of the content. */
export function pathsOf({ pages, files, reusableContents }: GitOrigins): Set<string> {
  return new Set(
    [pages, files, reusableContents].flatMap((origins) => [...origins.values()].map(({ path }) => path)),
  );
}

/** Returns the change that sets the origins of content, for entities that still exist. Its dates are unchanged. */
export async function recordOrigins(content: Content, gitOrigins: GitOrigins): Promise<ContentChange> {
  const records = await content.readPages([...gitOrigins.pages.keys(), ...gitOrigins.origins.keys()]);
  const pages = [...records.values()].flatMap((record) => {
    const git = gitOrigins.pages.get(record.id);
    const origin = gitOrigins.origins.get(record.id);
    const isDocument = record.type === 'document';
    const updated = {
      ...record,
      ...(isDocument && git && { git }),
      ...(!isDocument && origin !== undefined && { origin }),
    };
    return isSameRecord(updated, record) ? [] : [[record.id, updated] as const];
  });
  const files = (await content.listFiles()).flatMap((file) => {
    const git = gitOrigins.files.get(file.id);
    return git && !isSameRecord(git, file.git ?? {}) ? [[file.id, { ...file, git }] as const] : [];
  });
  const reusables = await content.readReusableContents();
  return {
    pages: new Map(pages),
    files: new Map(files),
    reusableContents: reusables.map((reusable) => {
      const git = gitOrigins.reusableContents.get(reusable.id);
      return git ? { ...reusable, git } : reusable;
    }),
  };
}
