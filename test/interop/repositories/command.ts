/** `npm run interop -- repositories FOLDER` */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { alignedLines } from '../../corpus/columns.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { startService } from '../integrations/service.ts';
import { COLUMNS, type MovedTo, type MoveResult, moveIn } from './move-in.ts';
import { readSource } from './source.ts';

/**
 * Imports repositories, publishes and exports them, and prints a table of what readers and authors would lose.
 *
 * @param folder a repository, or a folder of repositories
 * @returns the exit status: 1 if something is lost
 */
export async function checkRepositories(folder: string): Promise<number> {
  await using server = await startService(undefined);
  const git = await startGitServer();
  try {
    return await checkAll({ server, git }, await repositoriesIn(folder));
  } finally {
    await git.close();
  }
}

/** Checks repositories one after the other, and prints the table. */
export async function checkAll(
  to: MovedTo & { git: GitServer },
  folders: readonly string[],
): Promise<number> {
  const rows: string[][] = [];
  let isComplete = true;
  for (const repository of folders) {
    const source = await readSource(repository);
    try {
      const { cells, losses }: MoveResult = await moveIn(to, source);
      rows.push([source.name, ...COLUMNS.map((column) => cells[column])]);
      isComplete &&= losses.length === 0;
      for (const loss of losses.slice(0, 10)) {
        console.log(`${source.name}: ${loss}`);
      }
    } catch (error) {
      console.log(`${source.name}: ${String(error).split('\n')[0]}`);
      rows.push([source.name, 'failed']);
      isComplete = false;
    }
  }
  console.log(alignedLines([['repository', ...COLUMNS], ...rows]));
  return isComplete ? 0 : 1;
}

async function repositoriesIn(folder: string): Promise<string[]> {
  const isRepository = (path: string) => existsSync(join(path, '.git')) || existsSync(join(path, 'HEAD'));
  if (isRepository(folder)) {
    return [folder];
  }
  const names = (await readdir(folder)).toSorted();
  return names.map((name) => join(folder, name)).filter(isRepository);
}
