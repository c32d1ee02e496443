import type { DateOfFile } from '../../../../content/repository/read/records.ts';
import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';
import type { GitRepository } from '../../../../outgoing/git/git.ts';
import type { Services } from '../../../kit/slice.ts';

/**
 * Returns the times of the last commits of files. The history is only read if the commit is not the next one after
 * that of the last import; if it cannot be read, all files have the time of the commit.
 */
export async function readFileDates(
  { clock, log }: Pick<Services, 'clock' | 'log'>,
  repository: Pick<GitRepository, 'commit' | 'readDates'>,
  last: Pick<SpaceGit, 'oid'> | undefined,
): Promise<DateOfFile> {
  const { committedAt, parents, oid } = repository.commit;
  const isNext = parents.length === 0 || (parents.length === 1 && parents[0] === last?.oid);
  const dates = isNext
    ? undefined
    : await repository.readDates().catch((err: unknown) => {
        log.warn(
          { err, oid },
          'could not read the history of a repository: its pages have the date of the commit',
        );
        return undefined;
      });
  const now = clock();
  return (path) => {
    const date = dates?.get(path) ?? committedAt;
    // The clock of an author may be wrong.
    return date > now || date.getTime() === 0 ? now : date;
  };
}
