/** Printing content as a PDF, in a thread that gets what pages say from here. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { placeOfPage, placeOfReusable } from '../links/address.ts';
import { resolve } from '../links/resolve.ts';
import type { Document } from '../markdown/document.ts';
import type { Lead, PageOutline, PrintedText } from '../pdf/pages.ts';
import type { PdfInput, PrintingHost } from '../pdf/tasks.ts';
import { variablesOf } from '../threads/body.ts';
import type { Documents } from '../threads/documents.ts';
import type { ContentThreads } from '../threads/threads.ts';
import type { Content } from '../tree/content.ts';
import type { FileRecord, PageNode } from '../tree/records.ts';

/** What a PDF may take. A space of some thousand pages takes minutes. */
export const PDF_LIMITS = { processorMs: 600_000, timeMs: 600_000, memoryBytes: 1024 * 1024 * 1024 };
/** How long a reader may leave a part of a PDF untaken: meanwhile others wait for the thread. */
export const MAX_READER_PAUSE_MS = 30_000;

/** What printing content takes beside the content itself. */
export interface PrintedFrom {
  content: Content;
  space: string;
  documents: Documents;
  /** Where readers find a page that is not printed. */
  pageUrl(page: string): string;
  /** Where readers find a file. */
  fileUrl(file: FileRecord): string;
  readBytes(file: FileRecord): Promise<Uint8Array | undefined>;
}

export interface PrintRequest extends Omit<PdfInput, 'pages'> {
  /** Where to begin: the whole tree, or one page. */
  nodes: readonly PageNode[];
  /** Leaves out what is below them. */
  only: boolean;
  /** Whose work it is. */
  owner: string;
  signal: AbortSignal;
  /** Is told of what could not be printed as it should; the rest is printed all the same. */
  failed(error: string, what: string): void;
}

/**
 * Prints pages to a stream, and does not end it. Nothing is written before the first page was read.
 *
 * @throws what reading the content throws, ThreadsBusyError, TaskLimitError, the reason of the signal, and a
 *   TimeoutError where the stream takes nothing for too long
 */
export async function printPdf(
  threads: ContentThreads,
  from: PrintedFrom,
  { nodes, only, owner, signal, failed, ...job }: PrintRequest,
  output: Writable,
): Promise<void> {
  const pages = new Map<string, PageNode>();
  const outline = outlineOf(nodes, only, pages);
  let fault: { error: unknown } | undefined;
  /** Keeps what is thrown here as it is: the thread gets to know its text alone. */
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
  const host: PrintingHost = {
    readPage: guarded((id) => readPage(from, pages.get(id))),
    readReusable: guarded(async ({ reusable, page }) => {
      const text = (await from.content.readBodies([reusable])).get(reusable.id) ?? '';
      return { document: await read(from, text, pages.get(page)), place: placeOfReusable(reusable) };
    }),
    resolve: guarded(async (addresses) => {
      const targets = await resolve(addresses, from.content, from.space);
      return addresses.map((address): Lead | undefined => {
        const target = targets.get(address);
        if (target?.kind === 'page') return { target, url: from.pageUrl(target.page.record.id) };
        if (target?.kind === 'file') return { target, url: from.fileUrl(target.file) };
        return target && { target };
      });
    }),
    // A copy: what is passed on is moved.
    readFile: guarded(async (file) => (await from.readBytes(file))?.slice()),
    write: guarded((bytes) => writeTo(output, bytes, signal)),
    report: async ({ error, what }) => failed(error, what),
  };
  try {
    const options = { owner, bytes: 0, signal, host, limits: PDF_LIMITS };
    await threads.printing.run('print', { ...job, pages: outline }, options);
  } catch (error) {
    throw fault ? fault.error : error;
  }
}

function outlineOf(
  nodes: readonly PageNode[],
  only: boolean,
  pages: Map<string, PageNode>,
  depth = 0,
): PageOutline[] {
  return nodes.flatMap((node) => {
    const { id, title } = node.record;
    pages.set(id, node);
    const description = 'description' in node.record ? node.record.description : undefined;
    const page = { id, title, depth, ...(description !== undefined && { description }) };
    return [page, ...(only ? [] : outlineOf(node.pages, only, pages, depth + 1))];
  });
}

async function readPage(from: PrintedFrom, node: PageNode | undefined): Promise<PrintedText> {
  if (!node) throw new Error('A page is printed that was not asked for.');
  const { record, path } = node;
  const place = placeOfPage(record, path);
  if (record.type !== 'link')
    return { document: await read(from, await from.content.readBody(record), node), place };
  const data = { ref: record.target };
  const leads: Document = {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [{ object: 'block', type: 'content-ref', isVoid: true, data, nodes: [] }],
  };
  return { document: new TextEncoder().encode(JSON.stringify(leads)), place };
}

/** A text with the values of a page in it. A copy: what is passed on is moved. */
async function read(from: PrintedFrom, text: string, node: PageNode | undefined): Promise<Uint8Array> {
  const variables = node && variablesOf(node.record, await from.content.readVariables());
  return (await from.documents.read(text, variables)).slice();
}

async function writeTo(output: Writable, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (output.write(bytes)) return;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(MAX_READER_PAUSE_MS)]);
  await once(output, 'drain', { signal: stop });
}
