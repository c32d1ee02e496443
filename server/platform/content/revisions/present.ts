import type { components } from '../../../../generated/schema.d.ts';
import type { RevisionRow } from '../../../content/store/revisions.ts';
import {
  DEFAULT_LAYOUT,
  type FileRecord,
  type PageNode,
  type ReusableRecord,
  type Variables,
} from '../../../content/tree/records.ts';
import { DeferredJson } from '../../../contract/index.ts';
import { readJson } from '../../../database/json.ts';

type Schemas = components['schemas'];
type Page = Schemas['Page'];
type DocumentPage = Schemas['DocumentPage'];

/** Options of the representation of content: those of the request, and the URLs of the server. */
export interface ContentView {
  /** Whether to include Git metadata, which can change while the content does not. */
  metadata: boolean;
  /** Returns the URLs of a page. */
  pageUrls(id: string): DocumentPage['urls'];
  /** Returns the URL of the content of a file. */
  downloadURL(file: FileRecord): string;
}

/** The body of a page in one of its formats. */
export type PageBody = Pick<DocumentPage, 'markdown' | 'document'>;

/**
 * Converts a page and its descendants to their representation in the API.
 *
 * @param body only for a page that is retrieved by itself; trees contain none
 */
export function presentPage(node: PageNode, view: ContentView, body: PageBody = {}): Page {
  const { record, path } = node;
  const common = {
    id: record.id,
    title: record.title,
    ...(record.emoji !== undefined && { emoji: record.emoji }),
    ...(record.icon !== undefined && { icon: record.icon }),
    // Both dates are absent until the first edit.
    ...(record.createdAt !== undefined &&
      record.updatedAt !== undefined && { createdAt: record.createdAt, updatedAt: record.updatedAt }),
  };
  switch (record.type) {
    case 'document':
      return {
        type: 'document',
        ...common,
        slug: record.slug,
        path,
        pages: presentTree(node.pages, view),
        ...visibilityOf(record),
        ...(record.description !== undefined && { description: record.description }),
        ...body,
        // A page is either computed or has a document.
        ...(record.computed
          ? { computed: record.computed, computedSeed: record.computedSeed ?? '' }
          : { documentId: record.documentId }),
        layout: { ...DEFAULT_LAYOUT, ...record.layout },
        ...(record.cover && { cover: record.cover }),
        ...(record.variables && { variables: record.variables }),
        ...gitOf(record, view),
        urls: view.pageUrls(record.id),
      };
    case 'group':
      return {
        type: 'group',
        ...common,
        slug: record.slug,
        path,
        pages: presentTree(node.pages, view),
        ...visibilityOf(record),
      };
    case 'link':
      return {
        type: 'link',
        ...common,
        target: record.target,
        ...(record.href !== undefined && { href: record.href }),
        hidden: record.hidden ?? false,
      };
    case 'computed':
      return { type: 'computed', ...common, computed: record.computed };
  }
}

/** Converts a page tree without bodies. Each page is converted when it is serialized, since a space can have many. */
export const presentTree = (nodes: readonly PageNode[], view: ContentView): Page[] =>
  nodes.map((node) => DeferredJson.of(() => presentPage(node, view)));

/** Converts a file to its representation in the API. */
export function presentFile(file: FileRecord, view: ContentView): Schemas['File'] {
  return {
    id: file.id,
    name: file.name,
    contentType: file.contentType,
    downloadURL: view.downloadURL(file),
    size: file.size,
    ...(file.dimensions && { dimensions: file.dimensions }),
    ...gitOf(file, view),
  };
}

/** Converts a reusable content to its representation in the API. */
export function presentReusableContent(
  reusable: ReusableRecord,
  view: ContentView,
): Schemas['ReusableContent'] {
  return { id: reusable.id, title: reusable.title, ...gitOf(reusable, view) };
}

/** The complete content of a revision. */
export interface RevisionParts {
  pages: readonly PageNode[];
  files: readonly FileRecord[];
  reusableContents: readonly ReusableRecord[];
  variables: Variables;
}

/**
 * Returns the fields that all types of revisions have in common. Callers add the type, and for a merge the merged
 * change request.
 */
export function presentRevision(
  revision: RevisionRow,
  parts: RevisionParts,
  view: ContentView,
  urls: Schemas['RevisionUrls'],
): Omit<Schemas['PlainRevision'], 'type'> {
  const git = readJson(revision.git);
  return {
    object: 'revision',
    id: revision.id,
    parents: readJson(revision.parents),
    pages: presentTree(parts.pages, view),
    files: parts.files.map((file) => DeferredJson.of(() => presentFile(file, view))),
    reusableContents: parts.reusableContents.map((reusable) => presentReusableContent(reusable, view)),
    ...(Object.keys(parts.variables).length > 0 && { variables: parts.variables }),
    createdAt: revision.createdAt,
    ...(git && view.metadata && { git }),
    urls,
  };
}

function visibilityOf(record: { hidden?: boolean; noIndex?: boolean; noRobotsIndex?: boolean }) {
  return {
    hidden: record.hidden ?? false,
    noIndex: record.noIndex ?? false,
    noRobotsIndex: record.noRobotsIndex ?? false,
  };
}

function gitOf({ git }: { git?: Schemas['GitObject'] }, { metadata }: ContentView) {
  return git && metadata ? { git } : {};
}
