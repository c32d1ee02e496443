import { lazySlice } from './lazy-slice.ts';

/** The handlers of `platform/accounts`. */
export const accountsHandlers = {
  ...lazySlice(
    async () => (await import('../../platform/accounts/access-tokens/handlers.ts')).accessTokenHandlers,
    [
      'listAccessTokens',
      'createAccessToken',
      'revokeAccessToken',
      'listMemberAccessTokens',
      'revokeMemberAccessToken',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/accounts/audit-events/handlers.ts')).auditEventHandlers,
    ['listAuditEvents', 'getAuditEvent'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/accounts/members/handlers.ts')).memberHandlers,
    [
      'listMembers',
      'getMember',
      'deleteMember',
      'updateMember',
      'pingOrganization',
      'enableMemberSso',
      'listMemberTeams',
    ],
  ),
  ...lazySlice(
    async () =>
      (await import('../../platform/accounts/organization-files/handlers.ts')).organizationFileHandlers,
    ['listOrganizationFiles', 'createOrganizationFile', 'getOrganizationFile', 'deleteOrganizationFile'],
  ),
  ...lazySlice(
    async () => (await import('../../platform/accounts/organizations/handlers.ts')).organizationHandlers,
    [
      'listOrganizations',
      'createOrganization',
      'getOrganization',
      'updateOrganization',
      'getEmailDomainOrganizations',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/accounts/saml-providers/handlers.ts')).samlHandlers,
    [
      'listSamlProviders',
      'createSamlProvider',
      'getSamlProvider',
      'deleteSamlProvider',
      'updateSamlProvider',
      'getSsoLogins',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/accounts/teams/handlers.ts')).teamHandlers,
    [
      'listTeams',
      'createTeam',
      'getTeam',
      'deleteTeam',
      'updateTeam',
      'listTeamMembers',
      'updateTeamMembers',
      'setTeamMember',
      'deleteTeamMember',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/accounts/users/handlers.ts')).userHandlers,
    ['getCurrentUser'],
  ),
};
