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
 * The tables, as Kysely sees them. Conventions, the same on both engines:
 * ids are opaque text; `At` columns are ISO 8601 text in UTC with milliseconds (`Date.toISOString`), so that
 * they sort as text; booleans are 0 or 1; JSON is text, read with `readJson`; text compares by code point.
 * Every table that belongs to a tenant carries `organization`.
 */

type Schemas = components['schemas'];
type Role = Schemas['Role'];

/** One row per value of the running installation itself (its cursor key, the version of its data …). */
export interface SettingsTable {
  key: string;
  value: string;
}

export interface UsersTable {
  id: string;
  /** Lower case; unique where there is one. */
  email: string | null;
  displayName: string;
  photoURL: string | null;
  createdAt: string;
}

export type TokenScope = 'read' | 'write' | 'admin';

/** Access tokens. The token itself is never stored. */
export interface TokensTable {
  id: string;
  hash: string;
  user: string;
  label: string;
  /** What the token is limited to; null for all permissions of its user. */
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
  /** With `hasDefaultRole` 1, null means that newcomers are guests; with 0 none was ever set. */
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
  /** null is a guest. */
  role: Role | null;
  disabled: Flag;
  sso: Flag;
  joinedAt: string;
  lastSeenAt: string | null;
  /** Name and mail address of the user, folded; the database writes it. */
  searchedText: Generated<string>;
}

export interface TeamsTable {
  id: string;
  organization: string;
  title: string;
  createdAt: string;
  createdBy: string | null;
  /** The title, folded; the database writes it. */
  searchedText: Generated<string>;
}

export interface TeamMembersTable {
  organization: string;
  team: string;
  user: string;
  role: 'owner' | 'member';
  /** When the user joined the organization: members of a team are listed in that order. */
  joinedAt: string;
  /** When the team was created: teams of a member are listed in that order. */
  teamCreatedAt: string;
}

/** Explicit rights of a user or a team on a space or a collection. */
export interface GrantsTable {
  organization: string;
  targetKind: 'space' | 'collection';
  target: string;
  subjectKind: 'user' | 'team';
  subject: string;
  role: Role;
  createdAt: string;
}

/** A link that whoever holds it may join by: with a role in the organization, or a level on one thing. */
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
  /** Lower case. */
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
  /** null: no level of its own, the parent's (or the member's role) applies. */
  defaultLevel: Role | null;
  /** Place among the collections and spaces of the same parent, see `between` in positions.ts. */
  position: string;
  createdAt: string;
}

/** Where a space's content is synchronised with; never holds credentials. */
export interface SpaceGit {
  url: string;
  ref: string;
  repoName: string;
  installationProvider: 'github' | 'gitlab' | 'github-legacy' | null;
  integration: string | null;
  projectDirectory: string | null;
  treeURL: string | null;
  commitURL: string | null;
  /** Commit that the content was last imported from or exported to. */
  oid: string | null;
  /** The revision that the commit has the content of. */
  revision?: string;
  /** Where the commit is, as Git calls it; `url` is where people find it. */
  address?: string;
  /** The newest `timestamp` that an import or export of this space was asked with. */
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
  /** The revision that the search index shows; null while it is written, and before that. */
  searchedRevision: string | null;
  /** What search knows of the computed pages in that revision: a seed by the id of each entry. */
  searchedEntries: JsonText<Record<string, string>> | null;
  /** Counts the runs that write the search index of this space: only the latest one may go on. */
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

/** A state of a space's content; never changed once written. */
export interface RevisionsTable {
  id: string;
  organization: string;
  space: string;
  type: 'edits' | 'merge' | 'rollback' | 'update' | 'computed';
  /** Hash of the object that the revision's content hangs from. */
  root: string;
  parents: JsonText<string[]>;
  git: JsonText<RevisionGit> | null;
  createdAt: string;
  createdBy: string | null;
  /** The change request whose content it is; null for the primary content. */
  changeRequest: string | null;
}

/** A branch of a space's content. */
export interface ChangeRequestsTable {
  id: string;
  organization: string;
  space: string;
  /** Counts the change requests of the space from 1. */
  number: number;
  status: Schemas['ChangeRequestStatus'];
  subject: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  /** Its current revision. */
  revision: string;
  /** The revision of the space that it started from. */
  revisionInitial: string;
  /** The revision of the space that it last took over; null as long as that is the initial one. */
  revisionMergedAncestor: string | null;
  /** The revision of the space that its merge made. */
  revisionMerged: string | null;
  agentTaskId: string | null;
}

/** What somebody said about content: a comment, or with `parent` a reply to one. */
export interface CommentsTable {
  id: string;
  organization: string;
  space: string;
  /** null for the primary content of the space. */
  changeRequest: string | null;
  /** The comment that this replies to. */
  parent: string | null;
  page: string | null;
  /** The key of a block of the page. */
  node: string | null;
  /** The text of that block when it was commented on. */
  nodePreview: string | null;
  cellRecord: string | null;
  cellDefinition: string | null;
  /** The revision that was current. */
  revision: string;
  /** Markdown. */
  body: string;
  /** Of a reply always `open`. */
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

/** Content-addressed text (trees, pages, documents): the same text is stored once per organization. */
export interface ObjectsTable {
  organization: string;
  hash: string;
  kind: string;
  data: string;
}

/** Text of one section of a page, for full-text search. Only search.ts reads and writes it. */
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

/** Running totals of what is too large to count at each read. */
export interface CountersTable {
  organization: string;
  name: string;
  value: number;
}

/** Durable background work; only `server/jobs/` reads and writes it. */
export interface JobsTable {
  /** Creation order, given by the database. */
  sequence: Generated<number>;
  id: string;
  organization: string;
  kind: string;
  /** Jobs of one key run one at a time, in order. */
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
  /** How often its process ended from outside, together with the server that watched it. */
  abandoned: number;
  /** How often it ended its process while the server lived. */
  processEnds: number;
  lastError: string | null;
  finishedAt: string | null;
}

/** An OpenAPI specification: a name, where its text comes from, and how far the reading of that is. */
export interface OpenAPISpecsTable {
  id: string;
  organization: string;
  /** Unique in the organization. */
  slug: string;
  visibility: Schemas['OpenAPIVisibility'];
  /** The address it is fetched from; null for one that was given as text. */
  sourceURL: string | null;
  /** The text it was given as, until that was read. */
  sourceText: string | null;
  /** Counts its sources: what was begun for an earlier one has no say any more. */
  generation: number;
  processingState: Schemas['OpenAPIProcessingState'];
  /** The newest version that could be read. */
  lastVersion: string | null;
  lastProcessedAt: string | null;
  lastProcessErrorCode: Schemas['OpenAPIProcessErrorCode'] | null;
  createdAt: string;
  updatedAt: string;
}

/** A text that a specification had; never changed once written. */
export interface OpenAPISpecVersionsTable {
  id: string;
  organization: string;
  spec: string;
  /** Hash of the text. */
  hash: string;
  format: 'json' | 'yaml';
  /** As it was given. */
  text: string;
  /** The document that the text holds, as JSON. */
  document: JsonText<Record<string, unknown>>;
  createdAt: string;
}

/** Every table by its name. */
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
