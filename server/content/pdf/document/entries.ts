/** The entries of a document: which of them are printed, and where the others lead. */
import type { Link } from '../lines.ts';
import type { PrintedEntry, PrintedPage, ReferenceLink } from '../page.ts';

/** Protocols of URLs that are linked. */
const LINKED_PROTOCOLS = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Returns the named destination of a page, or of an anchor in it. */
export const destinationOf = (page: string, anchor?: string): string =>
  anchor === undefined ? `page:${page}` : `page:${page}#${anchor}`;

/** Returns the ID of the page of a named destination. */
export const pageOfDestination = (name: string): string =>
  name.slice(destinationOf('').length).split('#', 1)[0] ?? '';

export const isPage = (entry: PrintedEntry): entry is PrintedPage => 'read' in entry;

/** Finds the printed pages that references and entries lead to. */
export class PrintedTargets {
  /** By the ID of an entry: the ID of the page that it is, or of the first page in a group. */
  readonly #starts = new Map<string, string>();

  constructor(entries: readonly PrintedEntry[]) {
    let open: PrintedEntry[] = [];
    for (const entry of entries) {
      open = open.filter(({ depth }) => depth < entry.depth);
      if (!isPage(entry)) {
        open.push(...(entry.target ? [] : [entry]));
        continue;
      }
      for (const { id } of [entry, ...open]) {
        this.#starts.set(id, entry.id);
      }
      open = [];
    }
  }

  /** Returns the link to the target of a reference; undefined if it cannot be linked. */
  linkTo({ page, anchor, url }: ReferenceLink): Link | undefined {
    const start = page === undefined ? undefined : this.#starts.get(page);
    if (start !== undefined) {
      return { destination: destinationOf(start, anchor) };
    }
    if (url === undefined || !URL.canParse(url)) {
      return undefined;
    }
    const { protocol, href } = new URL(url);
    return LINKED_PROTOCOLS.has(protocol) ? { url: href } : undefined;
  }

  /** Returns the link of an entry of the table of contents. */
  linkOf(entry: PrintedEntry): Link | undefined {
    return this.linkTo(
      isPage(entry) ? { name: '', page: entry.id } : (entry.target ?? { name: '', page: entry.id }),
    );
  }
}
