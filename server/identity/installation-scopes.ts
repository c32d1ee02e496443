import type { operations } from '../../generated/operations.ts';
import type { StoredIntegrationScope as IntegrationScope } from '../database/schema/integrations/integrations.ts';
import { notForInstallations, scopeMissing } from '../errors/errors.ts';
import { highestLevel, type Role } from './levels.ts';

type OperationId = keyof typeof operations;

/** Resources that installations have levels on. */
export type InstallationResource = 'space' | 'site' | 'specification';

/** What a published scope permits where the integration is installed. */
interface ScopeRights {
  operations: readonly OperationId[];
  /**
   * Level that these operations require: on the spaces or sites that the installation applies to, or on the
   * specifications of its organization.
   */
  level?: { on: InstallationResource; role: Role };
}

const NONE: ScopeRights = { operations: [] };

/**
 * The rights of each scope. Scopes without operations concern events and published sites, or what this service has no
 * operations for: conversations, answers about a site, and visitors of single spaces.
 */
export const SCOPE_RIGHTS: Readonly<Record<IntegrationScope, ScopeRights>> = {
  'space:content:read': {
    level: { on: 'space', role: 'read' },
    operations: [
      'getSpaceContent',
      'getSpacePageTree',
      'listSpaceFiles',
      'getSpaceFile',
      'listSpaceFileBacklinks',
      'getSpacePage',
      'getSpacePageByPath',
      'listSpaceLinks',
      'listSpacePageLinks',
      'listSpacePageBacklinks',
      'searchSpace',
      'getRevision',
      'getRevisionPageTree',
      'listRevisionFiles',
      'getRevisionPage',
      'getRevisionPageByPath',
      'getRevisionPageDocument',
      'getRevisionReusableContentDocument',
      'getRevisionChanges',
      'listChangeRequests',
      'getChangeRequest',
      'getChangeRequestContent',
      'getChangeRequestChanges',
      'getChangeRequestPageTree',
      'listChangeRequestFiles',
      'getChangeRequestFile',
      'listChangeRequestFileBacklinks',
      'getChangeRequestPage',
      'getChangeRequestPageByPath',
      'listChangeRequestLinks',
      'listChangeRequestPageLinks',
      'listChangeRequestPageBacklinks',
      'listChangeRequestReviews',
      'getChangeRequestReview',
      'listRequestedReviewers',
    ],
  },
  'space:content:write': {
    level: { on: 'space', role: 'edit' },
    operations: [
      'createChangeRequest',
      'updateChangeRequest',
      'syncChangeRequest',
      'addRequestedReviewers',
      'removeRequestedReviewer',
      'updateChangeRequestContent',
      'importSpaceContent',
      'importChangeRequestContent',
      'applySpaceTemplate',
    ],
  },
  'space:metadata:read': { level: { on: 'space', role: 'read' }, operations: ['getSpace'] },
  'space:metadata:write': { level: { on: 'space', role: 'admin' }, operations: ['updateSpace'] },
  'space:git:sync': {
    level: { on: 'space', role: 'create' },
    operations: ['importGitRepository', 'exportGitRepository', 'getGitInfo', 'listGitRuns', 'getGitRun'],
  },
  'space:views:read': NONE,
  'space:script:inject': NONE,
  'space:script:cookies': NONE,
  'space:visitor:auth': NONE,
  'site:metadata:read': {
    level: { on: 'site', role: 'read' },
    operations: [
      'listSites',
      'getSite',
      'getSiteStructure',
      'getSiteCustomization',
      'getPublishedSite',
      'listSiteSections',
      'listSiteSectionGroups',
      'listSiteSpaces',
    ],
  },
  'site:views:read': NONE,
  'site:script:inject': NONE,
  'site:script:cookies': NONE,
  'site:visitor:auth': { level: { on: 'site', role: 'create' }, operations: ['getSitePublishingAuth'] },
  'site:visitor:claims': NONE,
  'site:adaptive:read': {
    level: { on: 'site', role: 'read' },
    operations: ['getSiteAdaptiveSchema', 'getSiteAdaptiveConditionTemplates'],
  },
  'site:adaptive:write': { level: { on: 'site', role: 'create' }, operations: ['replaceSiteAdaptiveSchema'] },
  'site:ai:ask': NONE,
  'page:feedback:read': NONE,
  'openapi:read': {
    level: { on: 'specification', role: 'read' },
    operations: [
      'listOpenAPISpecs',
      'getOpenAPISpec',
      'listOpenAPISpecVersions',
      'getLatestOpenAPISpecVersion',
      'getLatestOpenAPISpecVersionContent',
      'getOpenAPISpecVersion',
      'getOpenAPISpecVersionContent',
    ],
  },
  'openapi:write': {
    level: { on: 'specification', role: 'create' },
    operations: ['createOpenAPISpec', 'putOpenAPISpec', 'updateOpenAPISpec'],
  },
  'conversations:ingest': NONE,
};

/** Operations that every token of an installation can call: they return and configure the installation itself. */
export const OWN_OPERATIONS: readonly OperationId[] = [
  'getIntegration',
  'listInstallations',
  'getInstallation',
  'updateInstallation',
  'listSpaceInstallations',
  'listInstallationSpaces',
  'getSpaceInstallation',
  'updateSpaceInstallation',
  'listSiteInstallations',
  'listInstallationSites',
  'getSiteInstallation',
  'updateSiteInstallation',
];

/** Returns the scopes that each permit an operation; undefined if no scope permits it. */
function scopesFor(operation: string): IntegrationScope[] | undefined {
  // The keys of the table are scopes.
  const scopes = (Object.keys(SCOPE_RIGHTS) as IntegrationScope[]).filter((scope) =>
    SCOPE_RIGHTS[scope].operations.some((id) => id === operation),
  );
  return scopes.length > 0 ? scopes : undefined;
}

/**
 * Requires the scopes of an installation to permit an operation. The levels of its scopes are then required as those of
 * a user are.
 *
 * @throws ContractError 403 if none of the scopes permits it
 */
export function requireInstallationScope(scopes: readonly IntegrationScope[], operation: string): void {
  if (OWN_OPERATIONS.some((id) => id === operation)) {
    return;
  }
  const required = scopesFor(operation);
  if (!required) {
    throw notForInstallations();
  }
  if (!required.some((scope) => scopes.includes(scope))) {
    throw scopeMissing(required.join(' or '));
  }
}

/** Returns the level of an installation with some scopes on a kind of resource. */
export function levelOfScopes(
  scopes: readonly IntegrationScope[],
  resource: InstallationResource,
): Role | undefined {
  const levels = scopes.map((scope) => SCOPE_RIGHTS[scope].level);
  return highestLevel(levels.map((level) => (level?.on === resource ? level.role : undefined)));
}
