/** The tasks that print PDFs in their own threads. */

import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PrintableImage } from './images.ts';
import { type EntryOutline, type PdfHost, printedEntries } from './pages.ts';
import { renderPdf, type SiteFonts } from './render.ts';

/** A document to print. */
export interface PdfInput {
  title: string;
  /** Language tag (BCP 47). */
  language?: string;
  createdAt: Date;
  fonts?: SiteFonts | undefined;
  logo?: PrintableImage | undefined;
  /** In the order of the tree. */
  entries: readonly EntryOutline[];
}

/** Provides the content and receives the PDF. */
export interface PrintingHost extends PdfHost {
  /** Writes the next bytes; resolves when there is space for more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Called with content that could not be printed as intended; everything else is printed nevertheless. */
  report(failure: { error: string; subject: string }): Promise<void>;
}

/** Maximum size of a write to the host, in bytes. */
const CHUNK_BYTES = 262_144;

export const pdfTasks = {
  /** Prints a PDF to its host. */
  async print({ entries, ...job }: PdfInput, host: PrintingHost): Promise<void> {
    const output = outputTo(host);
    const ended = finished(output);
    const failed = (error: unknown, subject: string) => void host.report({ error: String(error), subject });
    try {
      await renderPdf({ ...job, entries: await printedEntries(host, entries), failed }, output);
    } catch (error) {
      output.destroy();
      await ended.catch(() => undefined);
      throw error;
    }
    await ended;
  },
};

export type PdfTasks = typeof pdfTasks;

function outputTo(host: PrintingHost): Writable {
  const write = (bytes: Buffer, done: (error?: Error) => void) =>
    host.write(new Uint8Array(bytes)).then(() => done(), done);
  return new Writable({
    highWaterMark: CHUNK_BYTES,
    write: (chunk: Buffer, _encoding, done) => write(chunk, done),
    writev: (chunks, done) => write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
  });
}
