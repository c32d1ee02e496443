import { ok } from '../../../client/index.ts';
import { readJson, writeJson } from '../../../server/database/json.ts';
import type { OperationId } from '../../../server/resources/kit/slice.ts';
import type { Person } from '../../support/server.ts';
import type { Things } from '../../support/things.ts';

/** Who asks: members of the organization by their role, and an admin of another organization. */
export const CALLERS = ['admin', 'creator', 'editor', 'reader', 'guest', 'stranger'] as const;
export type CallerName = (typeof CALLERS)[number];

/** A status, or `kept`: a DELETE answered 204 and nothing was deleted, for the caller does not see the thing. */
export type Outcome = number | 'kept';

/** What an operation answers each caller, and how to ask for it. */
export interface Row {
  answers: readonly Outcome[];
  body?: (things: Things, caller: Person) => unknown;
  query?: Record<string, string>;
  /** What has to be so before, beside the existence of what the path names. */
  given?: (things: Things) => Promise<unknown>;
}

type Answers = [
  admin: Outcome,
  creator: Outcome,
  editor: Outcome,
  reader: Outcome,
  guest: Outcome,
  stranger: Outcome,
];

const to = (...answers: Answers): Row => ({ answers });
const kept = 'kept';

/** An organization that the caller may give things to. */
const toTheirs = async (_things: Things, { client }: Person) => ({
  organization: (await ok(client.POST('/v1/orgs', { body: { title: 'Theirs' } }))).id,
});
const intoAnother = async (things: Things) => ({ parent: await things.afresh().one('collectionId') });
const forSomebody = async (things: Things) => ({ role: 'read', users: [await things.one('userId')] });
/** Makes content of an import, so that there is some to read. */
const content = async (things: Things) => await things.one('pageId');

/** A wiki is a Git repository, such as the one that is there. */
const wiki = ({ repository: { url } }: Things) => ({ url, source: 'github-wiki' });
const repository = ({ repository: { url } }: Things) => ({ url, ref: 'refs/heads/main' });

let specifications = 0;
const petStore = { source: { text: '{"openapi": "3.1.0"}' } };
const anotherPetStore = () => {
  specifications += 1;
  return { ...petStore, slug: `another-${specifications}` };
};
/** Reads the source of the specification, so that there is a version. */
const version = async (things: Things) => await things.one('versionId');

const commit = (things: Things) => ({ ...repository(things), commitMessage: 'Export' });
/** Content of an import, by an app from before the integrations. */
const legacyInstallation = async (things: Things) => {
  await content(things);
  const { query } = things.server.database;
  const { id, git } = await query
    .selectFrom('spaces')
    .select(['id', 'git'])
    .where('id', '=', await things.one('spaceId'))
    .executeTakeFirstOrThrow();
  if (!git) {
    throw new Error('The import left nothing of its repository.');
  }
  const legacy = writeJson({ ...readJson(git), installationProvider: 'github-legacy' as const });
  await query.updateTable('spaces').set({ git: legacy }).where('id', '=', id).execute();
};

const title = () => ({ title: 'Another title' });
const subject = () => ({ subject: 'Another subject' });
const page = () => ({ changes: [{ operation: 'insert_page', document: { markdown: 'New.' } }] });
const role = () => ({ role: 'read' });
const text = () => ({ body: { markdown: 'Is this still so?' } });
const reaction = () => ({ addedReactions: ['👍'] });

/**
 * What each operation answers to whom: all callers ask for things in the same organization, where guests were
 * granted nothing. Without a token, and with one that is unknown or revoked, all of them answer 401.
 *
 * Whoever implements an operation adds its row.
 */
// biome-ignore format: a table is read by its columns.
export const TABLE: Partial<Record<OperationId, Row>> = {
  //                               admin creator editor reader guest stranger
  // Collections
  listCollections:              to(  200,  200,  200,  200,  200,  404 ),
  createCollection:             to(  201,  201,  403,  403,  403,  404 ),
  getCollection:                to(  200,  200,  200,  200,  404,  404 ),
  updateCollection:          { ...to(200,  403,  403,  403,  404,  404 ), body: title },
  deleteCollection:             to(  204,  403,  403,  403, kept, kept ),
  listCollectionSpaces:         to(  200,  200,  200,  200,  404,  404 ),
  moveCollection:            { ...to(200,  200,  403,  403,  404,  404 ), body: intoAnother },
  transferCollection:        { ...to(200,  403,  403,  403,  404,  404 ), body: toTheirs },
  createCollectionGrants:    { ...to(204,  403,  403,  403,  404,  404 ), body: forSomebody },
  listCollectionUserGrants:     to(  200,  403,  403,  403,  404,  404 ),
  updateCollectionUserGrant: { ...to(204,  403,  403,  403,  404,  404 ), body: role },
  deleteCollectionUserGrant:    to(  204,  403,  403,  403, kept, kept ),
  listCollectionTeamGrants:     to(  200,  403,  403,  403,  404,  404 ),
  updateCollectionTeamGrant: { ...to(204,  403,  403,  403,  404,  404 ), body: role },
  deleteCollectionTeamGrant:    to(  204,  403,  403,  403, kept, kept ),

  // Organizations
  listOrganizations:            to(  200,  200,  200,  200,  200,  200 ),
  createOrganization:        { ...to(201,  201,  201,  201,  201,  201 ), body: title },
  getOrganization:              to(  200,  200,  200,  200,  200,  404 ),
  updateOrganization:        { ...to(200,  403,  403,  403,  403,  404 ), body: title },
  searchOrganization:        { ...to(200,  200,  200,  200,  200,  404 ), query: { query: 'welcome' } },
  getEmailDomainOrganizations:  to(  200,  200,  200,  200,  200,  200 ),

  // Invitations: whoever has a link may use it; the link here leads to the organization.
  inviteUsers:               { ...to(200,  403,  403,  403,  403,  404 ), body: () => ({ emails: ['somebody@example.com'] }) },
  acceptInvite:                 to(  200,  200,  200,  200,  200,  200 ),
  listLinkInvites:              to(  200,  200,  200,  200,  200,  404 ),
  createLinkInvite:          { ...to(201,  403,  403,  403,  403,  404 ), body: role },
  getLinkInvite:                to(  200,  404,  404,  404,  404,  404 ),
  updateLinkInvite:          { ...to(200,  404,  404,  404,  404,  404 ), body: role },
  deleteLinkInvite:             to(  204, kept, kept, kept, kept, kept ),

  // Members: the member named is another one than the caller.
  getCurrentUser:               to(  200,  200,  200,  200,  200,  200 ),
  listMembers:                  to(  200,  200,  200,  200,  200,  404 ),
  getMember:                    to(  200,  200,  200,  200,  200,  404 ),
  updateMember:              { ...to(200,  403,  403,  403,  403,  404 ), body: role },
  deleteMember:                 to(  204,  403,  403,  403,  403, kept ),
  enableMemberSso:              to(  200,  403,  403,  403,  403,  404 ),
  listMemberSpaces:             to(  200,  200,  200,  200,  200,  404 ),
  listMemberTeams:              to(  200,  200,  200,  200,  200,  404 ),
  pingOrganization:             to(  200,  200,  200,  200,  200,  404 ),

  // Access tokens: the one named belongs to somebody else.
  listAccessTokens:             to(  200,  200,  200,  200,  200,  200 ),
  createAccessToken:         { ...to(201,  201,  201,  201,  201,  201 ), body: () => ({ label: 'Export' }) },
  revokeAccessToken:            to( kept, kept, kept, kept, kept, kept ),
  listMemberAccessTokens:       to(  200,  403,  403,  403,  403,  404 ),
  revokeMemberAccessToken:      to(  204,  403,  403,  403,  403, kept ),

  // Audit trail
  listAuditEvents:              to(  200,  403,  403,  403,  403,  404 ),

  // Teams
  listTeams:                    to(  200,  200,  200,  200,  200,  404 ),
  createTeam:                { ...to(201,  403,  403,  403,  403,  404 ), body: title },
  getTeam:                      to(  200,  200,  200,  200,  200,  404 ),
  updateTeam:                { ...to(200,  403,  403,  403,  403,  404 ), body: title },
  deleteTeam:                   to(  204,  403,  403,  403,  403, kept ),
  listTeamMembers:              to(  200,  200,  200,  200,  200,  404 ),
  updateTeamMembers:         { ...to(204,  403,  403,  403,  403,  404 ), body: () => ({}) },
  setTeamMember:             { ...to(204,  403,  403,  403,  403,  404 ), body: () => ({ role: 'owner' }) },
  deleteTeamMember:             to(  204,  403,  403,  403,  403, kept ),

  // SAML and SSO
  listSamlProviders:            to(  200,  403,  403,  403,  403,  404 ),
  createSamlProvider:        { ...to(201,  403,  403,  403,  403,  404 ), body: () => ({ label: 'Accounts' }) },
  getSamlProvider:              to(  200,  403,  403,  403,  403,  404 ),
  updateSamlProvider:        { ...to(200,  403,  403,  403,  403,  404 ), body: () => ({ label: 'Others' }) },
  deleteSamlProvider:           to(  204,  403,  403,  403,  403, kept ),
  getSsoLogins:                 to(  200,  200,  200,  200,  200,  404 ),

  // Spaces
  listSpaces:                   to(  200,  200,  200,  200,  200,  404 ),
  createSpace:                  to(  201,  201,  403,  403,  403,  404 ),
  getSpace:                     to(  200,  200,  200,  200,  404,  404 ),
  updateSpace:               { ...to(200,  403,  403,  403,  404,  404 ), body: title },
  deleteSpace:                  to(  204,  403,  403,  403, kept, kept ),
  restoreSpace:              { ...to(200,  404,  404,  404,  404,  404 ), given: deletedSpace },
  duplicateSpace:               to(  201,  201,  403,  403,  404,  404 ),
  moveSpace:                 { ...to(200,  200,  403,  403,  404,  404 ), body: intoAnother },
  transferSpace:             { ...to(200,  403,  403,  403,  404,  404 ), body: toTheirs },
  createSpaceGrants:         { ...to(204,  403,  403,  403,  404,  404 ), body: forSomebody },
  listSpaceUserGrants:          to(  200,  403,  403,  403,  404,  404 ),
  updateSpaceUserGrant:      { ...to(204,  403,  403,  403,  404,  404 ), body: role },
  deleteSpaceUserGrant:         to(  204,  403,  403,  403, kept, kept ),
  listSpaceTeamGrants:          to(  200,  403,  403,  403,  404,  404 ),
  updateSpaceTeamGrant:      { ...to(204,  403,  403,  403,  404,  404 ), body: role },
  deleteSpaceTeamGrant:         to(  204,  403,  403,  403, kept, kept ),

  // Content of spaces
  getSpaceContent:              to(  200,  200,  200,  200,  404,  404 ),
  getSpacePageTree:             to(  200,  200,  200,  200,  404,  404 ),
  getSpacePage:                 to(  200,  200,  200,  200,  404,  404 ),
  listSpaceFiles:               to(  200,  200,  200,  200,  404,  404 ),
  getSpaceFile:                 to(  200,  200,  200,  200,  404,  404 ),
  listSpaceLinks:               to(  200,  200,  200,  200,  404,  404 ),
  listSpacePageLinks:           to(  200,  200,  200,  200,  404,  404 ),
  listSpacePageBacklinks:       to(  200,  200,  200,  200,  404,  404 ),
  listSpaceFileBacklinks:       to(  200,  200,  200,  200,  404,  404 ),
  searchSpace:               { ...to(200,  200,  200,  200,  404,  404 ), query: { query: 'welcome' } },

  getSpacePageByPath:           to(  200,  200,  200,  200,  404,  404 ),
  getRevision:                  to(  200,  200,  200,  200,  404,  404 ),
  getRevisionPageTree:          to(  200,  200,  200,  200,  404,  404 ),
  listRevisionFiles:            to(  200,  200,  200,  200,  404,  404 ),
  getRevisionPage:              to(  200,  200,  200,  200,  404,  404 ),

  // OpenAPI specs
  listOpenAPISpecs:             to(  200,  200,  200,  200,  200,  404 ),
  createOpenAPISpec:         { ...to(201,  201,  403,  403,  403,  404 ), body: anotherPetStore },
  getOpenAPISpec:               to(  200,  200,  200,  200,  200,  404 ),
  putOpenAPISpec:            { ...to(200,  200,  403,  403,  403,  404 ), body: () => petStore },
  updateOpenAPISpec:         { ...to(200,  200,  403,  403,  403,  404 ), body: () => ({ visibility: 'public' }) },
  deleteOpenAPISpec:            to(  204,  204,  403,  403,  403, kept ),
  listOpenAPISpecVersions:      to(  200,  200,  200,  200,  200,  404 ),
  getLatestOpenAPISpecVersion: { ...to(200, 200, 200,  200,  200,  404 ), given: version },
  getLatestOpenAPISpecVersionContent: { ...to(200, 200, 200, 200, 200, 404), given: version },
  getOpenAPISpecVersion:        to(  200,  200,  200,  200,  200,  404 ),
  getOpenAPISpecVersionContent: to(  200,  200,  200,  200,  200,  404 ),

  // Change requests
  listChangeRequests:           to(  200,  200,  200,  200,  404,  404 ),
  createChangeRequest:       { ...to(201,  201,  201,  403,  404,  404 ), body: subject },
  getChangeRequest:             to(  200,  200,  200,  200,  404,  404 ),
  updateChangeRequest:       { ...to(200,  200,  200,  403,  404,  404 ), body: subject },
  mergeChangeRequest:           to(  200,  200,  403,  403,  404,  404 ),
  syncChangeRequest:            to(  200,  200,  200,  403,  404,  404 ),
  getChangeRequestContent:      to(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPageTree:     to(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPage:         to(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestPdf:          to(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestFiles:       to(  200,  200,  200,  200,  404,  404 ),
  getChangeRequestFile:         to(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestLinks:       to(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestPageLinks:   to(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestPageBacklinks: to(200,  200,  200,  200,  404,  404 ),
  listChangeRequestFileBacklinks: to(200,  200,  200,  200,  404,  404 ),

  // Comments: those here are by the admin.
  listSpaceComments:            to(  200,  200,  200,  200,  404,  404 ),
  createSpaceComment:        { ...to(201,  201,  201,  403,  404,  404 ), body: text },
  getSpaceComment:              to(  200,  200,  200,  200,  404,  404 ),
  updateSpaceComment:        { ...to(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteSpaceComment:           to(  204,  403,  403,  403, kept, kept ),
  listSpaceCommentReplies:      to(  200,  200,  200,  200,  404,  404 ),
  createSpaceCommentReply:   { ...to(201,  201,  201,  403,  404,  404 ), body: text },
  getSpaceCommentReply:         to(  200,  200,  200,  200,  404,  404 ),
  updateSpaceCommentReply:   { ...to(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteSpaceCommentReply:      to(  204,  403,  403,  403, kept, kept ),
  listSpaceCommenters:          to(  200,  200,  200,  200,  404,  404 ),
  listChangeRequestComments:          to(  200,  200,  200,  200,  404,  404 ),
  createChangeRequestComment:      { ...to(201,  201,  201,  403,  404,  404 ), body: text },
  getChangeRequestComment:            to(  200,  200,  200,  200,  404,  404 ),
  updateChangeRequestComment:      { ...to(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteChangeRequestComment:         to(  204,  403,  403,  403, kept, kept ),
  listChangeRequestCommentReplies:    to(  200,  200,  200,  200,  404,  404 ),
  createChangeRequestCommentReply: { ...to(201,  201,  201,  403,  404,  404 ), body: text },
  getChangeRequestCommentReply:       to(  200,  200,  200,  200,  404,  404 ),
  updateChangeRequestCommentReply: { ...to(200,  200,  200,  403,  404,  404 ), body: reaction },
  deleteChangeRequestCommentReply:    to(  204,  403,  403,  403, kept, kept ),
  listChangeRequestCommenters:        to(  200,  200,  200,  200,  404,  404 ),

  // Content import
  importSpaceContent:        { ...to(201,  201,  201,  403,  404,  404 ), body: wiki },
  importChangeRequestContent: { ...to(201, 201,  201,  403,  404,  404 ), body: wiki },

  // Editing
  updateChangeRequestContent: { ...to(200, 200,  200,  403,  404,  404 ), body: page },
  applySpaceTemplate:        { ...to(204,  204,  204,  403,  404,  404 ), body: () => ({ id: 'tpl_handbook' }) },

  // Git
  importGitRepository:       { ...to(204,  204,  403,  403,  404,  404 ), body: repository },
  exportGitRepository:       { ...to(204,  204,  204,  403,  404,  404 ), body: commit },
  deleteLegacyGitInstallation: { ...to(204,  403,  403,  403, kept, kept ), given: legacyInstallation },
  getGitInfo:                { ...to(200,  200,  200,  200,  404,  404 ), given: content },
};

async function deletedSpace(things: Things): Promise<void> {
  const path = { spaceId: await things.one('spaceId') };
  await ok(things.owner.client.DELETE('/v1/spaces/{spaceId}', { params: { path } }));
}
