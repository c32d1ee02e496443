import { hashOf } from './hash.ts';

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Reads content-addressed texts. Resolves to a map with every requested hash, or rejects. */
export type Load = (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Creates a loader that also reads texts that are not stored yet, by hash. */
export function withUnstored(unstored: ReadonlyMap<string, string>, load: Load): Load {
  return async (hashes) => {
    const missing = hashes.filter((hash) => !unstored.has(hash));
    const loaded = missing.length > 0 ? await load(missing) : undefined;
    return new Map(
      hashes.flatMap((hash) => {
        const text = unstored.get(hash) ?? loaded?.get(hash);
        return text === undefined ? [] : [[hash, text]];
      }),
    );
  };
}

/** Content-addressed texts to store, by hash. */
export type Objects = Map<string, string>;

/** A value with fields that may be undefined, which is equivalent to omitting them. */
export type Storable = Json | undefined | readonly Storable[] | { readonly [name: string]: Storable };

/**
 * A value as stored in a trie: inline (`0`), as the object with its text (`t`), or, for a long list, as the hashes of
 * its chunks and the number of levels of chunks.
 */
export type Packed =
  | readonly [form: 0, value: Json]
  | readonly [form: 't', hash: string]
  | readonly [form: 'p', levels: number, hashes: readonly string[]];

/** Maximum length of a value that is stored inline, in UTF-16 units. */
const MAX_INLINE_CODE_UNITS = 2048;

/**
 * On average, a chunk of a list ends after as many items as this mask has values, at the latest after MAX_CHUNK_ITEMS.
 */
const CHUNK_BOUNDARY_MASK = 0b11111;
const MAX_CHUNK_ITEMS = 256;

/** Converts a record to a value. Records consist of JSON only, which their types do not express. */
export function storable(record: object): Storable {
  return record as Storable;
}

/** Serializes a value deterministically: sorted names, without undefined fields. */
export function canonicalJson(value: Storable): string {
  return JSON.stringify(ordered(value));
}

/** Returns whether two values have the same canonical JSON. */
export function isSame(a: Storable, b: Storable): boolean {
  if (a === b) {
    return true;
  }
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]));
  }
  if (!isFields(a) || !isFields(b)) {
    return !isObject(a) && !isObject(b) && canonicalJson(a) === canonicalJson(b);
  }
  const names = definedNames(a);
  return (
    names.length === definedNames(b).length &&
    names.every((name) => Object.hasOwn(b, name) && b[name] !== undefined && isSame(a[name], b[name]))
  );
}

type Fields = { readonly [name: string]: Storable };

const isObject = (value: Storable): boolean => typeof value === 'object' && value !== null;
// Array.isArray does not narrow readonly arrays.
const isList = (value: Storable): value is readonly Storable[] => Array.isArray(value);
const isFields = (value: Storable): value is Fields => isObject(value) && !isList(value);
const definedNames = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => fields[name] !== undefined);

function ordered(value: Storable): Json {
  if (value === undefined || value === null || typeof value !== 'object') {
    return value ?? null;
  }
  // Array.isArray does not narrow readonly arrays in the other branch, so the types are asserted.
  if (Array.isArray(value)) {
    return value.map(ordered);
  }
  const fields = value as { readonly [name: string]: Storable };
  // Without a prototype, so that a field may have any name.
  const result: Record<string, Json> = Object.create(null);
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field !== undefined) {
      result[name] = ordered(field);
    }
  }
  return result;
}

/**
 * Packs a value, and adds the texts to store for it to `objects`. The boundaries of a list's chunks depend on its items
 * instead of their positions, so that lists that differ in one item share all but one chunk.
 */
export function pack(value: Storable, objects: Objects): Packed {
  const plain = ordered(value);
  const text = JSON.stringify(plain);
  if (text.length <= MAX_INLINE_CODE_UNITS) {
    return [0, plain];
  }
  if (!Array.isArray(plain)) {
    return ['t', put(text, objects)];
  }
  let items: readonly Json[] = plain;
  for (let levels = 1; ; levels++) {
    const hashes = pieces(items).map((piece) => put(piece, objects));
    if (hashes.length * 46 <= MAX_INLINE_CODE_UNITS) {
      return ['p', levels, hashes];
    }
    items = hashes;
  }
}

function put(text: string, objects: Objects): string {
  const hash = hashOf(text);
  objects.set(hash, text);
  return hash;
}

function pieces(items: readonly Json[]): string[] {
  const result: string[] = [];
  let piece: string[] = [];
  for (const item of items) {
    const text = JSON.stringify(item);
    piece.push(text);
    if ((checksum(text) & CHUNK_BOUNDARY_MASK) === 0 || piece.length === MAX_CHUNK_ITEMS) {
      result.push(`[${piece.join(',')}]`);
      piece = [];
    }
  }
  if (piece.length > 0) {
    result.push(`[${piece.join(',')}]`);
  }
  return result;
}

/** FNV-1a over UTF-16 units, with its high bits folded in: cheap, and uniform enough for chunk boundaries. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  }
  return sum ^ (sum >>> 15);
}

/** Unpacks values in the same order, loading one batch per level of chunks. */
export async function unpack(packed: readonly Packed[], load: Load): Promise<Json[]> {
  const values: Json[] = packed.map((form) => (form[0] === 0 ? form[1] : null));
  let open = packed.flatMap((form, at) => {
    if (form[0] === 0) {
      return [];
    }
    return form[0] === 't'
      ? [{ at, levels: 0, hashes: [form[1]] }]
      : [{ at, levels: form[1], hashes: form[2] }];
  });
  while (open.length > 0) {
    const texts = await load([...new Set(open.flatMap(({ hashes }) => hashes))]);
    const next: typeof open = [];
    for (const { at, levels, hashes } of open) {
      const parsed = hashes.map((hash) => parse(hash, texts));
      if (levels === 0) {
        values[at] = parsed[0] ?? null;
        continue;
      }
      const items = parsed.flatMap((piece) => (Array.isArray(piece) ? piece : []));
      if (levels === 1) {
        values[at] = items;
      } else {
        next.push({ at, levels: levels - 1, hashes: items.map(String) });
      }
    }
    open = next;
  }
  return values;
}

/** Returns the hashes of all objects of packed values, including those of inner chunks. */
export async function packedHashes(packed: readonly Packed[], load: Load): Promise<Set<string>> {
  const result = new Set<string>();
  let open: Array<{ levels: number; hashes: readonly string[] }> = packed.flatMap((form) => {
    if (form[0] === 0) {
      return [];
    }
    return form[0] === 't' ? [{ levels: 1, hashes: [form[1]] }] : [{ levels: form[1], hashes: form[2] }];
  });
  while (open.length > 0) {
    for (const { hashes } of open) {
      for (const hash of hashes) {
        result.add(hash);
      }
    }
    const inner = open.filter(({ levels }) => levels > 1);
    const texts = await load([...new Set(inner.flatMap(({ hashes }) => hashes))]);
    open = inner.map(({ levels, hashes }) => ({
      levels: levels - 1,
      hashes: hashes.flatMap((hash) => {
        const piece = parse(hash, texts);
        return Array.isArray(piece) ? piece.map(String) : [];
      }),
    }));
  }
  return result;
}

function parse(hash: string, texts: ReadonlyMap<string, string>): Json {
  // Only `pack` writes these texts, as JSON.
  return JSON.parse(storedText(hash, texts)) as Json;
}

/** Returns the text of a hash from the loaded texts. */
export function storedText(hash: string, texts: ReadonlyMap<string, string>): string {
  const text = texts.get(hash);
  if (text === undefined) {
    throw new MissingObjectError(hash);
  }
  return text;
}

/** Thrown if the database lacks content that a revision references, because it was damaged or copied partially. */
export class MissingObjectError extends Error {
  constructor(hash: string) {
    super(
      `The content object ${hash} is missing from the database. ` +
        'The database is damaged or incomplete: restore a complete backup.',
    );
    this.name = 'MissingObjectError';
  }
}
