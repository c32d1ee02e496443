import { createHash } from 'node:crypto';
import type { Queries, Transaction } from '../../../../database/database.ts';
import { readJson, writeJson } from '../../../../database/json.ts';
import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';

/** A branch of a remote repository. */
export interface RemoteBranch {
  /** URL of the repository, without credentials. */
  address: string;
  ref: string;
}

/** Maximum number of branches per space with a recorded last synchronization. */
export const MAX_SYNCED_BRANCHES = 100;

/** Returns the last synchronization of a space with a remote branch. */
export async function findSyncedBranch(
  queries: Queries,
  space: string,
  remote: RemoteBranch,
): Promise<SpaceGit | undefined> {
  const row = await queries
    .selectFrom('syncedBranches')
    .select('git')
    .where('space', '=', space)
    .where('branch', '=', branchKey(remote))
    .executeTakeFirst();
  return row && readJson(row.git);
}

/** Records the last synchronization of a space with a remote branch; the oldest of too many are deleted. */
export async function recordSyncedBranch(
  trx: Transaction,
  space: { id: string; organization: string },
  remote: RemoteBranch,
  git: SpaceGit,
): Promise<void> {
  const values = { git: writeJson(git), updatedAt: git.updatedAt };
  await trx
    .insertInto('syncedBranches')
    .values({ organization: space.organization, space: space.id, branch: branchKey(remote), ...values })
    .onConflict((conflict) => conflict.columns(['space', 'branch']).doUpdateSet(values))
    .execute();
  const surplus = await trx
    .selectFrom('syncedBranches')
    .select('branch')
    .where('space', '=', space.id)
    .orderBy('updatedAt', 'desc')
    .orderBy('branch')
    .offset(MAX_SYNCED_BRANCHES)
    .limit(MAX_SYNCED_BRANCHES)
    .execute();
  if (surplus.length > 0) {
    const branches = surplus.map(({ branch }) => branch);
    await trx
      .deleteFrom('syncedBranches')
      .where('space', '=', space.id)
      .where('branch', 'in', branches)
      .execute();
  }
}

/** Deletes the record of the last synchronization of a space with the branch of its Git information. */
export async function forgetSyncedBranch(trx: Transaction, space: string, git: SpaceGit): Promise<void> {
  await trx
    .deleteFrom('syncedBranches')
    .where('space', '=', space)
    .where('branch', '=', branchKey(git))
    .execute();
}

/** Returns the key of a branch. A digest, because URLs and refs are longer than keys of an index may be. */
function branchKey({ address, ref }: RemoteBranch): string {
  return createHash('sha256').update(`${address}\n${ref}`).digest('hex');
}
