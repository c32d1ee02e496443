import type { Generated } from 'kysely';
import type { JsonText } from '../../json.ts';
import type { Role } from '../accounts/roles.ts';

/** Language of a space. */
export type StoredLanguage =
  | 'en'
  | 'fr'
  | 'de'
  | 'es'
  | 'it'
  | 'pt'
  | 'pt-br'
  | 'ru'
  | 'ja'
  | 'zh'
  | 'yue'
  | 'ko'
  | 'ar'
  | 'hi'
  | 'nl'
  | 'pl'
  | 'tr'
  | 'sv'
  | 'no'
  | 'da'
  | 'fi'
  | 'el'
  | 'cs'
  | 'hu'
  | 'ro'
  | 'th'
  | 'vi'
  | 'id'
  | 'ms'
  | 'he'
  | 'uk'
  | 'sk'
  | 'bg'
  | 'hr'
  | 'lt'
  | 'lv'
  | 'et'
  | 'sl';

/** The Git repository that a space is synchronized with, without credentials. */
export interface SpaceGit {
  url: string;
  ref: string;
  repoName: string;
  installationProvider: 'github' | 'gitlab' | 'github-legacy' | null;
  integration: string | null;
  projectDirectory: string | null;
  treeURL: string | null;
  commitURL: string | null;
  /** ID of the commit that was last imported or exported. */
  oid: string | null;
  /** The revision with the content of the commit. */
  revision: string;
  /**
   * Revision of the last import at that time, from any branch; null before the first one. An import replaces the
   * content, so that a commit is contained in the content if no other one was imported since.
   */
  imported: string | null;
  /** Git URL of the repository. `url` is its web page. */
  address: string;
  /** The latest `timestamp` of a requested import or export. */
  timestamp: string | null;
  updatedAt: string;
}

export interface SpacesTable {
  id: string;
  organization: string;
  parent: string | null;
  title: string;
  emoji: string | null;
  icon: string | null;
  editMode: 'live' | 'locked';
  language: StoredLanguage | null;
  /** Language of the imported content as a tag (BCP 47), declared by its repository or guessed from its texts. */
  contentLanguage: string | null;
  defaultLevel: Role | null;
  position: string;
  createdAt: string;
  updatedAt: string;
  deletedAt: string | null;
  deletedBy: string | null;
  /** The active revision. */
  revision: string;
  /** The indexed revision; null until indexing has finished. */
  searchedRevision: string | null;
  /** Seeds of the indexed computed pages of that revision, by entry ID. */
  searchedEntries: JsonText<Record<string, string>> | null;
  /** Number of indexing runs of this space. Only the latest run may continue. */
  searchRun: Generated<number>;
  git: JsonText<SpaceGit> | null;
  computedSource: JsonText<unknown> | null;
  template: JsonText<unknown> | null;
  /** Number of site spaces that show the space. Maintained by triggers. */
  siteCount: Generated<number>;
  /** Number of pages in the active revision, which changes with it. */
  pageCount: Generated<number>;
}
