import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };

const SERVER = new URL('../../../server/', import.meta.url);

/** The positions in the structure of a site. */
const POSITIONS = ['SiteEntry', 'SiteSection', 'SiteSectionGroup', 'SiteSpace']
  .flatMap((entry) => [`${entry}Position.before`, `${entry}Position.after`])
  .join(' ');

/**
 * Where the contract states the rule behind each error 400 of the service, in the order of the source. A place is
 * `Schema`, `Schema.property` or `?Parameter`; it states the rule in `x-rule`, or is an identifier, which has to exist.
 */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'content/edit/edit.ts': [
    'UpdatePage.document',
    'UpdatePage.slug',
    'UpdatePage.page DeletePage.page InsertPage.into UpdatePage.into',
    'InsertPage.into UpdatePage.into',
    'InsertPage.title UpdatePage.title',
  ],
  'content/edit/names.ts': [
    'InsertPage.ref InlineFile.ref FetchedFile.ref',
    'InsertPage.into UpdatePage.into UpdatePage.page DeletePage.page',
    'InsertPage.into UpdatePage.into UpdatePage.page DeletePage.page',
  ],
  'content/edit/revert.ts': ['RevertPage.revision', 'RevertPage.page'],
  'content/templates/apply.ts': [
    'TemplateChoice.id',
    'TemplateParams.contentRefs',
    'TemplateParams.contentRefs TemplateChoice.params',
    'TemplateParams.contentRefs',
  ],
  'errors/errors.ts': ['?ListQuery.page'],
  'platform/integrations/installations/queries/configuration.ts': [
    'InstallationPatch.configuration ContentInstallationPatch.configuration',
  ],
  'platform/integrations/integrations/rules/publication.ts': [
    'IntegrationBlockWrite.id IntegrationContentSourceWrite.id',
    'PolicyDirectives',
    'IntegrationTextProperty.default',
    'IntegrationSettings.required',
  ],
  'platform/accounts/members/queries.ts': ['TeamCreate.members GrantsCreate.users'],
  'platform/spaces/placements/permissions.ts': ['MoveContent.parent CollectionCreate.parent'],
  'platform/spaces/placements/queries.ts': [
    'ContentPosition.before ContentPosition.after',
    'ContentPosition.before ContentPosition.after',
  ],
  'platform/sites/visitors/conditions.ts': ['SiteSectionPatch.condition SiteSpacePatch.condition'],
  'platform/sites/structure/edit/groups.ts': [
    'SiteSectionGroupCreate.sections SiteSectionGroupAddition.sectionId',
  ],
  'platform/sites/structure/edit/order.ts': [POSITIONS, POSITIONS],
  'platform/sites/structure/edit/sections.ts': [
    'SitePatch.defaultSiteSpace SiteSectionPatch.defaultSiteSpace',
    'SitePatch.defaultSiteSection',
  ],
  'platform/sites/structure/edit/site-spaces.ts': ['SiteSpaceCreate.sectionId'],
  'platform/sites/structure/spaces.ts': [
    'InitialSpaceIds SiteSpaceCreate.spaceId SiteSpacePatch.spaceId SiteSectionCreate.spaceId',
  ],
  'platform/content/references/space-map-write.ts': [
    'SpacesByFormerId',
    'SpacesByFormerId',
    'SpacesByFormerId',
  ],
  'platform/accounts/teams/queries.ts': [
    'GrantsCreate.teams SamlProviderCreate.defaultTeam SamlProviderPatch.defaultTeam',
  ],
  'platform/accounts/access-tokens/rules.ts': ['UserAccessTokenCreate.expiresAt'],
  'platform/content/reviews/rules.ts': ['RequestedReviewersCreate.users', 'RequestedReviewersCreate.users'],
  'platform/content/comments/rules.ts': [
    'CommentUpdate.addedReactions CommentReplyUpdate.addedReactions ChangeRequestCommentReplyUpdate.addedReactions',
  ],
  'platform/content/comments/rules/targets.ts': [
    'CommentCreate.node',
    'CommentCreate.page',
    'CommentCreate.tableCell',
    'CommentCreate.node',
    'CommentCreate.tableCell',
  ],
  'platform/content/editing/rules/edits.ts': ['InsertPage.document UpdatePage.document'],
  'platform/content/editing/rules/file-fetch.ts': ['FetchedFile.url', 'FetchedFile.url', 'FetchedFile.url'],
  'platform/content/runs/import-source.ts': [
    'ContentImport.url WebsiteImportSource.url FileImportSource.files',
  ],
  'platform/content/import-runs/rules.ts': [
    'ImportRunTarget.space',
    'ImportRunTarget.changeRequest',
    'ImportRunTarget.page',
    'FileImportSource.files',
  ],
  'platform/integrations/installations/rules.ts': ['InstallationCreate.organization'],
  'platform/integrations/installations/rules/content.ts': [
    'SpaceInstallationCreate.space SiteInstallationCreate.site',
  ],
  'platform/spaces/invitations/rules/links.ts': ['SpaceInviteCreate.space CollectionInviteCreate.collection'],
  'platform/kit/callable-urls.ts': [
    'IntegrationTunnel.tunnelUrl OpenAPISourceUrl.url GitImport.url GitExport.url GitImport.ref GitExport.ref',
  ],
  'platform/kit/times.ts': [
    '?AuditEventListQuery.from ?AuditEventListQuery.until GitImport.timestamp GitExport.timestamp UserAccessTokenCreate.expiresAt',
  ],
  'platform/accounts/organizations/rules.ts': ['DefaultContent.site'],
  'platform/integrations/rendering/rules/compressed-request.ts': [
    'CompressedRenderRequest',
    'CompressedRenderRequest',
    'CompressedRenderRequest',
  ],
  'platform/sites/site-adaptive-schemas/rules.ts': [
    'AdaptiveClaims',
    'AdaptiveClaims',
    'AdaptiveClaims AdaptiveUnsignedClaims.properties',
  ],
  'platform/sites/site-publishing/rules.ts': ['SitePublishingIntegrationAuthPatch.integration'],
  'platform/sites/site-redirects/rules.ts': [
    'SiteRedirectSource',
    'SiteRedirectSectionDestination.siteSectionId SiteRedirectSpaceDestination.siteSpaceId SiteRedirectPageDestination.siteSpaceId',
  ],
  'platform/sites/sites/rules/settings.ts': ['SiteEntryPointer.id'],
  'platform/accounts/teams/rules/membership.ts': ['TeamMembersUpdate.add TeamMembersUpdate.memberships'],
  'platform/translations/translations/rules.ts': ['TranslationSource.space'],
};

/** Creates an error 400, and is not the import of the function that does. */
const ERROR_400 =
  /\b(?:fieldInvalid|fieldsInvalid|badRequest|requestMalformed)\(|new ContractError\(\s*400\b|= define\(\s*400\b/g;

/** The runtime, and pages for browsers, which are in no contract. */
const PAGES_AND_RUNTIME = /^(?:contract|platform\/sites\/reading|platform\/accounts\/saml)\/|\/routes\.ts$/;

/** Returns the number of errors 400 by file. */
function errorsByFile(): Record<string, number> {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !PAGES_AND_RUNTIME.test(file) && file !== 'errors/access-errors.ts',
  );
  return Object.fromEntries(
    files.flatMap((file) => {
      const count = readFileSync(new URL(file, SERVER), 'utf8').match(ERROR_400)?.length ?? 0;
      return count > 0 ? [[file, count] as const] : [];
    }),
  );
}

interface Schema {
  $ref?: string;
  schema?: Schema;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  'x-rule'?: string;
}

// The type of the document has each schema apart.
const schemas = contract.components.schemas as Record<string, Schema>;
const parameters = contract.components.parameters as Record<string, Schema>;

function schemaAt(place: string): Schema | undefined {
  if (place.startsWith('?')) {
    return parameters[place.slice(1)]?.schema;
  }
  const [name = '', property] = place.split('.');
  return property === undefined ? schemas[name] : schemas[name]?.properties?.[property];
}

/** Returns whether a schema, one that it refers to, or that of its items, states a rule or is an identifier. */
function isDeclared(schema: Schema | undefined): boolean {
  const { $ref, items, anyOf = [] } = schema ?? {};
  const name = $ref?.replace('#/components/schemas/', '');
  return (
    schema?.['x-rule'] !== undefined ||
    name === 'Identifier' ||
    (name !== undefined && isDeclared(schemas[name])) ||
    (items !== undefined && isDeclared(items)) ||
    anyOf.some(isDeclared)
  );
}

test('the contract states the rule behind every error 400 of a handler', () => {
  const listed = Object.fromEntries(Object.entries(PLACES).map(([file, places]) => [file, places.length]));
  expect(errorsByFile(), 'Declare the rule in the contract, and list its place here.').toEqual(listed);
  const places = Object.values(PLACES).flatMap((errors) => errors.flatMap((error) => error.split(' ')));
  expect(places.filter((place) => !isDeclared(schemaAt(place)))).toEqual([]);
});
