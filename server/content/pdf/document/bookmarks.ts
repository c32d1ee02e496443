/** The bookmarks of a document: its entries, nested like the tree. */
import type { PdfDoc } from '../boxes.ts';
import type { PrintedEntry } from '../page.ts';
import type { PrintedTargets } from './entries.ts';

/** The dictionary of a bookmark (ISO 32000-1, 12.3.3), which the types of pdfkit omit. */
interface BookmarkDictionary {
  Dest?: unknown;
  A?: unknown;
}

/** Adds bookmarks to a document that has a page. They are retained until its end. */
export function addBookmarks(doc: PdfDoc, entries: readonly PrintedEntry[], targets: PrintedTargets): void {
  const parents: PDFKit.PDFOutline[] = [doc.outline];
  for (const entry of entries) {
    const level = Math.min(entry.depth, parents.length - 1);
    const item = (parents[level] ?? doc.outline).addItem(entry.title);
    parents.splice(level + 1, Infinity, item);
    // Bookmarks of pdfkit lead to the current page.
    const { data } = item.dictionary as unknown as { data: BookmarkDictionary };
    delete data.Dest;
    const link = targets.linkOf(entry);
    if (link && 'url' in link) {
      data.A = { S: 'URI', URI: pdfString(link.url) };
    } else if (link) {
      data.Dest = pdfString(link.destination);
    }
  }
}

/** Returns a text for pdfkit, which writes primitive strings as names. */
const pdfString = (text: string): string => new String(text) as string;
