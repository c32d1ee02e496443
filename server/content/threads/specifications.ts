/** Caches specifications in the thread that computes pages from them. */
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../computed/json.ts';
import { type ComputedEntry, type ComputedPages, computePages } from '../computed/pages.ts';

/**
 * Maximum number of characters of JSON for the documents that a thread caches. A parsed document takes a few times the
 * size of its text.
 */
const MAX_CACHED_SPECIFICATION_CHARACTERS = 16_000_000;

const documents = new LRUCache<string, JsonObject>({ maxSize: MAX_CACHED_SPECIFICATION_CHARACTERS });

/** An entry, and the version of the specification that its pages are computed from. */
export interface EntryToCompute {
  version: string;
  entry: ComputedEntry;
}

/** Reads the JSON of the version, as UTF-8: once per thread, while the thread caches it. */
export interface SpecificationHost {
  readJson(): Promise<Uint8Array | undefined>;
}

/** Returns the pages of an entry; undefined if its specification was deleted. */
export async function pagesOfEntry(
  { version, entry }: EntryToCompute,
  host: SpecificationHost,
): Promise<ComputedPages | undefined> {
  const document = await readSpecification(version, () => host.readJson());
  return document && computePages(entry, { version, document });
}

/** Returns a version of a specification, which is read once while the thread caches it; undefined if it was deleted. */
export async function readSpecification(
  version: string,
  readJson: () => Promise<Uint8Array | undefined>,
): Promise<JsonObject | undefined> {
  const cached = documents.get(version);
  if (cached) {
    return cached;
  }
  const bytes = await readJson();
  if (bytes === undefined) {
    return undefined;
  }
  const json = new TextDecoder().decode(bytes);
  // Only objects are stored as versions.
  const document = JSON.parse(json) as JsonObject;
  documents.set(version, document, { size: json.length + 1 });
  return document;
}
