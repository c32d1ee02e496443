/** Reads the pages of a revision to print, in a thread that requests their bodies from its host. */

import { type Address, addressOfRef, type TextLocation, writeRef } from '../links/address.ts';
import { refsOfDocument } from '../links/references.ts';
import type { Target } from '../links/resolve.ts';
import {
  type Block,
  type Document,
  defined,
  MAX_INCLUDED_DEPTH,
  type Reference,
} from '../markdown/document.ts';
import type { FileRecord, ReusableRecord } from '../tree/records.ts';
import { MAX_PDF_IMAGE_BYTES, type PrintableImage } from './images.ts';
import type { PrintedBody, PrintedEntry, PrintedPage, ReferenceLink } from './page.ts';

/** An entry to print, without its body. */
export interface EntryOutline extends Omit<PrintedPage, 'read'> {
  /** Why the entry has no page of its own: it is a group, or a link to an address. */
  listed?: 'group' | Address;
}

/** A text of the content as a document in JSON, and its location in the content. */
export interface PrintedText {
  document: Uint8Array;
  location: TextLocation;
}

/** The target of an address, and its URL for readers. */
export interface ResolvedTarget {
  target: Target;
  url?: string;
  /** Title and icon of a target outside of the content. */
  title?: string;
  icon?: string;
  emoji?: string;
  /** Title of the section that the reference leads to. */
  section?: string;
}

/** An anchor of a page of the content, or of another space. */
export interface SectionAddress {
  space?: string;
  page: string;
  anchor: string;
}

/** Provides the content to the thread that prints it. */
export interface PdfHost {
  readPage(id: string): Promise<PrintedText>;
  /** Returns a reusable content as a page includes it. */
  readReusable(input: { reusable: ReusableRecord; page: string }): Promise<PrintedText>;
  /** Resolves addresses, in their order; undefined for those without a target. */
  resolve(addresses: readonly Address[]): Promise<Array<ResolvedTarget | undefined>>;
  /** Returns an image; undefined if it cannot be printed. */
  readImage(file: FileRecord): Promise<PrintableImage | undefined>;
  /** Returns the title of the section that an anchor of a page leads to: of the content, or of another space. */
  findSectionTitle(input: SectionAddress): Promise<string | undefined>;
}

/**
 * Returns the entries in the order of the tree. The targets of links are resolved; each page is read when it is about to
 * be printed.
 */
export async function printedEntries(
  host: PdfHost,
  outline: readonly EntryOutline[],
): Promise<PrintedEntry[]> {
  const addresses = outline.flatMap(({ listed }) =>
    listed === undefined || listed === 'group' ? [] : [listed],
  );
  const targets = addresses.length === 0 ? [] : await host.resolve(addresses);
  const targetByAddress = new Map(addresses.map((address, at) => [address, targets[at]]));
  return outline.map(({ listed, ...entry }) => {
    if (listed === undefined) {
      return { ...entry, read: () => readBody(host, entry.id) };
    }
    const target =
      listed === 'group' ? undefined : linkOf(entry.id, entry.title, targetByAddress.get(listed));
    return { id: entry.id, title: entry.title, depth: entry.depth, target };
  });
}

async function readBody(host: PdfHost, page: string): Promise<PrintedBody> {
  const text = parseText(await host.readPage(page));
  const targetsByRef: ResolvedTargets = new Map();
  const included = new Map<Reference, readonly Block[]>();
  const state = { host, page, targetsByRef, included, nodesByReusable: new Map() };
  await follow(state, [text], MAX_INCLUDED_DEPTH);
  return bodyOf(host, page, text.document.nodes, targetsByRef, included);
}

/** Targets of references, by reference object and by its JSON. */
type ResolvedTargets = Map<Reference | string, ResolvedTarget>;

interface LocatedDocument {
  document: Document;
  location: TextLocation;
}

const decoder = new TextDecoder();

/** The host created the JSON of the document. */
const parseText = ({ document, location }: PrintedText): LocatedDocument => ({
  document: JSON.parse(decoder.decode(document)) as Document,
  location,
});

/** State of the page that is being read. */
interface PageState {
  host: PdfHost;
  page: string;
  targetsByRef: ResolvedTargets;
  included: Map<Reference, readonly Block[]>;
  /** Nodes of the reusable contents that are already read, by ID. */
  nodesByReusable: Map<string, readonly Block[]>;
}

/** Resolves all references of documents at once, and then those of the contents that they include. */
async function follow(state: PageState, documents: readonly LocatedDocument[], depth: number): Promise<void> {
  const { host, page, targetsByRef, included, nodesByReusable } = state;
  const refs = documents.flatMap(({ document, location }) =>
    refsOfDocument(document).map(({ ref, labeled }) => ({
      ref,
      location,
      isMention: labeled?.type === 'mention',
    })),
  );
  for (const [key, target] of await resolveTargets(host, refs)) {
    if (!targetsByRef.has(key)) {
      targetsByRef.set(key, target);
    }
  }
  if (depth === 0) {
    return;
  }
  const inner: LocatedDocument[] = [];
  for (const { ref } of refs) {
    const target = targetsByRef.get(ref)?.target;
    if (target?.kind !== 'reusable-content' || included.has(ref)) {
      continue;
    }
    const { reusable } = target;
    let nodes = nodesByReusable.get(reusable.id);
    if (!nodes) {
      const text = parseText(await host.readReusable({ reusable, page }));
      nodes = text.document.nodes;
      nodesByReusable.set(reusable.id, nodes);
      inner.push(text);
    }
    included.set(ref, nodes);
  }
  if (inner.length > 0) {
    await follow(state, inner, depth - 1);
  }
}

async function resolveTargets(
  host: PdfHost,
  refs: ReadonlyArray<{ ref: Reference; location: TextLocation; isMention: boolean }>,
): Promise<ResolvedTargets> {
  const targetsByRef: ResolvedTargets = new Map();
  if (refs.length === 0) {
    return targetsByRef;
  }
  const targets = await host.resolve(refs.map(({ ref, location }) => addressOfRef(ref, location)));
  for (const [at, { ref, isMention }] of refs.entries()) {
    let target = targets[at];
    if (!target) {
      continue;
    }
    const mentioned = isMention ? sectionAddress(target) : undefined;
    if (mentioned) {
      const section = await host.findSectionTitle(mentioned);
      target = { ...target, ...(section !== undefined && { section }) };
    }
    targetsByRef.set(ref, target);
    if (!targetsByRef.has(referenceKey(ref))) {
      targetsByRef.set(referenceKey(ref), target);
    }
  }
  return targetsByRef;
}

/** Returns the section that a target is; undefined if it is not a section of a page that readers see. */
function sectionAddress({ target, title }: ResolvedTarget): SectionAddress | undefined {
  if (target.kind === 'page' && target.anchor !== undefined) {
    return { page: target.page.record.id, anchor: target.anchor };
  }
  if (target.kind !== 'external' || target.address.kind !== 'page' || title === undefined) {
    return undefined;
  }
  const { space, page, anchor } = target.address;
  return space === undefined || anchor === undefined ? undefined : { space, page, anchor };
}

/** Blocks create a new reference object from their URL each time. */
const referenceKey = (ref: Reference): string => JSON.stringify(ref);

function bodyOf(
  host: PdfHost,
  page: string,
  nodes: readonly Block[],
  targetsByRef: ResolvedTargets,
  included: ReadonlyMap<Reference, readonly Block[]>,
): PrintedBody {
  const targetOf = (ref: Reference) => targetsByRef.get(ref) ?? targetsByRef.get(referenceKey(ref));
  return {
    nodes,
    reach: (ref) => linkOf(page, writeRef(ref), targetOf(ref)),
    included: (ref) => included.get(ref),
    readImage: async (ref) => {
      const target = targetOf(ref)?.target;
      if (target?.kind !== 'file' || target.file.size > MAX_PDF_IMAGE_BYTES) {
        return undefined;
      }
      return /^image\/(png|jpeg|webp|svg\+xml)$/.test(target.file.contentType)
        ? await host.readImage(target.file)
        : undefined;
    },
  };
}

/** @param name of a reference without a target */
function linkOf(pageId: string, name: string, resolved: ResolvedTarget | undefined): ReferenceLink {
  const target = resolved?.target;
  const url = resolved?.url === undefined ? {} : { url: resolved.url };
  const section = resolved?.section === undefined ? {} : { section: resolved.section };
  switch (target?.kind) {
    case 'page': {
      const { record } = target.page;
      const { title: name, icon, emoji } = record;
      const label = { ...(icon !== undefined && { icon }), ...(emoji !== undefined && { emoji }) };
      const anchor = target.anchor === undefined ? {} : { anchor: target.anchor };
      return { name, isTitled: true, ...label, ...section, page: record.id, ...url, ...anchor };
    }
    case 'file':
      return { name: target.file.name, isTitled: true, ...url };
    case 'reusable-content':
      return { name: target.reusable.title, isTitled: true };
    case 'anchor':
      return { name: `#${target.anchor}`, page: pageId, anchor: target.anchor };
    case 'url':
      return { name: target.url, url: target.url };
    case 'external': {
      const { title = name, icon, emoji } = resolved ?? {};
      const isTitled = resolved?.title !== undefined;
      return { name: title, isTitled, ...defined({ icon, emoji }), ...section, ...url };
    }
    default:
      return { name };
  }
}
