/** Reads the pages of a revision to print, in a thread that requests their bodies from its host. */

import { type Address, addressOfRef, type PlaceOfText, writeRef } from '../links/address.ts';
import { refsOfDocument } from '../links/references.ts';
import type { Target } from '../links/resolve.ts';
import type { Block, Document, Reference } from '../markdown/document.ts';
import type { FileRecord, ReusableRecord } from '../tree/records.ts';
import { MAX_PDF_IMAGE_BYTES } from './images.ts';
import type { PrintedBody, PrintedPage, Reached } from './page.ts';

/** A page to print, without its body. */
export type PageOutline = Omit<PrintedPage, 'read'>;

/** A text of the content as a document in JSON, and its place in the content. */
export interface PrintedText {
  document: Uint8Array;
  place: PlaceOfText;
}

/** The target of an address, and its URL for readers. */
export interface Lead {
  target: Target;
  url?: string;
}

/** Provides the content to the thread that prints it. */
export interface PdfHost {
  readPage(id: string): Promise<PrintedText>;
  /** Returns a reusable content as a page includes it. */
  readReusable(input: { reusable: ReusableRecord; page: string }): Promise<PrintedText>;
  /** Resolves addresses, in their order; undefined for those without a target. */
  resolve(addresses: readonly Address[]): Promise<Array<Lead | undefined>>;
  readFile(file: FileRecord): Promise<Uint8Array | undefined>;
}

/** Maximum nesting depth of reusable contents. */
const DEEPEST = 4;

/** Returns the pages in the order of the tree. Each is read when it is about to be printed. */
export const printedPages = (host: PdfHost, pages: readonly PageOutline[]): PrintedPage[] =>
  pages.map((page) => ({ ...page, read: () => readBody(host, page.id) }));

async function readBody(host: PdfHost, page: string): Promise<PrintedBody> {
  const text = placed(await host.readPage(page));
  const leadsByRef: Leads = new Map();
  const included = new Map<Reference, readonly Block[]>();
  await follow({ host, page, leadsByRef, included }, [text], DEEPEST);
  return bodyOf(host, page, text.document.nodes, leadsByRef, included);
}

/** Targets of references, by reference object and by its JSON. */
type Leads = Map<Reference | string, Lead>;

interface PlacedDocument {
  document: Document;
  place: PlaceOfText;
}

const decoder = new TextDecoder();

/** The host created the JSON of the document. */
const placed = ({ document, place }: PrintedText): PlacedDocument => ({
  document: JSON.parse(decoder.decode(document)) as Document,
  place,
});

/** State of the page that is being read. */
interface PageState {
  host: PdfHost;
  page: string;
  leadsByRef: Leads;
  included: Map<Reference, readonly Block[]>;
}

/** Resolves all references of documents at once, and then those of the contents that they include. */
async function follow(state: PageState, documents: readonly PlacedDocument[], depth: number): Promise<void> {
  const { host, page, leadsByRef, included } = state;
  const refs = documents.flatMap(({ document, place }) =>
    refsOfDocument(document).map(({ ref }) => ({ ref, place })),
  );
  for (const [key, lead] of await reachAll(host, refs)) {
    if (!leadsByRef.has(key)) {
      leadsByRef.set(key, lead);
    }
  }
  if (depth === 0) {
    return;
  }
  const inner: PlacedDocument[] = [];
  for (const { ref } of refs) {
    const target = leadsByRef.get(ref)?.target;
    if (target?.kind !== 'reusable-content' || included.has(ref)) {
      continue;
    }
    const text = placed(await host.readReusable({ reusable: target.reusable, page }));
    included.set(ref, text.document.nodes);
    inner.push(text);
  }
  if (inner.length > 0) {
    await follow(state, inner, depth - 1);
  }
}

async function reachAll(
  host: PdfHost,
  refs: ReadonlyArray<{ ref: Reference; place: PlaceOfText }>,
): Promise<Leads> {
  const leadsByRef: Leads = new Map();
  if (refs.length === 0) {
    return leadsByRef;
  }
  const leads = await host.resolve(refs.map(({ ref, place }) => addressOfRef(ref, place)));
  for (const [at, { ref }] of refs.entries()) {
    const lead = leads[at];
    if (!lead) {
      continue;
    }
    leadsByRef.set(ref, lead);
    if (!leadsByRef.has(textOf(ref))) {
      leadsByRef.set(textOf(ref), lead);
    }
  }
  return leadsByRef;
}

/** Blocks create a new reference object from their URL each time. */
const textOf = (ref: Reference): string => JSON.stringify(ref);

function bodyOf(
  host: PdfHost,
  page: string,
  nodes: readonly Block[],
  leadsByRef: Leads,
  included: ReadonlyMap<Reference, readonly Block[]>,
): PrintedBody {
  const leadOf = (ref: Reference) => leadsByRef.get(ref) ?? leadsByRef.get(textOf(ref));
  return {
    nodes,
    reach: (ref) => reachedOf(page, ref, leadOf(ref)),
    included: (ref) => included.get(ref),
    readImage: async (ref) => {
      const target = leadOf(ref)?.target;
      if (target?.kind !== 'file' || target.file.size > MAX_PDF_IMAGE_BYTES) {
        return undefined;
      }
      return /^image\/(png|jpeg)$/.test(target.file.contentType)
        ? await host.readFile(target.file)
        : undefined;
    },
  };
}

function reachedOf(here: string, ref: Reference, lead: Lead | undefined): Reached {
  const target = lead?.target;
  const url = lead?.url === undefined ? {} : { url: lead.url };
  switch (target?.kind) {
    case 'page': {
      const { record } = target.page;
      const anchor = target.anchor === undefined ? {} : { anchor: target.anchor };
      return { name: record.title, page: record.id, ...url, ...anchor };
    }
    case 'file':
      return { name: target.file.name, ...url };
    case 'reusable-content':
      return { name: target.reusable.title };
    case 'here':
      return { name: `#${target.anchor}`, page: here, anchor: target.anchor };
    case 'outside':
      return { name: target.url, url: target.url };
    default:
      return { name: writeRef(ref) };
  }
}
