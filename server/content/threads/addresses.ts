/** Finds links of texts in threads. */
import type { Log } from '../../database/log.ts';
import { TaskLimitError } from '../../threads/threads.ts';
import type { FindAddresses } from '../links/text-links.ts';
import type { ContentThreads } from './threads.ts';

/** Finds URLs for an organization. A text that exceeds a limit counts as having none, and is logged. */
export const addressFinder =
  ({ threads, log }: { threads: ContentThreads; log: Log }, organization: string): FindAddresses =>
  async (markdown) => {
    try {
      return await threads.run('findAddresses', markdown, { owner: organization, bytes: markdown.length });
    } catch (error) {
      if (!(error instanceof TaskLimitError)) {
        throw error;
      }
      log.warn(
        { err: error, organization, characters: markdown.length },
        'The links of a page are not indexed: finding them exceeds a limit. Split the page into several.',
      );
      return [];
    }
  };
