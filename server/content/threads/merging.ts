/** Merges texts in threads. */
import { TaskLimitError } from '../../threads/threads.ts';
import { type MergeTexts, wholeTexts } from '../merge/lines.ts';
import type { ContentThreads } from './threads.ts';

/** Merges texts for an organization. Texts that exceed a limit conflict as a whole, so that nothing is lost. */
export const textMerger =
  (threads: ContentThreads, organization: string): MergeTexts =>
  async (texts) => {
    const { ancestor, primary, branch, prefer } = texts;
    const bytes = ancestor.length + primary.length + branch.length;
    try {
      return await threads.run('mergeTexts', texts, { owner: organization, bytes });
    } catch (error) {
      if (error instanceof TaskLimitError) {
        return wholeTexts({ primary, branch, prefer });
      }
      throw error;
    }
  };
