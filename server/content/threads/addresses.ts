/** Finds links of texts in threads. */
import type { Log } from '../../database/log.ts';
import { TaskLimitError } from '../../threads/threads.ts';
import { type FindAddresses, indexedAddressesIn } from '../links/text-links.ts';
import { isYieldDue, yieldToEventLoop } from '../tree/yielding.ts';
import type { ContentThreads } from './threads.ts';

/**
 * Maximum length of a text for a job to find links without a thread. Even the most expensive text takes at most about
 * 70 ms; a thread takes several times as long to start.
 */
export const MAX_JOB_LINK_TEXT_CHARACTERS = 16_384;

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

/** Finds URLs like {@link addressFinder}, in the job process: short texts without a thread. */
export function jobAddressFinder(
  services: { threads: ContentThreads; log: Log },
  organization: string,
): FindAddresses {
  const findInThread = addressFinder(services, organization);
  return async (markdown) => {
    if (markdown.length > MAX_JOB_LINK_TEXT_CHARACTERS) {
      return await findInThread(markdown);
    }
    if (isYieldDue()) {
      await yieldToEventLoop();
    }
    return indexedAddressesIn(markdown);
  };
}
