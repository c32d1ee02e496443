import type { Generated } from 'kysely';
import type { components } from '../../generated/schema.d.ts';
import type { Flag, JsonText } from './json.ts';
import type { AuditEventsTable } from './schema/audit-events.ts';
import type { BlobChunksTable, BlobsTable, BlobUploadsTable } from './schema/blobs.ts';
import type { LockTicketsTable } from './schema/locks.ts';
import type { CountingProcessesTable, RequestCountsTable } from './schema/request-counts.ts';
import type { RowCountsTable } from './schema/row-counts.ts';
import type { SearchPagesTable } from './schema/search-pages.ts';
import type { VisibilityVersionsTable } from './schema/visibility-versions.ts';

/*
 * Types of the tables for Kysely. Conventions on both engines: IDs are opaque text; `At` columns are ISO 8601 text in
 * UTC with milliseconds (`Date.toISOString`), which sorts as text; booleans are 0 or 1; JSON is text, parsed with
 * `readJson`; text is compared by code point. Every table with data of a tenant has the column `organization`.
 */

type Schemas = components['schemas'];
type Role = Schemas['Role'];

/** Values of the installation, such as its cursor key. */
export interface SettingsTable {
  key: string;
  value: string;
}

export interface UsersTable {
  id: string;
  /** In lower case; unique unless null. */
  email: string | null;
  displayName: string;
  photoURL: string | null;
  createdAt: string;
}

export type TokenScope = 'read' | 'write' | 'admin';

/** Access tokens, stored as hashes. */
export interface TokensTable {
  id: string;
  hash: string;
  user: string;
  label: string;
  /** Scopes of the token; null for all permissions of its user. */
  scopes: JsonText<TokenScope[]> | null;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
}

export interface OrganizationsTable {
  id: string;
  title: string;
  emailDomains: JsonText<string[]>;
  hostname: string | null;
  type: Schemas['OrganizationType'];
  useCase: Schemas['OrganizationUseCase'] | null;
  communityType: Schemas['CommunityType'] | null;
  /** Role of new members. If `hasDefaultRole` is 1, null means guest; if 0, it was never set. */
  defaultRole: Role | null;
  hasDefaultRole: Flag;
  defaultContent: JsonText<{ type: 'site'; site: string }> | null;
  sso: Flag;
  ai: Flag;
  inviteLinks: Flag;
  plan: Schemas['OrganizationPlan'];
  logo: string | null;
  createdAt: string;
}

export interface MembersTable {
  organization: string;
  user: string;
  /** Null for a guest. */
  role: Role | null;
  disabled: Flag;
  sso: Flag;
  joinedAt: string;
  lastSeenAt: string | null;
  /** Folded name and email address of the user, maintained by triggers. */
  searchedText: Generated<string>;
}

export interface TeamsTable {
  id: string;
  organization: string;
  title: string;
  createdAt: string;
  createdBy: string | null;
  /** Folded title, maintained by triggers. */
  searchedText: Generated<string>;
}

export interface TeamMembersTable {
  organization: string;
  team: string;
  user: string;
  role: 'owner' | 'member';
  /** Time at which the user joined the organization: the order of the members of a team. */
  joinedAt: string;
  /** Time at which the team was created: the order of the teams of a member. */
  teamCreatedAt: string;
}

/** Roles granted to a user or team on a space or collection. */
export interface GrantsTable {
  organization: string;
  targetKind: 'space' | 'collection';
  target: string;
  subjectKind: 'user' | 'team';
  subject: string;
  role: Role;
  createdAt: string;
}

/** An invite link: grants a role in the organization, or a level on one space or collection. */
export interface LinkInvitesTable {
  id: string;
  organization: string;
  role: Role | null;
  level: Role | null;
  targetKind: 'space' | 'collection' | null;
  target: string | null;
  createdAt: string;
  createdBy: string;
}

export interface InvitesTable {
  id: string;
  organization: string;
  /** In lower case. */
  email: string;
  role: Role | null;
  sso: Flag;
  createdAt: string;
  createdBy: string;
  acceptedAt: string | null;
}

export interface SamlProvidersTable {
  id: string;
  organization: string;
  label: string;
  ssoURL: string | null;
  entityID: string | null;
  certificate: string | null;
  defaultTeam: string | null;
  defaultRole: Role | null;
  createdAt: string;
}

export interface CollectionsTable {
  id: string;
  organization: string;
  parent: string | null;
  title: string;
  description: string | null;
  /** Null to inherit the level of the parent, or the member's role. */
  defaultLevel: Role | null;
  /** Position among the collections and spaces of the same parent, see `between` in positions.ts. */
  position: string;
  createdAt: string;
}

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
  revision?: string;
  /** Git URL of the repository. `url` is its web page. */
  address?: string;
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
  language: Schemas['Language'] | null;
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
}

/** The commit that a revision was imported from or exported to. */
export interface RevisionGit {
  oid: string;
  message: string;
  createdByService: boolean;
  url?: string;
  ref?: string;
}

/** An immutable version of a space's content. */
export interface RevisionsTable {
  id: string;
  organization: string;
  space: string;
  type: 'edits' | 'merge' | 'rollback' | 'update' | 'computed';
  /** Hash of the root object of the content. */
  root: string;
  parents: JsonText<string[]>;
  git: JsonText<RevisionGit> | null;
  createdAt: string;
  createdBy: string | null;
  /** The change request that the revision belongs to; null for the primary content. */
  changeRequest: string | null;
}

/** A branch of a space's content. */
export interface ChangeRequestsTable {
  id: string;
  organization: string;
  space: string;
  /** Sequence number within the space, starting at 1. */
  number: number;
  status: Schemas['ChangeRequestStatus'];
  subject: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  /** The current revision. */
  revision: string;
  /** The revision of the space that it is based on. */
  revisionInitial: string;
  /** The revision of the space that was last merged into it; null if none was. */
  revisionMergedAncestor: string | null;
  /** The revision of the space created by merging it. */
  revisionMerged: string | null;
  agentTaskId: string | null;
}

/** A comment, or a reply if `parent` is set. */
export interface CommentsTable {
  id: string;
  organization: string;
  space: string;
  /** Null for the primary content of the space. */
  changeRequest: string | null;
  /** The comment that this is a reply to. */
  parent: string | null;
  page: string | null;
  /** The key of a block of the page. */
  node: string | null;
  /** The text of that block at the time of the comment. */
  nodePreview: string | null;
  cellRecord: string | null;
  cellDefinition: string | null;
  /** The revision at the time of the comment. */
  revision: string;
  /** Markdown. */
  body: string;
  /** Always `open` for replies. */
  status: 'open' | 'resolved';
  resolvedAt: string | null;
  resolvedBy: string | null;
  postedBy: string;
  postedAt: string;
  editedAt: string | null;
}

export interface CommentReactionsTable {
  organization: string;
  comment: string;
  emoji: string;
  user: string;
  reactedAt: string;
}

/** Content-addressed text (trees, pages, documents), stored once per organization. */
export interface ObjectsTable {
  organization: string;
  hash: string;
  kind: string;
  data: string;
}

/** Sections of pages for full-text search. Accessed only by `search*.ts`. */
export interface SearchSectionsTable {
  id: Generated<number>;
  organization: string;
  space: string;
  page: string;
  section: string;
  ordinal: number;
  title: string;
  pageTitle: string;
  pagePath: string;
  anchor: string;
  body: string;
}

/** Counters, for values that are too expensive to count at each read. */
export interface CountersTable {
  organization: string;
  name: string;
  value: number;
}

/** Background jobs. Accessed only by `server/jobs/`. */
export interface JobsTable {
  /** Creation order, assigned by the database. */
  sequence: Generated<number>;
  id: string;
  organization: string;
  kind: string;
  /** Jobs with the same key run one at a time, in order. */
  key: string | null;
  orderKey: string;
  payload: JsonText<unknown>;
  state: 'queued' | 'running' | 'done' | 'failed';
  createdAt: string;
  runAt: string;
  leaseUntil: string | null;
  leaseOwner: string | null;
  attempts: number;
  maxAttempts: number;
  /** Number of times that its process ended together with the server. */
  abandoned: number;
  /** Number of times that it ended its process while the server was running. */
  processEnds: number;
  lastError: string | null;
  finishedAt: string | null;
}

/** An OpenAPI specification with its source and processing state. */
export interface OpenAPISpecsTable {
  id: string;
  organization: string;
  /** Unique in the organization. */
  slug: string;
  visibility: Schemas['OpenAPIVisibility'];
  /** URL of the source; null if it was uploaded as text. */
  sourceURL: string | null;
  /** The uploaded text, until it is processed. */
  sourceText: string | null;
  /** Number of the source. Results for earlier sources are discarded. */
  generation: number;
  processingState: Schemas['OpenAPIProcessingState'];
  /** The latest valid version. */
  lastVersion: string | null;
  lastProcessedAt: string | null;
  lastProcessErrorCode: Schemas['OpenAPIProcessErrorCode'] | null;
  createdAt: string;
  updatedAt: string;
}

/** An immutable version of a specification. */
export interface OpenAPISpecVersionsTable {
  id: string;
  organization: string;
  spec: string;
  /** Hash of the text. */
  hash: string;
  format: 'json' | 'yaml';
  /** The original text. */
  text: string;
  /** The parsed document. */
  document: JsonText<Record<string, unknown>>;
  createdAt: string;
}

/** The tables by name. */
export interface Schema {
  auditEvents: AuditEventsTable;
  settings: SettingsTable;
  users: UsersTable;
  tokens: TokensTable;
  organizations: OrganizationsTable;
  members: MembersTable;
  teams: TeamsTable;
  teamMembers: TeamMembersTable;
  grants: GrantsTable;
  linkInvites: LinkInvitesTable;
  invites: InvitesTable;
  samlProviders: SamlProvidersTable;
  collections: CollectionsTable;
  spaces: SpacesTable;
  revisions: RevisionsTable;
  changeRequests: ChangeRequestsTable;
  comments: CommentsTable;
  commentReactions: CommentReactionsTable;
  openAPISpecs: OpenAPISpecsTable;
  openAPISpecVersions: OpenAPISpecVersionsTable;
  objects: ObjectsTable;
  blobs: BlobsTable;
  blobChunks: BlobChunksTable;
  requestCounts: RequestCountsTable;
  countingProcesses: CountingProcessesTable;
  blobUploads: BlobUploadsTable;
  searchSections: SearchSectionsTable;
  searchPages: SearchPagesTable;
  counters: CountersTable;
  rowCounts: RowCountsTable;
  visibilityVersions: VisibilityVersionsTable;
  jobs: JobsTable;
  lockTickets: LockTicketsTable;
}
