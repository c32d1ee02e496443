import lzString from 'lz-string';
import { ok } from '../../../client/platform/index.ts';
import { readJson, writeJson } from '../../../server/database/json.ts';
import type { OperationId } from '../../../server/platform/kit/slice.ts';
import { DEFAULT_CUSTOMIZATION } from '../../../server/platform/sites/sites/queries/customization.ts';
import {
  addToGroup,
  createGroup,
  createSection,
  createSiteSpace,
  publishSite,
  type TestResources,
} from '../../support/resources.ts';
import type { Person } from '../../support/server.ts';

/** Callers: members of the organization by their role, and an admin of another organization. */
export const CALLERS = ['admin', 'creator', 'editor', 'reader', 'guest', 'outsider'] as const;
export type CallerName = (typeof CALLERS)[number];

/**
 * A status, or `retained`: a DELETE returned 204 without deleting, because the resource is not visible to the caller.
 */
export type Outcome = number | 'retained';

/** Statuses of an operation for each caller, and its request. */
export interface Row {
  outcomes: readonly Outcome[];
  body?: (resources: TestResources, caller: Person) => unknown;
  query?: Record<string, string> | ((resources: TestResources) => Promise<Record<string, string>>);
  /** Status without a credential. 401 by default. */
  anonymous?: number;
  /** Prepares state beyond the resources of the path. */
  prepare?: (resources: TestResources) => Promise<unknown>;
}

type Outcomes = [
  admin: Outcome,
  creator: Outcome,
  editor: Outcome,
  reader: Outcome,
  guest: Outcome,
  outsider: Outcome,
];

/** Returns the query of the request of a row, to append to an address; empty if there is none. */
export const queryOf = async (row: Row | undefined, resources: TestResources): Promise<string> => {
  const query = typeof row?.query === 'function' ? await row.query(resources) : row?.query;
  return query ? `?${new URLSearchParams(query)}` : '';
};

const statuses = (...responses: Outcomes): Row => ({ outcomes: responses });
const retained = 'retained';

/** An organization that the caller may transfer resources to. */
const toOwnOrganization = async (_resources: TestResources, { client }: Person) => ({
  organization: (await ok(client.POST('/v1/orgs', { body: { title: 'Theirs' } }))).id,
});
const intoAnother = async (resources: TestResources) => ({
  parent: await resources.fresh().idFor('collectionId'),
});
const newRedirect = () => ({
  source: `/${crypto.randomUUID()}`,
  destination: { kind: 'external', url: 'https://example.com' },
});
const publishPages = async (resources: TestResources) => {
  const params = { path: { spaceId: await resources.idFor('spaceId') } };
  const body = { id: 'tpl_handbook' };
  await ok(resources.owner.client.POST('/v1/spaces/{spaceId}/content/template', { params, body }));
  await publishSite(resources);
};
/** A path with an ID, which redirects to the current path. */
const siteSpaceAsSource = async (resources: TestResources) => ({
  source: `/${await resources.idFor('siteSpaceId')}`,
});
const forAnotherUser = async (resources: TestResources) => ({
  role: 'read',
  users: [await resources.idFor('userId')],
});
/** Creates content with an import. */
const content = async (resources: TestResources) => await resources.idFor('pageId');

/** A wiki is a Git repository, like the existing one. */
const wiki = ({ repository: { url } }: TestResources) => ({ url, source: 'github-wiki' });
/** No such file can be fetched. */
const fileImport = async (resources: TestResources) => ({
  source: { type: 'file', files: [`${resources.server.url}/none.md`] },
  target: { space: await resources.idFor('spaceId') },
});
const repository = ({ repository: { url } }: TestResources) => ({ url, ref: 'refs/heads/main' });

const adaptiveSchema = () => ({
  jsonSchema: { type: 'object', properties: {}, additionalProperties: false },
});
const setAdaptiveSchema = async (resources: TestResources) =>
  await ok(
    resources.owner.client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', {
      params: {
        path: { organizationId: resources.organization, siteId: await resources.idFor('siteId') },
      },
      body: { jsonSchema: { type: 'object', properties: {}, additionalProperties: false } },
    }),
  );

let specifications = 0;
const petStore = { source: { text: '{"openapi": "3.1.0"}' } };
const anotherPetStore = () => {
  specifications += 1;
  return { ...petStore, slug: `another-${specifications}` };
};
/** Processes the source of the specification, so that it has a version. */
const version = async (resources: TestResources) => await resources.idFor('versionId');

const commit = (resources: TestResources) => ({ ...repository(resources), commitMessage: 'Export' });
/** Creates content with an import by an app that predates the integrations. */
const legacyInstallation = async (resources: TestResources) => {
  await content(resources);
  const { query } = resources.server.database;
  const { id, git } = await query
    .selectFrom('spaces')
    .select(['id', 'git'])
    .where('id', '=', await resources.idFor('spaceId'))
    .executeTakeFirstOrThrow();
  if (!git) {
    throw new Error('The import recorded no repository.');
  }
  const legacy = writeJson({ ...readJson(git), installationProvider: 'github-legacy' as const });
  await query.updateTable('spaces').set({ git: legacy }).where('id', '=', id).execute();
};

const anotherSpace = async (resources: TestResources) => ({
  spaceId: await resources.fresh().idFor('spaceId'),
});
const path = () => ({ path: 'another-path' });
const publishedUrl = async (resources: TestResources) => ({
  url: `${resources.server.url}/sites/${resources.organization}/${await resources.idFor('siteId')}`,
});
const theSection = async (resources: TestResources) => ({
  sectionId: await resources.idFor('siteSectionId'),
});
const sectionToEnd = async (resources: TestResources) => ({
  item: { type: 'site-section', id: await resources.idFor('siteSectionId') },
  position: {},
});
/** Creates the section, and another one after it. */
const sectionBeforeAnother = async (resources: TestResources) => {
  await resources.idFor('siteSectionId');
  await createSection(resources);
};
const groupBeforeAnother = async (resources: TestResources) => {
  await resources.idFor('siteSectionGroupId');
  await createGroup(resources);
};
const groupWithAnotherSection = async (resources: TestResources) =>
  await addToGroup(resources, await createSection(resources));
const translation = async (resources: TestResources) => ({
  source: { space: await resources.idFor('spaceId'), language: 'en' },
  language: 'fr',
});
const instructions = () => ({ instructions: { object: 'document', data: {}, nodes: [] } });
/** Publishes an integration that is not installed. */
const uninstalled = async (resources: TestResources) => await resources.idFor('integrationName');
/** Installs an integration on no space or site. */
const installed = async (resources: TestResources) => await resources.idFor('installationId');
/** The component of an installed integration in a page. */
const component = async (resources: TestResources) => {
  await resources.idFor('installationId');
  const context = {
    type: 'document',
    spaceId: await resources.idFor('spaceId'),
    editable: false,
    theme: 'light',
  };
  return { componentId: 'greeting', props: {}, context };
};
const compressedComponent = async (resources: TestResources) => ({
  request: lzString.compressToEncodedURIComponent(JSON.stringify(await component(resources))),
});
const inOrganization = ({ organization }: TestResources) => ({ organization });
const onSpace = async (resources: TestResources) => ({ space: await resources.idFor('spaceId') });
const onSite = async (resources: TestResources) => ({ site: await resources.idFor('siteId') });
const tunnel = () => ({ tunnelUrl: 'https://quiet-fox.example.net' });
const externalIds = () => ({ externalIds: ['customer'] });

const title = () => ({ title: 'Another title' });
const approval = () => ({ status: 'approved' });
const reviewer = async (resources: TestResources) => ({ users: [await resources.idFor('userId')] });
const subject = () => ({ subject: 'Another subject' });
const page = () => ({ changes: [{ operation: 'insert_page', document: { markdown: 'New.' } }] });
const role = () => ({ role: 'read' });
const text = () => ({ body: { markdown: 'Is this still so?' } });
const reaction = () => ({ addedReactions: ['👍'] });

/**
 * Statuses of each operation for all callers: they use resources of the same organization, where guests have no
 * grants. Without a token, and with an unknown or revoked one, all operations return 401.
 *
 * A new operation needs a row.
 */
// biome-ignore format: a table is read by its columns.
export const TABLE: Partial<Record<OperationId, Row>> = {
  //                                     admin creator editor reader guest outsider
  // Collections
  listCollections:              statuses(  200,  200,  200,  200,  200,  404 ),
  createCollection:             statuses(  201,  201,  403,  403,  403,  404 ),
  getCollection:                statuses(  200,  200,  200,  200,  404,  404 ),
  updateCollection:          { ...statuses(200,  403,  403,  403,  404,  404 ), body: title },
  deleteCollection:             statuses(  204,  403,  403,  403, retained, retained ),
  listCollectionSpaces:         statuses(  200,  200,  200,  200,  404,  404 ),
  moveCollection:            { ...statuses(200,  200,  403,  403,  404,  404 ), body: intoAnother },
  transferCollection:        { ...statuses(200,  403,  403,  403,  404,  404 ), body: toOwnOrganization },
  createCollectionGrants:    { ...statuses(204,  403,  403,  403,  404,  404 ), body: forAnotherUser },
  listCollectionUserGrants:     statuses(  200,  403,  403,  403,  404,  404 ),
  updateCollectionUserGrant: { ...statuses(204,  403,  403,  403,  404,  404 ), body: role },
  deleteCollectionUserGrant:    statuses(  204,  403,  403,  403, retained, retained ),
  listCollectionTeamGrants:     statuses(  200,  403,  403,  403,  404,  404 ),
  updateCollectionTeamGrant: { ...statuses(204,  403,  403,  403,  404,  404 ), body: role },
  deleteCollectionTeamGrant:    statuses(  204,  403,  403,  403, retained, retained ),

  // Sites: the spaces of the site are not visible to the guest.
  listSites:                    statuses(  200,  200,  200,  200,  200,  404 ),
  createSite:                   statuses(  201,  201,  403,  403,  403,  404 ),
  getSite:                      statuses(  200,  200,  200,  200,  404,  404 ),
  updateSite:                { ...statuses(200,  403,  403,  403,  404,  404 ), body: title },
  deleteSite:                   statuses(  204,  403,  403,  403, retained, retained ),
  publishSite:                  statuses(  200,  200,  403,  403,  404,  404 ),
  unpublishSite:                statuses(  200,  200,  403,  403,  404,  404 ),
  getSiteAdaptiveSchema:     { ...statuses(200,  200,  200,  200,  404,  404 ), prepare: setAdaptiveSchema },
  replaceSiteAdaptiveSchema: { ...statuses(200,  200,  403,  403,  404,  404 ), body: adaptiveSchema },
  getSiteAdaptiveConditionTemplates: statuses(200, 200, 200, 200, 404, 404 ),
  getSitePublishingAuth:        statuses(  200,  200,  403,  403,  404,  404 ),
  updateSitePublishingAuth:  { ...statuses(200,  200,  403,  403,  404,  404 ), body: () => ({ fallbackURL: null }) },
  regenerateSitePublishingAuth: statuses(  200,  200,  403,  403,  404,  404 ),
  listSiteRedirects:            statuses(  200,  200,  200,  200,  404,  404 ),
  createSiteRedirect:        { ...statuses(201,  201,  403,  403,  404,  404 ), body: newRedirect },
  getSiteRedirect:              statuses(  200,  200,  200,  200,  404,  404 ),
  updateSiteRedirect:        { ...statuses(200,  200,  403,  403,  404,  404 ), body: () => ({ permanent: true }) },
  deleteSiteRedirect:           statuses(  204,  204,  403,  403, retained, retained ),
  listSiteFeedback:             statuses(  200,  200,  403,  403,  404,  404 ),
  listShareLinks:               statuses(  200,  200,  403,  403,  404,  404 ),
  createShareLink:           { ...statuses(201,  201,  403,  403,  404,  404 ), body: () => ({ name: 'Reviewers' }) },
  updateShareLink:           { ...statuses(200,  200,  403,  403,  404,  404 ), body: () => ({ active: false }) },
  deleteShareLink:              statuses(  204,  204,  403,  403, retained, retained ),
  getSubdomain:                 statuses(  200,  200,  200,  200,  200,  200 ),
  getPublishedSite:          { ...statuses(200,  200,  200,  200,  404,  404 ), prepare: publishSite },
  resolvePublishedUrl:       { ...statuses(200,  200,  200,  200,  404,  404 ), body: publishedUrl, prepare: publishSite, anonymous: 404 },
  searchSite:                { ...statuses(200,  200,  200,  200,  404,  404 ), body: () => ({ query: 'welcome' }), prepare: publishSite },
  getSiteRedirectBySource:   { ...statuses(200,  200,  200,  200,  404,  404 ), query: siteSpaceAsSource, prepare: publishPages },
  recordSiteEvents:          { ...statuses(204,  204,  204,  204,  404,  404 ), body: () => ({ events: [] }), prepare: publishSite },
  askSite:                   { ...statuses(501,  501,  501,  501,  404,  404 ), body: () => ({ question: 'Why?', scope: { mode: 'all' } }), prepare: publishSite },
  getSiteStructure:             statuses(  200,  200,  200,  200,  404,  404 ),
  sortSiteStructure:         { ...statuses(200,  200,  403,  403,  404,  404 ), body: sectionToEnd, prepare: sectionBeforeAnother },
  getSiteCustomization:         statuses(  200,  200,  200,  200,  404,  404 ),
  replaceSiteCustomization:  { ...statuses(200,  403,  403,  403,  404,  404 ), body: () => DEFAULT_CUSTOMIZATION },
  listSiteSpaces:               statuses(  200,  200,  200,  200,  404,  404 ),
  createSiteSpace:           { ...statuses(201,  201,  403,  403,  404,  404 ), body: anotherSpace },
  updateSiteSpace:           { ...statuses(200,  200,  403,  403,  404,  404 ), body: path },
  deleteSiteSpace:              statuses(  204,  204,  403,  403, retained, retained ),
  moveSiteSpace:             { ...statuses(200,  200,  403,  403,  404,  404 ), prepare: createSiteSpace },
  listSiteSections:             statuses(  200,  200,  200,  200,  404,  404 ),
  createSiteSection:         { ...statuses(201,  201,  403,  403,  404,  404 ), body: anotherSpace },
  updateSiteSection:         { ...statuses(200,  200,  403,  403,  404,  404 ), body: path },
  deleteSiteSection:            statuses(  204,  204,  403,  403, retained, retained ),
  moveSiteSection:           { ...statuses(200,  200,  403,  403,  404,  404 ), prepare: sectionBeforeAnother },
  listSiteSectionGroups:        statuses(  200,  200,  200,  200,  404,  404 ),
  createSiteSectionGroup:    { ...statuses(201,  201,  403,  403,  404,  404 ), body: title },
  updateSiteSectionGroup:    { ...statuses(200,  200,  403,  403,  404,  404 ), body: title },
  deleteSiteSectionGroup:       statuses(  204,  204,  403,  403, retained, retained ),
  moveSiteSectionGroup:      { ...statuses(200,  200,  403,  403,  404,  404 ), prepare: groupBeforeAnother },
  addSiteSectionToGroup:     { ...statuses(201,  201,  403,  403,  404,  404 ), body: theSection, prepare: groupWithAnotherSection },
  removeSiteSectionFromGroup:   statuses(  204,  204,  403,  403, retained, retained ),

  // Organizations
  listOrganizations:            statuses(  200,  200,  200,  200,  200,  200 ),
  createOrganization:        { ...statuses(201,  201,  201,  201,  201,  201 ), body: title },
  getOrganization:              statuses(  200,  200,  200,  200,  200,  404 ),
  listOrganizationFiles:        statuses(  200,  200,  403,  403,  403,  404 ),
  createOrganizationFile:    { ...statuses(201,  201,  403,  403,  403,  404 ), body: () => ({ name: 'logo.svg', base64: btoa('<svg></svg>') }) },
  getOrganizationFile:          statuses(  200,  200,  403,  403,  403,  404 ),
  deleteOrganizationFile:       statuses(  204,  204,  403,  403,  403, retained ),
  updateOrganization:        { ...statuses(200,  403,  403,  403,  403,  404 ), body: title },
  getSpaceMap:                  statuses(  200,  403,  403,  403,  403,  404 ),
  replaceSpaceMap:           { ...statuses(200,  403,  403,  403,  403,  404 ), body: () => ({ spaceMap: {} }) },
  searchOrganization:        { ...statuses(200,  200,  200,  200,  200,  404 ), query: { query: 'welcome' } },
  getEmailDomainOrganizations:  statuses(  200,  200,  200,  200,  200,  200 ),

  // Invitations: anyone who has a link may use it; the link here is for the organization.
  inviteUsers:               { ...statuses(200,  403,  403,  403,  403,  404 ), body: () => ({ emails: ['somebody@example.com'] }) },
  acceptInvite:                 statuses(  200,  200,  200,  200,  200,  200 ),
  listLinkInvites:              statuses(  200,  200,  200,  200,  200,  404 ),
  createLinkInvite:          { ...statuses(201,  403,  403,  403,  403,  404 ), body: role },
  getLinkInvite:                statuses(  200,  404,  404,  404,  404,  404 ),
  updateLinkInvite:          { ...statuses(200,  404,  404,  404,  404,  404 ), body: role },
  deleteLinkInvite:             statuses(  204, retained, retained, retained, retained, retained ),

  // Members: the member in the path is not the caller.
  getCurrentUser:               statuses(  200,  200,  200,  200,  200,  200 ),
  listMembers:                  statuses(  200,  200,  200,  200,  200,  404 ),
  getMember:                    statuses(  200,  200,  200,  200,  200,  404 ),
  updateMember:              { ...statuses(200,  403,  403,  403,  403,  404 ), body: role },
  deleteMember:                 statuses(  204,  403,  403,  403,  403, retained ),
  enableMemberSso:              statuses(  200,  403,  403,  403,  403,  404 ),
  listMemberSpaces:             statuses(  200,  200,  200,  200,  200,  404 ),
  listMemberTeams:              statuses(  200,  200,  200,  200,  200,  404 ),
  pingOrganization:             statuses(  200,  200,  200,  200,  200,  404 ),

  // Access tokens: the token in the path belongs to another user.
  listAccessTokens:             statuses(  200,  200,  200,  200,  200,  200 ),
  createAccessToken:         { ...statuses(201,  201,  201,  201,  201,  201 ), body: () => ({ label: 'Export' }) },
  revokeAccessToken:            statuses( retained, retained, retained, retained, retained, retained ),
  listMemberAccessTokens:       statuses(  200,  403,  403,  403,  403,  404 ),
  revokeMemberAccessToken:      statuses(  204,  403,  403,  403,  403, retained ),

  // Audit trail
  listAuditEvents:              statuses(  200,  403,  403,  403,  403,  404 ),
  getOrganizationQuotas:        statuses(  200,  403,  403,  403,  403,  404 ),
  getAuditEvent:                statuses(  200,  403,  403,  403,  403,  404 ),

  // Teams
  listTeams:                    statuses(  200,  200,  200,  200,  200,  404 ),
  createTeam:                { ...statuses(201,  403,  403,  403,  403,  404 ), body: title },
  getTeam:                      statuses(  200,  200,  200,  200,  200,  404 ),
  updateTeam:                { ...statuses(200,  403,  403,  403,  403,  404 ), body: title },
  deleteTeam:                   statuses(  204,  403,  403,  403,  403, retained ),
  listTeamMembers:              statuses(  200,  200,  200,  200,  200,  404 ),
  updateTeamMembers:         { ...statuses(204,  403,  403,  403,  403,  404 ), body: () => ({}) },
  setTeamMember:             { ...statuses(204,  403,  403,  403,  403,  404 ), body: () => ({ role: 'owner' }) },
  deleteTeamMember:             statuses(  204,  403,  403,  403,  403, retained ),

  // SAML and SSO
  listSamlProviders:            statuses(  200,  403,  403,  403,  403,  404 ),
  createSamlProvider:        { ...statuses(201,  403,  403,  403,  403,  404 ), body: () => ({ label: 'Accounts' }) },
  getSamlProvider:              statuses(  200,  403,  403,  403,  403,  404 ),
  updateSamlProvider:        { ...statuses(200,  403,  403,  403,  403,  404 ), body: () => ({ label: 'Others' }) },
  deleteSamlProvider:           statuses(  204,  403,  403,  403,  403, retained ),
  getSsoLogins:                 statuses(  200,  200,  200,  200,  200,  404 ),

  // Spaces
  listSpaces:                   statuses(  200,  200,  200,  200,  200,  404 ),
  createSpace:                  statuses(  201,  201,  403,  403,  403,  404 ),
  getSpace:                     statuses(  200,  200,  200,  200,  404,  404 ),
  updateSpace:               { ...statuses(200,  403,  403,  403,  404,  404 ), body: title },
  deleteSpace:                  statuses(  204,  403,  403,  403, retained, retained ),
  restoreSpace:              { ...statuses(200,  404,  404,  404,  404,  404 ), prepare: deletedSpace },
  duplicateSpace:               statuses(  201,  201,  403,  403,  404,  404 ),
  moveSpace:                 { ...statuses(200,  200,  403,  403,  404,  404 ), body: intoAnother },
  transferSpace:             { ...statuses(200,  403,  403,  403,  404,  404 ), body: toOwnOrganization },
  createSpaceGrants:         { ...statuses(204,  403,  403,  403,  404,  404 ), body: forAnotherUser },
  listSpaceUserGrants:          statuses(  200,  403,  403,  403,  404,  404 ),
  updateSpaceUserGrant:      { ...statuses(204,  403,  403,  403,  404,  404 ), body: role },
  deleteSpaceUserGrant:         statuses(  204,  403,  403,  403, retained, retained ),
  listSpaceTeamGrants:          statuses(  200,  403,  403,  403,  404,  404 ),
  updateSpaceTeamGrant:      { ...statuses(204,  403,  403,  403,  404,  404 ), body: role },
  deleteSpaceTeamGrant:         statuses(  204,  403,  403,  403, retained, retained ),

  // Content of spaces
  getSpaceContent:              statuses(  200,  200,  200,  200,  404,  404 ),
  getSpacePageTree:             statuses(  200,  200,  200,  200,  404,  404 ),
  getSpacePage:                 statuses(  200,  200,  200,  200,  404,  404 ),
  listSpaceFiles:               statuses(  200,  200,  200,  200,  404,  404 ),
  getSpaceFile:                 statuses(  200,  200,  200,  200,  404,  404 ),
  listSpaceLinks:               statuses(  200,  200,  200,  200,  404,  404 ),
  listSpacePageLinks:           statuses(  200,  200,  200,  200,  404,  404 ),
  listSpacePageBacklinks:       statuses(  200,  200,  200,  200,  404,  404 ),
  listSpaceFileBacklinks:       statuses(  200,  200,  200,  200,  404,  404 ),
  searchSpace:               { ...statuses(200,  200,  200,  200,  404,  404 ), query: { query: 'welcome' } },

  getSpacePageByPath:           statuses(  200,  200,  200,  200,  404,  404 ),
  getRevision:                  statuses(  200,  200,  200,  200,  404,  404 ),
  getRevisionPageTree:          statuses(  200,  200,  200,  200,  404,  404 ),
  listRevisionFiles:            statuses(  200,  200,  200,  200,  404,  404 ),
  getRevisionPage:              statuses(  200,  200,  200,  200,  404,  404 ),
  getRevisionChanges:           statuses(  200,  200,  200,  200,  404,  404 ),
  getRevisionPageByPath:        statuses(  200,  200,  200,  200,  404,  404 ),
  getRevisionPageDocument:      statuses(  200,  200,  200,  200,  404,  404 ),
  getRevisionReusableContentDocument: statuses(200, 200, 200, 200, 404, 404 ),

  // OpenAPI specs
  listOpenAPISpecs:             statuses(  200,  200,  200,  200,  200,  404 ),
  createOpenAPISpec:         { ...statuses(201,  201,  403,  403,  403,  404 ), body: anotherPetStore },
  getOpenAPISpec:               statuses(  200,  200,  200,  200,  200,  404 ),
  putOpenAPISpec:            { ...statuses(200,  200,  403,  403,  403,  404 ), body: () => petStore },
  updateOpenAPISpec:         { ...statuses(200,  200,  403,  403,  403,  404 ), body: () => ({ visibility: 'public' }) },
  deleteOpenAPISpec:            statuses(  204,  204,  403,  403,  403, retained ),
  listOpenAPISpecVersions:      statuses(  200,  200,  200,  200,  200,  404 ),
  getLatestOpenAPISpecVersion: { ...statuses(200, 200, 200,  200,  200,  404 ), prepare: version },
  getLatestOpenAPISpecVersionContent: { ...statuses(200, 200, 200, 200, 200, 404), prepare: version },
  getOpenAPISpecVersion:        statuses(  200,  200,  200,  200,  200,  404 ),
  getOpenAPISpecVersionContent: statuses(  200,  200,  200,  200,  200,  404 ),

  // Translations
  listTranslations:             statuses(  200,  200,  200,  200,  200,  404 ),
  createTranslation:         { ...statuses(201,  201,  403,  403,  403,  404 ), body: translation },
  getTranslation:               statuses(  200,  200,  200,  200,  200,  404 ),
  updateTranslation:         { ...statuses(200,  200,  403,  403,  403,  404 ), body: instructions },
  deleteTranslation:            statuses(  204,  204,  403,  403,  403, retained ),
  runTranslation:               statuses(  204,  204,  403,  403,  403,  404 ),

  // Change requests
  listChangeRequests:           statuses(  200,  200,  200,  200,  404,  404 ),
  createChangeRequest:       { ...statuses(201,  201,  201,  403,  404,  404 ), body: subject },
  getChangeRequest:             statuses(  200,  200,  200,  200,  404,  404 ),
  updateChangeRequest:       { ...statuses(200,  200,  200,  403,  404,  404 ), body: subject },
  mergeChangeRequest:           statuses(  200,  200,  403,  403,  404,  404 ),
  syncChangeRequest:            statuses(  200,  200,  200,  403,  404,  404 ),
  listChangeRequestReviews:     statuses(  200,  200,  200,  200,  404,  404 ),
  createChangeRequestReview: { ...statuses(201,  201,  403,  403,  404,  404 ), body: approval },
  getChangeRequestReview:       statuses(  200,  200,  200,  200,  404,  404 ),
  listRequestedReviewers:       statuses(  200,  200,  200,  200,  404,  404 ),
  addRequestedReviewers:     { ...statuses(200,  200,  200,  403,  404,  404 ), body: reviewer },
  removeRequestedReviewer:      statuses(  204,  204,  204,  403, retained, retained ),
  getChangeRequestContent:      statuses(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestChanges:      statuses(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPageTree:     statuses(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPage:         statuses(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPageByPath:   statuses(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPdf:          statuses(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestFiles:       statuses(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestFile:         statuses(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestLinks:       statuses(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestPageLinks:   statuses(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestPageBacklinks: statuses(200,  200,  200,  200,  404,  404 ),
  listChangeRequestFileBacklinks: statuses(200,  200,  200,  200,  404,  404 ),

  // Comments: these are by the admin.
  listSpaceComments:            statuses(  200,  200,  200,  200,  404,  404 ),
  createSpaceComment:        { ...statuses(201,  201,  201,  403,  404,  404 ), body: text },
  getSpaceComment:              statuses(  200,  200,  200,  200,  404,  404 ),
  updateSpaceComment:        { ...statuses(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteSpaceComment:           statuses(  204,  403,  403,  403, retained, retained ),
  listSpaceCommentReplies:      statuses(  200,  200,  200,  200,  404,  404 ),
  createSpaceCommentReply:   { ...statuses(201,  201,  201,  403,  404,  404 ), body: text },
  getSpaceCommentReply:         statuses(  200,  200,  200,  200,  404,  404 ),
  updateSpaceCommentReply:   { ...statuses(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteSpaceCommentReply:      statuses(  204,  403,  403,  403, retained, retained ),
  listSpaceCommenters:          statuses(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestComments:          statuses(  200,  200,  200,  200,  404,  404 ),
  createChangeRequestComment:      { ...statuses(201,  201,  201,  403,  404,  404 ), body: text },
  getChangeRequestComment:            statuses(  200,  200,  200,  200,  404,  404 ),
  updateChangeRequestComment:      { ...statuses(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteChangeRequestComment:         statuses(  204,  403,  403,  403, retained, retained ),
  listChangeRequestCommentReplies:    statuses(  200,  200,  200,  200,  404,  404 ),
  createChangeRequestCommentReply: { ...statuses(201,  201,  201,  403,  404,  404 ), body: text },
  getChangeRequestCommentReply:       statuses(  200,  200,  200,  200,  404,  404 ),
  updateChangeRequestCommentReply: { ...statuses(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteChangeRequestCommentReply:    statuses(  204,  403,  403,  403, retained, retained ),
  listChangeRequestCommenters:        statuses(  200,  200,  200,  200,  404,  404 ),

  // Content import
  listContentImportRuns:        statuses(  200,  200,  200,  200,  404,  404 ),
  getContentImportRun:          statuses(  200,  200,  200,  200,  404,  404 ),
  listImportRuns:               statuses(  200,  200,  200,  200,  200,  404 ),
  startImportRun:            { ...statuses(201,  201,  201,  403,  400,  404 ), body: fileImport },
  getImportRun:                 statuses(  200,  200,  200,  200,  404,  404 ),
  cancelImportRun:              statuses(  200,  200,  200,  403,  404,  404 ),
  importSpaceContent:        { ...statuses(201,  201,  201,  403,  404,  404 ), body: wiki },
  importChangeRequestContent: { ...statuses(201, 201,  201,  403,  404,  404 ), body: wiki },

  // Editing
  updateChangeRequestContent: { ...statuses(200, 200,  200,  403,  404,  404 ), body: page },
  applySpaceTemplate:        { ...statuses(204,  204,  204,  403,  404,  404 ), body: () => ({ id: 'tpl_handbook' }) },

  // Integrations: this one is public.
  listIntegrations:             statuses(  200,  200,  200,  200,  200,  200 ),
  getIntegration:               statuses(  200,  200,  200,  200,  200,  200 ),
  publishIntegration:        { ...statuses(200,  403,  403,  403,  403,  404 ), body: inOrganization },
  unpublishIntegration:         statuses(  204,  403,  403,  403,  403,  403 ),
  startIntegrationDevelopment: { ...statuses(204, 403, 403,  403,  403,  403 ), body: tunnel },
  // Nothing that can be read shows whether an integration is in development.
  stopIntegrationDevelopment:   statuses( retained, 403, 403, 403, 403, 403 ),
  listIntegrationEvents:        statuses(  200,  403,  403,  403,  403,  403 ),
  getIntegrationEvent:          statuses(  200,  403,  403,  403,  403,  403 ),
  renderIntegration:         { ...statuses(200,  200,  200,  200,  404,  404 ), query: compressedComponent },
  renderIntegrationComponent: { ...statuses(200, 200,  200,  200,  404,  404 ), body: component },
  listInstallations:            statuses(  200,  200,  200,  200,  200,  200 ),
  createInstallation:        { ...statuses(201,  403,  403,  403,  403,  404 ), body: inOrganization, prepare: uninstalled },
  getInstallation:              statuses(  200,  200,  200,  200,  404,  404 ),
  updateInstallation:        { ...statuses(200,  403,  403,  403,  404,  404 ), body: externalIds },
  deleteInstallation:           statuses(  204,  403,  403,  403, retained, retained ),
  createInstallationToken:      statuses(  200,  403,  403,  403,  404,  404 ),
  listSpaceInstallations:       statuses(  200,  200,  200,  200,  200,  200 ),
  listInstallationSpaces:       statuses(  200,  200,  200,  200,  404,  404 ),
  createSpaceInstallation:   { ...statuses(201,  403,  403,  403,  404,  404 ), body: onSpace, prepare: installed },
  getSpaceInstallation:         statuses(  200,  200,  200,  200,  404,  404 ),
  updateSpaceInstallation:   { ...statuses(200,  403,  403,  403,  404,  404 ), body: externalIds },
  deleteSpaceInstallation:      statuses(  204,  403,  403,  403, retained, retained ),
  listSiteInstallations:        statuses(  200,  200,  200,  200,  200,  200 ),
  listInstallationSites:        statuses(  200,  200,  200,  200,  404,  404 ),
  createSiteInstallation:    { ...statuses(201,  403,  403,  403,  404,  404 ), body: onSite, prepare: installed },
  getSiteInstallation:          statuses(  200,  200,  200,  200,  404,  404 ),
  updateSiteInstallation:    { ...statuses(200,  403,  403,  403,  404,  404 ), body: externalIds },
  deleteSiteInstallation:       statuses(  204,  403,  403,  403, retained, retained ),

  // Git
  importGitRepository:       { ...statuses(204,  204,  403,  403,  404,  404 ), body: repository },
  exportGitRepository:       { ...statuses(204,  204,  204,  403,  404,  404 ), body: commit },
  deleteLegacyGitInstallation: { ...statuses(204,  403,  403,  403, retained, retained ), prepare: legacyInstallation },
  getGitInfo:                { ...statuses(200,  200,  200,  200,  404,  404 ), prepare: content },
  listGitRuns:                  statuses(  200,  200,  200,  200,  404,  404 ),
  getGitRun:                    statuses(  200,  200,  200,  200,  404,  404 ),
};

async function deletedSpace(resources: TestResources): Promise<void> {
  const path = { spaceId: await resources.idFor('spaceId') };
  await ok(resources.owner.client.DELETE('/v1/spaces/{spaceId}', { params: { path } }));
}
