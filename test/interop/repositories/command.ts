/** `npm run interop -- repositories FOLDER` */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { alignedLines } from '../../corpus/columns.ts';
import { type GitServer, startGitServer } from '../../support/git-server.ts';
import { startService } from '../integrations/service.ts';
import { type MovedTo, type MoveResult, moveIn } from './move-in.ts';
import { readSource } from './source.ts';

const COLUMNS = [
  'pages',
  'missing',
  'order',
  'links',
  'broken',
  'anchors',
  'dead',
  'leftovers',
  'export',
  'edit',
];

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
  const results: [name: string, MoveResult][] = [];
  for (const repository of folders) {
    const source = await readSource(repository);
    try {
      const result = await moveIn(to, source);
      results.push([source.name, result]);
      for (const loss of result.losses.slice(0, 10)) {
        console.log(`${source.name}: ${loss}`);
      }
    } catch (error) {
      console.log(`${source.name}: ${String(error).split('\n')[0]}`);
      results.push([source.name, { cells: ['failed'], losses: [String(error)] }]);
    }
  }
  console.log(
    alignedLines([['repository', ...COLUMNS], ...results.map(([name, { cells }]) => [name, ...cells])]),
  );
  return results.every(([, { losses }]) => losses.length === 0) ? 0 : 1;
}

async function repositoriesIn(folder: string): Promise<string[]> {
  const isRepository = (path: string) => existsSync(join(path, '.git')) || existsSync(join(path, 'HEAD'));
  if (isRepository(folder)) {
    return [folder];
  }
  const names = (await readdir(folder)).toSorted();
  return names.map((name) => join(folder, name)).filter(isRepository);
}
