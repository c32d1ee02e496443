/** The pages of a revision, as they are printed: in a thread, which asks its host for what pages say. */

import { type Address, addressOfRef, type PlaceOfText, writeRef } from '../links/address.ts';
import { refsOfDocument } from '../links/references.ts';
import type { Target } from '../links/resolve.ts';
import type { Block, Document, Reference } from '../markdown/document.ts';
import type { FileRecord, ReusableRecord } from '../tree/records.ts';
import { MAX_PDF_IMAGE_BYTES } from './images.ts';
import type { PrintedBody, PrintedPage, Reached } from './page.ts';

/** A page to be printed, without what it says. */
export type PageOutline = Omit<PrintedPage, 'read'>;

/** A text of the content as a document, in JSON, and where it is in the content. */
export interface PrintedText {
  document: Uint8Array;
  place: PlaceOfText;
}

/** What an address leads to, and where readers find that. */
export interface Lead {
  target: Target;
  url?: string;
}

/** Whoever has the content, asked from the thread that prints it. */
export interface PdfHost {
  readPage(id: string): Promise<PrintedText>;
  /** A reusable content as a page includes it. */
  readReusable(input: { reusable: ReusableRecord; page: string }): Promise<PrintedText>;
  /** Where addresses lead, in their order; undefined for those that lead nowhere. */
  resolve(addresses: readonly Address[]): Promise<Array<Lead | undefined>>;
  readFile(file: FileRecord): Promise<Uint8Array | undefined>;
}

/** Reusable contents within one another are followed this far. */
const DEEPEST = 4;

/** Pages in the order of the tree, each read when its turn comes. */
export const printedPages = (host: PdfHost, pages: readonly PageOutline[]): PrintedPage[] =>
  pages.map((page) => ({ ...page, read: () => readBody(host, page.id) }));

async function readBody(host: PdfHost, page: string): Promise<PrintedBody> {
  const text = placed(await host.readPage(page));
  const known: Known = new Map();
  const included = new Map<Reference, readonly Block[]>();
  await follow({ host, page, known, included }, [text], DEEPEST);
  return bodyOf(host, page, text.document.nodes, known, included);
}

/** What references lead to, by the very objects and by what they say. */
type Known = Map<Reference | string, Lead>;

interface Placed {
  document: Document;
  place: PlaceOfText;
}

const decoder = new TextDecoder();

/** The host made the JSON of a document. */
const placed = ({ document, place }: PrintedText): Placed => ({
  document: JSON.parse(decoder.decode(document)) as Document,
  place,
});

/** What is known of the page that is being printed. */
interface Following {
  host: PdfHost;
  page: string;
  known: Known;
  included: Map<Reference, readonly Block[]>;
}

/** Looks up all references of some documents at once, and then those of what they include. */
async function follow(following: Following, documents: readonly Placed[], depth: number): Promise<void> {
  const { host, page, known, included } = following;
  const refs = documents.flatMap(({ document, place }) =>
    refsOfDocument(document).map(({ ref }) => ({ ref, place })),
  );
  for (const [key, lead] of await reachAll(host, refs)) if (!known.has(key)) known.set(key, lead);
  if (depth === 0) return;
  const inner: Placed[] = [];
  for (const { ref } of refs) {
    const target = known.get(ref)?.target;
    if (target?.kind !== 'reusable-content' || included.has(ref)) continue;
    const text = placed(await host.readReusable({ reusable: target.reusable, page }));
    included.set(ref, text.document.nodes);
    inner.push(text);
  }
  if (inner.length > 0) await follow(following, inner, depth - 1);
}

async function reachAll(
  host: PdfHost,
  refs: ReadonlyArray<{ ref: Reference; place: PlaceOfText }>,
): Promise<Known> {
  const known: Known = new Map();
  if (refs.length === 0) return known;
  const leads = await host.resolve(refs.map(({ ref, place }) => addressOfRef(ref, place)));
  for (const [at, { ref }] of refs.entries()) {
    const lead = leads[at];
    if (!lead) continue;
    known.set(ref, lead);
    if (!known.has(textOf(ref))) known.set(textOf(ref), lead);
  }
  return known;
}

/** References that blocks make of an address of theirs are other objects each time. */
const textOf = (ref: Reference): string => JSON.stringify(ref);

function bodyOf(
  host: PdfHost,
  page: string,
  nodes: readonly Block[],
  known: Known,
  included: ReadonlyMap<Reference, readonly Block[]>,
): PrintedBody {
  const leadOf = (ref: Reference) => known.get(ref) ?? known.get(textOf(ref));
  return {
    nodes,
    reach: (ref) => reachedOf(page, ref, leadOf(ref)),
    included: (ref) => included.get(ref),
    readImage: async (ref) => {
      const target = leadOf(ref)?.target;
      if (target?.kind !== 'file' || target.file.size > MAX_PDF_IMAGE_BYTES) return undefined;
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
