/** Content imports as they run in threads: fetching and converting a source, up to what is to be added. */
import type { components } from '../../../generated/schema.d.ts';
import { makeId } from '../../database/seams.ts';
import { parseAllowedRanges } from '../../outgoing/addresses.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
import type { TaskLimits } from '../../threads/thread.ts';
import { Budget } from './budget.ts';
import { convertSource } from './documents.ts';
import { UnreadableError } from './html.ts';
import { type Addition, planAddition } from './plan.ts';
import { type Converted, type ConvertLimits, countTaken } from './types.ts';
import { convertWiki, type WikiFiles } from './wiki.ts';

/** What one import may take: the time is what converting may take after everything was fetched. */
export const IMPORT_TASK_LIMITS: TaskLimits = { timeMs: 60_000, memoryBytes: 1024 * 1024 * 1024 };

/** A source to import from. */
export interface ImportInput {
  source: components['schemas']['ImportSource'];
  url: string;
  /** The files of a wiki, which are fetched by Git. */
  wiki?: WikiFiles;
  limits: ConvertLimits;
  /** The address ranges that may be called, see `formatAllowedRanges`. */
  allow: string;
  now: Date;
}

/** What an import adds, or why there is nothing to add. */
export type ImportOutput =
  | (Addition & {
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
  async importSource({ now, ...input }: ImportInput): Promise<ImportOutput> {
    try {
      const converted = await convert(input);
      const addition = planAddition(converted, { makeId, now });
      return { ...addition, imported: countTaken(converted), total: converted.found };
    } catch (error) {
      if (!(error instanceof OutgoingError) && !(error instanceof UnreadableError)) throw error;
      return { refusal: error.message, cause: String(error.cause ?? '') };
    }
  },
};

export type ImportTasks = typeof importTasks;

async function convert({ source, url, wiki, limits, allow }: Omit<ImportInput, 'now'>): Promise<Converted> {
  if (source === 'github-wiki') return convertWiki(wiki ?? new Map(), limits.pages);
  await using fetcher = new Fetcher(parseAllowedRanges(allow));
  return await convertSource(source, new URL(url), new Budget(fetcher, limits), limits);
}
