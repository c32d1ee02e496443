import type { CreateId } from '../../../database/seams.ts';
import { dated } from '../../tree/dates.ts';
import { storableText } from '../../tree/hash.ts';
import type { ContentObject } from '../../tree/objects.ts';
import { textObject } from '../../tree/objects.ts';
import { DEFAULT_LAYOUT, type DocumentRecord, type PageRecord, type Variables } from '../../tree/records.ts';
import type { ImportedContent, ImportedDocument, ImportedPage, ImportedReusableContent } from '../types.ts';
import { computedSource } from './computed-source.ts';
import { type ImportedIds, linkTarget, pageCover } from './references.ts';

/** Maximum length of the name of an icon or emoji in the contract. */
const MAX_ICON_CHARACTERS = 50;

/** A page or reusable content with a text. */
export type TextEntry = ImportedDocument | ImportedReusableContent;

/** The hashes of the texts of pages and reusable contents. */
export type ImportedBodies = Map<TextEntry, string>;

/** Returns the time of the last change of a file, by path. */
export type DateOfFile = (path: string) => Date;

/** Returns imported pages by their path in the repository. */
export function byOrigin(records: Iterable<PageRecord>): Map<string, PageRecord> {
  const result = new Map<string, PageRecord>();
  for (const record of records) {
    const origin = record.git?.path ?? record.origin;
    if (origin !== undefined) {
      result.set(origin, record);
    }
  }
  return result;
}

/** Assigns IDs to pages by path in the repository; pages that were imported before retain theirs. */
export function assignIds(
  pages: readonly ImportedPage[],
  previous: ReadonlyMap<string, PageRecord>,
  createId: CreateId,
): Map<string, string> {
  const ids = new Map<string, string>();
  for (const page of listImported(pages)) {
    const before = previous.get(page.key);
    ids.set(page.key, before?.type === page.type ? before.id : createId('page'));
  }
  return ids;
}

/** Adds the hashes to `bodies` that earlier imports recorded of texts that are stored. Returns the other entries. */
export async function addRecordedTexts(
  imported: ImportedContent,
  bodies: ImportedBodies,
  findStored: (hashes: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<TextEntry[]> {
  const candidates = entriesWithText(imported).map((entry) => ({
    entry,
    hash: 'reading' in entry ? entry.reading?.hash : undefined,
  }));
  const stored = await findStored(candidates.flatMap(({ hash }) => hash ?? []));
  return candidates.flatMap(({ entry, hash }) => {
    if (hash === undefined || !stored.has(hash)) {
      return [entry];
    }
    bodies.set(entry, hash);
    return [];
  });
}

/** Returns the documents and reusable contents of an import. */
export function entriesWithText({ pages, reusableContents }: ImportedContent): TextEntry[] {
  const documents = listImported(pages).filter((page) => page.type === 'document');
  return [...documents, ...reusableContents];
}

/** Yields the texts of entries, each read on access. Their hashes are added to `bodies`. */
export function* importedTexts(
  imported: Iterable<TextEntry>,
  bodies: ImportedBodies,
): Generator<ContentObject> {
  for (const entry of imported) {
    const text = textObject(storableText(entry.markdown));
    bodies.set(entry, text.hash);
    yield text;
  }
}

/** Lists pages with their descendants, parents first. */
export function listImported(pages: readonly ImportedPage[], list: ImportedPage[] = []): ImportedPage[] {
  for (const page of pages) {
    list.push(page);
    if ('pages' in page) {
      listImported(page.pages, list);
    }
  }
  return list;
}

/**
 * Converts the tree of a repository to records, without comparing them to stored ones. Pure except for the generated
 * IDs.
 */
export class TreeImport {
  readonly records = new Map<string, PageRecord>();
  readonly children = new Map<string | null, string[]>();
  /** Entries that the contract cannot represent. */
  readonly dropped: ImportedPage[] = [];
  readonly #previous: ReadonlyMap<string, PageRecord>;
  readonly #ids: ImportedIds;
  readonly #bodies: ImportedBodies;
  readonly #createId: CreateId;
  readonly #now: string;
  readonly #dateOf: DateOfFile;

  constructor(
    imported: ImportedContent,
    previous: ReadonlyMap<string, PageRecord>,
    ids: ImportedIds,
    {
      createId,
      now,
      bodies,
      dateOf = () => now,
    }: { createId: CreateId; now: Date; bodies: ImportedBodies; dateOf?: DateOfFile | undefined },
  ) {
    this.#previous = previous;
    this.#ids = ids;
    this.#bodies = bodies;
    this.#createId = createId;
    this.#now = now.toISOString();
    this.#dateOf = dateOf;
    this.#level(imported.pages, null);
  }

  #level(pages: readonly ImportedPage[], parent: string | null): void {
    const ids: string[] = [];
    for (const page of pages) {
      const id = this.#ids.pages.get(page.key);
      const fresh = id === undefined ? undefined : this.#record(page, id, parent);
      if (!fresh) {
        this.dropped.push(page);
        continue;
      }
      ids.push(fresh.id);
      const date = page.type === 'document' ? this.#dateOf(page.git.path).toISOString() : this.#now;
      this.records.set(fresh.id, dated(fresh, this.#previous.get(page.key), date));
      if ('pages' in page) {
        this.#level(page.pages, fresh.id);
      }
    }
    if (ids.length > 0) {
      this.children.set(parent, ids);
    }
  }

  #record(page: ImportedPage, id: string, parent: string | null): PageRecord | undefined {
    const facts = { id, parent, title: page.title };
    switch (page.type) {
      case 'document':
        return this.#document(page, facts);
      case 'group':
        return { ...facts, type: 'group', slug: page.slug, origin: page.key };
      case 'link': {
        const target = linkTarget(page.target, this.#ids);
        const href = target.kind === 'url' ? { href: target.url } : {};
        return { ...facts, type: 'link', target, ...href, origin: page.key };
      }
      case 'computed': {
        const computed = computedSource(page.computed);
        return computed && { ...facts, type: 'computed', computed, origin: page.key };
      }
    }
  }

  #document(
    page: ImportedDocument,
    facts: { id: string; parent: string | null; title: string },
  ): DocumentRecord {
    const before = this.#previous.get(page.key);
    return {
      ...facts,
      type: 'document',
      slug: page.slug,
      documentId: before?.type === 'document' ? before.documentId : this.#createId('doc'),
      body: bodyOf(this.#bodies, page),
      git: page.git,
      ...(page.linksRoot !== undefined && { linksRoot: page.linksRoot }),
      ...(page.description !== undefined && { description: page.description }),
      ...shortName('emoji', page.emoji),
      ...shortName('icon', page.icon),
      ...layoutOf(page),
      ...(page.cover && { cover: pageCover(page.cover, this.#ids) }),
      ...variablesOf(page.variables),
      ...(page.hidden && { hidden: true }),
      ...(page.noIndex && { noIndex: true }),
      ...(page.noRobotsIndex && { noRobotsIndex: true }),
    };
  }
}

/** Returns the hash of a stored text. */
export function bodyOf(bodies: ImportedBodies, written: TextEntry): string {
  const hash = bodies.get(written);
  if (hash === undefined) {
    throw new Error(`The text of "${written.title}" is not stored.`);
  }
  return hash;
}

function shortName<Name extends 'emoji' | 'icon'>(name: Name, value: string | undefined) {
  if (value === undefined || value.length > MAX_ICON_CHARACTERS) {
    return {};
  }
  return { [name]: value };
}

const defaults = new Map<string, unknown>(Object.entries(DEFAULT_LAYOUT));

function layoutOf(page: ImportedDocument): Pick<DocumentRecord, 'layout'> {
  const set = Object.entries(page.layout).filter(([part, value]) => value !== defaults.get(part));
  return set.length > 0 ? { layout: Object.fromEntries(set) } : {};
}

function variablesOf(variables: Variables): Pick<DocumentRecord, 'variables'> {
  return Object.keys(variables).length > 0 ? { variables } : {};
}
