/** Content imports as they run in threads: fetching and converting a source, up to what is to be added. */
import type { components } from '../../../generated/schema.d.ts';
import { makeId } from '../../database/seams.ts';
import { parseAllowedRanges } from '../../outgoing/addresses.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
import { ScratchFile } from '../../threads/scratch-file.ts';
import type { TaskLimits } from '../../threads/thread.ts';
import { hashOf } from '../tree/hash.ts';
import { Budget } from './budget.ts';
import { convertSource } from './documents.ts';
import { UnreadableError } from './html.ts';
import { type Addition, planAddition } from './plan.ts';
import { type Converted, type ConvertLimits, countTaken } from './types.ts';
import { convertWiki, type WikiFiles, wikiFiles } from './wiki.ts';

/** Bytes of a file that move to the storing thread at a time. */
const PART_BYTES = 1024 * 1024;

/** What one import may take: the time is for converting and storing, after everything was fetched. */
export const IMPORT_TASK_LIMITS: TaskLimits = {
  processorMs: 120_000,
  timeMs: 120_000,
  memoryBytes: 1024 * 1024 * 1024,
};

/** A source to import from. */
export interface ImportInput {
  source: components['schemas']['ImportSource'];
  url: string;
  /** The files of a wiki, which are fetched by Git. */
  wiki?: WikiFiles;
  /** An existing folder, for what is fetched and unpacked. Nothing is left in it. */
  folder: string;
  limits: ConvertLimits;
  /** The address ranges that may be called, see `formatAllowedRanges`. */
  allow: string;
  now: Date;
}

/** What stores the files of an import while it runs, in the thread of the caller. */
export interface ImportHost {
  /** Takes the next part of a file, or undefined at its end; the files come one after another. */
  storePart(part: Uint8Array | undefined): Promise<void>;
}

/** What an import adds, its files stored, or why there is nothing to add. */
export type ImportOutput =
  | (Omit<Addition, 'bytes'> & {
      /** Pages and files that are added. */
      imported: number;
      /** Pages and files that the source has. */
      total: number;
    })
  | {
      /** For the caller. */
      refusal: string;
      /** For the log. */
      cause: string;
    };

export const importTasks = {
  async importSource({ now, ...input }: ImportInput, host: ImportHost): Promise<ImportOutput> {
    using scratch = new ScratchFile(input.folder);
    try {
      const converted = await convert(input, scratch);
      const { bytes, ...addition } = planAddition(converted, { makeId, now });
      await store(bytes, host);
      return { ...addition, imported: countTaken(converted), total: converted.found };
    } catch (error) {
      if (!(error instanceof OutgoingError) && !(error instanceof UnreadableError)) throw error;
      return { refusal: error.message, cause: String(error.cause ?? '') };
    }
  },
};

export type ImportTasks = typeof importTasks;

async function convert(
  { source, url, wiki, limits, allow, folder }: Omit<ImportInput, 'now'>,
  scratch: ScratchFile,
): Promise<Converted> {
  if (source === 'github-wiki')
    return convertWiki(wiki ? wikiFiles(wiki) : new Map(), { pages: limits.pages, scratch });
  await using fetcher = new Fetcher(parseAllowedRanges(allow));
  const budget = new Budget(fetcher, limits);
  return await convertSource(source, new URL(url), budget, { ...limits, folder, scratch });
}

/** Hands over the bytes of files in parts, each content once. */
async function store(contents: Iterable<Uint8Array>, host: ImportHost): Promise<void> {
  const stored = new Set<string>();
  for (const content of contents) {
    const hash = hashOf(content);
    if (stored.has(hash)) continue;
    stored.add(hash);
    for (let at = 0; at < content.byteLength; at += PART_BYTES)
      // A copy of its own moves to the other thread; of a view, all that it is a view of would be copied.
      await host.storePart(Uint8Array.from(content.subarray(at, at + PART_BYTES)));
    await host.storePart(undefined);
  }
}
