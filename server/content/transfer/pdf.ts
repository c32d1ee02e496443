/** Prints content as a PDF in a thread, which receives the texts of pages from here. */
import type { FindStoredSpecification, StoredSpecification } from '../computed/specification.ts';
import type { Claims } from '../expressions/conditions.ts';
import { specificationsIn } from '../html/specifications/specification-names.ts';
import type { TargetLabel } from '../html/targets.ts';
import { expandIncludes } from '../includes/expand.ts';
import {
  type Address,
  addressInApp,
  addressOfRef,
  locationOfPage,
  locationOfReusable,
  type TextLocation,
} from '../links/address.ts';
import { resolve } from '../links/resolve.ts';
import { type FindSpaceAddresses, isWebUrl, type SpaceAddresses } from '../links/space-urls.ts';
import { defined } from '../markdown/document.ts';
import type { EntryOutline, PrintedText, ResolvedTarget, SectionAddress } from '../pdf/pages.ts';
import type { PdfInput, PrintingHost } from '../pdf/tasks.ts';
import { AnchorReader } from '../threads/anchor-reader.ts';
import { variablesOf } from '../threads/body.ts';
import { type Documents, documentText } from '../threads/documents.ts';
import type { ContentThreads } from '../threads/threads.ts';
import type { Content } from '../tree/content.ts';
import type { FileRecord, PageNode } from '../tree/records.ts';
import { PrintedPictures } from './printed-pictures.ts';

/** Limits of printing a PDF. */
export const PDF_LIMITS = { processorMs: 600_000, timeMs: 600_000, memoryBytes: 1024 * 1024 * 1024 };

/** The inputs of printing besides the content itself. */
export interface PrintSource {
  content: Content;
  space: string;
  documents: Documents;
  /** Claims about the visitor, for conditions; without them, all content is printed. */
  claims?: Claims | undefined;
  /** Returns the URL of a page that is not printed. */
  pageUrl(page: string): string;
  /** Returns the URL of a file. */
  fileUrl(file: FileRecord): string;
  /** URL of the app, which links in content may lead to. */
  app: string;
  /** Finds the spaces, and pages in them, that URLs of the web lead to. */
  findSpaceAddresses: FindSpaceAddresses;
  /** Describes a target outside of the content; undefined if readers do not see it. */
  describeOutside(address: Address): Promise<(TargetLabel & { url?: string | undefined }) | undefined>;
  /** Finds the title of a section of a page of another space; undefined if readers do not see it. */
  findSectionOutside(address: OutsideSection): Promise<string | undefined>;
  readBytes(file: FileRecord): Promise<Uint8Array | undefined>;
  /** Finds the specifications that blocks show parts of. */
  findSpecification: FindStoredSpecification;
}

/** A section of a page of another space. */
export type OutsideSection = SectionAddress & { space: string };

export interface PrintRequest extends Omit<PdfInput, 'entries' | 'logo'> {
  /** Image above the title of the document, if it can be printed. */
  logo?: Uint8Array | undefined;
  /** The pages to start with: the whole tree, or one page. */
  nodes: readonly PageNode[];
  /** Whether to omit their descendants. */
  only: boolean;
  /** The owner of the task. */
  owner: string;
  signal: AbortSignal;
  /** Reports a part that could not be printed correctly; the rest is still printed. */
  failed(error: string, subject: string): void;
}

/**
 * Prints pages, and writes each part of the PDF when it is finished. Nothing is written before the first page is read.
 *
 * @throws errors of reading the content and of `write`, ThreadsBusyError, TaskLimitError, and the reason of the signal,
 *   which terminates the thread
 */
export async function printPdf(
  threads: ContentThreads,
  source: PrintSource,
  { nodes, only, owner, signal, failed, logo: image, ...job }: PrintRequest,
  write: (bytes: Uint8Array) => void,
): Promise<void> {
  const pages = new Map<string, PageNode>();
  const entries = outlineOf(nodes, only, pages);
  let fault: { error: unknown } | undefined;
  /** Retains the original error: the thread receives only its message. */
  const guarded =
    <Input, Output>(method: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      try {
        return await method(input);
      } catch (error) {
        fault ??= { error };
        throw error;
      }
    };
  const pictures = new PrintedPictures(threads.drawing, { owner, signal });
  const anchors = new AnchorReader(source.content, source.documents, source);
  const host: PrintingHost = {
    readPage: guarded((id) => readPage(source, pages.get(id))),
    readReusable: guarded(async ({ reusable, page }) => {
      const text = (await source.content.readBodies([reusable])).get(reusable.id) ?? '';
      const location = locationOfReusable(reusable);
      return { document: await read(source, text, location, pages.get(page)), location };
    }),
    resolve: guarded((addresses) => resolveTargets(source, addresses)),
    findSectionTitle: guarded(async ({ space, page, anchor }) => {
      if (space !== undefined) {
        return await source.findSectionOutside({ space, page, anchor });
      }
      const located = (await source.content.readLocatedPages([page])).get(page);
      return located && (await anchors.findSection(located, anchor))?.title;
    }),
    readImage: guarded(async (file) => {
      const bytes = await source.readBytes(file);
      return bytes && (await pictures.printable(file.blob, bytes));
    }),
    write: guarded(async (bytes) => write(bytes)),
    report: async ({ error, subject }) => failed(error, subject),
  };
  try {
    const options = { owner, bytes: 0, signal, host, limits: PDF_LIMITS };
    const logo = image && (await pictures.printable('logo', image));
    await threads.printing.run('print', { ...job, logo, entries }, options);
  } catch (error) {
    throw fault ? fault.error : error;
  }
}

async function resolveTargets(
  source: PrintSource,
  addresses: readonly Address[],
): Promise<Array<ResolvedTarget | undefined>> {
  const urls = addresses.flatMap((address) =>
    address.kind === 'url' && isWebUrl(address.url) ? [address.url] : [],
  );
  const inSpaces: SpaceAddresses = urls.length > 0 ? await source.findSpaceAddresses(urls) : new Map();
  const meant = addresses.map((address) =>
    address.kind === 'url'
      ? (addressInApp(address.url, source.app) ?? inSpaces.get(address.url) ?? address)
      : address,
  );
  const targets = await resolve(meant, source.content, source.space);
  const described: Array<ResolvedTarget | undefined> = [];
  for (const [at, address] of meant.entries()) {
    const target = targets.get(address);
    const written = addresses[at];
    if (target?.kind === 'page') {
      described.push({ target, url: source.pageUrl(target.page.record.id) });
    } else if (target?.kind === 'file') {
      described.push({ target, url: source.fileUrl(target.file) });
    } else if (target?.kind === 'external') {
      const label = await source.describeOutside(address);
      const isUnknown = label === undefined && written?.kind === 'url';
      described.push(
        isUnknown ? { target: { kind: 'url', url: written.url } } : { target, ...defined(label ?? {}) },
      );
    } else {
      described.push(target && { target });
    }
  }
  return described;
}

function outlineOf(
  nodes: readonly PageNode[],
  only: boolean,
  pages: Map<string, PageNode>,
  depth = 0,
): EntryOutline[] {
  return nodes.flatMap((node) => {
    const { id, title, emoji, icon } = node.record;
    pages.set(id, node);
    const description = 'description' in node.record ? node.record.description : undefined;
    const entry = {
      id,
      title,
      depth,
      ...(description !== undefined && { description }),
      ...(emoji !== undefined && { emoji }),
      ...(icon !== undefined && { icon }),
      ...listedOf(node),
    };
    return [entry, ...(only ? [] : outlineOf(node.pages, only, pages, depth + 1))];
  });
}

/** Returns why an entry has no page of its own; nothing for a page. */
function listedOf({ record, path }: PageNode): Pick<EntryOutline, 'listed'> {
  switch (record.type) {
    case 'link':
      return { listed: addressOfRef(record.target, locationOfPage(record, path)) };
    case 'group':
      return { listed: 'group' };
    default:
      return {};
  }
}

async function readPage(source: PrintSource, node: PageNode | undefined): Promise<PrintedText> {
  if (!node) {
    throw new Error('The page is not part of the printed selection.');
  }
  const { record, path } = node;
  const location = locationOfPage(record, path);
  return { document: await read(source, await source.content.readBody(record), location, node), location };
}

/**
 * Returns a text with the files that it includes and the values of a page, as a copy, because the buffer is
 * transferred.
 */
async function read(
  source: PrintSource,
  text: string,
  from: TextLocation,
  node: PageNode | undefined,
): Promise<Uint8Array> {
  const { content, documents, claims } = source;
  const variables = node && variablesOf(node.record, await content.readVariables());
  const expanded = await expandIncludes(text, from, content);
  const specifications = new Map<string, StoredSpecification>();
  for (const name of specificationsIn(expanded)) {
    const specification = await source.findSpecification(name);
    if (specification) {
      specifications.set(name, specification);
    }
  }
  return (await documents.readPrinted(documentText(expanded), variables, claims, specifications)).slice();
}
