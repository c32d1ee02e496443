import { mkdir } from 'node:fs/promises';
import { localEnvironment } from '../environment.ts';
import { type GitProcess, startGit } from '../processes.ts';
import { inFolder, initialize } from './copies.ts';
import { endCommits, FAST_IMPORT, type WrittenCommit, writeCommit } from './fast-import.ts';
import { GIT_LIMITS } from './git.ts';

/** Time limit of writing one repository. */
export const REPOSITORY_WRITING_MS = 3_600_000;

/**
 * Creates a bare repository in a folder, which must not exist, with commits in one pack.
 *
 * @param head full name of the branch that a clone checks out
 * @param commits later ones can follow the refs of earlier ones
 * @throws OutgoingError; GitExit if git fails
 */
export async function writeBareRepository(
  folder: string,
  head: string,
  commits: AsyncIterable<WrittenCommit>,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await initialize(folder, head);
  const git: GitProcess = startGit([...inFolder(folder), ...FAST_IMPORT], {
    environment: localEnvironment(folder, [['fastimport.unpackLimit', '1']]),
    milliseconds: REPOSITORY_WRITING_MS,
    dataBytes: GIT_LIMITS.dataBytes,
    signal,
  });
  git.stdout.resume();
  try {
    for await (const commit of commits) {
      await writeCommit(git, commit);
    }
    await endCommits(git);
  } catch (error) {
    git.stdin.destroy();
    await git.done.catch(() => {});
    throw error;
  }
}
