import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { batches } from '../../database/batches.ts';
import type { LoadedFiles } from '../repository/files.ts';
import { type PageSettings, readPageSettings } from '../repository/read/front-matter.ts';
import type { PageReadings, PageText } from '../repository/read/page-text.ts';
import { entriesWithText, type ImportedBodies } from '../repository/read/records.ts';
import { type ReadingOptions, readInSteps } from '../repository/read/repository.ts';
import type { ImportedContent } from '../repository/types.ts';
import { runYielding } from '../tree/yielding.ts';

/** Maximum size of the readings of a repository; those of further pages are not recorded. */
export const MAX_READINGS_BYTES = 67_108_864;
/** Maximum length of the reading of a page; a longer one is not recorded. */
export const MAX_READING_CHARACTERS = 65_536;

const NAME = 'readings';
const LINES_PER_WRITE = 1000;

/** The reading of a page, as stored. */
interface Reading {
  oid: string;
  text: PageText;
  /** Hash of the Markdown, and its variant. */
  body?: { variant: string; hash: string };
  /** Its line in the file, unless it changed. */
  line?: string;
}

/** A reading in its line of the file, after its object ID. Settings with their defaults are omitted. */
interface StoredReading extends Pick<Reading, 'body'> {
  text: Omit<PageText, 'settings'> & { settings?: Partial<PageSettings> };
}

const DEFAULTS = readPageSettings({}, () => {});

/**
 * Readings of the pages of a repository by object ID, in a file next to its cached copy: an import reads only pages that
 * changed. Depends on nothing but the texts and the code that read them, so that it can be removed at any time.
 */
export class Readings implements PageReadings {
  readonly #path: string;
  /** Lines of the file by object ID, parsed on access. */
  readonly #lines: Map<string, string>;
  /** Readings that were used or added. */
  readonly #used = new Map<string, Reading>();
  #isChanged = false;

  private constructor(path: string, lines: Map<string, string>) {
    this.#path = path;
    this.#lines = lines;
  }

  /** Opens the readings in a folder; there are none if they were made by other code. */
  static async open(folder: string): Promise<Readings> {
    const path = join(folder, NAME);
    const isSmall = await stat(path).then(
      ({ size }) => size <= MAX_READINGS_BYTES,
      () => false,
    );
    const [version, ...lines] = isSmall ? (await readFile(path, 'utf8')).split('\n') : [];
    const entries = version === versionOfCode() ? lines.filter((line) => line !== '') : [];
    // A line starts with the object ID.
    return new Readings(path, new Map(entries.map((line) => [line.slice(0, line.indexOf(' ')), line])));
  }

  has(oid: string): boolean {
    return this.#lines.has(oid);
  }

  get(oid: string): PageText | undefined {
    return this.#find(oid)?.text;
  }

  add(oid: string, text: PageText): void {
    this.#used.set(oid, { oid, text });
    this.#isChanged = true;
  }

  hashOf(oid: string, variant: string): string | undefined {
    const body = this.#find(oid)?.body;
    return body?.variant === variant ? body.hash : undefined;
  }

  /** Records the readings of an import, in place of those of the last one. */
  async save(imported: ImportedContent, bodies: ImportedBodies): Promise<void> {
    for (const entry of entriesWithText(imported)) {
      const variant = 'reading' in entry ? entry.reading?.variant : undefined;
      const reading = this.#used.get(entry.git.oid);
      const hash = bodies.get(entry);
      if (variant === undefined || hash === undefined || !reading) {
        continue;
      }
      if (reading.body?.hash !== hash || reading.body.variant !== variant) {
        reading.body = { variant, hash };
        delete reading.line;
        this.#isChanged = true;
      }
    }
    if (!this.#isChanged && this.#used.size === this.#lines.size) {
      return;
    }
    const temporary = `${this.#path}.new`;
    await using file = await open(temporary, 'w', 0o600);
    await file.write(`${versionOfCode()}\n`);
    let size = 0;
    for (const batch of batches(this.#used.values(), LINES_PER_WRITE)) {
      const lines = batch.map(lineOf).join('');
      size += Buffer.byteLength(lines);
      if (size < MAX_READINGS_BYTES) {
        await file.write(lines);
      }
    }
    await rename(temporary, this.#path);
  }

  #find(oid: string): Reading | undefined {
    const used = this.#used.get(oid);
    const line = used ? undefined : this.#lines.get(oid);
    if (line === undefined) {
      return used;
    }
    // The file was written by this code: its version is that of the code.
    const { text, body } = JSON.parse(line.slice(oid.length + 1)) as StoredReading;
    const settings = { ...DEFAULTS, ...text.settings };
    const reading = { oid, text: { ...text, settings }, ...(body && { body }), line };
    this.#used.set(oid, reading);
    return reading;
  }
}

function lineOf({ oid, text, body, line }: Reading): string {
  const current = line ?? `${oid} ${JSON.stringify({ text: stored(text), body })}`;
  return current.length <= MAX_READING_CHARACTERS ? `${current}\n` : '';
}

function stored({ settings, ...text }: PageText): StoredReading['text'] {
  const defaults: ReadonlyMap<string, unknown> = new Map(Object.entries(DEFAULTS));
  const set = Object.entries(settings).filter(
    ([name, value]) => !isDeepStrictEqual(value, defaults.get(name)),
  );
  return { ...text, settings: Object.fromEntries(set) };
}

/** Reads a repository, and loads only the texts that the readings lack. */
export async function readRepositoryWith(
  readings: Readings,
  loaded: LoadedFiles,
  directory: string,
  options: ReadingOptions,
): Promise<ImportedContent> {
  for (;;) {
    const imported = await runYielding(readInSteps(loaded, directory, { ...options, readings }));
    // A text that is the same as that of a page may also be read for another purpose.
    const missed = loaded.takeMissed();
    if (missed.length === 0) {
      return imported;
    }
    await loaded.load(missed);
  }
}

let version: string | undefined;

/** Returns a digest of the code that reads pages: other code may read them differently. */
function versionOfCode(): string {
  version ??= digestOfCode();
  return version;
}

function digestOfCode(): string {
  const hash = createHash('sha256').update(process.version);
  for (const folder of ['repository', 'markdown', 'expressions']) {
    const path = join(import.meta.dirname, '..', folder);
    for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()) {
      if (/\.[jt]s$/.test(name)) {
        hash.update(readFileSync(join(path, name)));
      }
    }
  }
  // Names the versions of the packages.
  return hash.update(readFileSync(join(import.meta.dirname, '../../../package.json'))).digest('hex');
}
