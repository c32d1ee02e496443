/** Compares the Markdown of pages with their files, and counts what the files refer to. */
import { ok } from '../../../client/platform/index.ts';
import { batches } from '../../../server/database/batches.ts';
import type { DocumentPage, Service } from './move-in.ts';
import type { Source } from './source.ts';

/** Pages that are read at the same time. */
const CONCURRENT_PAGES = 4;

const FRONT_MATTER = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
/** The first heading, which is the title of the page, and the empty lines after it. */
const TITLE = /^(?:#[ \t][^\n]*|(?![ \t>#-])[^\n]+\n=+[ \t]*)(?:\n\s*|$)/m;
const CODE = /^(?:[ \t>]*)(`{3,}|~{3,})[\s\S]*?^(?:[ \t>]*)\1|`[^`\n]+`|<!--[\s\S]*?-->/gm;
const NOTES = /\[\^[^\]\s]+\](?!:)|<a\b[^>]*\bdata-footnote-ref\b/g;
const INCLUDES = /\{%\s*include\b[^%]*%\}|\{\{\s*#\w*(?:include|playground)\b[^}]*\}\}/g;

/** What the files of the pages contain. */
export interface Bodies {
  /** Files with bytes after the title that the page does not have. */
  changed: string[];
  /** Number of references to notes. */
  notes: number;
  /** Number of includes. */
  includes: number;
}

/** Reads the pages of a space as Markdown, and their files. */
export async function compareBodies(
  { admin: { client } }: Service,
  source: Source,
  { spaceId, pages }: { spaceId: string; pages: readonly DocumentPage[] },
): Promise<Bodies> {
  const bodies: Bodies = { changed: [], notes: 0, includes: 0 };
  const compare = async ({ id: pageId, git }: DocumentPage) => {
    if (!git) {
      return;
    }
    const params = { path: { spaceId, pageId }, query: { format: 'markdown' } } as const;
    const [file, page] = await Promise.all([
      source.read(git.path),
      ok(client.GET('/v1/spaces/{spaceId}/content/page/{pageId}', { params })),
    ]);
    const body = 'markdown' in page ? (page.markdown ?? '') : '';
    const written = file.replace(FRONT_MATTER, '');
    if (![written, written.replace(TITLE, '')].some((text) => text.trimStart() === body.trimStart())) {
      bodies.changed.push(git.path);
    }
    const text = body.replace(CODE, '');
    bodies.notes += text.match(NOTES)?.length ?? 0;
    bodies.includes += body.match(INCLUDES)?.length ?? 0;
  };
  for (const batch of batches(pages, CONCURRENT_PAGES)) {
    await Promise.all(batch.map(compare));
  }
  return bodies;
}

/**
 * Returns whether a file has an anchor: an ID, or a heading with its letters and digits, however a host joins them.
 */
export function hasAnchor(file: string, anchor: string): boolean {
  const wanted = lettersOf(anchor);
  const headings = [...file.matchAll(/^#{1,6}[ \t]+(.*)|^(.+)\n[=-]{2,}[ \t]*$/gm)].map(
    ([, heading, underlined]) => lettersOf((heading ?? underlined ?? '').replace(MARKUP, '')),
  );
  const ids = [...file.matchAll(/(?:\b(?:id|name)=["']|\{#)([^"'}\s]+)/g)].map(([, id = '']) =>
    lettersOf(id),
  );
  return [...headings, ...ids].includes(wanted);
}

const MARKUP = /\]\([^)]*\)|<[^>]*>|&#?\w+;|\{#[^}]*\}/g;

const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '');
