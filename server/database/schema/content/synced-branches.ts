import type { JsonText } from '../../json.ts';
import type { SpaceGit } from '../spaces/spaces.ts';

/** The last synchronization of a space with each branch of a remote repository. */
export interface SyncedBranchesTable {
  organization: string;
  space: string;
  /** SHA-256 of the Git URL of the repository, a newline, and the name of the branch, in hexadecimal. */
  branch: string;
  git: JsonText<SpaceGit>;
  updatedAt: string;
}
