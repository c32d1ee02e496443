import type { Schema } from '../schema.ts';

/*
 * What limits the number of rows of each table. A new table requires an entry, and one that grows without content must be
 * purged. The page of limits lists them.
 */

/** Why a table does not grow without end. */
export interface Growth {
  /**
   * `content`: with what users create, and until they delete it. `bounded`: to a maximum number. `purged`: rows are
   * deleted after a time.
   */
  kind: 'content' | 'bounded' | 'purged';
  /** What the number of rows depends on, or what purges them. */
  policy: string;
  /** The limit that applies: its module in the server and its name. */
  limit?: readonly [module: string, name: string];
}

const content = (policy: string): Growth => ({ kind: 'content', policy });
const bounded = (policy: string, module?: string, name?: string): Growth => ({
  kind: 'bounded',
  policy,
  ...(module !== undefined && name !== undefined && { limit: [module, name] }),
});
const purged = (policy: string, module: string, name: string): Growth => ({
  kind: 'purged',
  policy,
  limit: [module, name],
});

/** The policy of each table. */
export const TABLE_GROWTH: Readonly<Record<keyof Schema | 'transaction_outcomes', Growth>> = {
  auditEvents: purged(
    'daily job, after `COLOPHON_AUDIT_RETENTION_DAYS`',
    'app/config-variables.ts',
    'MAX_AUDIT_RETENTION_DAYS',
  ),
  settings: bounded('a fixed number of keys'),
  users: content('people, installations and integrations'),
  tokens: bounded(
    'live tokens of a user; ended ones are deleted with audit events',
    'platform/accounts/access-tokens/queries.ts',
    'MAX_LIVE_TOKENS',
  ),
  organizations: content('organizations'),
  organizationFiles: content('images of an organization; replaced ones are deleted'),
  members: content('members of organizations'),
  teams: content('teams'),
  teamMembers: content('members of teams'),
  grants: content('grants; deleted with their subjects and targets'),
  linkInvites: content('invite links, until they are deleted'),
  invites: content('invited addresses: one for each address and organization'),
  samlProviders: content('SAML providers'),
  samlRequests: purged(
    'the next sign-ins, some at a time',
    'platform/accounts/saml/requests.ts',
    'SAML_REQUEST_LIFETIME_MS',
  ),
  samlAssertions: purged(
    'the next sign-ins, when the assertion expires',
    'platform/accounts/saml/requests.ts',
    'SAML_REQUEST_LIFETIME_MS',
  ),
  sessions: purged('the next sign-ins, some at a time', 'identity/sessions.ts', 'SESSION_LIFETIME_MS'),
  collections: content('collections'),
  spaceMaps: bounded('one for each organization'),
  spaces: content('spaces; deleted ones are purged by a job'),
  revisions: content('changes of content, until the space is purged, or `COLOPHON_REVISION_RETENTION_DAYS`'),
  runs: bounded('the latest runs of a space', 'platform/content/runs/record.ts', 'MAX_RETAINED_RUNS'),
  syncedBranches: bounded('one for each synchronized branch'),
  changeRequests: content('change requests'),
  comments: content('comments and replies'),
  commentReactions: content('reactions: one for each user, comment and emoji'),
  reviews: content('reviews of change requests'),
  requestedReviewers: content('requested reviewers of change requests'),
  openAPISpecs: content('OpenAPI specifications'),
  openAPISpecVersions: content('changed versions of OpenAPI specifications'),
  sites: content('sites'),
  siteSectionGroups: bounded(
    'section groups of a site',
    'platform/sites/structure/edit/groups.ts',
    'MAX_SITE_SECTION_GROUPS',
  ),
  siteSections: bounded('sections of a site', 'platform/sites/structure/edit/append.ts', 'MAX_SITE_SECTIONS'),
  siteFeedback: purged(
    'the next opinions about the site, of which it also has a maximum number',
    'platform/sites/site-feedback/queries.ts',
    'FEEDBACK_RETENTION_MS',
  ),
  siteSpaces: bounded('spaces of a site', 'platform/sites/structure/edit/append.ts', 'MAX_SITE_SPACES'),
  shareLinks: bounded('share links of a site', 'platform/sites/share-links/rules.ts', 'MAX_SHARE_LINKS'),
  siteRedirects: bounded(
    'redirects of a site',
    'platform/sites/site-redirects/rules.ts',
    'MAX_SITE_REDIRECTS',
  ),
  visitorSessions: purged(
    'daily job, when the token of the visitor expires',
    'platform/sites/visitors/tokens.ts',
    'MAX_VISITOR_TOKEN_LIFETIME_MS',
  ),
  translations: content('translations'),
  translationSegments: bounded(
    'segments of a translation',
    'platform/translations/translations/jobs/segments.ts',
    'MAX_STORED_SEGMENTS',
  ),
  integrations: content('integrations'),
  integrationVersions: bounded(
    'the latest versions of an integration',
    'platform/integrations/integrations/rules/versions.ts',
    'MAX_RETAINED_VERSIONS',
  ),
  integrationAssets: bounded(
    'images of the retained versions of an integration',
    'platform/integrations/integrations/rules/versions.ts',
    'MAX_RETAINED_VERSIONS',
  ),
  integrationTags: bounded('categories and scopes of an integration'),
  installations: content('installations of integrations'),
  contentInstallations: content('spaces and sites that installations are added to'),
  installationExternalIds: content('external IDs of installations'),
  raisedEvents: purged(
    'the delivery of events, within seconds',
    'platform/integrations/events/jobs/retries.ts',
    'EVENT_RETENTION_MS',
  ),
  integrationEvents: purged(
    'the delivery of events, once a minute',
    'platform/integrations/events/jobs/retries.ts',
    'EVENT_RETENTION_MS',
  ),
  integrationEventStreams: bounded('one for each installation with events to deliver'),
  objects: content('texts and nodes of revisions; a sweep deletes those without a revision'),
  printedPdfs: purged(
    'the next PDFs, which also replace the least recently used ones',
    'content/store/printed-pdfs.ts',
    'CACHED_PDF_LIFETIME_MS',
  ),
  idempotencyKeys: purged(
    'the next requests with a key, some at a time',
    'platform/kit/idempotency-keys/keyed-requests.ts',
    'IDEMPOTENCY_KEY_RETENTION_MS',
  ),
  quotas: bounded('at most one for each quota of an organization'),
  blobs: content('files of revisions; a sweep deletes those without a revision'),
  blobChunks: content('sizes of files'),
  requestCounts: purged('each server', 'database/servers/stops.ts', 'REGISTRATION_TIMEOUT_MS'),
  countingProcesses: purged('each server', 'database/servers/stops.ts', 'REGISTRATION_TIMEOUT_MS'),
  blobUploads: purged(
    'the next uploads and sweeps of the organization',
    'content/store/blob-uploads.ts',
    'UPLOAD_LIFETIME_MS',
  ),
  searchSections: content('sections of current content'),
  searchPages: content('pages of current content'),
  counters: bounded('a fixed number for each organization'),
  rowCounts: bounded('one for each counted list; deleted at zero'),
  visibilityVersions: content('users, teams and lists of organizations, in a fixed number of shards'),
  nameChanges: bounded('a fixed number of slots for each list of an organization'),
  jobs: purged('each job process, after the job has finished', 'jobs/queue.ts', 'JOB_RETENTION_MS'),
  lockTickets: purged('the next ticket that ends', 'database/tickets.ts', 'LOCK_LEASE_MS'),
  transaction_outcomes: purged(
    'the maintenance of each process',
    'database/engines/outcomes.ts',
    'OUTCOME_RETENTION_MS',
  ),
};
