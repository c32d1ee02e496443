/** Tasks of threads that import content: fetching and converting a source, and planning the addition. */
import type { components } from '../../../generated/schema.d.ts';
import { createId } from '../../database/seams.ts';
import { parseAllowedRanges } from '../../outgoing/addresses.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
import { ScratchFile } from '../../threads/scratch-file.ts';
import type { ContentProblem } from '../repository/types.ts';
import { hashOf } from '../tree/hash.ts';
import { Budget } from './budget.ts';
import { convertSource } from './documents.ts';
import { UnreadableError } from './errors.ts';
import { type Addition, planAddition } from './plan.ts';
import { type Converted, type ConvertLimits, countConverted } from './types.ts';
import { convertWiki } from './wiki/wiki.ts';
import { type WikiFiles, wikiFiles } from './wiki/wiki-files.ts';

/** Bytes of a file that are passed to the storing thread at a time. */
const PART_BYTES = 1024 * 1024;

/** A source to import from. */
export interface ImportInput {
  source: components['schemas']['ImportSource'];
  url: string;
  /** The files of a wiki, fetched with Git. */
  wiki?: WikiFiles;
  /** An existing folder for fetched and unpacked data. It is left empty. */
  folder: string;
  limits: ConvertLimits;
  /** The address ranges that may be called, see `formatAllowedRanges`. */
  allow: string;
  now: Date;
}

/** Stores the files of an import while it runs, in the calling thread. */
export interface ImportHost {
  /** Stores the next part of a file; undefined ends the file. Files arrive one after another. */
  storePart(part: Uint8Array | undefined): Promise<void>;
}

/** The addition of an import, with its files stored, or the reason why there is none. */
export type ImportOutput =
  | (Omit<Addition, 'bytes'> & {
      /** Number of added pages and files. */
      imported: number;
      /** Number of pages and files of the source. */
      total: number;
      /** What was omitted or could not be used as written. */
      problems: ContentProblem[];
    })
  | {
      /** Message for the user. */
      refusal: string;
      /** Message for the log. */
      cause: string;
    };

export const importTasks = {
  async importSource({ now, ...input }: ImportInput, host: ImportHost): Promise<ImportOutput> {
    using scratch = new ScratchFile(input.folder);
    try {
      const converted = await convert(input, scratch);
      const { bytes, ...addition } = planAddition(converted, { createId, now });
      await store(bytes, host);
      const { sourceEntries, problems } = converted;
      return { ...addition, imported: countConverted(converted), total: sourceEntries, problems };
    } catch (error) {
      if (!(error instanceof OutgoingError) && !(error instanceof UnreadableError)) {
        throw error;
      }
      return { refusal: error.message, cause: String(error.cause ?? '') };
    }
  },
};

export type ImportTasks = typeof importTasks;

async function convert(
  { source, url, wiki, limits, allow, folder }: Omit<ImportInput, 'now'>,
  scratch: ScratchFile,
): Promise<Converted> {
  if (source === 'github-wiki') {
    return convertWiki(wiki ? wikiFiles(wiki) : new Map(), { pages: limits.pages, scratch });
  }
  await using fetcher = new Fetcher(parseAllowedRanges(allow));
  const budget = new Budget(fetcher, limits);
  return await convertSource(source, new URL(url), budget, { ...limits, folder, scratch });
}

/** Passes the bytes of files to the host in parts, each content once. */
async function store(contents: Iterable<Uint8Array>, host: ImportHost): Promise<void> {
  const stored = new Set<string>();
  for (const content of contents) {
    const hash = hashOf(content);
    if (stored.has(hash)) {
      continue;
    }
    stored.add(hash);
    for (let at = 0; at < content.byteLength; at += PART_BYTES) {
      // A copy is moved to the other thread; a view would copy its whole buffer.
      await host.storePart(Uint8Array.from(content.subarray(at, at + PART_BYTES)));
    }
    await host.storePart(undefined);
  }
}
