import type { JsonText } from '../../json.ts';

export type RunKind = 'git-import' | 'git-export' | 'content-import' | 'import';

type StoredRunStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

export type StoredFailureReason =
  | 'unreachable'
  | 'authentication_failed'
  | 'not_found'
  | 'refused'
  | 'limit_exceeded'
  | 'quota_exceeded'
  | 'branch_diverged'
  | 'superseded'
  | 'space_locked'
  | 'timeout'
  | 'source_invalid'
  | 'remote_error'
  | 'interrupted'
  | 'internal_error';

type StoredSource =
  | 'website'
  | 'docx'
  | 'markdown'
  | 'html'
  | 'zip'
  | 'confluence'
  | 'github-wiki'
  | 'notion'
  | 'google-docs';

/** A part of a source that could not be used as written. */
export interface StoredProblem {
  file: string;
  line?: number;
  reason:
    | 'invalid_syntax'
    | 'invalid_value'
    | 'not_found'
    | 'duplicate'
    | 'unsupported'
    | 'too_large'
    | 'unreadable'
    | 'conflict';
  message: string;
}

/** Source of an import, with URLs without credentials and queries. */
export type StoredImportSource = { type: 'website'; url: string } | { type: 'file'; files: string[] };

/** What an import was requested with. */
export interface StoredImportRequest {
  source: StoredImportSource;
  /** The page that the imported pages are added to; undefined for the root. */
  page?: string;
}

/** An import or export of the content of a space. */
export interface RunsTable {
  id: string;
  organization: string;
  space: string;
  kind: RunKind;
  /**
   * The change request that content is imported into; null for the space itself. Of a Git import, the one with the edits
   * that it met.
   */
  changeRequest: string | null;
  /** Type of the source of a content import; null for Git. */
  source: StoredSource | null;
  /** URL of the repository or source, without credentials. */
  url: string;
  /** The branch of the repository; null for content imports. */
  ref: string | null;
  /** ID of the commit, once it is known. */
  oid: string | null;
  /** The revision with the content, once it is stored. */
  revision: string | null;
  status: StoredRunStatus;
  /** In percent. */
  progress: number;
  pages: number;
  files: number;
  /** Number of all problems; `problems` has the first ones. */
  problemCount: number;
  problems: JsonText<StoredProblem[]>;
  /** Cause of the failure, or of the failure of the last attempt. */
  failureReason: StoredFailureReason | null;
  failureMessage: string | null;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Time when an unfinished run counts as interrupted; null if a job runs it. */
  expiresAt: string | null;
  /** Only of the kind `import`. */
  request: JsonText<StoredImportRequest> | null;
  /** The user who started an import; only of the kind `import`. */
  createdBy: string | null;
}
