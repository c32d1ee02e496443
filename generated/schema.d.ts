// Generated from spec/main.tsp by `npm run generate`. Do not edit: change the contract and run the command.

export interface paths {
    "/v1/collections/{collectionId}": {
        /** Get a collection */
        get: operations["getCollection"];
        /** Delete a collection */
        delete: operations["deleteCollection"];
        /** Update a collection */
        patch: operations["updateCollection"];
    };
    "/v1/collections/{collectionId}/move": {
        /** Move a collection */
        post: operations["moveCollection"];
    };
    "/v1/collections/{collectionId}/permissions": {
        /** Grant access to a collection */
        post: operations["createCollectionGrants"];
    };
    "/v1/collections/{collectionId}/permissions/teams": {
        /** List the teams with access to a collection */
        get: operations["listCollectionTeamGrants"];
    };
    "/v1/collections/{collectionId}/permissions/teams/{teamId}": {
        /** Revoke a team's access to a collection */
        delete: operations["deleteCollectionTeamGrant"];
        /** Update a team's access to a collection */
        patch: operations["updateCollectionTeamGrant"];
    };
    "/v1/collections/{collectionId}/permissions/users": {
        /** List the users with access to a collection */
        get: operations["listCollectionUserGrants"];
    };
    "/v1/collections/{collectionId}/permissions/users/{userId}": {
        /** Revoke a user's access to a collection */
        delete: operations["deleteCollectionUserGrant"];
        /** Update a user's access to a collection */
        patch: operations["updateCollectionUserGrant"];
    };
    "/v1/collections/{collectionId}/spaces": {
        /** List the spaces of a collection */
        get: operations["listCollectionSpaces"];
    };
    "/v1/collections/{collectionId}/transfer": {
        /** Transfer a collection */
        post: operations["transferCollection"];
    };
    "/v1/email-domains/{emailDomain}/orgs": {
        /** Get organizations by email domain */
        get: operations["getEmailDomainOrganizations"];
    };
    "/v1/integrations": {
        /** List integrations */
        get: operations["listIntegrations"];
    };
    "/v1/integrations/{integrationName}": {
        /** Get an integration */
        get: operations["getIntegration"];
        /** Publish an integration */
        post: operations["publishIntegration"];
        /** Unpublish an integration */
        delete: operations["unpublishIntegration"];
    };
    "/v1/integrations/{integrationName}/dev": {
        /** Start developing an integration */
        put: operations["startIntegrationDevelopment"];
        /** Stop developing an integration */
        delete: operations["stopIntegrationDevelopment"];
    };
    "/v1/integrations/{integrationName}/events": {
        /** List the events of an integration */
        get: operations["listIntegrationEvents"];
    };
    "/v1/integrations/{integrationName}/events/{eventId}": {
        /** Get an event of an integration */
        get: operations["getIntegrationEvent"];
    };
    "/v1/integrations/{integrationName}/installations": {
        /** List the installations of an integration */
        get: operations["listInstallations"];
        /** Install an integration */
        post: operations["createInstallation"];
    };
    "/v1/integrations/{integrationName}/installations/{installationId}": {
        /** Get an installation */
        get: operations["getInstallation"];
        /** Uninstall an integration */
        delete: operations["deleteInstallation"];
        /** Update an installation */
        patch: operations["updateInstallation"];
    };
    "/v1/integrations/{integrationName}/installations/{installationId}/sites": {
        /** List the sites of an installation */
        get: operations["listInstallationSites"];
        /** Install an integration on a site */
        post: operations["createSiteInstallation"];
    };
    "/v1/integrations/{integrationName}/installations/{installationId}/sites/{installedSiteId}": {
        /** Get an installation on a site */
        get: operations["getSiteInstallation"];
        /** Uninstall an integration from a site */
        delete: operations["deleteSiteInstallation"];
        /** Update an installation on a site */
        patch: operations["updateSiteInstallation"];
    };
    "/v1/integrations/{integrationName}/installations/{installationId}/spaces": {
        /** List the spaces of an installation */
        get: operations["listInstallationSpaces"];
        /** Install an integration on a space */
        post: operations["createSpaceInstallation"];
    };
    "/v1/integrations/{integrationName}/installations/{installationId}/spaces/{installedSpaceId}": {
        /** Get an installation on a space */
        get: operations["getSpaceInstallation"];
        /** Uninstall an integration from a space */
        delete: operations["deleteSpaceInstallation"];
        /** Update an installation on a space */
        patch: operations["updateSpaceInstallation"];
    };
    "/v1/integrations/{integrationName}/installations/{installationId}/tokens": {
        /** Create an access token of an installation */
        post: operations["createInstallationToken"];
    };
    "/v1/integrations/{integrationName}/render": {
        /** Render a component of an integration */
        get: operations["renderIntegration"];
        /** Render a component of an integration, with a request in the body */
        post: operations["renderIntegrationComponent"];
    };
    "/v1/integrations/{integrationName}/sites": {
        /** List the sites of an integration */
        get: operations["listSiteInstallations"];
    };
    "/v1/integrations/{integrationName}/spaces": {
        /** List the spaces of an integration */
        get: operations["listSpaceInstallations"];
    };
    "/v1/org/{organizationId}/imports": {
        /** List import runs */
        get: operations["listImportRuns"];
        /** Start an import */
        post: operations["startImportRun"];
    };
    "/v1/org/{organizationId}/imports/{importId}": {
        /** Get an import run */
        get: operations["getImportRun"];
    };
    "/v1/org/{organizationId}/imports/{importId}/cancel": {
        /** Cancel an import */
        post: operations["cancelImportRun"];
    };
    "/v1/orgs": {
        /** List organizations */
        get: operations["listOrganizations"];
        /** Create an organization */
        post: operations["createOrganization"];
    };
    "/v1/orgs/{organizationId}": {
        /** Get an organization */
        get: operations["getOrganization"];
        /** Update an organization */
        patch: operations["updateOrganization"];
    };
    "/v1/orgs/{organizationId}/audit-events": {
        /** List audit events */
        get: operations["listAuditEvents"];
    };
    "/v1/orgs/{organizationId}/audit-events/{auditEventId}": {
        /** Get an audit event */
        get: operations["getAuditEvent"];
    };
    "/v1/orgs/{organizationId}/collections": {
        /** List collections */
        get: operations["listCollections"];
        /** Create a collection */
        post: operations["createCollection"];
    };
    "/v1/orgs/{organizationId}/files": {
        /** List the files of an organization */
        get: operations["listOrganizationFiles"];
        /** Upload an image of an organization */
        post: operations["createOrganizationFile"];
    };
    "/v1/orgs/{organizationId}/files/{organizationFileId}": {
        /** Get a file of an organization */
        get: operations["getOrganizationFile"];
        /** Delete a file of an organization */
        delete: operations["deleteOrganizationFile"];
    };
    "/v1/orgs/{organizationId}/invites": {
        /** Invite users by email address */
        post: operations["inviteUsers"];
    };
    "/v1/orgs/{organizationId}/invites/{inviteId}": {
        /** Accept an invitation */
        post: operations["acceptInvite"];
    };
    "/v1/orgs/{organizationId}/link-invites": {
        /** List invite links */
        get: operations["listLinkInvites"];
        /** Create an invite link */
        post: operations["createLinkInvite"];
    };
    "/v1/orgs/{organizationId}/link-invites/{inviteId}": {
        /** Get an invite link */
        get: operations["getLinkInvite"];
        /** Delete an invite link */
        delete: operations["deleteLinkInvite"];
        /** Update an invite link */
        patch: operations["updateLinkInvite"];
    };
    "/v1/orgs/{organizationId}/members": {
        /** List members */
        get: operations["listMembers"];
    };
    "/v1/orgs/{organizationId}/members/{userId}": {
        /** Get a member */
        get: operations["getMember"];
        /** Remove a member */
        delete: operations["deleteMember"];
        /** Update a member */
        patch: operations["updateMember"];
    };
    "/v1/orgs/{organizationId}/members/{userId}/spaces": {
        /** List the spaces of a member */
        get: operations["listMemberSpaces"];
    };
    "/v1/orgs/{organizationId}/members/{userId}/sso": {
        /** Enable SSO for a member */
        post: operations["enableMemberSso"];
    };
    "/v1/orgs/{organizationId}/members/{userId}/teams": {
        /** List the teams of a member */
        get: operations["listMemberTeams"];
    };
    "/v1/orgs/{organizationId}/members/{userId}/tokens": {
        /** List the access tokens of a member */
        get: operations["listMemberAccessTokens"];
    };
    "/v1/orgs/{organizationId}/members/{userId}/tokens/{tokenId}": {
        /** Revoke an access token of a member */
        delete: operations["revokeMemberAccessToken"];
    };
    "/v1/orgs/{organizationId}/openapi": {
        /** List OpenAPI specifications */
        get: operations["listOpenAPISpecs"];
        /** Create an OpenAPI specification */
        post: operations["createOpenAPISpec"];
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}": {
        /** Get an OpenAPI specification */
        get: operations["getOpenAPISpec"];
        /** Create or update an OpenAPI specification */
        put: operations["putOpenAPISpec"];
        /** Delete an OpenAPI specification */
        delete: operations["deleteOpenAPISpec"];
        /** Update an OpenAPI specification */
        patch: operations["updateOpenAPISpec"];
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions": {
        /** List the versions of an OpenAPI specification */
        get: operations["listOpenAPISpecVersions"];
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest": {
        /** Get the latest version of an OpenAPI specification */
        get: operations["getLatestOpenAPISpecVersion"];
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content": {
        /** Get the content of the latest version of an OpenAPI specification */
        get: operations["getLatestOpenAPISpecVersionContent"];
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}": {
        /** Get a version of an OpenAPI specification */
        get: operations["getOpenAPISpecVersion"];
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content": {
        /** Get the content of a version of an OpenAPI specification */
        get: operations["getOpenAPISpecVersionContent"];
    };
    "/v1/orgs/{organizationId}/ping": {
        /** Record activity of the caller */
        post: operations["pingOrganization"];
    };
    "/v1/orgs/{organizationId}/quotas": {
        /** Get the quotas of an organization */
        get: operations["getOrganizationQuotas"];
    };
    "/v1/orgs/{organizationId}/saml": {
        /** List SAML providers */
        get: operations["listSamlProviders"];
        /** Create a SAML provider */
        post: operations["createSamlProvider"];
    };
    "/v1/orgs/{organizationId}/saml/{samlProviderId}": {
        /** Get a SAML provider */
        get: operations["getSamlProvider"];
        /** Delete a SAML provider */
        delete: operations["deleteSamlProvider"];
        /** Update a SAML provider */
        patch: operations["updateSamlProvider"];
    };
    "/v1/orgs/{organizationId}/search": {
        /** Search an organization */
        get: operations["searchOrganization"];
    };
    "/v1/orgs/{organizationId}/sites": {
        /** List sites */
        get: operations["listSites"];
        /** Create a site */
        post: operations["createSite"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}": {
        /** Get a site */
        get: operations["getSite"];
        /** Delete a site */
        delete: operations["deleteSite"];
        /** Update a site */
        patch: operations["updateSite"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema": {
        /** Get the adaptive schema of a site */
        get: operations["getSiteAdaptiveSchema"];
        /** Replace the adaptive schema of a site */
        put: operations["replaceSiteAdaptiveSchema"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions": {
        /** Get the condition templates of a site */
        get: operations["getSiteAdaptiveConditionTemplates"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/ask": {
        /** Ask a question about a published site */
        post: operations["askSite"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/customization": {
        /** Get the customization of a site */
        get: operations["getSiteCustomization"];
        /** Replace the customization of a site */
        put: operations["replaceSiteCustomization"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/feedback": {
        /** List the feedback of the readers of a site */
        get: operations["listSiteFeedback"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/insights/events": {
        /** Record events of visitors of a published site */
        post: operations["recordSiteEvents"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/publish": {
        /** Publish a site */
        post: operations["publishSite"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/published": {
        /** Get a published site */
        get: operations["getPublishedSite"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth": {
        /** Get the visitor authentication of a site */
        get: operations["getSitePublishingAuth"];
        /** Update the visitor authentication of a site */
        patch: operations["updateSitePublishingAuth"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate": {
        /** Regenerate the signing key of a site */
        post: operations["regenerateSitePublishingAuth"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/redirect": {
        /** Find the redirect of a path of a published site */
        get: operations["getSiteRedirectBySource"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/redirects": {
        /** List the redirects of a site */
        get: operations["listSiteRedirects"];
        /** Create a redirect */
        post: operations["createSiteRedirect"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/redirects/{siteRedirectId}": {
        /** Get a redirect */
        get: operations["getSiteRedirect"];
        /** Delete a redirect */
        delete: operations["deleteSiteRedirect"];
        /** Update a redirect */
        patch: operations["updateSiteRedirect"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/search": {
        /** Search a published site */
        post: operations["searchSite"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups": {
        /** List site section groups */
        get: operations["listSiteSectionGroups"];
        /** Create a site section group */
        post: operations["createSiteSectionGroup"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}": {
        /** Delete a site section group */
        delete: operations["deleteSiteSectionGroup"];
        /** Update a site section group */
        patch: operations["updateSiteSectionGroup"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move": {
        /** Move a site section group */
        post: operations["moveSiteSectionGroup"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections": {
        /** Add a section to a group */
        post: operations["addSiteSectionToGroup"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections/{siteSectionId}": {
        /** Remove a section from a group */
        delete: operations["removeSiteSectionFromGroup"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/sections": {
        /** List site sections */
        get: operations["listSiteSections"];
        /** Create a site section */
        post: operations["createSiteSection"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}": {
        /** Delete a site section */
        delete: operations["deleteSiteSection"];
        /** Update a site section */
        patch: operations["updateSiteSection"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move": {
        /**
         * Move a site section
         * @deprecated
         */
        post: operations["moveSiteSection"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/share-links": {
        /** List the share links of a site */
        get: operations["listShareLinks"];
        /** Create a share link */
        post: operations["createShareLink"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}": {
        /** Delete a share link */
        delete: operations["deleteShareLink"];
        /** Update a share link */
        patch: operations["updateShareLink"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces": {
        /** List site spaces */
        get: operations["listSiteSpaces"];
        /** Add a space to a site */
        post: operations["createSiteSpace"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}": {
        /** Remove a space from a site */
        delete: operations["deleteSiteSpace"];
        /** Update a site space */
        patch: operations["updateSiteSpace"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move": {
        /** Move a site space */
        post: operations["moveSiteSpace"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/structure": {
        /** Get the structure of a site */
        get: operations["getSiteStructure"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/structure/sort": {
        /** Move an entry of a site */
        patch: operations["sortSiteStructure"];
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/unpublish": {
        /** Unpublish a site */
        post: operations["unpublishSite"];
    };
    "/v1/orgs/{organizationId}/space-map": {
        /** Get the space map of an organization */
        get: operations["getSpaceMap"];
        /** Replace the space map of an organization */
        put: operations["replaceSpaceMap"];
    };
    "/v1/orgs/{organizationId}/spaces": {
        /** List spaces */
        get: operations["listSpaces"];
        /** Create a space */
        post: operations["createSpace"];
    };
    "/v1/orgs/{organizationId}/sso": {
        /** Get sign-in options */
        get: operations["getSsoLogins"];
    };
    "/v1/orgs/{organizationId}/teams": {
        /** List teams */
        get: operations["listTeams"];
        /** Create a team */
        put: operations["createTeam"];
    };
    "/v1/orgs/{organizationId}/teams/{teamId}": {
        /** Get a team */
        get: operations["getTeam"];
        /** Delete a team */
        delete: operations["deleteTeam"];
        /** Update a team */
        patch: operations["updateTeam"];
    };
    "/v1/orgs/{organizationId}/teams/{teamId}/members": {
        /** List the members of a team */
        get: operations["listTeamMembers"];
        /** Add and remove members of a team */
        put: operations["updateTeamMembers"];
    };
    "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}": {
        /** Add or update a member of a team */
        put: operations["setTeamMember"];
        /** Remove a member from a team */
        delete: operations["deleteTeamMember"];
    };
    "/v1/orgs/{organizationId}/translations": {
        /** List translations */
        get: operations["listTranslations"];
        /** Create a translation */
        post: operations["createTranslation"];
    };
    "/v1/orgs/{organizationId}/translations/{translationId}": {
        /** Get a translation */
        get: operations["getTranslation"];
        /** Update a translation */
        put: operations["updateTranslation"];
        /** Delete a translation */
        delete: operations["deleteTranslation"];
    };
    "/v1/orgs/{organizationId}/translations/{translationId}/run": {
        /** Run a translation */
        post: operations["runTranslation"];
    };
    "/v1/spaces/{spaceId}": {
        /** Get a space */
        get: operations["getSpace"];
        /** Delete a space */
        delete: operations["deleteSpace"];
        /** Update a space */
        patch: operations["updateSpace"];
    };
    "/v1/spaces/{spaceId}/change-requests": {
        /** List change requests */
        get: operations["listChangeRequests"];
        /** Create a change request */
        post: operations["createChangeRequest"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}": {
        /** Get a change request */
        get: operations["getChangeRequest"];
        /** Update a change request */
        patch: operations["updateChangeRequest"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes": {
        /** Get the changes of a change request */
        get: operations["getChangeRequestChanges"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters": {
        /** List the commenters of a change request */
        get: operations["listChangeRequestCommenters"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments": {
        /** List the comments on a change request */
        get: operations["listChangeRequestComments"];
        /** Create a comment on a change request */
        post: operations["createChangeRequestComment"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}": {
        /** Get a comment on a change request */
        get: operations["getChangeRequestComment"];
        /** Update a comment on a change request */
        put: operations["updateChangeRequestComment"];
        /** Delete a comment on a change request */
        delete: operations["deleteChangeRequestComment"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies": {
        /** List the replies to a comment on a change request */
        get: operations["listChangeRequestCommentReplies"];
        /** Reply to a comment on a change request */
        post: operations["createChangeRequestCommentReply"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}": {
        /** Get a reply to a comment on a change request */
        get: operations["getChangeRequestCommentReply"];
        /** Update a reply to a comment on a change request */
        put: operations["updateChangeRequestCommentReply"];
        /** Delete a reply to a comment on a change request */
        delete: operations["deleteChangeRequestCommentReply"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content": {
        /** Get the content of a change request */
        get: operations["getChangeRequestContent"];
        /** Edit the content of a change request */
        post: operations["updateChangeRequestContent"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files": {
        /** List the files of a change request */
        get: operations["listChangeRequestFiles"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}": {
        /** Get a file of a change request */
        get: operations["getChangeRequestFile"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks": {
        /** List the locations that link to a file of a change request */
        get: operations["listChangeRequestFileBacklinks"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import": {
        /** Import content into a change request */
        post: operations["importChangeRequestContent"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}": {
        /** Get a page of a change request */
        get: operations["getChangeRequestPage"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks": {
        /** List the locations that link to a page of a change request */
        get: operations["listChangeRequestPageBacklinks"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links": {
        /** List the links on a page of a change request */
        get: operations["listChangeRequestPageLinks"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages": {
        /** Get the page tree of a change request */
        get: operations["getChangeRequestPageTree"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath}": {
        /** Get a page of a change request by its path */
        get: operations["getChangeRequestPageByPath"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links": {
        /** List the links in a change request */
        get: operations["listChangeRequestLinks"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge": {
        /** Merge a change request */
        post: operations["mergeChangeRequest"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf": {
        /** Get a PDF of a change request */
        get: operations["getChangeRequestPdf"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers": {
        /** List the requested reviewers of a change request */
        get: operations["listRequestedReviewers"];
        /** Request reviews of a change request */
        post: operations["addRequestedReviewers"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers/{userId}": {
        /** Remove a requested reviewer of a change request */
        delete: operations["removeRequestedReviewer"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews": {
        /** List the reviews of a change request */
        get: operations["listChangeRequestReviews"];
        /** Review a change request */
        post: operations["createChangeRequestReview"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews/{reviewId}": {
        /** Get a review of a change request */
        get: operations["getChangeRequestReview"];
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update": {
        /** Synchronize a change request with its space */
        post: operations["syncChangeRequest"];
    };
    "/v1/spaces/{spaceId}/commenters": {
        /** List the commenters of a space */
        get: operations["listSpaceCommenters"];
    };
    "/v1/spaces/{spaceId}/comments": {
        /** List the comments on a space */
        get: operations["listSpaceComments"];
        /** Create a comment on a space */
        post: operations["createSpaceComment"];
    };
    "/v1/spaces/{spaceId}/comments/{commentId}": {
        /** Get a comment on a space */
        get: operations["getSpaceComment"];
        /** Update a comment on a space */
        put: operations["updateSpaceComment"];
        /** Delete a comment on a space */
        delete: operations["deleteSpaceComment"];
    };
    "/v1/spaces/{spaceId}/comments/{commentId}/replies": {
        /** List the replies to a comment on a space */
        get: operations["listSpaceCommentReplies"];
        /** Reply to a comment on a space */
        post: operations["createSpaceCommentReply"];
    };
    "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}": {
        /** Get a reply to a comment on a space */
        get: operations["getSpaceCommentReply"];
        /** Update a reply to a comment on a space */
        put: operations["updateSpaceCommentReply"];
        /** Delete a reply to a comment on a space */
        delete: operations["deleteSpaceCommentReply"];
    };
    "/v1/spaces/{spaceId}/content": {
        /** Get the content of a space */
        get: operations["getSpaceContent"];
    };
    "/v1/spaces/{spaceId}/content/files": {
        /** List the files of a space */
        get: operations["listSpaceFiles"];
    };
    "/v1/spaces/{spaceId}/content/files/{fileId}": {
        /** Get a file of a space */
        get: operations["getSpaceFile"];
    };
    "/v1/spaces/{spaceId}/content/files/{fileId}/backlinks": {
        /** List the locations that link to a file of a space */
        get: operations["listSpaceFileBacklinks"];
    };
    "/v1/spaces/{spaceId}/content/import": {
        /** Import content into a space */
        post: operations["importSpaceContent"];
    };
    "/v1/spaces/{spaceId}/content/import/runs": {
        /** List content import runs */
        get: operations["listContentImportRuns"];
    };
    "/v1/spaces/{spaceId}/content/import/runs/{importRunId}": {
        /** Get a content import run */
        get: operations["getContentImportRun"];
    };
    "/v1/spaces/{spaceId}/content/page/{pageId}": {
        /** Get a page of a space */
        get: operations["getSpacePage"];
    };
    "/v1/spaces/{spaceId}/content/page/{pageId}/backlinks": {
        /** List the locations that link to a page of a space */
        get: operations["listSpacePageBacklinks"];
    };
    "/v1/spaces/{spaceId}/content/page/{pageId}/links": {
        /** List the links on a page of a space */
        get: operations["listSpacePageLinks"];
    };
    "/v1/spaces/{spaceId}/content/pages": {
        /** Get the page tree of a space */
        get: operations["getSpacePageTree"];
    };
    "/v1/spaces/{spaceId}/content/path/{pagePath}": {
        /** Get a page of a space by its path */
        get: operations["getSpacePageByPath"];
    };
    "/v1/spaces/{spaceId}/content/template": {
        /** Fill a space from a template */
        post: operations["applySpaceTemplate"];
    };
    "/v1/spaces/{spaceId}/duplicate": {
        /** Duplicate a space */
        post: operations["duplicateSpace"];
    };
    "/v1/spaces/{spaceId}/git/export": {
        /** Export to Git */
        post: operations["exportGitRepository"];
    };
    "/v1/spaces/{spaceId}/git/import": {
        /** Import from Git */
        post: operations["importGitRepository"];
    };
    "/v1/spaces/{spaceId}/git/info": {
        /** Get the Git repository of a space */
        get: operations["getGitInfo"];
    };
    "/v1/spaces/{spaceId}/git/legacy-installation": {
        /** Remove a legacy Git installation */
        delete: operations["deleteLegacyGitInstallation"];
    };
    "/v1/spaces/{spaceId}/git/runs": {
        /** List Git runs */
        get: operations["listGitRuns"];
    };
    "/v1/spaces/{spaceId}/git/runs/{runId}": {
        /** Get a Git run */
        get: operations["getGitRun"];
    };
    "/v1/spaces/{spaceId}/links": {
        /** List the links in a space */
        get: operations["listSpaceLinks"];
    };
    "/v1/spaces/{spaceId}/move": {
        /** Move a space */
        post: operations["moveSpace"];
    };
    "/v1/spaces/{spaceId}/permissions": {
        /** Grant access to a space */
        post: operations["createSpaceGrants"];
    };
    "/v1/spaces/{spaceId}/permissions/teams": {
        /** List the teams with access to a space */
        get: operations["listSpaceTeamGrants"];
    };
    "/v1/spaces/{spaceId}/permissions/teams/{teamId}": {
        /** Revoke a team's access to a space */
        delete: operations["deleteSpaceTeamGrant"];
        /** Update a team's access to a space */
        patch: operations["updateSpaceTeamGrant"];
    };
    "/v1/spaces/{spaceId}/permissions/users": {
        /** List the users with access to a space */
        get: operations["listSpaceUserGrants"];
    };
    "/v1/spaces/{spaceId}/permissions/users/{userId}": {
        /** Revoke a user's access to a space */
        delete: operations["deleteSpaceUserGrant"];
        /** Update a user's access to a space */
        patch: operations["updateSpaceUserGrant"];
    };
    "/v1/spaces/{spaceId}/restore": {
        /** Restore a space */
        post: operations["restoreSpace"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}": {
        /** Get a revision */
        get: operations["getRevision"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/changes": {
        /** Get the changes of a revision */
        get: operations["getRevisionChanges"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/files": {
        /** List the files of a revision */
        get: operations["listRevisionFiles"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}": {
        /** Get a page of a revision */
        get: operations["getRevisionPage"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/document": {
        /** Get the document of a page of a revision */
        get: operations["getRevisionPageDocument"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/pages": {
        /** Get the page tree of a revision */
        get: operations["getRevisionPageTree"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath}": {
        /** Get a page of a revision by its path */
        get: operations["getRevisionPageByPath"];
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}/document": {
        /** Get the document of a reusable content of a revision */
        get: operations["getRevisionReusableContentDocument"];
    };
    "/v1/spaces/{spaceId}/search": {
        /** Search a space */
        get: operations["searchSpace"];
    };
    "/v1/spaces/{spaceId}/transfer": {
        /** Transfer a space */
        post: operations["transferSpace"];
    };
    "/v1/subdomains/{subdomain}": {
        /** Get a subdomain */
        get: operations["getSubdomain"];
    };
    "/v1/urls/published": {
        /** Resolve a URL of published content */
        post: operations["resolvePublishedUrl"];
    };
    "/v1/user": {
        /** Get the authenticated user */
        get: operations["getCurrentUser"];
    };
    "/v1/user/tokens": {
        /** List the caller's access tokens */
        get: operations["listAccessTokens"];
        /** Create an access token */
        post: operations["createAccessToken"];
    };
    "/v1/user/tokens/{tokenId}": {
        /** Revoke an access token */
        delete: operations["revokeAccessToken"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AbsoluteUrl: AbsoluteUrl;
        AccessTokenScope: AccessTokenScope;
        AccountConfigurationContext: AccountConfigurationContext;
        AdaptiveClaim: AdaptiveClaim;
        AdaptiveClaims: AdaptiveClaims;
        AdaptiveConditionTemplate: AdaptiveConditionTemplate;
        AdaptiveConditionTemplates: AdaptiveConditionTemplates;
        AdaptiveJsonSchema: AdaptiveJsonSchema;
        AdaptiveUnsignedClaims: AdaptiveUnsignedClaims;
        AnchorPosition: AnchorPosition;
        AnchorRef: AnchorRef;
        AuditAction: AuditAction;
        AuditActor: AuditActor;
        AuditActorType: AuditActorType;
        AuditDetails: AuditDetails;
        AuditEvent: AuditEvent;
        AuditEventDetails: AuditEventDetails;
        AuditEventList: AuditEventList;
        AuditResource: AuditResource;
        AuditResourceType: AuditResourceType;
        AuditSource: AuditSource;
        AuditedIdentifier: AuditedIdentifier;
        Base64: Base64;
        BillingAddon: BillingAddon;
        BillingAddons: BillingAddons;
        BillingInterval: BillingInterval;
        BillingMigration: BillingMigration;
        BillingPricing: BillingPricing;
        BlockControl: BlockControl;
        BlockElement: BlockElement;
        BoxElement: BoxElement;
        BrokenLinkStats: BrokenLinkStats;
        ButtonElement: ButtonElement;
        CallableUrl: CallableUrl;
        CardElement: CardElement;
        ChangeRequest: ChangeRequest;
        ChangeRequestCommentReplyUpdate: ChangeRequestCommentReplyUpdate;
        ChangeRequestContext: ChangeRequestContext;
        ChangeRequestCreate: ChangeRequestCreate;
        ChangeRequestList: ChangeRequestList;
        ChangeRequestMergeResult: ChangeRequestMergeResult;
        ChangeRequestPatch: ChangeRequestPatch;
        ChangeRequestReview: ChangeRequestReview;
        ChangeRequestReviewCreate: ChangeRequestReviewCreate;
        ChangeRequestReviewList: ChangeRequestReviewList;
        ChangeRequestStatus: ChangeRequestStatus;
        ChangeRequestUpdateResult: ChangeRequestUpdateResult;
        ChangeRequestUrls: ChangeRequestUrls;
        CheckboxElement: CheckboxElement;
        CloseModalAction: CloseModalAction;
        CodeBlockElement: CodeBlockElement;
        CodeThemeName: CodeThemeName;
        Collection: Collection;
        CollectionCreate: CollectionCreate;
        CollectionInvite: CollectionInvite;
        CollectionInviteCreate: CollectionInviteCreate;
        CollectionList: CollectionList;
        CollectionLocation: CollectionLocation;
        CollectionPatch: CollectionPatch;
        CollectionPermissions: CollectionPermissions;
        CollectionPointer: CollectionPointer;
        CollectionRef: CollectionRef;
        CollectionUrls: CollectionUrls;
        Color: Color;
        ColumnElement: ColumnElement;
        Comment: Comment;
        CommentBody: CommentBody;
        CommentCreate: CommentCreate;
        CommentList: CommentList;
        CommentPermissions: CommentPermissions;
        CommentReplier: CommentReplier;
        CommentReply: CommentReply;
        CommentReplyCreate: CommentReplyCreate;
        CommentReplyList: CommentReplyList;
        CommentReplyUpdate: CommentReplyUpdate;
        CommentStatusFilter: CommentStatusFilter;
        CommentTarget: CommentTarget;
        CommentUpdate: CommentUpdate;
        CommentedNode: CommentedNode;
        CommentedPage: CommentedPage;
        CommunityType: CommunityType;
        ComparedPage: ComparedPage;
        ComponentAction: ComponentAction;
        ComponentKey: ComponentKey;
        CompressedRenderRequest: CompressedRenderRequest;
        ComputeDocumentEvent: ComputeDocumentEvent;
        ComputeRevisionEvent: ComputeRevisionEvent;
        ComputedDependency: ComputedDependency;
        ComputedDependencyRef: ComputedDependencyRef;
        ComputedPage: ComputedPage;
        ComputedPageSource: ComputedPageSource;
        ComputedRevisionSource: ComputedRevisionSource;
        ConditionProblem: ConditionProblem;
        ConditionProblemReason: ConditionProblemReason;
        ConfigurationElement: ConfigurationElement;
        ContentChange: ContentChange;
        ContentChanges: ContentChanges;
        ContentImport: ContentImport;
        ContentImportRun: ContentImportRun;
        ContentImportRunList: ContentImportRunList;
        ContentInstallationPatch: ContentInstallationPatch;
        ContentInstallationUrls: ContentInstallationUrls;
        ContentLink: ContentLink;
        ContentNotice: ContentNotice;
        ContentPointer: ContentPointer;
        ContentPosition: ContentPosition;
        ContentRef: ContentRef;
        ContentSecurityPolicyWrite: ContentSecurityPolicyWrite;
        ContentSourceConfigurationContext: ContentSourceConfigurationContext;
        ContentTitle: ContentTitle;
        CoverChange: CoverChange;
        CoverMask: CoverMask;
        CoverRef: CoverRef;
        CoverSize: CoverSize;
        CustomVisitorAuth: CustomVisitorAuth;
        DefaultContent: DefaultContent;
        DefaultLevel: DefaultLevel;
        DeletePage: DeletePage;
        DeletedInstallation: DeletedInstallation;
        DimensionsChange: DimensionsChange;
        DividerElement: DividerElement;
        Document: Document;
        DocumentAlignment: DocumentAlignment;
        DocumentAnchorInline: DocumentAnchorInline;
        DocumentAnchorInlineData: DocumentAnchorInlineData;
        DocumentAnchorRef: DocumentAnchorRef;
        DocumentAnnotationBodyFragment: DocumentAnnotationBodyFragment;
        DocumentAnnotationInline: DocumentAnnotationInline;
        DocumentAskAction: DocumentAskAction;
        DocumentBlock: DocumentBlock;
        DocumentBlockMeta: DocumentBlockMeta;
        DocumentBody: DocumentBody;
        DocumentButtonAction: DocumentButtonAction;
        DocumentButtonInline: DocumentButtonInline;
        DocumentButtonInlineData: DocumentButtonInlineData;
        DocumentCaptionFragment: DocumentCaptionFragment;
        DocumentCellFragment: DocumentCellFragment;
        DocumentCodeBlock: DocumentCodeBlock;
        DocumentCodeBlockData: DocumentCodeBlockData;
        DocumentCodeLineBlock: DocumentCodeLineBlock;
        DocumentCodeLineBlockData: DocumentCodeLineBlockData;
        DocumentCodeLineNode: DocumentCodeLineNode;
        DocumentCollectionRef: DocumentCollectionRef;
        DocumentColorMark: DocumentColorMark;
        DocumentColorMarkData: DocumentColorMarkData;
        DocumentColumnBlock: DocumentColumnBlock;
        DocumentColumnBlockData: DocumentColumnBlockData;
        DocumentColumnsBlock: DocumentColumnsBlock;
        DocumentColumnsBlockData: DocumentColumnsBlockData;
        DocumentCommentBlock: DocumentCommentBlock;
        DocumentCommentData: DocumentCommentData;
        DocumentCommentInline: DocumentCommentInline;
        DocumentConditionBlock: DocumentConditionBlock;
        DocumentConditionBlockData: DocumentConditionBlockData;
        DocumentContentRefBlock: DocumentContentRefBlock;
        DocumentContentRefBlockData: DocumentContentRefBlockData;
        DocumentContext: DocumentContext;
        DocumentCssColors: DocumentCssColors;
        DocumentData: DocumentData;
        DocumentDereferencing: DocumentDereferencing;
        DocumentDividerBlock: DocumentDividerBlock;
        DocumentDrawingBlock: DocumentDrawingBlock;
        DocumentEmbedBlock: DocumentEmbedBlock;
        DocumentEmbedBlockData: DocumentEmbedBlockData;
        DocumentEmojiInline: DocumentEmojiInline;
        DocumentEmojiInlineData: DocumentEmojiInlineData;
        DocumentEmptyData: DocumentEmptyData;
        DocumentExpandableBlock: DocumentExpandableBlock;
        DocumentExpandableBlockData: DocumentExpandableBlockData;
        DocumentExpandableBodyFragment: DocumentExpandableBodyFragment;
        DocumentExpandableFragment: DocumentExpandableFragment;
        DocumentExpandableTitleFragment: DocumentExpandableTitleFragment;
        DocumentExpressionInline: DocumentExpressionInline;
        DocumentExpressionInlineData: DocumentExpressionInlineData;
        DocumentFileBlock: DocumentFileBlock;
        DocumentFileBlockData: DocumentFileBlockData;
        DocumentFileOrUrlRef: DocumentFileOrUrlRef;
        DocumentFileRef: DocumentFileRef;
        DocumentFormulaData: DocumentFormulaData;
        DocumentHeadingBlock: DocumentHeadingBlock;
        DocumentHeadingBlockData: DocumentHeadingBlockData;
        DocumentHintBlock: DocumentHintBlock;
        DocumentHintBlockData: DocumentHintBlockData;
        DocumentIconInline: DocumentIconInline;
        DocumentIconInlineData: DocumentIconInlineData;
        DocumentImageBlock: DocumentImageBlock;
        DocumentImageBlockData: DocumentImageBlockData;
        DocumentImageInline: DocumentImageInline;
        DocumentImageInlineData: DocumentImageInlineData;
        DocumentImagesBlock: DocumentImagesBlock;
        DocumentImagesBlockData: DocumentImagesBlockData;
        DocumentInline: DocumentInline;
        DocumentInlineNode: DocumentInlineNode;
        DocumentInput: DocumentInput;
        DocumentIntegrationBlock: DocumentIntegrationBlock;
        DocumentIntegrationBlockData: DocumentIntegrationBlockData;
        DocumentLeaf: DocumentLeaf;
        DocumentLength: DocumentLength;
        DocumentLinkInline: DocumentLinkInline;
        DocumentLinkInlineData: DocumentLinkInlineData;
        DocumentListBlock: DocumentListBlock;
        DocumentListBlockData: DocumentListBlockData;
        DocumentListItemBlock: DocumentListItemBlock;
        DocumentListItemBlockData: DocumentListItemBlockData;
        DocumentMark: DocumentMark;
        DocumentMathBlock: DocumentMathBlock;
        DocumentMathInline: DocumentMathInline;
        DocumentMeasuredLength: DocumentMeasuredLength;
        DocumentMentionInline: DocumentMentionInline;
        DocumentMentionInlineData: DocumentMentionInlineData;
        DocumentOpenAPIOperationBlock: DocumentOpenAPIOperationBlock;
        DocumentOpenAPIOperationBlockData: DocumentOpenAPIOperationBlockData;
        DocumentOpenAPISchemasBlock: DocumentOpenAPISchemasBlock;
        DocumentOpenAPISchemasBlockData: DocumentOpenAPISchemasBlockData;
        DocumentOpenAPIWebhookBlock: DocumentOpenAPIWebhookBlock;
        DocumentOpenAPIWebhookBlockData: DocumentOpenAPIWebhookBlockData;
        DocumentPage: DocumentPage;
        DocumentPageRef: DocumentPageRef;
        DocumentParagraphBlock: DocumentParagraphBlock;
        DocumentParagraphBlockData: DocumentParagraphBlockData;
        DocumentPlainMark: DocumentPlainMark;
        DocumentProblem: DocumentProblem;
        DocumentProblemReason: DocumentProblemReason;
        DocumentPromptBlock: DocumentPromptBlock;
        DocumentPromptBlockData: DocumentPromptBlockData;
        DocumentPromptBodyFragment: DocumentPromptBodyFragment;
        DocumentQuoteBlock: DocumentQuoteBlock;
        DocumentRef: DocumentRef;
        DocumentReusableContentBlock: DocumentReusableContentBlock;
        DocumentReusableContentBlockData: DocumentReusableContentBlockData;
        DocumentSearchAction: DocumentSearchAction;
        DocumentSelectAction: DocumentSelectAction;
        DocumentSide: DocumentSide;
        DocumentSpaceRef: DocumentSpaceRef;
        DocumentSpanInline: DocumentSpanInline;
        DocumentSpanInlineData: DocumentSpanInlineData;
        DocumentSpanMark: DocumentSpanMark;
        DocumentSpecificationRef: DocumentSpecificationRef;
        DocumentStepBlock: DocumentStepBlock;
        DocumentStepBlockData: DocumentStepBlockData;
        DocumentStepperBlock: DocumentStepperBlock;
        DocumentSwaggerBlock: DocumentSwaggerBlock;
        DocumentSwaggerBlockData: DocumentSwaggerBlockData;
        DocumentTableBlock: DocumentTableBlock;
        DocumentTableBlockData: DocumentTableBlockData;
        DocumentTableCards: DocumentTableCards;
        DocumentTableColumn: DocumentTableColumn;
        DocumentTableGrid: DocumentTableGrid;
        DocumentTableImage: DocumentTableImage;
        DocumentTableOption: DocumentTableOption;
        DocumentTableRatingColumn: DocumentTableRatingColumn;
        DocumentTableRow: DocumentTableRow;
        DocumentTableSelectColumn: DocumentTableSelectColumn;
        DocumentTableTextColumn: DocumentTableTextColumn;
        DocumentTableUsersColumn: DocumentTableUsersColumn;
        DocumentTableValue: DocumentTableValue;
        DocumentTableValueColumn: DocumentTableValueColumn;
        DocumentTableView: DocumentTableView;
        DocumentTabsBlock: DocumentTabsBlock;
        DocumentTabsBlockData: DocumentTabsBlockData;
        DocumentTabsItemBlock: DocumentTabsItemBlock;
        DocumentTabsItemBlockData: DocumentTabsItemBlockData;
        DocumentTagBlock: DocumentTagBlock;
        DocumentTagBlockData: DocumentTagBlockData;
        DocumentTagData: DocumentTagData;
        DocumentTagInline: DocumentTagInline;
        DocumentText: DocumentText;
        DocumentTextColor: DocumentTextColor;
        DocumentTopicRef: DocumentTopicRef;
        DocumentUnfurlAction: DocumentUnfurlAction;
        DocumentUnknownTagData: DocumentUnknownTagData;
        DocumentUpdateBlock: DocumentUpdateBlock;
        DocumentUpdateBlockData: DocumentUpdateBlockData;
        DocumentUpdatesBlock: DocumentUpdatesBlock;
        DocumentUpdatesBlockData: DocumentUpdatesBlockData;
        DocumentUserRef: DocumentUserRef;
        EditedChangeRequest: EditedChangeRequest;
        EditedTitle: EditedTitle;
        EmailAddress: EmailAddress;
        EmailDomainOrganizations: EmailDomainOrganizations;
        EmailInvite: EmailInvite;
        Error: Error;
        ErrorDetail: ErrorDetail;
        ErrorInfo: ErrorInfo;
        ErrorReason: ErrorReason;
        EventCaller: EventCaller;
        EventVisitor: EventVisitor;
        ExceededQuota: ExceededQuota;
        ExternalIds: ExternalIds;
        FetchEvent: FetchEvent;
        FetchEventRequest: FetchEventRequest;
        FetchPublishedScriptEvent: FetchPublishedScriptEvent;
        FetchVisitorAuthenticationEvent: FetchVisitorAuthenticationEvent;
        FetchedFile: FetchedFile;
        File: File;
        FileChanges: FileChanges;
        FileCreatedOrDeleted: FileCreatedOrDeleted;
        FileDimensions: FileDimensions;
        FileEdited: FileEdited;
        FileImportSource: FileImportSource;
        FileList: FileList;
        FileLocation: FileLocation;
        FileName: FileName;
        FileRef: FileRef;
        FlagChange: FlagChange;
        GitExport: GitExport;
        GitImport: GitImport;
        GitInfo: GitInfo;
        GitInstallationProvider: GitInstallationProvider;
        GitObject: GitObject;
        GitProvider: GitProvider;
        GitRef: GitRef;
        GitRepositoryInfo: GitRepositoryInfo;
        GitRun: GitRun;
        GitRunDirection: GitRunDirection;
        GitRunList: GitRunList;
        GitUrl: GitUrl;
        GrantPatch: GrantPatch;
        GrantsCreate: GrantsCreate;
        GroupPage: GroupPage;
        IconData: IconData;
        IconDataOrUrl: IconDataOrUrl;
        IconName: IconName;
        Identifier: Identifier;
        ImageData: ImageData;
        ImageElement: ImageElement;
        ImportRun: ImportRun;
        ImportRunCreate: ImportRunCreate;
        ImportRunList: ImportRunList;
        ImportRunSource: ImportRunSource;
        ImportRunStatus: ImportRunStatus;
        ImportRunTarget: ImportRunTarget;
        ImportSource: ImportSource;
        ImportedContent: ImportedContent;
        ImportedFiles: ImportedFiles;
        ImportedSource: ImportedSource;
        ImportedWebsite: ImportedWebsite;
        InitialSpaceIds: InitialSpaceIds;
        InlineFile: InlineFile;
        InputElement: InputElement;
        InsertFiles: InsertFiles;
        InsertPage: InsertPage;
        Installation: Installation;
        InstallationCreate: InstallationCreate;
        InstallationDeletedEvent: InstallationDeletedEvent;
        InstallationList: InstallationList;
        InstallationPatch: InstallationPatch;
        InstallationSelection: InstallationSelection;
        InstallationSetupEvent: InstallationSetupEvent;
        InstallationSnapshot: InstallationSnapshot;
        InstallationStatus: InstallationStatus;
        InstallationStatusUpdate: InstallationStatusUpdate;
        InstallationTarget: InstallationTarget;
        InstallationToken: InstallationToken;
        InstallationUrls: InstallationUrls;
        Integration: Integration;
        IntegrationBlock: IntegrationBlock;
        IntegrationBlockMarkdown: IntegrationBlockMarkdown;
        IntegrationBlockWrite: IntegrationBlockWrite;
        IntegrationBooleanProperty: IntegrationBooleanProperty;
        IntegrationButtonProperty: IntegrationButtonProperty;
        IntegrationCategory: IntegrationCategory;
        IntegrationComponent: IntegrationComponent;
        IntegrationConfiguration: IntegrationConfiguration;
        IntegrationConfigurationWrite: IntegrationConfigurationWrite;
        IntegrationConfigurations: IntegrationConfigurations;
        IntegrationConfigurationsWrite: IntegrationConfigurationsWrite;
        IntegrationContentSource: IntegrationContentSource;
        IntegrationContentSourceWrite: IntegrationContentSourceWrite;
        IntegrationEvent: IntegrationEvent;
        IntegrationEventList: IntegrationEventList;
        IntegrationEventPayload: IntegrationEventPayload;
        IntegrationEventStatus: IntegrationEventStatus;
        IntegrationEventTrace: IntegrationEventTrace;
        IntegrationEventWithTrace: IntegrationEventWithTrace;
        IntegrationLink: IntegrationLink;
        IntegrationList: IntegrationList;
        IntegrationLogEntry: IntegrationLogEntry;
        IntegrationLogLevel: IntegrationLogLevel;
        IntegrationName: IntegrationName;
        IntegrationNumberProperty: IntegrationNumberProperty;
        IntegrationPermissions: IntegrationPermissions;
        IntegrationProperty: IntegrationProperty;
        IntegrationPublication: IntegrationPublication;
        IntegrationRuntime: IntegrationRuntime;
        IntegrationScope: IntegrationScope;
        IntegrationSettings: IntegrationSettings;
        IntegrationSource: IntegrationSource;
        IntegrationSourceType: IntegrationSourceType;
        IntegrationTarget: IntegrationTarget;
        IntegrationTask: IntegrationTask;
        IntegrationTextProperty: IntegrationTextProperty;
        IntegrationTunnel: IntegrationTunnel;
        IntegrationUrls: IntegrationUrls;
        IntegrationVisibility: IntegrationVisibility;
        IntegrationVisitorAuth: IntegrationVisitorAuth;
        InternalLocation: InternalLocation;
        InviteLevel: InviteLevel;
        InviteRole: InviteRole;
        InviteUsers: InviteUsers;
        InvitedUsers: InvitedUsers;
        Invitee: Invitee;
        IpAddress: IpAddress;
        Language: Language;
        LayoutChange: LayoutChange;
        LinkInvite: LinkInvite;
        LinkInviteCreate: LinkInviteCreate;
        LinkInviteList: LinkInviteList;
        LinkInvitePatch: LinkInvitePatch;
        LinkList: LinkList;
        LinkPage: LinkPage;
        LinkRelation: LinkRelation;
        LinkStats: LinkStats;
        LinkStatus: LinkStatus;
        Location: Location;
        LocationList: LocationList;
        LongText: LongText;
        MarkdownBody: MarkdownBody;
        MarkdownElement: MarkdownElement;
        MediaType: MediaType;
        Member: Member;
        MemberList: MemberList;
        MemberPatch: MemberPatch;
        MemberPricing: MemberPricing;
        MemberRoleFilter: MemberRoleFilter;
        MemberSort: MemberSort;
        MemberSpace: MemberSpace;
        MemberSpaceList: MemberSpaceList;
        MemberTeam: MemberTeam;
        MemberTeamList: MemberTeamList;
        MergeRevision: MergeRevision;
        ModalElement: ModalElement;
        MoveContent: MoveContent;
        NewFile: NewFile;
        NextPage: NextPage;
        NodePosition: NodePosition;
        OpenAPIContentUrls: OpenAPIContentUrls;
        OpenAPIDependencies: OpenAPIDependencies;
        OpenAPIDependency: OpenAPIDependency;
        OpenAPILocation: OpenAPILocation;
        OpenAPIModelsProps: OpenAPIModelsProps;
        OpenAPIPageProps: OpenAPIPageProps;
        OpenAPIPageSource: OpenAPIPageSource;
        OpenAPIPartProps: OpenAPIPartProps;
        OpenAPIPermissions: OpenAPIPermissions;
        OpenAPIProcessErrorCode: OpenAPIProcessErrorCode;
        OpenAPIProcessingState: OpenAPIProcessingState;
        OpenAPIRef: OpenAPIRef;
        OpenAPIRevisionProps: OpenAPIRevisionProps;
        OpenAPIRevisionSource: OpenAPIRevisionSource;
        OpenAPISlug: OpenAPISlug;
        OpenAPISource: OpenAPISource;
        OpenAPISourceText: OpenAPISourceText;
        OpenAPISourceUrl: OpenAPISourceUrl;
        OpenAPISpec: OpenAPISpec;
        OpenAPISpecCreate: OpenAPISpecCreate;
        OpenAPISpecList: OpenAPISpecList;
        OpenAPISpecPatch: OpenAPISpecPatch;
        OpenAPISpecUpdate: OpenAPISpecUpdate;
        OpenAPISpecVersion: OpenAPISpecVersion;
        OpenAPISpecVersionList: OpenAPISpecVersionList;
        OpenAPIUrls: OpenAPIUrls;
        OpenAPIVersionContent: OpenAPIVersionContent;
        OpenAPIVisibility: OpenAPIVisibility;
        OpenComment: OpenComment;
        OpenModalAction: OpenModalAction;
        OpenUrlAction: OpenUrlAction;
        Order: Order;
        Organization: Organization;
        OrganizationBilling: OrganizationBilling;
        OrganizationBlockReason: OrganizationBlockReason;
        OrganizationCreate: OrganizationCreate;
        OrganizationFile: OrganizationFile;
        OrganizationFileCreate: OrganizationFileCreate;
        OrganizationFileList: OrganizationFileList;
        OrganizationHostname: OrganizationHostname;
        OrganizationInvite: OrganizationInvite;
        OrganizationList: OrganizationList;
        OrganizationPatch: OrganizationPatch;
        OrganizationPermissions: OrganizationPermissions;
        OrganizationPlan: OrganizationPlan;
        OrganizationQuotas: OrganizationQuotas;
        OrganizationTitle: OrganizationTitle;
        OrganizationTrial: OrganizationTrial;
        OrganizationType: OrganizationType;
        OrganizationUrls: OrganizationUrls;
        OrganizationUseCase: OrganizationUseCase;
        Page: Page;
        PageChanges: PageChanges;
        PageCover: PageCover;
        PageCreatedOrDeleted: PageCreatedOrDeleted;
        PageEdited: PageEdited;
        PageFeedback: PageFeedback;
        PageFeedbackEvent: PageFeedbackEvent;
        PageFeedbackRating: PageFeedbackRating;
        PageLayout: PageLayout;
        PageLocation: PageLocation;
        PageMoved: PageMoved;
        PageRef: PageRef;
        PageSlug: PageSlug;
        PageTree: PageTree;
        PageUrls: PageUrls;
        PageWidth: PageWidth;
        ParentChange: ParentChange;
        PathSegment: PathSegment;
        PdfFile: PdfFile;
        Ping: Ping;
        PlainRevision: PlainRevision;
        PolicyDirectives: PolicyDirectives;
        PolicyText: PolicyText;
        Price: Price;
        ProxyOrigin: ProxyOrigin;
        PublishedCustomizations: PublishedCustomizations;
        PublishedScript: PublishedScript;
        PublishedSectionEntry: PublishedSectionEntry;
        PublishedSections: PublishedSections;
        PublishedSite: PublishedSite;
        PublishedSiteSpaces: PublishedSiteSpaces;
        PublishedStructure: PublishedStructure;
        PublishedUrlContent: PublishedUrlContent;
        PublishedUrlRedirect: PublishedUrlRedirect;
        PublishedUrlRedirectTarget: PublishedUrlRedirectTarget;
        PublishedUrlRequest: PublishedUrlRequest;
        PublishedUrlResult: PublishedUrlResult;
        PublishedUrlVisitor: PublishedUrlVisitor;
        PublishedUrlVisitorType: PublishedUrlVisitorType;
        PublishedUrls: PublishedUrls;
        QuotaName: QuotaName;
        QuotaUse: QuotaUse;
        RadioElement: RadioElement;
        Reaction: Reaction;
        ReactionUser: ReactionUser;
        ReferenceName: ReferenceName;
        RenderAction: RenderAction;
        RenderBinding: RenderBinding;
        RenderChild: RenderChild;
        RenderConfirmation: RenderConfirmation;
        RenderContext: RenderContext;
        RenderElement: RenderElement;
        RenderEvent: RenderEvent;
        RenderHintElement: RenderHintElement;
        RenderInline: RenderInline;
        RenderInlineElement: RenderInlineElement;
        RenderInput: RenderInput;
        RenderLinkElement: RenderLinkElement;
        RenderRequest: RenderRequest;
        RenderResult: RenderResult;
        RenderRoot: RenderRoot;
        RenderTarget: RenderTarget;
        RenderUrl: RenderUrl;
        RenderUrlParts: RenderUrlParts;
        RenderedElement: RenderedElement;
        RenderingComplete: RenderingComplete;
        RequestTime: RequestTime;
        RequestedReviewer: RequestedReviewer;
        RequestedReviewerList: RequestedReviewerList;
        RequestedReviewers: RequestedReviewers;
        RequestedReviewersCreate: RequestedReviewersCreate;
        ResolvedComment: ResolvedComment;
        ResolvedSiteRedirect: ResolvedSiteRedirect;
        ResourceUrls: ResourceUrls;
        ReusableContent: ReusableContent;
        ReusableContentChanges: ReusableContentChanges;
        ReusableContentCreatedOrDeleted: ReusableContentCreatedOrDeleted;
        ReusableContentEdited: ReusableContentEdited;
        ReusableContentLocation: ReusableContentLocation;
        ReusableContentRef: ReusableContentRef;
        RevertPage: RevertPage;
        ReviewStatus: ReviewStatus;
        Revision: Revision;
        RevisionContext: RevisionContext;
        RevisionGit: RevisionGit;
        RevisionUrls: RevisionUrls;
        Role: Role;
        RowElement: RowElement;
        RunCounts: RunCounts;
        RunFailure: RunFailure;
        RunFailureReason: RunFailureReason;
        RunProblem: RunProblem;
        RunProblemReason: RunProblemReason;
        RunStatus: RunStatus;
        SamlLabel: SamlLabel;
        SamlProvider: SamlProvider;
        SamlProviderCreate: SamlProviderCreate;
        SamlProviderList: SamlProviderList;
        SamlProviderPatch: SamlProviderPatch;
        SamlProviderStatus: SamlProviderStatus;
        SamlService: SamlService;
        SearchResultAncestor: SearchResultAncestor;
        SearchResultPage: SearchResultPage;
        SearchResultPageList: SearchResultPageList;
        SearchResultSection: SearchResultSection;
        SearchResultSpace: SearchResultSpace;
        SearchResultSpaceList: SearchResultSpaceList;
        SearchResultUrls: SearchResultUrls;
        SearchScore: SearchScore;
        SectionDescription: SectionDescription;
        SectionGroupTitle: SectionGroupTitle;
        SelectElement: SelectElement;
        SelectOption: SelectOption;
        SelectSource: SelectSource;
        SemanticChange: SemanticChange;
        SemanticChanges: SemanticChanges;
        SettingValues: SettingValues;
        ShareLink: ShareLink;
        ShareLinkCreate: ShareLinkCreate;
        ShareLinkList: ShareLinkList;
        ShareLinkName: ShareLinkName;
        ShareLinkPatch: ShareLinkPatch;
        ShareLinkUrls: ShareLinkUrls;
        ShortText: ShortText;
        Site: Site;
        SiteAdaptiveContent: SiteAdaptiveContent;
        SiteAdaptiveSchema: SiteAdaptiveSchema;
        SiteAdaptiveSchemaUpdate: SiteAdaptiveSchemaUpdate;
        SiteAds: SiteAds;
        SiteAdsDisabled: SiteAdsDisabled;
        SiteAdsInReview: SiteAdsInReview;
        SiteAdsLive: SiteAdsLive;
        SiteAdsPending: SiteAdsPending;
        SiteAdsRejected: SiteAdsRejected;
        SiteAdsTopic: SiteAdsTopic;
        SiteAgentsContext: SiteAgentsContext;
        SiteAi: SiteAi;
        SiteAnnouncement: SiteAnnouncement;
        SiteAnswer: SiteAnswer;
        SiteAnswerSource: SiteAnswerSource;
        SiteCodeTheme: SiteCodeTheme;
        SiteCodeThemes: SiteCodeThemes;
        SiteConfigurationContext: SiteConfigurationContext;
        SiteCreate: SiteCreate;
        SiteCustomization: SiteCustomization;
        SiteEmojiIcon: SiteEmojiIcon;
        SiteEntry: SiteEntry;
        SiteEntryPointer: SiteEntryPointer;
        SiteEntryPosition: SiteEntryPosition;
        SiteEntryType: SiteEntryType;
        SiteExternalLinks: SiteExternalLinks;
        SiteFeature: SiteFeature;
        SiteFeatureCustomization: SiteFeatureCustomization;
        SiteFeatureId: SiteFeatureId;
        SiteFeedback: SiteFeedback;
        SiteFeedbackList: SiteFeedbackList;
        SiteFooter: SiteFooter;
        SiteFooterGroup: SiteFooterGroup;
        SiteGit: SiteGit;
        SiteHeader: SiteHeader;
        SiteHeaderLink: SiteHeaderLink;
        SiteIcon: SiteIcon;
        SiteImageIcon: SiteImageIcon;
        SiteInitialSpaceContent: SiteInitialSpaceContent;
        SiteInitialSpaces: SiteInitialSpaces;
        SiteInsights: SiteInsights;
        SiteInsightsEvent: SiteInsightsEvent;
        SiteInsightsEvents: SiteInsightsEvents;
        SiteInstallation: SiteInstallation;
        SiteInstallationCreate: SiteInstallationCreate;
        SiteInstallationDeletedEvent: SiteInstallationDeletedEvent;
        SiteInstallationList: SiteInstallationList;
        SiteInstallationSetupEvent: SiteInstallationSetupEvent;
        SiteInternationalization: SiteInternationalization;
        SiteLink: SiteLink;
        SiteList: SiteList;
        SiteNoIcon: SiteNoIcon;
        SitePageAction: SitePageAction;
        SitePageActions: SitePageActions;
        SitePatch: SitePatch;
        SitePermissions: SitePermissions;
        SitePricing: SitePricing;
        SiteProxy: SiteProxy;
        SitePublishingAuth: SitePublishingAuth;
        SitePublishingAuthPatch: SitePublishingAuthPatch;
        SitePublishingCustomAuthPatch: SitePublishingCustomAuthPatch;
        SitePublishingIntegrationAuthPatch: SitePublishingIntegrationAuthPatch;
        SiteQuestion: SiteQuestion;
        SiteRedirect: SiteRedirect;
        SiteRedirectCreate: SiteRedirectCreate;
        SiteRedirectDestination: SiteRedirectDestination;
        SiteRedirectExternalDestination: SiteRedirectExternalDestination;
        SiteRedirectList: SiteRedirectList;
        SiteRedirectPageDestination: SiteRedirectPageDestination;
        SiteRedirectPatch: SiteRedirectPatch;
        SiteRedirectSectionDestination: SiteRedirectSectionDestination;
        SiteRedirectSource: SiteRedirectSource;
        SiteRedirectSpaceDestination: SiteRedirectSpaceDestination;
        SiteSearch: SiteSearch;
        SiteSearchAncestor: SiteSearchAncestor;
        SiteSearchDefaultScope: SiteSearchDefaultScope;
        SiteSearchPage: SiteSearchPage;
        SiteSearchResults: SiteSearchResults;
        SiteSearchScope: SiteSearchScope;
        SiteSearchSection: SiteSearchSection;
        SiteSearchSpace: SiteSearchSpace;
        SiteSearchSpecificScope: SiteSearchSpecificScope;
        SiteSearchUrls: SiteSearchUrls;
        SiteSearchWholeScope: SiteSearchWholeScope;
        SiteSection: SiteSection;
        SiteSectionCreate: SiteSectionCreate;
        SiteSectionGroup: SiteSectionGroup;
        SiteSectionGroupAddition: SiteSectionGroupAddition;
        SiteSectionGroupCreate: SiteSectionGroupCreate;
        SiteSectionGroupList: SiteSectionGroupList;
        SiteSectionGroupMove: SiteSectionGroupMove;
        SiteSectionGroupPatch: SiteSectionGroupPatch;
        SiteSectionGroupPointer: SiteSectionGroupPointer;
        SiteSectionGroupPosition: SiteSectionGroupPosition;
        SiteSectionList: SiteSectionList;
        SiteSectionMove: SiteSectionMove;
        SiteSectionPatch: SiteSectionPatch;
        SiteSectionPointer: SiteSectionPointer;
        SiteSectionPosition: SiteSectionPosition;
        SiteSidebar: SiteSidebar;
        SiteSocialAccount: SiteSocialAccount;
        SiteSocialAccountDisplay: SiteSocialAccountDisplay;
        SiteSpace: SiteSpace;
        SiteSpaceCreate: SiteSpaceCreate;
        SiteSpaceList: SiteSpaceList;
        SiteSpaceMove: SiteSpaceMove;
        SiteSpacePatch: SiteSpacePatch;
        SiteSpacePointer: SiteSpacePointer;
        SiteSpacePosition: SiteSpacePosition;
        SiteStructureSort: SiteStructureSort;
        SiteStyling: SiteStyling;
        SiteThemes: SiteThemes;
        SiteTint: SiteTint;
        SiteTitle: SiteTitle;
        SiteToggle: SiteToggle;
        SiteType: SiteType;
        SiteUrlSetting: SiteUrlSetting;
        SiteUrls: SiteUrls;
        SiteViewEvent: SiteViewEvent;
        SiteVisibility: SiteVisibility;
        SizeChange: SizeChange;
        Space: Space;
        SpaceComputedCreate: SpaceComputedCreate;
        SpaceConfigurationContext: SpaceConfigurationContext;
        SpaceContentUpdatedEvent: SpaceContentUpdatedEvent;
        SpaceCreate: SpaceCreate;
        SpaceEditMode: SpaceEditMode;
        SpaceEmojiPatch: SpaceEmojiPatch;
        SpaceGitSyncCompletedEvent: SpaceGitSyncCompletedEvent;
        SpaceGitSyncStartedEvent: SpaceGitSyncStartedEvent;
        SpaceIconPatch: SpaceIconPatch;
        SpaceInstallation: SpaceInstallation;
        SpaceInstallationCreate: SpaceInstallationCreate;
        SpaceInstallationDeletedEvent: SpaceInstallationDeletedEvent;
        SpaceInstallationList: SpaceInstallationList;
        SpaceInstallationSetupEvent: SpaceInstallationSetupEvent;
        SpaceInvite: SpaceInvite;
        SpaceInviteCreate: SpaceInviteCreate;
        SpaceList: SpaceList;
        SpaceLocation: SpaceLocation;
        SpaceMap: SpaceMap;
        SpaceMapUpdate: SpaceMapUpdate;
        SpacePatch: SpacePatch;
        SpacePermissions: SpacePermissions;
        SpacePointer: SpacePointer;
        SpaceRef: SpaceRef;
        SpaceTemplateCreate: SpaceTemplateCreate;
        SpaceUrls: SpaceUrls;
        SpaceViewEvent: SpaceViewEvent;
        SpaceVisibility: SpaceVisibility;
        SpaceVisibilityUpdatedEvent: SpaceVisibilityUpdatedEvent;
        SpacesByFormerId: SpacesByFormerId;
        SsoLogin: SsoLogin;
        SsoLogins: SsoLogins;
        StepElement: StepElement;
        StepperElement: StepperElement;
        Subdomain: Subdomain;
        SubdomainName: SubdomainName;
        SubdomainTarget: SubdomainTarget;
        SwitchElement: SwitchElement;
        TableCell: TableCell;
        TargetChange: TargetChange;
        TaskEvent: TaskEvent;
        Team: Team;
        TeamCreate: TeamCreate;
        TeamGrant: TeamGrant;
        TeamGrantList: TeamGrantList;
        TeamList: TeamList;
        TeamMember: TeamMember;
        TeamMemberList: TeamMemberList;
        TeamMemberPermissions: TeamMemberPermissions;
        TeamMemberSet: TeamMemberSet;
        TeamMembersUpdate: TeamMembersUpdate;
        TeamMembership: TeamMembership;
        TeamPatch: TeamPatch;
        TeamPermissions: TeamPermissions;
        TeamRole: TeamRole;
        TeamTitle: TeamTitle;
        TemplateChoice: TemplateChoice;
        TemplateParams: TemplateParams;
        TextChange: TextChange;
        TextElement: TextElement;
        TextFormat: TextFormat;
        TextInputElement: TextInputElement;
        ThemedColor: ThemedColor;
        ThemedImage: ThemedImage;
        TransferContent: TransferContent;
        Translation: Translation;
        TranslationCreate: TranslationCreate;
        TranslationDependency: TranslationDependency;
        TranslationList: TranslationList;
        TranslationPageProps: TranslationPageProps;
        TranslationPageSource: TranslationPageSource;
        TranslationPermissions: TranslationPermissions;
        TranslationRef: TranslationRef;
        TranslationResult: TranslationResult;
        TranslationRevisionSource: TranslationRevisionSource;
        TranslationSource: TranslationSource;
        TranslationStats: TranslationStats;
        TranslationStatus: TranslationStatus;
        TranslationUpdate: TranslationUpdate;
        TrialStatus: TrialStatus;
        TriggeredAction: TriggeredAction;
        UnfurlLinkAction: UnfurlLinkAction;
        UpdatePage: UpdatePage;
        UpdatePropsAction: UpdatePropsAction;
        UrlLocation: UrlLocation;
        UrlRef: UrlRef;
        User: User;
        UserAccessToken: UserAccessToken;
        UserAccessTokenCreate: UserAccessTokenCreate;
        UserAccessTokenList: UserAccessTokenList;
        UserAccessTokenWithSecret: UserAccessTokenWithSecret;
        UserGrant: UserGrant;
        UserGrantList: UserGrantList;
        UserLocation: UserLocation;
        UserRef: UserRef;
        VariablesChange: VariablesChange;
        VariablesEdited: VariablesEdited;
        VersionContext: VersionContext;
        VisitorAuth: VisitorAuth;
        VisitorAuthBackend: VisitorAuthBackend;
        VisitorCondition: VisitorCondition;
        WebframeElement: WebframeElement;
        WebsiteImportSource: WebsiteImportSource;
    };
    responses: {
        UnexpectedError: UnexpectedErrorResponse;
    };
    parameters: {
        /** Identifier of the access token. */
        AccessTokenPath: Identifier;
        /** Return only events with this action. */
        "AuditEventListQuery.action": AuditAction;
        /**
         * Return only events with this actor: the identifier of a user, installation or integration, or `operator` or
         * `system`.
         */
        "AuditEventListQuery.actor": AuditedIdentifier;
        /** Return only events of requests from this IP address. */
        "AuditEventListQuery.address": IpAddress;
        /** Return only events at or after this time. */
        "AuditEventListQuery.from": RequestTime;
        /** Return only events of the request with this identifier. */
        "AuditEventListQuery.requestId": Identifier;
        /** Return only events with the resource that has this identifier. */
        "AuditEventListQuery.resource": AuditedIdentifier;
        /** Return only events with a resource of this type. */
        "AuditEventListQuery.resourceType": AuditResourceType;
        /** Return only events before this time. */
        "AuditEventListQuery.until": RequestTime;
        /** Identifier of the audit event. */
        "AuditEventPath.auditEventId": Identifier;
        /** Return only change requests that contain a revision by the user with this identifier. */
        "ChangeRequestListQuery.contributor": Identifier;
        /** Return only change requests that the user with this identifier created. */
        "ChangeRequestListQuery.creator": Identifier;
        /** Return only change requests that the user with this identifier was requested to review. */
        "ChangeRequestListQuery.requestedReviewer": Identifier;
        /** Return only change requests with this status. */
        "ChangeRequestListQuery.status": ChangeRequestStatus;
        /** Identifier of the change request, or its number within the space. */
        "ChangeRequestPath.changeRequestId": Identifier;
        /** Maximum number of changes to return. */
        ChangesQuery: number;
        /** Whether to include collections within collections. */
        "CollectionListQuery.nested": boolean;
        /** Identifier of the collection. */
        CollectionPath: Identifier;
        /** Format of the bodies. Default: `markdown`. */
        CommentFormatQuery: TextFormat;
        /** Return only comments by the users with these identifiers. */
        "CommentListQuery.authors": Identifier[];
        /** Return only comments with this status. */
        "CommentListQuery.status": CommentStatusFilter;
        /** Return only comments on the page with this identifier. */
        "CommentListQuery.targetPage": Identifier;
        /** Identifier of the comment. */
        CommentPath: Identifier;
        /** Identifier of the reply. */
        "CommentReplyPath.commentReplyId": Identifier;
        /** Identifier of the run. */
        "ContentImportRunPath.importRunId": Identifier;
        /** Whether to return complete spaces and sites instead of their identifiers. */
        "ContentInstallationListQuery.extended": boolean;
        /**
         * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
         * are computed.
         */
        "ContentQuery.computed": boolean;
        /** Whether to include Git metadata, which can change while the content does not. */
        "ContentQuery.metadata": boolean;
        /** Whether inclusions of reusable content of the space are replaced with their blocks. */
        "DocumentQuery.dereferenced": DocumentDereferencing;
        /**
         * Whether to replace expressions with their values, and to add the URLs of targets to references. Expressions about
         * the visitor are unchanged, so that `deterministic-only` has the same result as `true`.
         */
        "DocumentQuery.evaluated": boolean | "deterministic-only";
        /** Return only installations with this external identifier. */
        ExternalIdQuery: ShortText;
        /** Identifier of the file. */
        FilePath: Identifier;
        /** Identifier of the run. */
        "GitRunPath.runId": Identifier;
        /**
         * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
         * creates nothing and returns the first response again, as long as the caller may still send the request and see the
         * created resource. A request that repeats one in progress waits for its response.
         */
        IdempotencyKeyHeader: string;
        /** Return only runs with the target change request that has this identifier. */
        "ImportRunListQuery.changeRequest": Identifier;
        /** Return only runs with this target space. */
        "ImportRunListQuery.space": Identifier;
        /** Return only runs with this status. Those that have not ended are `active`. */
        "ImportRunListQuery.status": "active" | ImportRunStatus;
        /** Identifier of the run. */
        "ImportRunPath.importId": Identifier;
        /** Identifier of the installation. */
        "InstallationPath.installationId": Identifier;
        /** Identifier of the event. */
        "IntegrationEventPath.eventId": Identifier;
        /** Return only integrations with a block that accepts links to this hostname. */
        "IntegrationListQuery.blockDomain": string;
        /** Return only integrations with blocks (`true`) or without blocks (`false`). */
        "IntegrationListQuery.blocks": boolean;
        /** Return only integrations in this category. */
        "IntegrationListQuery.category": IntegrationCategory;
        /** Return only integrations with content sources (`true`) or without content sources (`false`). */
        "IntegrationListQuery.contentSources": boolean;
        /** Return only integrations of the organization with this identifier. */
        "IntegrationListQuery.owner": Identifier;
        /** Return only integrations with this scope. */
        "IntegrationListQuery.scope": IntegrationScope;
        /** Return only integrations whose name or title contains this text. */
        "IntegrationListQuery.search": ShortText;
        /** Return only integrations that can be installed on this target. */
        "IntegrationListQuery.target": IntegrationTarget;
        /** Name of the integration. */
        IntegrationPath: IntegrationName;
        /** Identifier of the invitation. */
        "InvitePath.inviteId": Identifier;
        /** Return only links with this status. */
        LinkStatusQuery: LinkStatus;
        /**
         * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
         * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
         */
        "ListQuery.limit": number;
        /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
        "ListQuery.page": ShortText;
        /** Return only members with this role. */
        "MemberListQuery.role": MemberRoleFilter;
        /** Return only members whose name or email address contains this text (case-insensitive). */
        "MemberListQuery.search": ShortText;
        /** Sort key. */
        "MemberListQuery.sort": MemberSort;
        /** Identifier of the user. */
        "MemberPath.userId": Identifier;
        /** Slug of the specification. */
        "OpenAPISpecPath.specSlug": OpenAPISlug;
        /** Identifier of the version. */
        "OpenAPIVersionPath.versionId": Identifier;
        /** Sort direction. */
        OrderQuery: Order;
        /** Identifier of the file. */
        "OrganizationFilePath.organizationFileId": Identifier;
        /** Identifier of the organization. */
        OrganizationPath: Identifier;
        /** Path of the page within the space, with slashes encoded as `%2F`. */
        PageAtPath: ShortText;
        /** Identifier of the page. */
        PagePath: Identifier;
        /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
        "PageQuery.evaluated": boolean;
        /** Format of the body. */
        "PageQuery.format": TextFormat;
        /** Print only this page, without its subpages. Ignored unless `page` is set. */
        "PdfQuery.only": boolean;
        /** Identifier of the page to start at. */
        "PdfQuery.page": Identifier;
        /** Identifier of the reusable content. */
        ReusableContentPath: Identifier;
        /** Return only reviews that are outdated, or only those that are not. */
        "ReviewListQuery.outdated": boolean;
        /** Identifier of the revision. */
        "RevisionPath.revisionId": Identifier;
        /** Identifier of the SAML provider. */
        "SamlProviderPath.samlProviderId": Identifier;
        /**
         * Words to search for. A section matches if it contains all of them, also in other forms of the language of its space,
         * in its text, its heading or the title of its page. The last word may be incomplete. Articles and question words are
         * ignored if there are others.
         *
         * Names such as `C#`, `C++`, `.NET` and `node.js` are words. Words in double quotes are only found as written and
         * next to each other; a quote without a counterpart is ignored.
         *
         * If no section matches, words of five letters or more that occur nowhere are corrected in one letter, or split into
         * two words. If still no section matches, sections of the pages with at least a third of the words are listed, those
         * with most and rarest words first.
         *
         * Pages whose title is the query are first, followed by those whose title starts with it, and then by those with the
         * best sections. Up to 1,000 sections are ranked, and the best of each page are listed.
         */
        "SearchQuery.query": string;
        /**
         * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
         * sections and its site spaces in the response contain it. Other values are ignored for members.
         */
        ShareKeyQuery: ShortText;
        /** Identifier of the share link. */
        "ShareLinkPath.shareLinkId": Identifier;
        /** Identifier of the site. */
        "SiteInstallationPath.installedSiteId": Identifier;
        /** Return only sites that are published (`true`) or unpublished (`false`). */
        "SiteListQuery.published": boolean;
        /** Return only sites that show the space with this identifier. */
        "SiteListQuery.space": Identifier;
        /** Return only sites whose title contains this text. */
        "SiteListQuery.title": ShortText;
        /** Return only sites on one of these plans. */
        "SiteListQuery.type": SiteType[];
        /** Identifier of the site. */
        "SitePath.siteId": Identifier;
        /** Identifier of the redirect. */
        "SiteRedirectPath.siteRedirectId": Identifier;
        /** Identifier of the section group. */
        "SiteSectionGroupPath.siteSectionGroupId": Identifier;
        /** Identifier of the section. */
        "SiteSectionPath.siteSectionId": Identifier;
        /** Return only the default site space of the site (`true`), or only the others (`false`). */
        "SiteSpaceListQuery.default": boolean;
        /** Identifier of the site space. */
        "SiteSpacePath.siteSpaceId": Identifier;
        /** Identifier of the space. */
        "SpaceInstallationPath.installedSpaceId": Identifier;
        /** Identifier of the space. */
        SpacePath: Identifier;
        /** Identifier of the team. */
        TeamGrantPath: Identifier;
        /** Identifier of the user. */
        "TeamMemberPath.userId": Identifier;
        /** Identifier of the team. */
        "TeamPath.teamId": Identifier;
        /** Identifier of the translation. */
        "TranslationPath.translationId": Identifier;
        /** Identifier of the user. */
        UserGrantPath: Identifier;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
/**
 * Format: uri
 *
 * Absolute URL (RFC 3986) with the scheme `http` or `https`, of at most 2,048 characters.
 */
export type AbsoluteUrl = string;
/**
 * Scope of an access token, within the permissions of its user. Each scope includes the previous ones. An operation
 * requires `read` if it is a GET and `write` otherwise, unless its `x-scope` is `admin`.
 */
export type AccessTokenScope = "read" | "write" | "admin";
/** Component in the settings of an installation. */
export type AccountConfigurationContext = {
    /** Type of the context. */
    type: "configuration_account";
    /** Color theme around the component. */
    theme: "dark" | "light";
    /** Identifier of the organization. */
    organizationId: Identifier;
};
/** Boolean claim. */
export type AdaptiveClaim = {
    /** Type of the claim. */
    type: "boolean";
    /** Description of the claim. */
    description: ShortText;
};
/**
 * At most 100 boolean claims by name: at most 64 letters, digits, hyphens and underscores, of which the first is a
 * letter or an underscore. Only `unsigned` is an object: it contains the unverified claims. Names that every object
 * has, such as `constructor`, are reserved.
 */
export type AdaptiveClaims = {
    /** Unverified claims that the browser of the visitor states about itself. */
    unsigned?: AdaptiveUnsignedClaims;
} & {
    [key: string]: AdaptiveClaim | AdaptiveUnsignedClaims;
};
/** Condition template: a condition to start from. */
export type AdaptiveConditionTemplate = {
    /** Visitors that the condition selects. */
    description: string;
    /** Expression. */
    condition: string;
};
/** Condition templates. */
export type AdaptiveConditionTemplates = {
    /** Templates. */
    items: AdaptiveConditionTemplate[];
};
/** Claims about a visitor, as a JSON Schema (draft 07) of an object without additional properties. */
export type AdaptiveJsonSchema = {
    /** Draft of JSON Schema: `http://json-schema.org/draft-07/schema#`. */
    $schema?: ShortText;
    /** Type of the schema. */
    type: "object";
    /** Claims by name. */
    properties: AdaptiveClaims;
    /** Always `false`: claims that are not listed do not exist. */
    additionalProperties: false;
};
/** Unverified claims. */
export type AdaptiveUnsignedClaims = {
    /** Type of the schema. */
    type: "object";
    /** Description of the unverified claims. */
    description: ShortText;
    /** Claims by name. */
    properties: {
        [key: string]: AdaptiveClaim;
    };
    /** Always `false`: claims that are not listed do not exist. */
    additionalProperties?: false;
};
/** Anchor within a page. */
export type AnchorPosition = {
    /** Type of the position. */
    type: "anchor";
    /** Name of the anchor. */
    anchor: string;
};
/** Reference to an anchor within a page. */
export type AnchorRef = {
    /** Kind of the reference. */
    kind: "anchor";
    /** Name of the anchor. */
    anchor: ShortText;
    /** Identifier of the space. Omitted if it is the space that contains the reference. */
    space?: Identifier;
    /** Identifier of the page. Omitted if it is the page that contains the reference. */
    page?: Identifier;
};
/** Action that an audit event reports. */
export type AuditAction = "organization.created" | "organization.settings_changed" | "organization.quotas_changed" | "member.added" | "member.removed" | "member.role_changed" | "member.sso_enabled" | "invite.created" | "invite.changed" | "invite.deleted" | "team.created" | "team.deleted" | "team.member_added" | "team.member_removed" | "team.member_role_changed" | "grant.created" | "grant.changed" | "grant.deleted" | "token.created" | "token.revoked" | "saml_provider.created" | "saml_provider.updated" | "saml_provider.deleted" | "space.access_changed" | "space.deleted" | "space.restored" | "space.purged" | "space.moved" | "space.transferred" | "collection.access_changed" | "collection.deleted" | "collection.moved" | "collection.transferred" | "site.published" | "site.unpublished" | "site.visibility_changed" | "site.space_added" | "site.space_removed" | "site.conditions_changed" | "site.section_group_deleted" | "site.deleted" | "share_link.created" | "share_link.changed" | "share_link.deleted" | "site.authentication_changed" | "site.signing_key_regenerated" | "openapi_spec.visibility_changed" | "openapi_spec.deleted" | "translation.deleted" | "change_request.reviewer_added" | "change_request.reviewer_removed" | "comment.deleted" | "git_installation.deleted" | "integration.published" | "integration.unpublished" | "integration.development_started" | "integration.development_stopped" | "installation.created" | "installation.updated" | "installation.deleted" | "installation.token_created";
/** Actor of an audit event. */
export type AuditActor = {
    /** Type of the actor. */
    type: AuditActorType;
    /** Identifier of the user, installation or integration (`itg_<name>`). Omitted for `operator` and `system`. */
    id?: string;
    /** Current display name of the actor. Omitted if it has none. */
    displayName?: string;
    /** Identifier of the access token of the request. Omitted for `operator` and `system`. */
    token?: string;
};
/** Type of the actor of an audit event. */
export type AuditActorType = "user" | "installation" | "integration" | "operator" | "system";
/** Details of an audit event. They never contain secrets. */
export type AuditDetails = {
    /** User, team or other resource that the event concerns, in addition to its resource. */
    subject?: AuditResource;
    /** Previous role, level, visibility, collection or organization. Omitted if there was none. */
    before?: string;
    /** New role, level, visibility, collection or organization. Omitted if there is none. */
    after?: string;
    /** Names of the changed settings, or of the scopes of a token. */
    fields?: string[];
};
/**
 * Audit event: a change to the permissions, members, tokens, visibility or integrations of an organization, or a
 * deletion.
 */
export type AuditEvent = {
    /** Object type. */
    object: "audit-event";
    /** Identifier. */
    id: string;
    /** Action. */
    action: AuditAction;
    /** Actor. */
    actor: AuditActor;
    /** Origin of the change. */
    source: AuditSource;
    /** Resource that the action was performed on. */
    resource: AuditResource;
    /** Resource that the action was performed on, as in `resource`. */
    target: AuditResource;
    /** Details. */
    details: AuditDetails;
    /**
     * Format: date-time
     *
     * Time of the change.
     */
    occurredAt: string;
    /** Identifier of the request, as in its `X-Request-Id` and in the server log. Omitted if the event has no request. */
    requestId?: string;
    /** IP address of the client. Omitted if the event has no request. */
    address?: string;
    /** URLs of the event. */
    urls: ResourceUrls;
};
/** Audit event, as it is retrieved alone. */
export type AuditEventDetails = {
    /** Object type. */
    object: "audit-event";
    /** Identifier. */
    id: string;
    /** Action. */
    action: AuditAction;
    /** Actor. */
    actor: AuditActor;
    /** Origin of the change. */
    source: AuditSource;
    /** Resource that the action was performed on. */
    resource: AuditResource;
    /** Resource that the action was performed on, as in `resource`. */
    target: AuditResource;
    /** Details. */
    details: AuditDetails;
    /**
     * Format: date-time
     *
     * Time of the change.
     */
    occurredAt: string;
    /** Identifier of the request, as in its `X-Request-Id` and in the server log. Omitted if the event has no request. */
    requestId?: string;
    /** IP address of the client. Omitted if the event has no request. */
    address?: string;
    /** URLs of the event. */
    urls: ResourceUrls;
    /**
     * Format: int32
     *
     * Version of the schema of `payload`.
     */
    schemaVersion: number;
    /** Details, as in `details`. */
    payload: AuditDetails;
};
/** One page of a list. */
export type AuditEventList = {
    /** Items of this page. */
    items: AuditEvent[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Resource of an audit event. It may no longer exist. */
export type AuditResource = {
    /** Type of the resource. */
    type: AuditResourceType;
    /** Identifier of the resource. */
    id: string;
};
/** Type of the resource of an audit event. */
export type AuditResourceType = "organization" | "user" | "invite" | "team" | "token" | "saml-provider" | "space" | "collection" | "site" | "site-section" | "site-section-group" | "site-space" | "share-link" | "openapi-spec" | "translation" | "change-request" | "comment" | "integration" | "installation";
/** Origin of the change of an audit event. It follows from the actor. */
export type AuditSource = "api" | "integration" | "script" | "workflow";
/** Identifier in an audit event. Those of integrations contain their names. */
export type AuditedIdentifier = string;
/**
 * Format: byte
 *
 * Bytes encoded in base64 (RFC 4648, section 4).
 */
export type Base64 = string;
/** Add-on billed by usage. */
export type BillingAddon = {
    /** Whether the add-on is enabled. */
    enabled: boolean;
};
/** Add-ons billed by usage. */
export type BillingAddons = {
    /** AI answers to readers. */
    ai_responses?: BillingAddon;
    /** Answers of an AI agent. */
    ai_agent_responses?: BillingAddon;
    /** Translated words. */
    translation_words?: BillingAddon;
};
/** Billing interval. */
export type BillingInterval = "monthly" | "yearly";
/** Migration from previous to current prices. */
export type BillingMigration = {
    /**
     * Format: date-time
     *
     * Latest time of the migration.
     */
    deadline?: string;
    /**
     * Format: double
     *
     * Discount on the current price, in percent.
     */
    discountPercent?: number;
    /**
     * Format: date-time
     *
     * End of the discount.
     */
    discountEndDate?: string;
};
/** Prices of the plans. */
export type BillingPricing = {
    /** Prices per member, by plan. */
    members: MemberPricing;
    /** Prices per site, by plan. */
    sites: SitePricing;
};
/** Menu entry of a block. */
export type BlockControl = {
    /** Name of the icon. */
    icon?: string;
    /** Label. */
    label: string;
    /** Action when the entry is pressed. */
    onPress: RenderAction;
    /** Confirmation required before the action. */
    confirm?: RenderConfirmation;
};
/** Block in a page. */
export type BlockElement = {
    /** Type of the element. */
    type: "block";
    /** Elements of the block. */
    children: RenderElement[];
    /** Menu entries for editors of the page, or groups of them. Visitors of published sites neither see nor use them. */
    controls?: (BlockControl | BlockControl[])[];
};
/** Group of elements within a stack. */
export type BoxElement = {
    /** Type of the element. */
    type: "box";
    /** Elements of the box. */
    children: RenderChild[];
    /**
     * Format: double
     *
     * Share of the remaining space.
     */
    grow?: number;
    /** Visual style. */
    style?: "default" | "card" | "secondary";
};
/** Statistics of broken links. */
export type BrokenLinkStats = {
    /**
     * Format: int32
     *
     * Number of broken links.
     */
    total: number;
    /**
     * Format: int32
     *
     * Number of broken links that the change request introduces. Omitted for the content of a space.
     */
    changeRequest?: number;
};
/** Button. */
export type ButtonElement = {
    /** Type of the element. */
    type: "button";
    /** Action when the button is pressed. */
    onPress: RenderAction;
    /** Label. */
    label?: string;
    /** Visual style. */
    style?: "primary" | "secondary" | "danger";
    /** Name of the icon. */
    icon?: string;
    /** Name of the icon after the label. */
    trailingIcon?: string;
    /** Text displayed while the pointer is over the button. */
    tooltip?: string;
    /** Confirmation required before the action. */
    confirm?: RenderConfirmation;
    /** Whether the button is disabled. */
    disabled?: boolean;
};
/**
 * Format: uri
 *
 * Absolute URL that the server requests, with the scheme `http` or `https`, of at most 2,048 characters.
 */
export type CallableUrl = string;
/** Card. */
export type CardElement = {
    /** Type of the element. */
    type: "card";
    /** Title. */
    title?: string;
    /** Line below the title: text, or elements. */
    hint?: string | RenderInlineElement[];
    /** Name of the icon, or an image. */
    icon?: string | ImageElement;
    /** Action when the card is pressed. */
    onPress?: RenderAction;
    /** Elements of the card. */
    children?: RenderChild[];
    /** Buttons. */
    buttons?: ButtonElement[];
};
/** Change request: a branch of the content of a space, to be reviewed and merged. */
export type ChangeRequest = {
    /** Object type. */
    object: "change-request";
    /** Identifier. */
    id: string;
    /** Identifier of the space. */
    space: string;
    /**
     * Format: int32
     *
     * Number within the space, starting at 1. Serves as an identifier in paths.
     */
    number: number;
    /** Current status. */
    status: ChangeRequestStatus;
    /** Subject. Can be empty. */
    subject: string;
    /** User who created the change request. */
    createdBy: User;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last update.
     */
    updatedAt: string;
    /**
     * Identifier of the current revision. Before the first edit: the revision of the space that the change request was
     * created from.
     */
    revision: string;
    /** Identifier of the revision of the space that the change request was created from. */
    revisionInitial: string;
    /** Identifier of the revision of the space that the change request was last updated to. */
    revisionMergedAncestor?: string;
    /** Identifier of the revision that the merge created. */
    revisionMerged?: string;
    /**
     * Format: int32
     *
     * Number of open comments.
     */
    comments: number;
    /**
     * Whether the primary content has changed since the change request was created or last updated to it. Always `false`
     * if merged.
     */
    outdated: boolean;
    /** URLs of the change request. */
    urls: ChangeRequestUrls;
};
/**
 * Fields to update in a reply to a comment on a change request. Omitted fields are unchanged.
 * @example {
 *   "addedReactions": [
 *     "👍"
 *   ]
 * }
 */
export type ChangeRequestCommentReplyUpdate = {
    /** Whether the parent comment is resolved. */
    resolved?: boolean;
    /** New text. */
    body?: MarkdownBody;
    /** Emoji of the reactions to add. A comment or reply can have at most 10,000 reactions. */
    addedReactions?: IconName[];
    /** Emoji of the caller's reactions to remove. */
    removedReactions?: IconName[];
};
/** Change request that contains the location. */
export type ChangeRequestContext = {
    /** Type of the version. */
    type: "changeRequest";
    /** Change request. */
    changeRequest: ChangeRequest;
};
/**
 * Change request to create.
 * @example {
 *   "subject": "Explain how tokens expire"
 * }
 */
export type ChangeRequestCreate = {
    /** Subject. Default: empty. */
    subject?: ShortText;
    /** Identifier of a task for an agent to carry out. It is stored, but has no effect. */
    agentTaskId?: ShortText;
};
/** One page of a list. */
export type ChangeRequestList = {
    /** Items of this page. */
    items: ChangeRequest[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Result of a merge. */
export type ChangeRequestMergeResult = {
    /** Identifier of the resulting revision: of the space if merged, of the change request if there are conflicts. */
    revision: string;
    /** `merge` if merged; `conflicts` if the text contains both versions to choose from. */
    result: "merge" | "conflicts";
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "status": "open"
 * }
 */
export type ChangeRequestPatch = {
    /** Subject. */
    subject?: string;
    /** Status. Only a merge sets it to `merged`. */
    status?: "draft" | "open" | "archived";
};
/** Review of a change request by a user. */
export type ChangeRequestReview = {
    /** Object type. */
    object: "change-request-review";
    /** Identifier. */
    id: string;
    /** Identifier of the revision of the change request that was reviewed. */
    revision: string;
    /** User who reviewed the change request. */
    reviewer: User;
    /** User who requested the review. Omitted if it was not requested. */
    requestedBy?: User;
    /** Decision. */
    status: ReviewStatus;
    /** Whether a later review by the same user, or a later request for one, replaces this review. */
    outdated: boolean;
    /** Comment of the review. Omitted if it has none, or the comment was deleted. */
    comment?: Comment;
    /**
     * Format: date-time
     *
     * Time of the review.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last change: of the review, or of the later review or request that replaces it.
     */
    updatedAt: string;
    /** URLs of the review. */
    urls: ResourceUrls;
};
/**
 * Review to create.
 * @example {
 *   "status": "changes-requested",
 *   "comment": {
 *     "markdown": "Please name the default, too."
 *   }
 * }
 */
export type ChangeRequestReviewCreate = {
    /** Decision. */
    status: ReviewStatus;
    /** Comment. It is a comment on the change request as a whole. */
    comment?: MarkdownBody;
};
/** One page of a list. */
export type ChangeRequestReviewList = {
    /** Items of this page. */
    items: ChangeRequestReview[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Status of a change request. */
export type ChangeRequestStatus = "draft" | "open" | "archived" | "merged";
/** Result of an update. */
export type ChangeRequestUpdateResult = {
    /** Identifier of the resulting revision of the change request. */
    revision: string;
    /** `update` if up to date; `conflicts` if the text contains both versions to choose from. */
    result: "update" | "conflicts";
};
/** URLs of a change request. */
export type ChangeRequestUrls = {
    /**
     * Format: uri
     *
     * URL of the change request in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the change request in this API.
     */
    location: string;
};
/** Checkbox. */
export type CheckboxElement = {
    /** Type of the element. */
    type: "checkbox";
    /** Key of the state entry that contains the selection. */
    state: string;
    /** Value of this radio button or checkbox. */
    value: string | number;
    /** Action when the element is pressed. */
    onValueChange?: RenderAction;
    /** Confirmation required before the action. */
    confirm?: RenderConfirmation;
};
/** Closes the modal. */
export type CloseModalAction = {
    /** Name of the action. */
    action: "@ui.modal.close";
    /** Value to return to the opener of the modal. */
    returnValue?: {
        [key: string]: unknown;
    };
};
/** Code block, read-only or editable. */
export type CodeBlockElement = {
    /** Type of the element. */
    type: "codeblock";
    /** Code. */
    content: string | RenderBinding;
    /** Language of the code. */
    syntax?: string;
    /** Whether lines are numbered, or the number of the first line. */
    lineNumbers?: boolean | number;
    /** Buttons. */
    buttons?: ButtonElement[];
    /** Key of the state entry that contains the edited code. */
    state?: string;
    /** Action when the reader changes the code. */
    onContentChange?: RenderAction;
    /** Elements above the code. */
    header?: RenderElement[];
    /** Elements below the code. */
    footer?: RenderElement[];
};
/** Name of a color theme of code, such as `github-light`. */
export type CodeThemeName = string;
/** Collection: a folder of spaces and other collections. */
export type Collection = {
    /** Object type. */
    object: "collection";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Description. */
    description?: string;
    /** Identifier of the organization that owns the collection. */
    organization: string;
    /** Identifier of the parent collection. Omitted at the root. */
    parent?: string;
    /** Role of every member in the contents of the collection: the level set on the collection, or the inherited one. */
    defaultLevel: Role;
    /** URLs of the collection. */
    urls: CollectionUrls;
    /** Permissions of the caller. */
    permissions: CollectionPermissions;
};
/**
 * Collection to create.
 * @example {
 *   "title": "Products"
 * }
 */
export type CollectionCreate = {
    /** Title. Default: `Untitled`. */
    title?: ContentTitle;
    /** Identifier of the parent collection. Default: the root of the organization. */
    parent?: Identifier;
};
/** Invite link to a collection, as a guest. */
export type CollectionInvite = {
    /** Object type. */
    object: "invite";
    /** Identifier. It is also the secret of the invite link. */
    id: string;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** URLs of the invite link. */
    urls: ResourceUrls;
    /** Role in the collection for users who join. */
    level: Role;
    /** Identifier of the collection. */
    collection: string;
};
/** Invite link to a collection to create. */
export type CollectionInviteCreate = {
    /** Role in the collection for users who join. */
    level: Role;
    /** Identifier of the collection. */
    collection: Identifier;
};
/** One page of a list. */
export type CollectionList = {
    /** Items of this page. */
    items: Collection[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Location of a collection. */
export type CollectionLocation = {
    /** Kind of the location. */
    kind: "collection";
    /** Organization that owns the collection. */
    organization: Organization;
    /** Collection. */
    collection: Collection;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "description": "One space for each product"
 * }
 */
export type CollectionPatch = {
    /** Title. */
    title?: ContentTitle;
    /** Description. */
    description?: string;
    /** Role of every member in the contents of the collection. `null` and `inherit` inherit the role from the parent. */
    defaultLevel?: DefaultLevel | null;
};
/** Permissions of the caller on a collection. */
export type CollectionPermissions = {
    /** Whether the caller can view the collection. */
    view: boolean;
    /** Whether the caller can update, move and delete the collection, and grant access to it. */
    admin: boolean;
    /** Whether the caller can view the invite links of the collection. */
    viewInviteLinks: boolean;
    /** Whether the caller can create spaces and collections in the collection. */
    create: boolean;
};
/** Reference to a sibling collection. */
export type CollectionPointer = {
    /** Type of the sibling. */
    type: "collection";
    /** Identifier of the collection. */
    collection: Identifier;
};
/** Reference to a collection. */
export type CollectionRef = {
    /** Kind of the reference. */
    kind: "collection";
    /** Identifier of the collection. */
    collection: Identifier;
};
/** URLs of a collection. */
export type CollectionUrls = {
    /**
     * Format: uri
     *
     * URL of the collection in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the collection in the app.
     */
    app: string;
};
/** Color in the form `#rrggbb`. */
export type Color = string;
/** Vertical stack of elements. */
export type ColumnElement = {
    /** Type of the element. */
    type: "vstack";
    /** Elements of the stack. */
    children: RenderElement[];
    /** Alignment of the elements across the stack. */
    align?: "start" | "center" | "end";
};
/** Comment on a space, on a change request, or on a part of its content. */
export type Comment = OpenComment | ResolvedComment;
/** Text of a comment or reply, in the requested format. */
export type CommentBody = MarkdownBody | DocumentBody;
/**
 * Comment to create.
 * @example {
 *   "page": "page_install",
 *   "body": {
 *     "markdown": "Shouldn't this name the default?"
 *   }
 * }
 */
export type CommentCreate = {
    /** Key of the node to comment on, within the page. */
    node?: ShortText;
    /** Identifier of the page to comment on. Omit it to comment on the whole content. */
    page?: Identifier;
    /** Text. */
    body: MarkdownBody;
    /** Cell to comment on, within a table. */
    tableCell?: TableCell;
};
/** One page of a list. */
export type CommentList = {
    /** Items of this page. */
    items: Comment[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Permissions of the caller on a comment or reply. */
export type CommentPermissions = {
    /** Whether the caller can view it. */
    view: boolean;
    /** Whether the caller can edit it. */
    edit: boolean;
    /** Whether the caller can reply to it. */
    reply?: boolean;
    /** Whether the caller can delete it. */
    delete: boolean;
};
/** User who replied to a comment. */
export type CommentReplier = {
    /** User. */
    user: User;
    /**
     * Format: int32
     *
     * Number of replies by the user.
     */
    count: number;
    /**
     * Format: date-time
     *
     * Time of the last reply by the user.
     */
    updatedAt: string;
};
/** Reply to a comment. */
export type CommentReply = {
    /** Object type. */
    object: "comment-reply";
    /** Identifier. */
    id: string;
    /** Author. */
    postedBy: User;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    postedAt: string;
    /**
     * Format: date-time
     *
     * Time of the last edit of the text. Omitted if the text has not been edited.
     */
    editedAt?: string;
    /** Reactions. */
    reactions: Reaction[];
    /** Text. */
    body: CommentBody;
    /** URLs of the comment or reply. */
    urls: ResourceUrls;
    /** Permissions of the caller. */
    permissions: CommentPermissions;
};
/**
 * Reply to create.
 * @example {
 *   "body": {
 *     "markdown": "It does now."
 *   }
 * }
 */
export type CommentReplyCreate = {
    /** Text. */
    body: MarkdownBody;
};
/** One page of a list. */
export type CommentReplyList = {
    /** Items of this page. */
    items: CommentReply[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update in a reply to a comment on a space. Omitted fields are unchanged.
 * @example {
 *   "addedReactions": [
 *     "👍"
 *   ]
 * }
 */
export type CommentReplyUpdate = {
    /** New text. */
    body?: MarkdownBody;
    /** Emoji of the reactions to add. A comment or reply can have at most 10,000 reactions. */
    addedReactions?: IconName[];
    /** Emoji of the caller's reactions to remove. */
    removedReactions?: IconName[];
};
/** Status of the comments to list. */
export type CommentStatusFilter = "all" | "open" | "resolved";
/** Content that a comment refers to. */
export type CommentTarget = {
    /** Node within the page. */
    node?: CommentedNode;
    /** Cell within the table. */
    tableCell?: TableCell;
    /** Identifier of the change request. */
    changeRequest?: string;
    /** Identifier of the review of the change request. */
    review?: string;
    /** Page. */
    page?: CommentedPage;
    /** Identifier of the space. */
    space: string;
    /** Identifier of the revision that was current at the time of the comment. */
    revision: string;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "resolved": true
 * }
 */
export type CommentUpdate = {
    /** Whether the comment is resolved. */
    resolved?: boolean;
    /** New text. */
    body?: MarkdownBody;
    /** Emoji of the reactions to add. A comment or reply can have at most 10,000 reactions. */
    addedReactions?: IconName[];
    /** Emoji of the caller's reactions to remove. */
    removedReactions?: IconName[];
};
/** Node that a comment refers to. */
export type CommentedNode = {
    /** Key of the node in its document. */
    id: string;
    /** Text of the node at the time of the comment. Only the beginning of a long text is included. */
    preview: string;
};
/**
 * Page that a comment refers to: its current state or, if the page no longer exists, its state at the time of the
 * comment.
 */
export type CommentedPage = {
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Emoji next to the title. */
    emoji?: IconName;
    /** Name of an icon next to the title. */
    icon?: IconName;
    /**
     * Format: date-time
     *
     * Time of creation. Omitted until the first edit.
     */
    createdAt?: string;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted until the first edit.
     */
    updatedAt?: string;
    /** Path within the space. */
    path: string;
    /**
     * Whether the target of the comment no longer exists: the page, or the node that the comment refers to. A block no
     * longer exists once its content has changed.
     */
    outdated: boolean;
};
/** Type of a community. */
export type CommunityType = "nonProfit" | "openSource" | "education";
/** Page of a comparison. */
export type ComparedPage = {
    /** Identifier. */
    id: string;
    /** Type of the page. */
    type: "document" | "group" | "link" | "computed";
    /** Title. */
    title: string;
    /** Path within the space. Omitted for entries without a path: links and placeholders for computed pages. */
    path?: string;
};
/** Action that the component handles. */
export type ComponentAction = {
    /** Name of the action. */
    action: string;
} & {
    [key: string]: unknown;
};
/** Identifier of a block or content source. */
export type ComponentKey = string;
/** `RenderRequest` in JSON, compressed by LZ-string for URLs. At most 262,144 characters of JSON. */
export type CompressedRenderRequest = string;
/** Request to compute a page. */
export type ComputeDocumentEvent = {
    /** Type of the event. */
    type: "content_compute_document";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the content source within the integration. */
    sourceId: string;
    /** Properties for the content source. */
    props: {
        [key: string]: unknown;
    };
    /** Dependencies of the result, by name. */
    dependencies: {
        [key: string]: ComputedDependency;
    };
};
/** Request to compute the pages of a space. */
export type ComputeRevisionEvent = {
    /** Type of the event. */
    type: "content_compute_revision";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the content source within the integration. */
    sourceId: string;
    /** Properties for the content source. */
    props: {
        [key: string]: unknown;
    };
    /** Dependencies of the result, by name. */
    dependencies: {
        [key: string]: ComputedDependency;
    };
};
/** Dependency of content computed by an integration. */
export type ComputedDependency = {
    /** Reference to the dependency. */
    ref: ComputedDependencyRef;
};
/** Reference to any resource that computed content can depend on. */
export type ComputedDependencyRef = ContentRef | TranslationRef;
/** Placeholder in the page tree that computed pages replace. */
export type ComputedPage = {
    /** Type of the page. */
    type: "computed";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Emoji next to the title. */
    emoji?: IconName;
    /** Name of an icon next to the title. */
    icon?: IconName;
    /**
     * Format: date-time
     *
     * Time of creation. Omitted until the first edit.
     */
    createdAt?: string;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted until the first edit.
     */
    updatedAt?: string;
    /** Source that the pages are computed from. */
    computed: ComputedRevisionSource;
};
/** Source that the body of a page is computed from. */
export type ComputedPageSource = OpenAPIPageSource | TranslationPageSource | IntegrationSource;
/** Source that a page tree is computed from. */
export type ComputedRevisionSource = OpenAPIRevisionSource | TranslationRevisionSource | IntegrationSource;
/**
 * Condition that cannot be evaluated. Its text is hidden from all visitors of published content until it is corrected;
 * members read the text as written.
 */
export type ConditionProblem = {
    /**
     * Format: int32
     *
     * Line of its tag in the Markdown of the text, from 1.
     */
    line: number;
    /** Machine-readable reason. */
    reason: ConditionProblemReason;
    /** Human-readable description: what happened and how to fix it. */
    message: ShortText;
};
/** Reason why a condition cannot be evaluated. New reasons can be added. */
export type ConditionProblemReason = "unclosed" | "unmatched" | "invalid_expression" | "unsupported";
/** Settings form. */
export type ConfigurationElement = {
    /** Type of the element. */
    type: "configuration";
    /** Elements of the form: one stepper, or any other elements. */
    children: (RenderElement | StepperElement)[];
};
/** Change to the content. */
export type ContentChange = InsertPage | UpdatePage | DeletePage | RevertPage | InsertFiles;
/**
 * Changes to make, in this order. Either all or none of them are made.
 * @example {
 *   "changes": [
 *     {
 *       "operation": "insert_page",
 *       "title": "Getting started",
 *       "document": {
 *         "markdown": "Install it, then sign in."
 *       }
 *     },
 *     {
 *       "operation": "insert_files",
 *       "files": [
 *         {
 *           "name": "notes.txt",
 *           "base64": "SW5zdGFsbCBpdC4="
 *         }
 *       ]
 *     }
 *   ]
 * }
 */
export type ContentChanges = {
    /** Changes. */
    changes: ContentChange[];
};
/**
 * Content to import.
 * @example {
 *   "url": "https://docs.example.com/guide.md",
 *   "source": "markdown"
 * }
 */
export type ContentImport = {
    /** URL of the source. */
    url: AbsoluteUrl;
    /** Type of the source. */
    source: ImportSource;
};
/** Content import run: one import of content from a URL into a space or a change request. */
export type ContentImportRun = {
    /** Object type. */
    object: "content-import-run";
    /** Identifier. */
    id: string;
    /** URL of the source, without credentials and query. */
    url: string;
    /** Type of the source. */
    source: ImportSource;
    /** Identifier of the change request. Omitted for the content of the space itself. */
    changeRequest?: string;
    /** Current status. */
    status: RunStatus;
    /**
     * Format: int32
     *
     * Progress in percent.
     */
    progress: number;
    /** Numbers of pages, files and problems so far. */
    counts: RunCounts;
    /** Problems in the source, up to 100. */
    problems: RunProblem[];
    /** Cause of the failure, if the status is `failed`. */
    failure?: RunFailure;
    /** Identifier of the revision with the content. Omitted if no revision was created. */
    revision?: string;
    /**
     * Format: date-time
     *
     * Time of the request.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the start of the first attempt.
     */
    startedAt?: string;
    /**
     * Format: date-time
     *
     * Time of the end.
     */
    endedAt?: string;
    /** URLs of the run. */
    urls: ResourceUrls;
};
/** One page of a list. */
export type ContentImportRunList = {
    /** Items of this page. */
    items: ContentImportRun[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update in an installation on a space or site. Omitted fields are unchanged.
 * @example {
 *   "configuration": {
 *     "channel": "docs"
 *   }
 * }
 */
export type ContentInstallationPatch = {
    /** New status on the space or site. */
    status?: InstallationStatusUpdate;
    /**
     * Values of the settings by name. Replaces all values, except those that only the integration can store: these
     * remain unless an access token of the installation or of the integration replaces the configuration.
     */
    configuration?: SettingValues;
    /** Identifiers that the integration uses for the installation on the space or site. */
    externalIds?: ExternalIds;
};
/** URLs of an installation on a space or site. */
export type ContentInstallationUrls = {
    /**
     * Format: uri
     *
     * URL of the installation in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the endpoint that accepts requests from anyone.
     */
    publicEndpoint: string;
    /**
     * Format: uri
     *
     * URL of the same endpoint for documents, such as those of web frames. It has an origin of its own if the server has
     * one for them, and otherwise equals `publicEndpoint`.
     */
    publicContentEndpoint: string;
};
/** Target of links, with all locations that link to it. */
export type ContentLink = {
    /** Status of the links. */
    status: LinkStatus;
    /** Relation to the target. */
    relation: LinkRelation;
    /** Destination of broken links: a path from the root of the content, or a URL. Omitted for other links. */
    address?: string;
    /** Target. Omitted if there is nothing to display for it. */
    targetReference?: Location;
    /**
     * Locations that link to the target. Lists of a space or change request contain the positions of broken links for up
     * to 50 pages per request.
     */
    locationReferences: Location[];
};
/** Problem in a text that was stored nevertheless. */
export type ContentNotice = {
    /** ID of the page. */
    page: Identifier;
    /**
     * Format: int32
     *
     * Line of its tag in the Markdown of the text, from 1.
     */
    line: number;
    /** Machine-readable reason. */
    reason: ConditionProblemReason;
    /** Human-readable description: what happened and how to fix it. */
    message: ShortText;
};
/** Reference to a sibling space or collection. */
export type ContentPointer = SpacePointer | CollectionPointer;
/** Position among spaces and collections. Without `before` and `after`, it is the last position. */
export type ContentPosition = {
    /** Sibling to insert before. */
    before?: ContentPointer;
    /** Sibling to insert after. */
    after?: ContentPointer;
};
/** Reference from content to a resource. */
export type ContentRef = FileRef | UrlRef | PageRef | AnchorRef | UserRef | CollectionRef | SpaceRef | ReusableContentRef | OpenAPIRef;
/** Content security policy: as text, or as directives with their values. */
export type ContentSecurityPolicyWrite = PolicyText | PolicyDirectives;
/** Component in the settings of a content source. */
export type ContentSourceConfigurationContext = {
    /** Type of the context. */
    type: "configuration_contentsource";
    /** Color theme around the component. */
    theme: "dark" | "light";
    /** Identifier of the organization. */
    organizationId: Identifier;
    /** Identifier of the space. */
    spaceId?: Identifier;
};
/** Title of a space or collection. */
export type ContentTitle = string;
/** Change of a cover. */
export type CoverChange = {
    /** Previous value, if any. */
    before?: PageCover;
    /** New value, if any. */
    after?: PageCover;
};
/** Mask of the cover of a page. */
export type CoverMask = "none" | "radial";
/** Reference to the image of a cover. */
export type CoverRef = FileRef | UrlRef;
/** Size of the cover of a page. */
export type CoverSize = "hero" | "full" | "background";
/** Authentication of visitors by a service of the organization. */
export type CustomVisitorAuth = {
    /** Authentication backend. */
    backend: "custom";
};
/** Site shown as the default content of an organization. */
export type DefaultContent = {
    /** Type of the content. */
    type: "site";
    /** Identifier of the site. */
    site: Identifier;
};
/** Role that a space or collection grants to every member of the organization, or `inherit` for the role that its parent grants. */
export type DefaultLevel = "admin" | "create" | "review" | "edit" | "comment" | "read" | "inherit";
/** Change that deletes a page and its descendants. */
export type DeletePage = {
    /** Type of the change. */
    operation: "delete_page";
    /** Identifier of the page, or the `ref` that an earlier change assigned to it. */
    page: Identifier;
};
/** State of an installation before its removal. */
export type DeletedInstallation = {
    /** Values of the settings by name. */
    configuration?: {
        [key: string]: unknown;
    };
};
/** Change of the dimensions of an image. */
export type DimensionsChange = {
    /** Previous value, if any. */
    before?: FileDimensions;
    /** New value, if any. */
    after?: FileDimensions;
};
/** Space or line between elements. */
export type DividerElement = {
    /** Type of the element. */
    type: "divider";
    /** Size of the space. */
    size?: "small" | "medium" | "large";
    /** Visual style: space only, or a line. */
    style?: "default" | "line";
};
/**
 * Text as a tree of blocks. A page in the document format is returned as this tree, which is equivalent to its
 * Markdown. The key of a block is derived from its content, so edits elsewhere in the document do not change it.
 */
export type Document = {
    /** Object type. */
    object: "document";
    /** Data of the whole document. */
    data: DocumentData;
    /** Blocks, from top to bottom. */
    nodes: DocumentBlock[];
};
/** Horizontal alignment. */
export type DocumentAlignment = "start" | "center" | "end";
/** Place in a text that links can refer to. It is not displayed. */
export type DocumentAnchorInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "anchor";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentAnchorInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of an anchor. */
export type DocumentAnchorInlineData = {
    /** Identifier of the anchor, without the number sign. */
    id: LongText;
};
/** Reference from a document to an anchor within a page. */
export type DocumentAnchorRef = {
    /** Kind of the reference. */
    kind: "anchor";
    /** Name of the anchor. */
    anchor: ShortText;
    /** Identifier of the space. Omitted if it is the space that contains the reference. */
    space?: Identifier;
    /** Identifier of the page. Omitted if it is the page that contains the reference. */
    page?: Identifier;
    /** URL of the target. Returned only if the document is read with `evaluated`; ignored in requests. */
    href?: LongText;
};
/** Note: blocks. Responses contain an empty paragraph in an empty note. */
export type DocumentAnnotationBodyFragment = {
    /** Object type. */
    object: "fragment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Name of the fragment. Responses always contain it. */
    fragment?: "annotation-body";
    /** Type of the content. */
    type: "annotation-body";
    /** Nodes, in order. */
    nodes: DocumentBlock[];
};
/** Text with a note. */
export type DocumentAnnotationInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "annotation";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. */
    isVoid: false;
    /** Empty. Responses always contain it. */
    data?: DocumentEmptyData;
    /** Child nodes, in order. */
    nodes: DocumentInlineNode[];
    /** Note. */
    fragments: DocumentAnnotationBodyFragment[];
};
/** Action that asks an assistant. */
export type DocumentAskAction = {
    /** Kind of the action. */
    action: "ask";
    /** Question. */
    query?: LongText;
};
/** Block at the top level of a document or inside another block. */
export type DocumentBlock = DocumentParagraphBlock | DocumentHeadingBlock | DocumentListBlock | DocumentDividerBlock | DocumentQuoteBlock | DocumentHintBlock | DocumentImagesBlock | DocumentFileBlock | DocumentDrawingBlock | DocumentEmbedBlock | DocumentCodeBlock | DocumentMathBlock | DocumentExpandableBlock | DocumentTabsBlock | DocumentTableBlock | DocumentSwaggerBlock | DocumentOpenAPIOperationBlock | DocumentOpenAPISchemasBlock | DocumentOpenAPIWebhookBlock | DocumentContentRefBlock | DocumentIntegrationBlock | DocumentReusableContentBlock | DocumentStepperBlock | DocumentPromptBlock | DocumentConditionBlock | DocumentColumnsBlock | DocumentUpdatesBlock | DocumentCommentBlock | DocumentTagBlock;
/** Metadata of a block with an anchor. */
export type DocumentBlockMeta = {
    /** Anchor, unique within the page. */
    id: LongText;
};
/** Text as a tree of blocks. */
export type DocumentBody = {
    /** Tree of blocks. */
    document: Document;
};
/** Action of a button. */
export type DocumentButtonAction = DocumentSearchAction | DocumentAskAction | DocumentSelectAction;
/** Button. */
export type DocumentButtonInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "button";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentButtonInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of a button. */
export type DocumentButtonInlineData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Target of the button. Omitted for a button with another action. */
    ref?: DocumentRef;
    /** Action of a button without a target. */
    action?: DocumentButtonAction;
    /** Size of the button. */
    size?: "small" | "medium" | "large";
    /** Style of the button. */
    kind: "primary" | "secondary";
    /** Icon of the button. */
    icon?: ShortText;
    /** Label. */
    label: LongText;
};
/** Caption: a paragraph. */
export type DocumentCaptionFragment = {
    /** Object type. */
    object: "fragment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Name of the fragment. */
    fragment: "caption";
    /** Type of the content. Responses always contain it. */
    type?: "caption";
    /** The paragraph. Other nodes are ignored in requests. */
    nodes: DocumentParagraphBlock[];
};
/** Blocks of a cell. */
export type DocumentCellFragment = {
    /** Object type. */
    object: "fragment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Name of the fragment, to which the value of a cell of type `text` refers. Responses always contain it. */
    fragment?: LongText;
    /** Type of the fragment. Ignored in requests, and not included in responses. */
    type?: ShortText;
    /**
     * Cell with the blocks, if its column has another type than `text`. In requests, a value of the cell that disagrees
     * takes precedence.
     */
    cell?: TableCell;
    /** Blocks, from top to bottom. */
    nodes: DocumentBlock[];
};
/** Code block. */
export type DocumentCodeBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "code";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentCodeLineBlock[];
    /** Data of the block. */
    data: DocumentCodeBlockData;
};
/** Data of a code block. */
export type DocumentCodeBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Language, as named in a fenced code block. */
    syntax?: LongText;
    /** Title above the code, often a file name. */
    title?: LongText;
    /** Handling of long lines. */
    overflow?: "wrap" | "scroll";
    /** Whether lines are numbered. */
    lineNumbers?: boolean;
    /** Whether the block uses the full width of the page. */
    fullWidth?: boolean;
    /** Whether only the first lines are visible initially. */
    expandable?: boolean;
    /**
     * Format: int32
     *
     * Number of lines that are visible initially, if the block is expandable.
     */
    collapsedLineCount?: number;
};
/** Line of a code block, without its line ending. */
export type DocumentCodeLineBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "code-line";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentCodeLineNode[];
    /** Data of the block. */
    data: DocumentCodeLineBlockData;
};
/** Data of a line of a code block. */
export type DocumentCodeLineBlockData = {
    /** Whether the line is highlighted. Omitted otherwise. */
    highlighted?: boolean;
};
/** Child node of a line of a code block. */
export type DocumentCodeLineNode = DocumentText | DocumentAnnotationInline;
/** Reference from a document to a collection. */
export type DocumentCollectionRef = {
    /** Kind of the reference. */
    kind: "collection";
    /** Identifier of the collection. */
    collection: Identifier;
    /** URL of the target. Returned only if the document is read with `evaluated`; ignored in requests. */
    href?: LongText;
};
/** Color of a text. */
export type DocumentColorMark = {
    /** Object type. */
    object: "mark";
    /** Type of the mark. */
    type: "color";
    /** Colors. */
    data: DocumentColorMarkData;
};
/** Colors of a text. */
export type DocumentColorMarkData = {
    /** Text color. */
    text: DocumentTextColor;
    /** Background color. */
    background: DocumentTextColor;
    /** Colors outside of the palette, whose property is `default`. */
    css?: DocumentCssColors;
};
/** Column. */
export type DocumentColumnBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "column";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentColumnBlockData;
};
/** Data of a column. */
export type DocumentColumnBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Width. */
    width?: DocumentLength;
    /** Vertical alignment of the content. */
    verticalAlignment?: "top" | "middle" | "bottom";
};
/** Columns, side by side. */
export type DocumentColumnsBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "columns";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the block has child nodes. */
    isVoid: false;
    /** Data of the block. */
    data: DocumentColumnsBlockData;
    /** Columns, in order. */
    nodes: DocumentColumnBlock[];
};
/** Data of columns. */
export type DocumentColumnsBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Whether the columns use the full width of the page. */
    fullWidth?: boolean;
};
/** Comment in Markdown. It is neither displayed nor searched. */
export type DocumentCommentBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "comment";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentCommentData;
};
/** Data of a comment in Markdown. */
export type DocumentCommentData = {
    /** Text of the comment, without its delimiters. */
    text: LongText;
};
/** Comment within a line of Markdown. It is neither displayed nor searched. */
export type DocumentCommentInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "comment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentCommentData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/**
 * Blocks that only some visitors of a site with adaptive content see. They adapt a page, but do not protect its content:
 * search results and PDFs contain it.
 */
export type DocumentConditionBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "if";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentConditionBlockData;
};
/** Data of blocks displayed on a condition. */
export type DocumentConditionBlockData = {
    /** Expression over `visitor.claims`, `space.vars` and `page.vars` that determines whether the blocks are displayed. */
    expression: LongText;
};
/** Link displayed as a block. */
export type DocumentContentRefBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "content-ref";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentContentRefBlockData;
};
/** Data of a link displayed as a block. */
export type DocumentContentRefBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Target of the link. */
    ref: DocumentRef;
    /** Text of the link. Default: the title of the target. */
    title?: DocumentInlineNode[];
};
/** Component in a page. */
export type DocumentContext = {
    /** Type of the context. */
    type: "document";
    /** Color theme around the component. */
    theme: "dark" | "light";
    /** Identifier of the space. */
    spaceId: Identifier;
    /** Whether the reader can edit the page. Requires the permission to edit the space. */
    editable: boolean;
};
/** Colors as in CSS. */
export type DocumentCssColors = {
    /** Text color. */
    text?: ShortText;
    /** Background color. */
    background?: ShortText;
};
/** Data of a whole document. Additional properties are allowed. */
export type DocumentData = {
    /**
     * Format: int32
     *
     * Version of the block schema. Responses always contain `1`.
     */
    schemaVersion?: number;
    /** Conditions of the text that cannot be evaluated. Omitted if there are none, and ignored in requests. */
    conditionProblems?: ConditionProblem[];
} & {
    [key: string]: unknown;
};
/** Which references of a document are replaced with what they refer to. */
export type DocumentDereferencing = "false" | "reusable-contents";
/** Divider: a horizontal line across the page. */
export type DocumentDividerBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "divider";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentEmptyData;
};
/** Drawing created in the app. */
export type DocumentDrawingBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "drawing";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentFileBlockData;
    /** Caption. Omitted if there is none. */
    fragments?: DocumentCaptionFragment[];
};
/** Embedded external content, such as a page or a video. */
export type DocumentEmbedBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "embed";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentEmbedBlockData;
    /** Caption. Omitted if there is none. */
    fragments?: DocumentCaptionFragment[];
};
/** Data of embedded content. */
export type DocumentEmbedBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** URL to embed. */
    url: LongText;
    /** Whether the embedded content uses the full width of the page. */
    fullWidth?: boolean;
};
/** Emoji written as a short name. An emoji written as a character is text. */
export type DocumentEmojiInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "emoji";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentEmojiInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of an emoji. */
export type DocumentEmojiInlineData = {
    /** Hexadecimal code points, separated by hyphens. */
    code: ShortText;
    /** Short name, without colons. Included if there is one. In requests, a code that disagrees takes precedence. */
    name?: ShortText;
};
/** Empty data. */
export type DocumentEmptyData = Record<string, never>;
/** Title that expands to show blocks. */
export type DocumentExpandableBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "expandable";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentExpandableBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
    /** Title and content. */
    fragments: DocumentExpandableFragment[];
};
/** Data of an expandable block. */
export type DocumentExpandableBlockData = {
    /** Whether the block is expanded initially. */
    defaultExpanded?: boolean;
};
/** Content of an expandable block. Responses contain an empty paragraph in an empty one. */
export type DocumentExpandableBodyFragment = {
    /** Object type. */
    object: "fragment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Name of the fragment. Responses always contain it. */
    fragment?: "expandable-body";
    /** Type of the content. */
    type: "expandable-body";
    /** Nodes, in order. */
    nodes: DocumentBlock[];
};
/** Content of an expandable block. */
export type DocumentExpandableFragment = DocumentExpandableTitleFragment | DocumentExpandableBodyFragment;
/** Title of an expandable block: a paragraph. */
export type DocumentExpandableTitleFragment = {
    /** Object type. */
    object: "fragment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Name of the fragment. Responses always contain it. */
    fragment?: "expandable-title";
    /** Type of the content. */
    type: "expandable-title";
    /** Nodes, in order. */
    nodes: DocumentParagraphBlock[];
};
/** Expression, displayed as its value. */
export type DocumentExpressionInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "expression";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentExpressionInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of an expression. */
export type DocumentExpressionInlineData = {
    /** Expression, such as `space.vars.version`. */
    expression: LongText;
};
/** File to download. */
export type DocumentFileBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "file";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentFileBlockData;
    /** Caption. Omitted if there is none. */
    fragments?: DocumentCaptionFragment[];
};
/** Data of a file or a drawing. */
export type DocumentFileBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** File. */
    ref: DocumentFileOrUrlRef;
};
/** Reference from a document to a file, or to a resource by its URL. */
export type DocumentFileOrUrlRef = DocumentFileRef | UrlRef;
/** Reference from a document to a file of the same space. */
export type DocumentFileRef = {
    /** Kind of the reference. */
    kind: "file";
    /** Identifier of the file. */
    file: Identifier;
    /** URL of the target. Returned only if the document is read with `evaluated`; ignored in requests. */
    href?: LongText;
};
/** Data of a formula. */
export type DocumentFormulaData = {
    /** Formula in TeX. */
    formula: LongText;
};
/** Heading of one of three levels, below the title of the page. */
export type DocumentHeadingBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "heading-1" | "heading-2" | "heading-3";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentInlineNode[];
    /** Data of the block. */
    data: DocumentHeadingBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
};
/** Data of a heading. */
export type DocumentHeadingBlockData = {
    /** Anchor, if the page sets one. Otherwise, the anchor is derived from the title. */
    id?: LongText;
    /** Horizontal alignment. Default: `start`. */
    align?: DocumentAlignment;
};
/** Hint: a box that draws attention to its content. Responses contain an empty paragraph in an empty hint. */
export type DocumentHintBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "hint";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentHintBlockData;
};
/** Data of a hint. */
export type DocumentHintBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Purpose of the hint. */
    style: "info" | "success" | "warning" | "danger";
    /** Icon to display instead of the default icon of the style. */
    icon?: LongText;
};
/** Icon. */
export type DocumentIconInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "icon";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentIconInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of an icon. */
export type DocumentIconInlineData = {
    /** Name of the icon. */
    icon: ShortText;
    /** Color. */
    color?: DocumentTextColor;
    /** Color outside of the palette, as in CSS. */
    css?: ShortText;
};
/** Image in a row of images. */
export type DocumentImageBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "image";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentImageBlockData;
    /** Caption below the image. Empty if there is none. */
    fragments: DocumentCaptionFragment[];
};
/** Data of an image. */
export type DocumentImageBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Image. */
    ref: DocumentFileOrUrlRef;
    /** Image for dark themes. */
    refDark?: DocumentFileOrUrlRef;
    /** Alternative text for readers who cannot see the image. */
    alt?: LongText;
    /** Width. */
    width?: DocumentLength;
    /** Height. */
    height?: DocumentLength;
};
/** Image within a line of text. */
export type DocumentImageInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "inline-image";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentImageInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of an image within a line of text. */
export type DocumentImageInlineData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Image. */
    ref: DocumentFileOrUrlRef;
    /** Image for dark themes. */
    refDark?: DocumentFileOrUrlRef;
    /** Alternative text for readers who cannot see the image. */
    alt?: LongText;
    /** Alternative text of an image without `alt`, in requests. Not included in responses. */
    caption?: LongText;
    /** Text displayed when the pointer hovers over the image. */
    title?: LongText;
    /** Displayed size: the height of the line, or the original size. */
    size?: "line" | "original";
};
/** Row of one or more images. */
export type DocumentImagesBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "images";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the block has child nodes. */
    isVoid: false;
    /** Data of the block. */
    data: DocumentImagesBlockData;
    /** Images, in order. */
    nodes: DocumentImageBlock[];
};
/** Data of a row of images. */
export type DocumentImagesBlockData = {
    /** Horizontal alignment of the images. */
    align?: DocumentSide;
    /** Whether the images use the full width of the page. */
    fullWidth?: boolean;
    /** Whether the images are framed. */
    withFrame?: boolean;
};
/** Inline node other than text. */
export type DocumentInline = DocumentLinkInline | DocumentEmojiInline | DocumentIconInline | DocumentExpressionInline | DocumentMathInline | DocumentImageInline | DocumentAnnotationInline | DocumentMentionInline | DocumentButtonInline | DocumentAnchorInline | DocumentSpanInline | DocumentCommentInline | DocumentTagInline;
/** Node of inline content. */
export type DocumentInlineNode = DocumentText | DocumentInline;
/** Body of a page to write, in either format. */
export type DocumentInput = MarkdownBody | Document;
/** Block rendered by an integration. */
export type DocumentIntegrationBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "integration";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentIntegrationBlockData;
    /** Caption. Omitted if there is none. */
    fragments?: DocumentCaptionFragment[];
};
/** Data of a block of an integration. */
export type DocumentIntegrationBlockData = {
    /** Name of the integration. */
    integration: LongText;
    /** Identifier of the block within the integration. */
    block: LongText;
    /** Properties of the block, by name. */
    props: {
        [key: string]: LongText;
    };
    /**
     * URL that the block shows, if the text of the page contains an embed or a link instead of the block. When the document
     * is written, the text contains it again.
     */
    url?: LongText;
    /** Action to render the block with. */
    action?: DocumentUnfurlAction;
    /** Whether the embed that the text contains uses the full width of the page. */
    fullWidth?: boolean;
};
/** Part of a text with the same marks throughout. */
export type DocumentLeaf = {
    /** Object type. */
    object: "leaf";
    /** Text. A line feed is a line break. */
    text: LongText;
    /** Marks: the formatting of the text. */
    marks: DocumentMark[];
    /**
     * Whether the text is markup that is preserved verbatim, because this contract does not define it or because of the
     * `problem` of its paragraph. Omitted otherwise.
     */
    raw?: true;
};
/** Length: a number of pixels, or a number with a unit. */
export type DocumentLength = number | DocumentMeasuredLength;
/** Link. */
export type DocumentLinkInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "link";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentLinkInlineData;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentInlineNode[];
};
/** Data of a link. */
export type DocumentLinkInlineData = {
    /** Target of the link. */
    ref: DocumentRef;
    /** Text displayed when the pointer hovers over the link. */
    title?: LongText;
};
/** List: ordered, unordered, or a list of tasks. */
export type DocumentListBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "list-ordered" | "list-unordered" | "list-tasks";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentListItemBlock[];
    /** Data of the block. Responses always contain it. */
    data?: DocumentListBlockData;
};
/** Data of a list. */
export type DocumentListBlockData = {
    /**
     * Format: int32
     *
     * Number of the first item of an ordered list. Default: 1.
     */
    start?: number;
};
/** List item. Responses contain an empty paragraph in an empty item. */
export type DocumentListItemBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "list-item";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. Responses always contain it. */
    data?: DocumentListItemBlockData;
};
/** Data of a list item. */
export type DocumentListItemBlockData = {
    /** Whether the task is done. Omitted if the item is not a task. */
    checked?: boolean;
};
/** Formatting of a text. */
export type DocumentMark = DocumentPlainMark | DocumentColorMark | DocumentSpanMark;
/** Formula displayed as a block. */
export type DocumentMathBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "math";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentFormulaData;
};
/** Formula within a line of text. */
export type DocumentMathInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "inline-math";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentFormulaData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Number with a unit. */
export type DocumentMeasuredLength = {
    /** Unit. */
    unit: "px" | "%";
    /**
     * Format: double
     *
     * Number.
     */
    value: number;
};
/** Page, user or other resource, displayed as its title. */
export type DocumentMentionInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "mention";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentMentionInlineData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Data of a mention. */
export type DocumentMentionInlineData = {
    /** Mentioned resource. */
    ref: DocumentRef;
    /** Text of the mention in Markdown. Omitted if it is the file name, the anchor or the URL of the resource. Readers see the title of the resource instead. */
    label?: LongText;
};
/** Operation of an OpenAPI specification. */
export type DocumentOpenAPIOperationBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "openapi-operation";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentOpenAPIOperationBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
};
/** Data of an operation of an OpenAPI specification. */
export type DocumentOpenAPIOperationBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Specification of the organization. Omitted if the tag does not name one. */
    ref?: DocumentSpecificationRef;
    /** Source of the specification, to which the content of the tag is a link. */
    source?: DocumentRef;
    /** Path of the operation. Responses always contain it. */
    path?: LongText;
    /** HTTP method of the operation. Responses always contain it. */
    method?: LongText;
};
/** Schemas of an OpenAPI specification. */
export type DocumentOpenAPISchemasBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "openapi-schemas";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentOpenAPISchemasBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
};
/** Data of schemas of an OpenAPI specification. */
export type DocumentOpenAPISchemasBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Specification of the organization. Omitted if the tag does not name one. */
    ref?: DocumentSpecificationRef;
    /** Source of the specification, to which the content of the tag is a link. */
    source?: DocumentRef;
    /** Names of the schemas. Empty for all schemas of the specification. */
    schemas: LongText[];
    /** Whether the schemas are displayed as a group. */
    grouped?: boolean;
    /** Title of the block. Default: derived from the names of the schemas. */
    title?: LongText;
};
/** Webhook of an OpenAPI specification. */
export type DocumentOpenAPIWebhookBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "openapi-webhook";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentOpenAPIWebhookBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
};
/** Data of a webhook of an OpenAPI specification. */
export type DocumentOpenAPIWebhookBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Specification of the organization. Omitted if the tag does not name one. */
    ref?: DocumentSpecificationRef;
    /** Source of the specification, to which the content of the tag is a link. */
    source?: DocumentRef;
    /** Name of the webhook. Responses always contain it. */
    name?: LongText;
    /** HTTP method of the webhook. Responses always contain it. */
    method?: LongText;
};
/** Page with a body. */
export type DocumentPage = {
    /** Type of the page. */
    type: "document";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Emoji next to the title. */
    emoji?: IconName;
    /** Name of an icon next to the title. */
    icon?: IconName;
    /**
     * Format: date-time
     *
     * Time of creation. Omitted until the first edit.
     */
    createdAt?: string;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted until the first edit.
     */
    updatedAt?: string;
    /** Last segment of the path. */
    slug: string;
    /** Path within the space. */
    path: string;
    /** Subpages, in order. */
    pages: Page[];
    /** Whether the page is hidden from the table of contents. */
    hidden: boolean;
    /** Whether the page is excluded from every index. */
    noIndex: boolean;
    /** Whether search engines are asked not to index the page. */
    noRobotsIndex: boolean;
    /** Description in one or two sentences. */
    description?: string;
    /** Body as Markdown. Only included when a single page is retrieved in that format. */
    markdown?: string;
    /** Body as a document. Only included when a single page is retrieved in that format. */
    document?: Document;
    /** Identifier of the body. Omitted if the body is computed. */
    documentId?: string;
    /** Source that the body is computed from. Omitted if the body is not computed. */
    computed?: ComputedPageSource;
    /** Value that changes whenever the computed body changes. Only included together with `computed`. */
    computedSeed?: string;
    /** Visible parts of the page. */
    layout: PageLayout;
    /** Cover. */
    cover?: PageCover;
    /** Variables for expressions in the page, by name. */
    variables?: {
        [key: string]: string;
    };
    /** Git object of the page. Omitted with `metadata=false`. */
    git?: GitObject;
    /** URLs of the page. */
    urls: PageUrls;
};
/** Reference from a document to a page. */
export type DocumentPageRef = {
    /** Kind of the reference. */
    kind: "page";
    /** Identifier of the page. */
    page: Identifier;
    /** Identifier of the space. Omitted if it is the space that contains the reference. */
    space?: Identifier;
    /** URL of the target. Returned only if the document is read with `evaluated`; ignored in requests. */
    href?: LongText;
};
/** Paragraph. Markup that this contract does not define is a separate paragraph of raw leaves. */
export type DocumentParagraphBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "paragraph";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentInlineNode[];
    /** Data of the block. Responses always contain it. */
    data?: DocumentParagraphBlockData;
};
/** Data of a paragraph. */
export type DocumentParagraphBlockData = {
    /** Horizontal alignment. Default: `start`. */
    align?: DocumentAlignment;
    /**
     * Reason why the paragraph contains verbatim Markdown, as a single raw leaf. Omitted for any other paragraph, and
     * ignored in requests.
     */
    problem?: DocumentProblem;
};
/** Mark that is fully described by its type. */
export type DocumentPlainMark = {
    /** Object type. */
    object: "mark";
    /** Type of the mark. */
    type: "bold" | "italic" | "code" | "keyboard" | "strikethrough" | "underline" | "superscript" | "subscript";
};
/** Reason why Markdown is preserved verbatim. The text is complete; only its blocks are unavailable. */
export type DocumentProblem = {
    /** Machine-readable reason. */
    reason: DocumentProblemReason;
    /** Human-readable description: what happened and how to fix it. */
    message: ShortText;
};
/** Reason why Markdown is preserved verbatim instead of being converted to blocks. */
export type DocumentProblemReason = "too-long" | "too-large" | "too-deep" | "too-complex" | "time-limit" | "memory-limit" | "unsettled";
/** Prompt that readers can use in an assistant. */
export type DocumentPromptBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "prompt";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentCodeBlock[];
    /** Data of the block. */
    data: DocumentPromptBlockData;
    /**
     * Blocks of the prompt, of which its code is the Markdown. Omitted if the prompt consists of the code. In requests,
     * a changed code takes precedence.
     */
    fragments?: DocumentPromptBodyFragment[];
};
/** Data of a prompt. */
export type DocumentPromptBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Purpose of the prompt. Responses always contain it. */
    description?: LongText;
    /** Icon next to the description. */
    icon?: LongText;
    /** Whether readers can open the prompt in an assistant. */
    openInAIProviders?: boolean;
    /** Part of the prompt that is visible initially. Default: `hidden`. */
    defaultExpanded?: "hidden" | "partial" | "full";
};
/** Blocks of a prompt. */
export type DocumentPromptBodyFragment = {
    /** Object type. */
    object: "fragment";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Name of the fragment. Responses always contain it. */
    fragment?: "prompt-body";
    /** Type of the content. */
    type: "prompt-body";
    /** Nodes, in order. */
    nodes: DocumentBlock[];
};
/** Quotation. */
export type DocumentQuoteBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "blockquote";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. Responses always contain it. */
    data?: DocumentEmptyData;
};
/**
 * Reference from a document to a resource. Links that lead to a resource of the platform refer to it by its identifier,
 * whether the author wrote a path, an identifier, or the URL of the resource in the app. Broken links, and links to
 * resources that are not visible to the caller, are `url` references.
 */
export type DocumentRef = DocumentFileRef | UrlRef | DocumentPageRef | DocumentAnchorRef | DocumentUserRef | DocumentCollectionRef | DocumentSpaceRef | ReusableContentRef | OpenAPIRef;
/** Inclusion of reusable content. */
export type DocumentReusableContentBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "reusable-content";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentReusableContentBlockData;
};
/** Data of an inclusion of reusable content. */
export type DocumentReusableContentBlockData = {
    /** Reusable content. */
    ref: DocumentRef;
};
/** Action that searches. */
export type DocumentSearchAction = {
    /** Kind of the action. */
    action: "search";
    /** Text to search for. */
    query?: LongText;
};
/** Action that selects tabs. */
export type DocumentSelectAction = {
    /** Kind of the action. */
    action: "select";
    /** Identifier that the tabs have as their `slug`. */
    slug: LongText;
};
/** Horizontal alignment of images, or of the cells of a table. */
export type DocumentSide = "left" | "center" | "right";
/** Reference from a document to a space. */
export type DocumentSpaceRef = {
    /** Kind of the reference. */
    kind: "space";
    /** Identifier of the space. */
    space: Identifier;
    /** URL of the target. Returned only if the document is read with `evaluated`; ignored in requests. */
    href?: LongText;
};
/** Text with attributes, such as an option of a select column. */
export type DocumentSpanInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "span";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentSpanInlineData;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentInlineNode[];
};
/** Data of a text with attributes. */
export type DocumentSpanInlineData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier of the option of a select column that the text names. */
    option?: LongText;
};
/** Attributes of a text. All leaves of a text with such a mark have it, as their first mark. */
export type DocumentSpanMark = {
    /** Object type. */
    object: "mark";
    /** Type of the mark. */
    type: "span";
    /** Attributes. */
    data: DocumentSpanInlineData;
};
/** Reference from a document to an OpenAPI specification, as written. */
export type DocumentSpecificationRef = {
    /** Kind of the reference. */
    kind: "openapi";
    /** Slug of the specification in the organization. */
    spec: LongText;
};
/** Step of a procedure. Its first heading is its title. */
export type DocumentStepBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "stepper-step";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentStepBlockData;
};
/** Data of a step of a procedure. */
export type DocumentStepBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Icon of the step. */
    icon?: LongText;
};
/** Step-by-step procedure. */
export type DocumentStepperBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "stepper";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentStepBlock[];
    /** Data of the block. Responses always contain it. */
    data?: DocumentTagData;
};
/** Operation described in a file. */
export type DocumentSwaggerBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "swagger";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentSwaggerBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
};
/** Data of an operation described in a file. */
export type DocumentSwaggerBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** File that describes the operation. */
    ref?: DocumentFileOrUrlRef;
    /** Path of the operation. Responses always contain it. */
    path?: LongText;
    /** HTTP method of the operation. Responses always contain it. */
    method?: LongText;
    /** Whether the description of the operation is expanded initially. */
    expanded?: boolean;
    /** Whether the block uses the full width of the page. */
    fullWidth?: boolean;
};
/** Table. */
export type DocumentTableBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "table";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `true`: the block has no child nodes. */
    isVoid: true;
    /** Data of the block. */
    data: DocumentTableBlockData;
    /** Blocks of the cells. */
    fragments: DocumentCellFragment[];
};
/** Data of a table. */
export type DocumentTableBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Presentation of the table. */
    view: DocumentTableView;
    /** Columns by identifier. */
    definition: {
        [key: string]: DocumentTableColumn;
    };
    /** Rows by identifier. */
    records: {
        [key: string]: DocumentTableRow;
    };
    /** Whether the table uses the full width of the page. */
    fullWidth?: boolean;
    /** Whether readers can search the table. */
    search?: boolean;
};
/** One card for each row. */
export type DocumentTableCards = {
    /** Layout. */
    type: "cards";
    /** Identifiers of the columns to display, in order. */
    columns: LongText[];
    /**
     * Identifiers of all columns, in order. Included if there are columns that are not displayed. In requests, a
     * different list of displayed columns takes precedence.
     */
    allColumns?: LongText[];
    /** Size of the cards. */
    cardSize: "medium" | "large";
    /** Identifier of the column with the target of a card. */
    targetDefinition?: LongText;
    /** Identifier of the column with the cover of a card. */
    coverDefinition?: LongText;
    /** Identifier of the column with the cover of a card for dark themes. */
    coverDefinitionDark?: LongText;
    /** Whether the titles of the columns are hidden. */
    hideColumnTitle?: boolean;
    /** Whether the cards wrap onto several rows. */
    wrap?: boolean;
};
/** Column of a table. A column of a type that this contract does not define is a column of text. */
export type DocumentTableColumn = DocumentTableTextColumn | DocumentTableValueColumn | DocumentTableUsersColumn | DocumentTableRatingColumn | DocumentTableSelectColumn;
/** Rows and columns. */
export type DocumentTableGrid = {
    /** Layout. */
    type: "grid";
    /** Identifiers of the columns to display, in order. */
    columns: LongText[];
    /**
     * Identifiers of all columns, in order. Included if there are columns that are not displayed. In requests, a
     * different list of displayed columns takes precedence.
     */
    allColumns?: LongText[];
    /** Widths of the columns in pixels, by the identifier of the column. */
    columnWidths?: {
        [key: string]: number;
    };
    /** Always `true` in responses: the widths are pixels. Ignored in requests. */
    useNewSizing?: boolean;
    /** Whether the titles of the columns are hidden. */
    hideHeader: boolean;
    /** Whether the titles remain visible while the page scrolls. */
    stickyHeader?: boolean;
    /** Whether the first column remains visible while the table scrolls. */
    stickyFirstColumn?: boolean;
};
/** Image with an alternative text. */
export type DocumentTableImage = {
    /** Image. */
    ref: DocumentFileOrUrlRef;
    /** Alternative text. */
    alt?: LongText;
};
/** Option of a select column. */
export type DocumentTableOption = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier of the option. */
    value: LongText;
    /** Label. */
    label: LongText;
    /** Color, as written. Default: `default`. */
    color: LongText;
};
/** Column of ratings. */
export type DocumentTableRatingColumn = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier. Comments on a cell refer to it as `definition`. */
    id: LongText;
    /** Type of the cells. */
    type: "rating";
    /** Title, without formatting. */
    title: LongText;
    /** Title. Included if it is formatted. In requests, a `title` that disagrees takes precedence. */
    formattedTitle?: DocumentInlineNode[];
    /** Vertical alignment of the cells. */
    verticalAlignment?: "top" | "middle" | "bottom";
    /** Horizontal alignment of the cells. */
    textAlignment?: DocumentSide;
    /**
     * Format: int32
     *
     * Highest rating.
     */
    max: number;
    /** Options of the cells. */
    options?: DocumentTableOption[];
};
/** Row of a table. Comments on a cell refer to the identifier of the row as `record`. */
export type DocumentTableRow = {
    /** Sort key: rows are displayed in the order of their sort keys, compared as text. */
    orderIndex: ShortText;
    /** Cells by the identifier of the column. Empty cells, and those whose content is not a value of the type, are omitted. */
    values: {
        [key: string]: DocumentTableValue;
    };
};
/** Column of selected options. */
export type DocumentTableSelectColumn = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier. Comments on a cell refer to it as `definition`. */
    id: LongText;
    /** Type of the cells. */
    type: "select";
    /** Title, without formatting. */
    title: LongText;
    /** Title. Included if it is formatted. In requests, a `title` that disagrees takes precedence. */
    formattedTitle?: DocumentInlineNode[];
    /** Vertical alignment of the cells. */
    verticalAlignment?: "top" | "middle" | "bottom";
    /** Horizontal alignment of the cells. */
    textAlignment?: DocumentSide;
    /** Whether a cell can contain several options. */
    multiple: boolean;
    /** Options of the cells. */
    options: DocumentTableOption[];
};
/** Column of formatted text. */
export type DocumentTableTextColumn = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier. Comments on a cell refer to it as `definition`. */
    id: LongText;
    /** Type of the cells. */
    type: "text";
    /** Title, without formatting. */
    title: LongText;
    /** Title. Included if it is formatted. In requests, a `title` that disagrees takes precedence. */
    formattedTitle?: DocumentInlineNode[];
    /** Vertical alignment of the cells. */
    verticalAlignment?: "top" | "middle" | "bottom";
    /** Horizontal alignment of the cells. */
    textAlignment: DocumentSide;
    /** Options of the cells. */
    options?: DocumentTableOption[];
};
/** Column of users. */
export type DocumentTableUsersColumn = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier. Comments on a cell refer to it as `definition`. */
    id: LongText;
    /** Type of the cells. */
    type: "users";
    /** Title, without formatting. */
    title: LongText;
    /** Title. Included if it is formatted. In requests, a `title` that disagrees takes precedence. */
    formattedTitle?: DocumentInlineNode[];
    /** Vertical alignment of the cells. */
    verticalAlignment?: "top" | "middle" | "bottom";
    /** Horizontal alignment of the cells. */
    textAlignment?: DocumentSide;
    /** Whether a cell can contain several users. */
    multiple: boolean;
    /** Options of the cells. */
    options?: DocumentTableOption[];
};
/**
 * Value of a cell: the name of the fragment with its blocks (`text`), a number (`number`, `rating`), a boolean
 * (`checkbox`), identifiers of files, users or options (`files`, `users`, `select`), a reference (`content-ref`,
 * `image`, and `files` with a URL) or an image.
 */
export type DocumentTableValue = LongText | number | boolean | LongText[] | DocumentRef | DocumentTableImage | null;
/** Column of numbers, check boxes, files, references or images. */
export type DocumentTableValueColumn = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Identifier. Comments on a cell refer to it as `definition`. */
    id: LongText;
    /** Type of the cells. */
    type: "number" | "checkbox" | "files" | "content-ref" | "image";
    /** Title, without formatting. */
    title: LongText;
    /** Title. Included if it is formatted. In requests, a `title` that disagrees takes precedence. */
    formattedTitle?: DocumentInlineNode[];
    /** Vertical alignment of the cells. */
    verticalAlignment?: "top" | "middle" | "bottom";
    /** Horizontal alignment of the cells. */
    textAlignment?: DocumentSide;
    /** Options of the cells. */
    options?: DocumentTableOption[];
};
/** Presentation of a table. */
export type DocumentTableView = DocumentTableGrid | DocumentTableCards;
/** Set of tabs, of which one is visible at a time. */
export type DocumentTabsBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "tabs";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentTabsItemBlock[];
    /** Data of the block. Responses always contain it. */
    data?: DocumentTabsBlockData;
};
/** Data of a set of tabs. */
export type DocumentTabsBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Whether the tabs use the full width of the page. */
    fullWidth?: boolean;
};
/** Tab. */
export type DocumentTabsItemBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "tabs-item";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentTabsItemBlockData;
    /**
     * Metadata. Always included in responses, and ignored in requests. The anchor of a heading is that of the published
     * page.
     */
    meta?: DocumentBlockMeta;
};
/** Data of a tab. */
export type DocumentTabsItemBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Title. Default: none. */
    title?: LongText;
    /** Icon next to the title. */
    icon?: LongText;
    /** Identifier that tabs and buttons with the same selection share. Default: derived from the title. */
    slug?: LongText;
};
/**
 * Tag that this contract does not define, with the blocks between the tag and its end tag. A known tag that does not
 * match its content, or that has no counterpart, is such a block, too.
 */
export type DocumentTagBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "tag";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentTagBlockData;
};
/** Data of a block that is written as a tag that this contract does not define. */
export type DocumentTagBlockData = {
    /** Name of the tag. */
    name: LongText;
    /** Remainder of the tag, as written. */
    content?: LongText;
    /** Whether the tag has an end tag. Without an end tag, the block has no child nodes. */
    paired: boolean;
};
/** Data of any node that can be written as a tag. */
export type DocumentTagData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
};
/** Tag within a line of text that this contract does not define. */
export type DocumentTagInline = {
    /** Object type. */
    object: "inline";
    /** Type of the node. */
    type: "tag";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Data of the node. */
    data: DocumentUnknownTagData;
    /** Always `true`: the node has no child nodes. */
    isVoid: true;
};
/** Run of text. */
export type DocumentText = {
    /** Object type. */
    object: "text";
    /** Key. Ignored in requests, and not included in responses. */
    key?: ShortText;
    /** Parts of the text, each with its own marks. */
    leaves: DocumentLeaf[];
};
/** Color of the palette, or of the theme of the site (with `$`). `default` is the color of the surrounding text. */
export type DocumentTextColor = "default" | "green" | "blue" | "red" | "orange" | "yellow" | "purple" | "pink" | "violet" | "cyan" | "$primary" | "$info" | "$success" | "$warning" | "$danger" | "$tint";
/** Reference to a topic. */
export type DocumentTopicRef = {
    /** Kind of the reference. */
    kind: "tag";
    /** Name of the topic. */
    tag: LongText;
};
/** Action that makes a block show a URL. */
export type DocumentUnfurlAction = {
    /** Name of the action. */
    action: "@link.unfurl";
    /** URL. */
    url: LongText;
};
/** Data of a tag that this contract does not define. */
export type DocumentUnknownTagData = {
    /** Name of the tag. */
    name: LongText;
    /** Remainder of the tag, as written. */
    content?: LongText;
};
/** Changelog entry. */
export type DocumentUpdateBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "update";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentBlock[];
    /** Data of the block. */
    data: DocumentUpdateBlockData;
};
/** Data of a changelog entry. */
export type DocumentUpdateBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Date, in ISO 8601 if it is written as one. An entry without a date has the value `undated`. */
    date: LongText;
    /** Topics of the entry. */
    tags?: DocumentTopicRef[];
};
/** Changelog. */
export type DocumentUpdatesBlock = {
    /** Object type. */
    object: "block";
    /** Type of the block. */
    type: "updates";
    /** Key, unique within the document. */
    key?: ShortText;
    /** Always `false`: the node has child nodes. Responses always contain it. */
    isVoid?: false;
    /** Child nodes, in order. */
    nodes: DocumentUpdateBlock[];
    /** Data of the block. */
    data: DocumentUpdatesBlockData;
};
/** Data of a changelog. */
export type DocumentUpdatesBlockData = {
    /**
     * Attributes of the tag, as written, that no other property represents exactly. Another property takes precedence
     * over an attribute that it disagrees with.
     */
    attributes?: {
        [key: string]: LongText;
    };
    /** Format of the dates. Default: `full`. Responses always contain it. */
    format?: "numeric" | "full" | "short";
};
/** Reference from a document to a user. */
export type DocumentUserRef = {
    /** Kind of the reference. */
    kind: "user";
    /** Identifier of the user. */
    user: Identifier;
    /** URL of the target. Returned only if the document is read with `evaluated`; ignored in requests. */
    href?: LongText;
};
/** Change request after an edit of its content. */
export type EditedChangeRequest = {
    /** Object type. */
    object: "change-request";
    /** Identifier. */
    id: string;
    /** Identifier of the space. */
    space: string;
    /**
     * Format: int32
     *
     * Number within the space, starting at 1. Serves as an identifier in paths.
     */
    number: number;
    /** Current status. */
    status: ChangeRequestStatus;
    /** Subject. Can be empty. */
    subject: string;
    /** User who created the change request. */
    createdBy: User;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last update.
     */
    updatedAt: string;
    /**
     * Identifier of the current revision. Before the first edit: the revision of the space that the change request was
     * created from.
     */
    revision: string;
    /** Identifier of the revision of the space that the change request was created from. */
    revisionInitial: string;
    /** Identifier of the revision of the space that the change request was last updated to. */
    revisionMergedAncestor?: string;
    /** Identifier of the revision that the merge created. */
    revisionMerged?: string;
    /**
     * Format: int32
     *
     * Number of open comments.
     */
    comments: number;
    /**
     * Whether the primary content has changed since the change request was created or last updated to it. Always `false`
     * if merged.
     */
    outdated: boolean;
    /** URLs of the change request. */
    urls: ChangeRequestUrls;
    /** Problems in the texts of the edited pages, at most 100. Omitted if there are none. */
    notices?: ContentNotice[];
};
/** Title of a page. */
export type EditedTitle = string;
/**
 * Format: email
 *
 * Email address (RFC 5321, section 4.5.3.1.3 limits its length).
 */
export type EmailAddress = string;
/** Organizations that users of an email domain can join. */
export type EmailDomainOrganizations = {
    /** Organizations, oldest first: not paginated, at most 1,000. */
    organizations: Organization[];
};
/** Email address to invite with a specific role. */
export type EmailInvite = {
    /** Email address. */
    email: EmailAddress;
    /** Role. `null` makes the user a guest. */
    role: Role | null;
};
/** Body of every error response. */
export type Error = {
    /** Description of the error. */
    error: ErrorInfo;
};
/** An invalid field of the request. */
export type ErrorDetail = {
    /** Part of the request that contains the field. */
    in: "path" | "query" | "header" | "body";
    /** Path of the field within that part: property names and array indexes, joined by dots. */
    path: string;
    /** Reason why the field is invalid. */
    message: string;
};
/** Description of an error: what happened and how to resolve it. */
export type ErrorInfo = {
    /**
     * Format: int32
     *
     * HTTP status code of the response.
     */
    code: number;
    /** Machine-readable cause of the error. New reasons can be added: treat an unknown one like its status code. */
    reason: ErrorReason;
    /** Human-readable description: what happened, why, and how to resolve it. */
    message: string;
    /** Identifier of the request in the server log. */
    requestId: string;
    /** Every invalid field of the request. */
    details?: ErrorDetail[];
    /** Quota that would be exceeded. */
    quota?: ExceededQuota;
};
/** Cause of an error. */
export type ErrorReason = "request_malformed" | "field_invalid" | "cursor_invalid" | "unauthenticated" | "permission_missing" | "scope_missing" | "token_exceeds_creator" | "tokens_managed_elsewhere" | "membership_disabled" | "quota_exceeded" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "access_token_limit_reached" | "change_request_archived" | "change_request_merged" | "collection_cycle" | "file_limit_exceeded" | "basename_taken" | "hostname_taken" | "installation_incomplete" | "installation_paused" | "space_installation_paused" | "publisher_required" | "integration_name_taken" | "integration_target_unsupported" | "invite_links_disabled" | "last_admin" | "idempotency_key_reused" | "level_not_applicable" | "page_cycle" | "page_depth_exceeded" | "page_limit_exceeded" | "path_taken" | "position_out_of_range" | "proxy_taken" | "response_not_recorded" | "role_not_applicable" | "review_limit_exceeded" | "section_limit_exceeded" | "section_group_limit_exceeded" | "site_space_limit_exceeded" | "share_link_limit_exceeded" | "organization_file_limit_exceeded" | "redirect_limit_exceeded" | "redirect_source_taken" | "slug_taken" | "space_already_shown" | "translation_source_required" | "translation_language_equal" | "space_locked" | "space_transferred" | "content_too_large" | "media_type_unsupported" | "processing_limit_exceeded" | "rate_limited" | "internal" | "not_implemented" | "integration_rejected" | "integration_failed" | "language_model_failed" | "unavailable" | "outcome_unknown";
/** Caller that caused an event. */
export type EventCaller = {
    /** Identifier of the user. */
    userId?: string;
};
/** Visitor of a page. */
export type EventVisitor = {
    /** Anonymous identifier that distinguishes the visitors of a site. It changes every day. */
    anonymousId?: string;
    /**
     * Cookies of the site by name, except those of this service. Without the scope `site:script:cookies`, or in views of
     * spaces `space:script:cookies`, only `__gitbook_cookie_granted`, which is `yes` if the visitor consented to cookies
     * and `no` if not.
     */
    cookies: {
        [key: string]: string;
    };
    /** User agent of the browser. */
    userAgent?: string;
    /** IP address. */
    ip?: string;
    /** Language requested by the browser. */
    language?: string;
};
/** Quota that would be exceeded. */
export type ExceededQuota = {
    /** Name of the quota. */
    name: QuotaName;
    /**
     * Format: int64
     *
     * Maximum.
     */
    limit: number;
    /**
     * Format: int64
     *
     * Current use.
     */
    used: number;
};
/** Identifiers that an integration uses for an installation, such as the identifier of a customer. */
export type ExternalIds = ShortText[];
/** Request to the public endpoint of the integration. */
export type FetchEvent = {
    /** Type of the event. */
    type: "fetch";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId?: string;
    /** Request. */
    request: FetchEventRequest;
    /** Identifier of the space on whose behalf the request was sent. */
    spaceId?: string;
    /** Identifier of the site on whose behalf the request was sent. */
    siteId?: string;
    /** Caller. Omitted if not signed in. */
    auth?: EventCaller;
};
/** Request to the public endpoint of an integration. */
export type FetchEventRequest = {
    /** Method. */
    method: string;
    /** URL. */
    url: string;
    /** Headers by name. */
    headers: {
        [key: string]: string;
    };
};
/** Request for the script that the integration adds to the pages of a site or space. */
export type FetchPublishedScriptEvent = {
    /** Type of the event. */
    type: "fetch_published_script";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId?: string;
    /** Identifier of the site. */
    siteId?: string;
};
/** Request of a visitor for access. */
export type FetchVisitorAuthenticationEvent = {
    /** Type of the event. */
    type: "fetch_visitor_authentication";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId?: string;
    /** Identifier of the site. */
    siteId?: string;
    /** Path that the visitor requested. */
    location?: string;
    /** Action of the visitor. Omitted for a sign-in. */
    action?: "logout";
};
/** File to fetch from a URL. */
export type FetchedFile = {
    /** Name, with its extension. */
    name: FileName;
    /** Reference name of the new file, for URLs (`/files/<ref>`) in the same request. */
    ref?: ReferenceName;
    /** Media type. Default: derived from the name. */
    contentType?: MediaType;
    /** URL of the file. */
    url: AbsoluteUrl;
};
/** File of a space. */
export type File = {
    /** Identifier. */
    id: string;
    /** Name. */
    name: string;
    /** Media type (RFC 6838). */
    contentType: string;
    /**
     * Format: uri
     *
     * URL of the content of the file. It works without an access token, and expires after 24 to 48 hours and when the
     * caller may no longer read the space. Every response contains a new URL.
     */
    downloadURL: string;
    /**
     * Format: int64
     *
     * Size in bytes.
     */
    size: number;
    /** Dimensions of an image in pixels. */
    dimensions?: FileDimensions;
    /** Git object of the file. Omitted with `metadata=false`. */
    git?: GitObject;
};
/** Changed attributes of a file. */
export type FileChanges = {
    /** Name. */
    name?: TextChange;
    /** URLs of the contents. */
    downloadURL?: TextChange;
    /** Sizes in bytes. */
    size?: SizeChange;
    /** Media type. */
    contentType?: TextChange;
    /** Dimensions of an image in pixels. */
    dimensions?: DimensionsChange;
};
/** File that was created or deleted. */
export type FileCreatedOrDeleted = {
    /** Type of the change. */
    type: "file_created" | "file_deleted";
    /** File. */
    file: File;
};
/** Dimensions of an image in pixels. */
export type FileDimensions = {
    /**
     * Format: double
     *
     * Width.
     */
    width: number;
    /**
     * Format: double
     *
     * Height.
     */
    height: number;
};
/** File with another name or content. */
export type FileEdited = {
    /** Type of the change. */
    type: "file_edited";
    /** File after the change. */
    file: File;
    /** Changed attributes. */
    attributes: FileChanges;
};
/** Files to import. */
export type FileImportSource = {
    /** Type of the source. */
    type: "file";
    /** URLs of the files. */
    files: CallableUrl[];
};
/** One page of a list. */
export type FileList = {
    /** Items of this page. */
    items: File[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Location of a file. */
export type FileLocation = {
    /** Kind of the location. */
    kind: "file";
    /** Organization that owns the space. */
    organization: Organization;
    /** Space. */
    space: Space;
    /** Version of the content of the space. */
    versionContext?: VersionContext;
    /** File. */
    file: File;
};
/** Name of a file. Must not contain slashes, backslashes or control characters, and must not consist of dots only. */
export type FileName = string;
/** Reference to a file of the same space. */
export type FileRef = {
    /** Kind of the reference. */
    kind: "file";
    /** Identifier of the file. */
    file: Identifier;
};
/** Change of a setting that is on or off. */
export type FlagChange = {
    /** Previous value, if any. */
    before?: boolean;
    /** New value, if any. */
    after?: boolean;
};
/**
 * Git branch to export content to.
 * @example {
 *   "url": "https://ada:secret@github.com/acme/docs.git",
 *   "ref": "refs/heads/main",
 *   "commitMessage": "Publish the user guide"
 * }
 */
export type GitExport = {
    /** URL of the repository. */
    url: GitUrl;
    /** Full name of the branch. */
    ref: GitRef;
    /** Identifier of a cache of the repository to reuse. */
    repoCacheID?: ShortText;
    /** Prefix of the URLs of files in the repository. */
    repoTreeURL?: ShortText;
    /** Prefix of the URLs of commits in the repository. */
    repoCommitURL?: ShortText;
    /** Folder of the repository that contains the content. Default: its root. */
    repoProjectDirectory?: ShortText;
    /**
     * Time of the event that triggered the operation. Of two operations, the one with the later time prevails, regardless
     * of the order of the requests.
     */
    timestamp?: RequestTime;
    /**
     * Whether to proceed even if nothing appears to have changed. An import then replaces the content, including edits
     * that the repository lacks.
     */
    force?: boolean;
    /** Display information about the repository. */
    gitInfo?: GitRepositoryInfo;
    /** Commit message. */
    commitMessage: LongText;
};
/**
 * Git branch to import content from.
 * @example {
 *   "url": "https://github.com/acme/docs.git",
 *   "ref": "refs/heads/main",
 *   "repoTreeURL": "https://github.com/acme/docs/blob/main",
 *   "repoCommitURL": "https://github.com/acme/docs/commit"
 * }
 */
export type GitImport = {
    /** URL of the repository. */
    url: GitUrl;
    /** Full name of the branch. */
    ref: GitRef;
    /** Identifier of a cache of the repository to reuse. */
    repoCacheID?: ShortText;
    /** Prefix of the URLs of files in the repository. */
    repoTreeURL?: ShortText;
    /** Prefix of the URLs of commits in the repository. */
    repoCommitURL?: ShortText;
    /** Folder of the repository that contains the content. Default: its root. */
    repoProjectDirectory?: ShortText;
    /**
     * Time of the event that triggered the operation. Of two operations, the one with the later time prevails, regardless
     * of the order of the requests.
     */
    timestamp?: RequestTime;
    /**
     * Whether to proceed even if nothing appears to have changed. An import then replaces the content, including edits
     * that the repository lacks.
     */
    force?: boolean;
    /** Display information about the repository. */
    gitInfo?: GitRepositoryInfo;
    /** Whether to only create a revision, without updating the content that is visible to readers. */
    standalone?: boolean;
    /**
     * Spaces of the organization by their identifier on the platform that the content is moved from, which links of the
     * content lead to. They are added to the space map of the organization. Only admins can change entries of the map.
     */
    spaceMap?: SpacesByFormerId;
};
/** Git repository that a space is synchronized with. */
export type GitInfo = {
    /** Name of the repository. */
    repoName?: string;
    /** Installation that provides access to the repository. */
    installationProvider?: GitInstallationProvider;
    /** Name of the integration that synchronizes the space. */
    integration?: string;
    /** URL of the repository, without credentials. */
    url?: string;
    /**
     * Format: date-time
     *
     * Time of the last synchronization.
     */
    updatedAt?: string;
};
/** Installation that provides access to a Git repository. */
export type GitInstallationProvider = "github" | "gitlab" | "github-legacy";
/** Git object in the repository that the content is synchronized with. */
export type GitObject = {
    /** Identifier of the Git object. */
    oid: string;
    /** Path in the repository. */
    path: string;
};
/** Hosting provider of a Git repository. */
export type GitProvider = "github" | "gitlab";
/** Full name of a branch of a Git repository, such as `refs/heads/main`. */
export type GitRef = string;
/** Display information about a Git repository. */
export type GitRepositoryInfo = {
    /** Hosting provider. */
    provider?: GitProvider;
    /** URL of the web page of the repository. */
    url?: ShortText;
};
/** Git run: one import or export of a space. */
export type GitRun = {
    /** Object type. */
    object: "git-run";
    /** Identifier. */
    id: string;
    /** Direction. */
    direction: GitRunDirection;
    /** URL of the repository, without credentials. */
    url: string;
    /** Full name of the branch. */
    ref: string;
    /** Identifier of the imported or exported commit, as soon as it is known. */
    commit?: string;
    /**
     * Identifier of the change request with the edits of the space that an import replaced, because the repository changed
     * the same lines or settings. Omitted if there were none.
     */
    changeRequest?: string;
    /** Current status. */
    status: RunStatus;
    /**
     * Format: int32
     *
     * Progress in percent.
     */
    progress: number;
    /** Numbers of pages, files and problems so far. */
    counts: RunCounts;
    /** Problems in the source, up to 100. */
    problems: RunProblem[];
    /** Cause of the failure, if the status is `failed`. */
    failure?: RunFailure;
    /** Identifier of the revision with the content. Omitted if no revision was created. */
    revision?: string;
    /**
     * Format: date-time
     *
     * Time of the request.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the start of the first attempt.
     */
    startedAt?: string;
    /**
     * Format: date-time
     *
     * Time of the end.
     */
    endedAt?: string;
    /** URLs of the run. */
    urls: ResourceUrls;
};
/** Direction of a Git run. */
export type GitRunDirection = "import" | "export";
/** One page of a list. */
export type GitRunList = {
    /** Items of this page. */
    items: GitRun[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Format: uri
 *
 * URL of a Git repository. It can contain credentials, which are never returned or logged.
 */
export type GitUrl = string;
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "role": "review"
 * }
 */
export type GrantPatch = {
    /** Role to grant. */
    role?: Role;
};
/**
 * Users, teams, or both, and the role to grant to them.
 * @example {
 *   "role": "edit",
 *   "users": [
 *     "usr_ada"
 *   ],
 *   "teams": [
 *     "team_writers"
 *   ]
 * }
 */
export type GrantsCreate = {
    /** Role to grant. */
    role: Role;
    /** Identifiers of members of the organization. */
    users?: Identifier[];
    /** Identifiers of teams of the organization. */
    teams?: Identifier[];
};
/** Heading in the page tree, with subpages and no body. */
export type GroupPage = {
    /** Type of the page. */
    type: "group";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Emoji next to the title. */
    emoji?: IconName;
    /** Name of an icon next to the title. */
    icon?: IconName;
    /**
     * Format: date-time
     *
     * Time of creation. Omitted until the first edit.
     */
    createdAt?: string;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted until the first edit.
     */
    updatedAt?: string;
    /** Last segment of the path. */
    slug: string;
    /** Path within the space. */
    path: string;
    /** Subpages, in order. */
    pages: Page[];
    /** Whether the page is hidden from the table of contents. */
    hidden: boolean;
    /** Whether the page is excluded from every index. */
    noIndex: boolean;
    /** Whether search engines are asked not to index the page. */
    noRobotsIndex: boolean;
};
/**
 * Format: icon-data
 *
 * Icon: an image (PNG, JPEG, GIF, WebP or SVG) in base64.
 */
export type IconData = string;
/**
 * Format: icon-data-or-url
 *
 * Image in base64, or the URL of an image.
 */
export type IconDataOrUrl = string;
/** Name of an icon, or an emoji. */
export type IconName = string;
/** Opaque identifier. Compare it only for equality. */
export type Identifier = string;
/**
 * Format: image-data
 *
 * Image (PNG, JPEG, GIF, WebP or SVG) in base64.
 */
export type ImageData = string;
/** Image. */
export type ImageElement = {
    /** Type of the element. */
    type: "image";
    /** Source of the image. */
    source: RenderUrl;
    /**
     * Format: double
     *
     * Ratio of width to height.
     */
    aspectRatio: number;
};
/** Import run: one import of a website or of files, which a job carries out. */
export type ImportRun = {
    /** Object type. */
    object: "import-run";
    /** Identifier. */
    id: string;
    /** Current status. */
    status: ImportRunStatus;
    /** Cause of the failure, if the status is `failed`. */
    reason?: string;
    /** Source. */
    source: ImportedSource;
    /** Target. */
    target: ImportRunTarget;
    /** Identifier of the user who started it. */
    createdBy: string;
    /**
     * Format: date-time
     *
     * Time of the request.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last change of the status.
     */
    updatedAt: string;
    /**
     * Format: date-time
     *
     * Time of the start.
     */
    startedAt?: string;
    /**
     * Format: date-time
     *
     * Time of the completion.
     */
    completedAt?: string;
    /** Numbers of pages, files and problems. */
    counts: RunCounts;
    /** Problems in the source, up to 100. */
    problems: RunProblem[];
    /** Identifier of the revision with the content. Omitted if no revision was created. */
    revision?: string;
    /** URLs of the run. */
    urls: ResourceUrls;
};
/**
 * Import to start.
 * @example {
 *   "source": {
 *     "type": "website",
 *     "url": "https://docs.example.com/guide/"
 *   },
 *   "target": {
 *     "space": "spc_handbook"
 *   }
 * }
 */
export type ImportRunCreate = {
    /** Source. */
    source: ImportRunSource;
    /** Target. */
    target: ImportRunTarget;
    /** Whether to improve the imported content with AI. It has no effect. */
    enhance?: boolean;
};
/** One page of a list. */
export type ImportRunList = {
    /** Items of this page. */
    items: ImportRun[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Source of an import run. */
export type ImportRunSource = WebsiteImportSource | FileImportSource;
/** Status of an import run. */
export type ImportRunStatus = "pending" | "in-progress" | "completed" | "failed" | "cancelled";
/** Target of an import run. */
export type ImportRunTarget = {
    /** Identifier of the space. */
    space: Identifier;
    /** Identifier of the change request, or its number within the space. Omitted for the content of the space itself. */
    changeRequest?: Identifier;
    /** Identifier of the page that the imported pages are added to. Omitted for the root. */
    page?: Identifier;
};
/** Type of the source of an import. */
export type ImportSource = "website" | "docx" | "markdown" | "html" | "zip" | "confluence" | "github-wiki" | "notion" | "google-docs";
/** Result of an import. */
export type ImportedContent = {
    /** Identifier of the new revision. */
    revision: string;
    /**
     * Format: int32
     *
     * Number of imported pages and files.
     */
    importedResources: number;
    /**
     * Format: int32
     *
     * Number of pages and files in the source.
     */
    totalResources: number;
};
/** Imported files. */
export type ImportedFiles = {
    /** Type of the source. */
    type: "file";
    /** URLs of the files, without their queries. */
    files: string[];
};
/** Imported source. */
export type ImportedSource = ImportedWebsite | ImportedFiles;
/** Imported website. */
export type ImportedWebsite = {
    /** Type of the source. */
    type: "website";
    /** URL of the first page, without its query. */
    url: string;
};
/** Identifiers of the spaces to show on a new site. */
export type InitialSpaceIds = Identifier[];
/** File included in the request. */
export type InlineFile = {
    /** Name, with its extension. */
    name: FileName;
    /** Reference name of the new file, for URLs (`/files/<ref>`) in the same request. */
    ref?: ReferenceName;
    /** Media type. Default: derived from the name. */
    contentType?: MediaType;
    /** Bytes of the file. */
    base64: Base64;
};
/** Labeled input. */
export type InputElement = {
    /** Type of the element. */
    type: "input";
    /** Label. */
    label: string;
    /** Hint below the label: text, or elements. */
    hint?: string | RenderInlineElement | RenderInlineElement[];
    /** Input. */
    element: RenderInput;
};
/** Change that adds files. */
export type InsertFiles = {
    /** Type of the change. */
    operation: "insert_files";
    /** Files. */
    files: NewFile[];
};
/** Change that adds a page with a body. */
export type InsertPage = {
    /** Type of the change. */
    operation: "insert_page";
    /** Body. */
    document: DocumentInput;
    /** Title. Default: `Untitled`. */
    title?: EditedTitle;
    /** Last segment of the path. Default: derived from the title, and made unique among its siblings. */
    slug?: PageSlug;
    /**
     * Identifier of the parent page or group, or the `ref` that an earlier change assigned to it. `null`, the default for
     * a new page, is the root of the tree.
     */
    into?: Identifier | null;
    /**
     * Format: int32
     *
     * Index among the pages of the parent, starting at 0. Default for a new or moved page: the end.
     */
    at?: number;
    /** Reference name of the new page, for `into`, `page` and URLs (`/pages/<ref>`) in the same request. */
    ref?: ReferenceName;
};
/** Installation of an integration in an organization. */
export type Installation = {
    /** Identifier. */
    id: string;
    /** Current status. */
    status: InstallationStatus;
    /** Selection of the spaces that the installation applies to. */
    space_selection: InstallationSelection;
    /** Selection of the sites that the installation applies to. */
    site_selection: InstallationSelection;
    /**
     * Format: int32
     *
     * Number of spaces that the installation applies to.
     */
    spaces: number;
    /** Values of the settings by name. They can contain credentials: empty for callers who cannot change them. */
    configuration: {
        [key: string]: unknown;
    };
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last update.
     */
    updatedAt: string;
    /** URLs of the installation. */
    urls: InstallationUrls;
    /** Identifiers that the integration uses for the installation. */
    externalIds: string[];
    /** Target of the installation. */
    target: InstallationTarget;
};
/**
 * Installation to create.
 * @example {
 *   "organization": "org_acme"
 * }
 */
export type InstallationCreate = {
    /** Identifier of the organization. */
    organization: Identifier;
};
/** Removal of an installation. */
export type InstallationDeletedEvent = {
    /** Type of the event. */
    type: "installation_deleted";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** State before the removal. */
    previous: DeletedInstallation;
};
/** One page of a list. */
export type InstallationList = {
    /** Items of this page. */
    items: Installation[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "configuration": {
 *     "channel": "docs"
 *   }
 * }
 */
export type InstallationPatch = {
    /** New status. */
    status?: InstallationStatusUpdate;
    /**
     * Values of the settings by name. Replaces all values, except those that only the integration can store: these
     * remain unless an access token of the installation or of the integration replaces the configuration.
     */
    configuration?: SettingValues;
    /** Identifiers that the integration uses for the installation. */
    externalIds?: ExternalIds;
    /** Selection of the spaces that the installation applies to: all, or those that it is installed on. */
    space_selection?: InstallationSelection;
    /** Selection of the sites that the installation applies to: all, or those that it is installed on. */
    site_selection?: InstallationSelection;
};
/** Selection of the spaces or sites that an installation applies to. */
export type InstallationSelection = "all" | "selected";
/** Creation of an installation, or change of its settings. */
export type InstallationSetupEvent = {
    /** Type of the event. */
    type: "installation_setup";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Status of the installation. */
    status: InstallationStatus;
    /** State before the change. Omitted if the installation is new. */
    previous?: InstallationSnapshot;
};
/** Earlier state of an installation. */
export type InstallationSnapshot = {
    /** Status of the installation. */
    status: InstallationStatus;
    /** Values of the settings by name. */
    configuration?: {
        [key: string]: unknown;
    };
};
/** Status of an installation. */
export type InstallationStatus = "active" | "pending" | "paused";
/** Status that a caller can set. An installation becomes `pending` by itself. */
export type InstallationStatusUpdate = "active" | "paused";
/** Target of an installation. */
export type InstallationTarget = {
    /** Identifier of the organization. */
    organization: string;
};
/** Access token of an installation. */
export type InstallationToken = {
    /** Access token. It cannot be retrieved again. */
    token: string;
    /**
     * Format: date-time
     *
     * Time of expiration: one hour after creation.
     */
    expiresAt: string;
};
/** URLs of an installation. */
export type InstallationUrls = {
    /**
     * Format: uri
     *
     * URL of the installation in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the installation in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the endpoint that accepts requests from anyone.
     */
    publicEndpoint: string;
    /**
     * Format: uri
     *
     * URL of the same endpoint for documents, such as those of web frames. It has an origin of its own if the server has
     * one for them, and otherwise equals `publicEndpoint`.
     */
    publicContentEndpoint: string;
};
/** Integration: a third-party program that organizations can install. */
export type Integration = {
    /** Object type. */
    object: "integration";
    /** Name, unique within the service. */
    name: IntegrationName;
    /**
     * Format: int32
     *
     * Number of publications.
     */
    version: number;
    /** Title. */
    title: string;
    /** Short description, in one sentence. */
    description?: string;
    /** Detailed description, in Markdown. */
    summary?: string;
    /** URLs of images that show the integration in use. */
    previewImages: string[];
    /** Resources that the integration can be installed on. */
    target: IntegrationTarget;
    /** Whether the operator of the service has verified the integration. */
    verified: boolean;
    /** Audience that can find the integration. */
    visibility: IntegrationVisibility;
    /** Scopes of the integration where it is installed. */
    scopes: IntegrationScope[];
    /** Categories. */
    categories: IntegrationCategory[];
    /** Blocks that the integration adds to pages. */
    blocks?: IntegrationBlock[];
    /** Content sources that the integration adds. */
    contentSources?: IntegrationContentSource[];
    /** Settings that each installation can configure. */
    configurations?: IntegrationConfigurations;
    /** Links to more information. */
    externalLinks: IntegrationLink[];
    /** Organization that published the integration. Its settings are omitted or empty for callers who are not its members. */
    owner: Organization;
    /** URLs of the integration. */
    urls: IntegrationUrls;
    /** Permissions of the caller. */
    permissions: IntegrationPermissions;
    /** Content security policy of the scripts and blocks (CSP Level 3). */
    contentSecurityPolicy?: string;
};
/** Block that an integration adds to pages. */
export type IntegrationBlock = {
    /** Identifier within the integration. */
    id: string;
    /** Title. */
    title: string;
    /** Description. */
    description?: string;
    /** URL of the icon. */
    icon?: string;
    /**
     * Patterns of URLs that this block shows. In documents and on published sites, it replaces an embed of such a URL, and a
     * link to it that is alone in its paragraph; the text of the page is unchanged. `**`, and `*` at the end, are any text,
     * and any other `*` is any text without delimiters. A pattern without `*` also matches all URLs below it.
     */
    urlUnfurl?: string[];
    /** Markdown representation. */
    markdown?: IntegrationBlockMarkdown;
};
/** Markdown representation of a block: a fenced code block. */
export type IntegrationBlockMarkdown = {
    /** Language of the fenced code block. */
    codeblock: ShortText;
    /** Property of the block that contains the text between the fences. */
    body: ShortText;
};
/** Block that an integration adds to pages, as published. */
export type IntegrationBlockWrite = {
    /** Identifier within the integration. */
    id: ComponentKey;
    /** Title. */
    title: string;
    /** Description. */
    description?: string;
    /** Icon: an image in base64, or a URL. */
    icon?: IconDataOrUrl;
    /**
     * Patterns of URLs that this block shows. In documents and on published sites, it replaces an embed of such a URL, and a
     * link to it that is alone in its paragraph; the text of the page is unchanged. `**`, and `*` at the end, are any text,
     * and any other `*` is any text without delimiters. A pattern without `*` also matches all URLs below it.
     */
    urlUnfurl?: ShortText[];
    /** Markdown representation. */
    markdown?: IntegrationBlockMarkdown;
};
/** Setting whose value is a boolean. */
export type IntegrationBooleanProperty = {
    /** Type of the setting. */
    type: "boolean";
    /** Title. */
    title?: string;
    /** Description. */
    description?: string;
    /** Default value. */
    default?: boolean;
};
/** Button among the settings that opens a URL, for example to sign in. */
export type IntegrationButtonProperty = {
    /** Type of the setting. */
    type: "button";
    /** Title. */
    title?: string;
    /** Description. */
    description?: string;
    /** URL to open. */
    callback_url: ShortText;
    /** Label of the button. */
    button_text: ShortText;
};
/** Category of an integration. */
export type IntegrationCategory = "analytics" | "collaboration" | "content" | "gitsync" | "marketing" | "visitor-auth" | "other";
/** Component of the integration that renders a form. */
export type IntegrationComponent = {
    /** Identifier of the component within the integration. */
    componentId: ShortText;
};
/** Settings at one level. Empty if they are entered in a form of the integration. */
export type IntegrationConfiguration = {
    /** Settings by name. */
    properties: {
        [key: string]: IntegrationProperty;
    };
    /** Names of the required settings. */
    required: string[];
};
/** Configuration at one level: settings, or a form of the integration. */
export type IntegrationConfigurationWrite = IntegrationSettings | IntegrationComponent;
/** Settings that each installation can configure. */
export type IntegrationConfigurations = {
    /** Settings of the whole organization. */
    account?: IntegrationConfiguration;
    /** Settings of a space. */
    space?: IntegrationConfiguration;
    /** Settings of a site. */
    site?: IntegrationConfiguration;
};
/** Settings that each installation can configure, as published. */
export type IntegrationConfigurationsWrite = {
    /** Settings of the whole organization. */
    account?: IntegrationConfigurationWrite;
    /** Settings of a space. */
    space?: IntegrationConfigurationWrite;
    /** Settings of a site. */
    site?: IntegrationConfigurationWrite;
};
/** Content source that an integration adds. */
export type IntegrationContentSource = {
    /** Identifier within the integration. */
    id: string;
    /** Title. */
    title: string;
    /** Description. */
    description?: string;
    /** URL of the icon. */
    icon?: string;
    /** Configuration form. */
    configuration: IntegrationComponent;
};
/** Content source that an integration adds, as published. */
export type IntegrationContentSourceWrite = {
    /** Identifier within the integration. */
    id: ComponentKey;
    /** Title. */
    title: ShortText;
    /** Description. */
    description?: ShortText;
    /** Icon: an image in base64, or a URL. */
    icon?: IconDataOrUrl;
    /** Configuration form. */
    configuration: IntegrationComponent;
};
/** Event that an integration received. */
export type IntegrationEvent = {
    /** Identifier. */
    id: string;
    /** Name of the integration. */
    integrationId: string;
    /** Identifier of the installation that the event concerns. */
    installationId?: string;
    /**
     * Format: date-time
     *
     * Time of the event.
     */
    createdAt: string;
    /** Payload of the event. */
    payload: IntegrationEventPayload;
    /** Result of handling the event. */
    status: IntegrationEventStatus;
};
/** One page of a list. */
export type IntegrationEventList = {
    /** Items of this page. */
    items: IntegrationEvent[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Payload of an integration event, by event type. An installation receives events about itself in any status. It
 * receives events about a space or site if it is active, applies to the space or site, and has the required scope.
 */
export type IntegrationEventPayload = InstallationSetupEvent | SpaceInstallationSetupEvent | SiteInstallationSetupEvent | InstallationDeletedEvent | SpaceInstallationDeletedEvent | SiteInstallationDeletedEvent | SpaceViewEvent | SiteViewEvent | SpaceContentUpdatedEvent | SpaceGitSyncStartedEvent | SpaceGitSyncCompletedEvent | SpaceVisibilityUpdatedEvent | FetchEvent | FetchPublishedScriptEvent | FetchVisitorAuthenticationEvent | RenderEvent | ComputeDocumentEvent | ComputeRevisionEvent | TaskEvent | PageFeedbackEvent;
/** Result of handling an event. */
export type IntegrationEventStatus = "success" | "failed";
/** Trace of the script that handled an event. */
export type IntegrationEventTrace = {
    /** Log entries, in order. */
    logs: IntegrationLogEntry[];
};
/** Event with the log of the script that handled it. */
export type IntegrationEventWithTrace = {
    /** Event. */
    event: IntegrationEvent;
    /** Trace of the script. */
    trace?: IntegrationEventTrace;
};
/** Link to more information about an integration. */
export type IntegrationLink = {
    /** URL. */
    url: AbsoluteUrl;
    /** Label. */
    label: ShortText;
};
/** One page of a list. */
export type IntegrationList = {
    /** Items of this page. */
    items: Integration[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Entry in the log of a script. */
export type IntegrationLogEntry = {
    /** Message. */
    message: string;
    /**
     * Format: date-time
     *
     * Time of the entry.
     */
    timestamp: string;
    /** Level. */
    level: IntegrationLogLevel;
};
/** Level of a log entry. */
export type IntegrationLogLevel = "debug" | "info" | "warn" | "error";
/** Name of an integration. */
export type IntegrationName = string;
/** Setting whose value is a number. */
export type IntegrationNumberProperty = {
    /** Type of the setting. */
    type: "number";
    /** Title. */
    title?: string;
    /** Description. */
    description?: string;
    /**
     * Format: double
     *
     * Default value.
     */
    default?: number;
};
/** Permissions of the caller on an integration. */
export type IntegrationPermissions = {
    /** Whether the caller can publish the integration again, remove it and read its events. */
    admin: boolean;
};
/** Setting. */
export type IntegrationProperty = IntegrationTextProperty | IntegrationNumberProperty | IntegrationBooleanProperty | IntegrationButtonProperty;
/**
 * Integration to publish. Omitted fields are unchanged since the previous publication; in the first publication, they
 * have the default values.
 * @example {
 *   "title": "Greeter",
 *   "description": "Greets readers.",
 *   "organization": "org_acme",
 *   "visibility": "private",
 *   "scopes": [
 *     "space:content:read"
 *   ],
 *   "script": "export default { fetch: () => Response.json({ type: 'element', element: { type: 'block', children: [] }, state: {}, props: {} }) };"
 * }
 */
export type IntegrationPublication = {
    /** Runtime of the script. Default: `v1`. */
    runtime?: IntegrationRuntime;
    /** Icon: an image (PNG, JPEG, GIF, WebP or SVG) of at most 1 MiB. Default: none. */
    icon?: IconData;
    /** Title. Default: the name. */
    title?: string;
    /** Short description, in one sentence. */
    description?: string;
    /** Detailed description, in Markdown. */
    summary?: string;
    /** Images (PNG, JPEG, GIF, WebP or SVG) of at most 2 MiB that show the integration in use. Default: none. */
    previewImages?: ImageData[];
    /** Audience that can find the integration. Default: `private`. */
    visibility?: IntegrationVisibility;
    /** Resources that the integration can be installed on. Default: `all`. */
    target?: IntegrationTarget;
    /** Scopes of the integration where it is installed. Default: none. */
    scopes?: IntegrationScope[];
    /** Categories. */
    categories?: IntegrationCategory[];
    /** Blocks that the integration adds to pages. */
    blocks?: IntegrationBlockWrite[];
    /** Content sources that the integration adds. */
    contentSources?: IntegrationContentSourceWrite[];
    /** Links to more information. */
    externalLinks?: IntegrationLink[];
    /** Settings that each installation can configure. */
    configurations?: IntegrationConfigurationsWrite;
    /** Source code of the script. Default: an empty script, which handles no events. */
    script?: LongText;
    /**
     * Organization that publishes the integration: its identifier, or its hostname in this service. Default: the owner
     * or, in the first publication, the only organization that the caller is an admin of. Without one, the request is
     * rejected with 409.
     */
    organization?: Identifier;
    /** Secret values by name, visible only to the script. Replaces all values. They are encrypted and never returned. */
    secrets?: {
        [key: string]: LongText;
    };
    /**
     * Content security policy of the scripts and blocks (CSP Level 3). Pages of sites add its hosts to their own policy:
     * those of `script-src`, `style-src`, `connect-src`, `img-src`, `font-src`, `media-src`, `frame-src` and
     * `form-action`, encrypted unless they are this machine. Without `connect-src` and `default-src`, scripts connect to
     * all hosts; without `font-src`, they load all fonts. Scripts load further scripts from all hosts. Of the keywords,
     * only `'unsafe-inline'` has an effect on pages, for styles; other directives have none. What pages block is reported
     * in failed events of the type `fetch_published_script`.
     */
    contentSecurityPolicy?: ContentSecurityPolicyWrite;
};
/** Runtime of the script of an integration. */
export type IntegrationRuntime = "v1" | "v2";
/** Scope: a permission of an integration where it is installed. */
export type IntegrationScope = "space:content:read" | "space:content:write" | "space:metadata:read" | "space:metadata:write" | "space:git:sync" | "space:views:read" | "space:script:inject" | "space:script:cookies" | "space:visitor:auth" | "site:metadata:read" | "site:views:read" | "site:script:inject" | "site:script:cookies" | "site:visitor:auth" | "site:visitor:claims" | "site:adaptive:read" | "site:adaptive:write" | "site:ai:ask" | "page:feedback:read" | "openapi:read" | "openapi:write" | "conversations:ingest";
/** Settings, as published. */
export type IntegrationSettings = {
    /** Settings by name. */
    properties: {
        [key: string]: IntegrationProperty;
    };
    /** Names of the required settings. */
    required?: ShortText[];
};
/** Content computed by an integration. Stored, but not computed: the entry has no content. */
export type IntegrationSource = {
    /** Type of the source. */
    type: IntegrationSourceType;
    /** Settings, as defined by the integration. */
    props: {
        [key: string]: unknown;
    };
    /** Dependencies of the content, by name. */
    dependencies?: {
        [key: string]: ComputedDependency;
    };
};
/** Source of computed content that an integration provides: `integration:<name>:<source>`. */
export type IntegrationSourceType = string;
/** Resources that an integration can be installed on. */
export type IntegrationTarget = "all" | "site" | "space" | "organization";
/** Task that an integration scheduled for itself. */
export type IntegrationTask = {
    /** Type of the task. */
    type: string;
    /** Data that the integration stored with the task. */
    payload?: {
        [key: string]: unknown;
    };
};
/** Setting whose value is a text, or one of several texts. */
export type IntegrationTextProperty = {
    /** Type of the setting. */
    type: "string";
    /** Title. */
    title?: string;
    /** Description. */
    description?: string;
    /** Default value. */
    default?: ShortText;
    /** URL that suggests values. */
    completion_url?: ShortText;
    /** Allowed values. */
    enum?: ShortText[];
};
/**
 * Destination of the events of an integration in development.
 * @example {
 *   "tunnelUrl": "https://quiet-fox.example.net"
 * }
 */
export type IntegrationTunnel = {
    /** URL that receives the events. */
    tunnelUrl: CallableUrl;
    /**
     * Whether to send the events of all organizations, not only those of the owner.
     * @default false
     */
    all?: boolean;
};
/** URLs of an integration. */
export type IntegrationUrls = {
    /**
     * Format: uri
     *
     * URL of the integration in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the icon.
     */
    icon?: string;
    /**
     * Format: uri
     *
     * URL of the integration in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the files.
     */
    assets: string;
    /**
     * Format: uri
     *
     * URL of the endpoint that accepts requests from anyone.
     */
    publicEndpoint: string;
    /**
     * Format: uri
     *
     * URL of the same endpoint for documents, such as those of web frames. It has an origin of its own if the server has
     * one for them, and otherwise equals `publicEndpoint`.
     */
    publicContentEndpoint: string;
};
/** Audience that can find an integration. */
export type IntegrationVisibility = "public" | "private" | "unlisted";
/** Authentication of visitors by an integration. */
export type IntegrationVisitorAuth = {
    /** Authentication backend. */
    backend: "integration";
    /** Name of the integration. */
    integration: string;
};
/** Position within a page. */
export type InternalLocation = AnchorPosition | NodePosition;
/** Role of an invite link to a space or collection. */
export type InviteLevel = {
    /** Role in the space or collection for users who join. */
    level: Role;
};
/** Role of an invite link to the organization. */
export type InviteRole = {
    /** Role of users who join. `null` makes them guests. */
    role: Role | null;
};
/**
 * Users to invite by email address.
 * @example {
 *   "emails": [
 *     "ada@example.com",
 *     "grace@example.com"
 *   ],
 *   "role": "edit"
 * }
 */
export type InviteUsers = {
    /** Email addresses to invite. If an address occurs more than once, its first occurrence applies. */
    emails: Invitee[];
    /**
     * Role of users invited without a specific role. Default: the default role of the organization, or guest if it has
     * none.
     */
    role?: Role | null;
    /**
     * Whether the invited users sign in through the SAML provider of the organization.
     * @default false
     */
    sso?: boolean;
};
/** Result of inviting users. */
export type InvitedUsers = {
    /** Identifiers of the invited users who are now members, including those who already were. */
    users: string[];
    /**
     * Format: int32
     *
     * Number of users who became members, or are waiting to become members, because of this request.
     */
    invited: number;
    /** Email addresses of existing members who remain without SSO. Omitted if there are none. */
    failedSSOEmails?: string[];
};
/** Email address to invite. */
export type Invitee = EmailAddress | EmailInvite;
/** IPv4 or IPv6 address. */
export type IpAddress = string;
/** Language of content, as a language code. */
export type Language = "en" | "fr" | "de" | "es" | "it" | "pt" | "pt-br" | "ru" | "ja" | "zh" | "yue" | "ko" | "ar" | "hi" | "nl" | "pl" | "tr" | "sv" | "no" | "da" | "fi" | "el" | "cs" | "hu" | "ro" | "th" | "vi" | "id" | "ms" | "he" | "uk" | "sk" | "bg" | "hr" | "lt" | "lv" | "et" | "sl";
/** Change of a layout. */
export type LayoutChange = {
    /** Previous value, if any. */
    before?: PageLayout;
    /** New value, if any. */
    after?: PageLayout;
};
/** Link that anyone who has it can join through. */
export type LinkInvite = OrganizationInvite | SpaceInvite | CollectionInvite;
/**
 * Invite link to create.
 * @example {
 *   "role": "edit"
 * }
 */
export type LinkInviteCreate = InviteRole | SpaceInviteCreate | CollectionInviteCreate;
/** One page of a list. */
export type LinkInviteList = {
    /** Items of this page. */
    items: LinkInvite[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update: `role` or `level`, whichever the invite link has.
 * @example {
 *   "role": "edit"
 * }
 */
export type LinkInvitePatch = InviteRole | InviteLevel;
/** One page of a list of links. */
export type LinkList = {
    /** Items of this page. */
    items: ContentLink[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
    /** Statistics of all links, regardless of the filter. */
    stats: LinkStats;
};
/** Link in the page tree. */
export type LinkPage = {
    /** Type of the page. */
    type: "link";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Emoji next to the title. */
    emoji?: IconName;
    /** Name of an icon next to the title. */
    icon?: IconName;
    /**
     * Format: date-time
     *
     * Time of creation. Omitted until the first edit.
     */
    createdAt?: string;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted until the first edit.
     */
    updatedAt?: string;
    /** Target of the link. */
    target: ContentRef;
    /** URL of the target. Omitted if it has none. */
    href?: string;
    /** Whether the link is hidden from the table of contents. */
    hidden: boolean;
};
/** Relation to the target of a link. */
export type LinkRelation = "reference" | "dependsOn";
/** Statistics of links. */
export type LinkStats = {
    /**
     * Format: int32
     *
     * Number of links.
     */
    total: number;
    /** Broken links. */
    broken: BrokenLinkStats;
};
/** Status of a link. */
export type LinkStatus = "ok" | "broken" | "in-app";
/** Target or source of a link. */
export type Location = FileLocation | PageLocation | ReusableContentLocation | SpaceLocation | CollectionLocation | OpenAPILocation | UrlLocation | UserLocation;
/** One page of a list. */
export type LocationList = {
    /** Items of this page. */
    items: Location[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Text of any length within the limit of a request body (16 MB). */
export type LongText = string;
/**
 * Text in Markdown.
 * @example {
 *   "markdown": "Shouldn't this name the default?"
 * }
 */
export type MarkdownBody = {
    /** Markdown. */
    markdown: LongText;
};
/** Markdown. */
export type MarkdownElement = {
    /** Type of the element. */
    type: "markdown";
    /** Markdown text. */
    content: string | RenderBinding;
};
/** Media type (RFC 6838), optionally with parameters, such as `text/plain; charset=utf-8`. */
export type MediaType = string;
/** Member: a user within an organization. */
export type Member = {
    /** Object type. */
    object: "member";
    /** Identifier of the user. */
    id: string;
    /** Role in the organization. `null` is a guest. */
    role: Role | null;
    /** User. */
    user: User;
    /** Whether the membership is disabled. */
    disabled: boolean;
    /**
     * Format: date-time
     *
     * Time when the user joined the organization.
     */
    joinedAt: string;
    /**
     * Format: date-time
     *
     * Time of the last activity. Omitted if the member was never active.
     */
    lastSeenAt?: string;
    /** Whether the member signs in through the SAML provider of the organization. */
    sso: boolean;
    /**
     * Format: int32
     *
     * Number of spaces that the member has access to.
     */
    spaces: number;
    /**
     * Format: int32
     *
     * Number of teams that the member belongs to.
     */
    teams: number;
    /**
     * Format: int32
     *
     * Number of sites that the member has access to. Omitted for guests if the caller is another guest, or if counting
     * them would take too long.
     */
    sites?: number;
};
/** One page of a list. */
export type MemberList = {
    /** Items of this page. */
    items: Member[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "role": "edit"
 * }
 */
export type MemberPatch = {
    /** Role. `null` makes the member a guest. */
    role?: Role | null;
};
/** Prices per member. */
export type MemberPricing = {
    /** Price on the Plus plan. */
    plus_2024: Price;
    /** Price on the Pro plan. */
    pro_2024: Price;
};
/** Role to filter members by. */
export type MemberRoleFilter = "admin" | "create" | "review" | "edit" | "comment" | "read" | "guest";
/** Sort key of a member list. */
export type MemberSort = "joinedAt" | "lastSeenAt";
/** Space that a member has access to. */
export type MemberSpace = {
    /** Effective role of the member in the space. */
    permission: Role;
    /** Space. */
    space: Space;
};
/** One page of a list. */
export type MemberSpaceList = {
    /** Items of this page. */
    items: MemberSpace[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Team that a member belongs to. */
export type MemberTeam = {
    /** Team. */
    team: Team;
    /** Membership in the team. */
    member: TeamMembership;
};
/** One page of a list. */
export type MemberTeamList = {
    /** Items of this page. */
    items: MemberTeam[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Revision created by merging a change request. */
export type MergeRevision = {
    /** Cause of the revision. */
    type: "merge";
    /** Object type. */
    object: "revision";
    /** Identifier. */
    id: string;
    /** Identifiers of the parent revisions. */
    parents: string[];
    /** Page tree, in order and without bodies. Its size is limited like that of a `PageTree`. */
    pages: Page[];
    /** Files. A revision contains at most 100,000. */
    files: File[];
    /** Reusable contents. */
    reusableContents: ReusableContent[];
    /** Variables for expressions in any page, by name. */
    variables?: {
        [key: string]: string;
    };
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** Git commit of the revision. Omitted with `metadata=false`. */
    git?: RevisionGit;
    /** URLs of the revision. */
    urls: RevisionUrls;
    /** Merged change request. */
    mergedFrom: ChangeRequest;
};
/** Modal. */
export type ModalElement = {
    /** Type of the element. */
    type: "modal";
    /** Elements of the modal. */
    children: RenderElement[];
    /** Title. */
    title?: string;
    /** Subtitle: text, or elements. */
    subtitle?: string | RenderInlineElement[];
    /** Size. */
    size?: "medium" | "xlarge" | "fullscreen";
    /** Value to return to the opener when the reader closes the modal. */
    returnValue?: {
        [key: string]: unknown;
    };
    /** Submit button. */
    submit?: ButtonElement;
};
/**
 * New location of a space or collection: another parent, another position, or both.
 * @example {
 *   "parent": "col_products",
 *   "position": {
 *     "after": {
 *       "type": "space",
 *       "space": "spc_reference"
 *     }
 *   }
 * }
 */
export type MoveContent = {
    /** Identifier of the new parent collection. `null` moves to the root of the organization. */
    parent?: Identifier | null;
    /** Position among the spaces and collections of the parent. */
    position?: ContentPosition;
};
/** File to add. */
export type NewFile = FetchedFile | InlineFile;
/** Continuation of a list. */
export type NextPage = {
    /** Cursor to send as `page`. */
    page: string;
};
/** Node within the document of a page. */
export type NodePosition = {
    /** Type of the position. */
    type: "node";
    /** Key of the node. */
    node: string;
    /** Text of a link in the node, or the alternative text of an image: its first 512 characters. */
    text?: string;
    /**
     * Format: int32
     *
     * Line of a link in the Markdown of the page, from 1.
     */
    line?: number;
};
/** URLs of the text of a specification. */
export type OpenAPIContentUrls = {
    /** URL that the text is fetched from, or the URL of the version if the text was stored. */
    source: AbsoluteUrl;
    /** URL of the text that works without an access token and does not expire. `null` if the specification is private. */
    public: AbsoluteUrl | null;
};
/** Dependencies of content computed from an OpenAPI specification. */
export type OpenAPIDependencies = {
    /** Specification. */
    spec: OpenAPIDependency;
};
/** Specification that content is computed from. */
export type OpenAPIDependency = {
    /** Reference to the specification. */
    ref: OpenAPIRef;
};
/** Location of an OpenAPI specification. */
export type OpenAPILocation = {
    /** Kind of the location. */
    kind: "openapi";
    /** Organization that owns the specification. */
    organization: Organization;
    /** Specification. */
    openAPISpec: OpenAPISpec;
};
/** Page with the data models of a specification. */
export type OpenAPIModelsProps = {
    /** Part of the specification that the page displays. */
    doc: "models";
};
/** Part of an OpenAPI specification that a computed page displays. */
export type OpenAPIPageProps = OpenAPIModelsProps | OpenAPIPartProps;
/** Page computed from an OpenAPI specification. */
export type OpenAPIPageSource = {
    /** Type of the source. */
    type: "builtin:openapi";
    /** Part of the specification to display. */
    props: OpenAPIPageProps;
    /** Dependencies of the content. */
    dependencies: OpenAPIDependencies;
};
/** Page with one part of a specification. */
export type OpenAPIPartProps = {
    /** Part of the specification that the page displays. */
    doc: "operations" | "info";
    /** Page of the specification: usually the slug of its tag. */
    page: ShortText;
};
/** Permissions of the caller on a specification. */
export type OpenAPIPermissions = {
    /** Whether the caller can view the specification. */
    view: boolean;
    /** Whether the caller can update and delete the specification. */
    edit: boolean;
};
/** Reason why the processing of a source failed. */
export type OpenAPIProcessErrorCode = "FETCH_TIMEOUT" | "FETCH_ERROR" | "PARSE_ERROR";
/** Processing state of a source. */
export type OpenAPIProcessingState = "pending" | "progress" | "complete";
/** Reference to an OpenAPI specification of the organization. */
export type OpenAPIRef = {
    /** Kind of the reference. */
    kind: "openapi";
    /** Slug or identifier of the specification. */
    spec: Identifier;
};
/** Options for pages computed from an OpenAPI specification. */
export type OpenAPIRevisionProps = {
    /** Whether to include a page with the data models. */
    models?: boolean;
};
/**
 * Pages computed from an OpenAPI specification.
 * @example {
 *   "type": "builtin:openapi",
 *   "props": {
 *     "models": true
 *   },
 *   "dependencies": {
 *     "spec": {
 *       "ref": {
 *         "kind": "openapi",
 *         "spec": "petstore"
 *       }
 *     }
 *   }
 * }
 */
export type OpenAPIRevisionSource = {
    /** Type of the source. */
    type: "builtin:openapi";
    /** Options. */
    props: OpenAPIRevisionProps;
    /** Dependencies of the content. */
    dependencies: OpenAPIDependencies;
};
/** Slug of a specification in URLs: lowercase words joined by hyphens. */
export type OpenAPISlug = string;
/** Source of the text of a specification. */
export type OpenAPISource = OpenAPISourceUrl | OpenAPISourceText;
/** Text of a specification. */
export type OpenAPISourceText = {
    /** OpenAPI document in JSON or YAML. */
    text: LongText;
};
/** URL to fetch a specification from. */
export type OpenAPISourceUrl = {
    /** URL. */
    url: CallableUrl;
};
/** OpenAPI specification of an organization, with all its versions. */
export type OpenAPISpec = {
    /** Object type. */
    object: "openapi-spec";
    /** Identifier. */
    id: string;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last update.
     */
    updatedAt: string;
    /** Slug that identifies the specification in URLs. */
    slug: OpenAPISlug;
    /** URL to fetch the specification from. */
    sourceURL?: AbsoluteUrl;
    /** Processing state of the source. */
    processingState: OpenAPIProcessingState;
    /** Visibility. */
    visibility?: OpenAPIVisibility;
    /** Identifier of the latest version. */
    lastVersion?: string;
    /**
     * Format: date-time
     *
     * Time of the last processing of the source.
     */
    lastProcessedAt?: string;
    /** Reason why the last processing of the source failed. */
    lastProcessErrorCode?: OpenAPIProcessErrorCode;
    /**
     * Format: int32
     *
     * Number of errors of the last processing of the source, which ends with the first error.
     */
    lastProcessedErrorCount: number;
    /** Permissions of the caller. */
    permissions: OpenAPIPermissions;
    /** URLs of the specification. */
    urls: OpenAPIUrls;
};
/**
 * Specification to create.
 * @example {
 *   "slug": "orders",
 *   "source": {
 *     "text": "openapi: 3.1.0\ninfo: {title: Orders, version: '1'}\npaths: {}\n"
 *   }
 * }
 * @example {
 *   "slug": "petstore",
 *   "source": {
 *     "url": "https://petstore3.swagger.io/api/v3/openapi.json"
 *   }
 * }
 */
export type OpenAPISpecCreate = {
    /** Slug that identifies the specification in URLs. */
    slug: OpenAPISlug;
    /** Source of the text. */
    source: OpenAPISource;
};
/** One page of a list. */
export type OpenAPISpecList = {
    /** Items of this page. */
    items: OpenAPISpec[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update.
 * @example {
 *   "visibility": "public"
 * }
 */
export type OpenAPISpecPatch = {
    /** Visibility. */
    visibility: OpenAPIVisibility;
};
/**
 * Specification to create or update.
 * @example {
 *   "source": {
 *     "url": "https://petstore3.swagger.io/api/v3/openapi.json"
 *   }
 * }
 */
export type OpenAPISpecUpdate = {
    /** Source of the text. */
    source: OpenAPISource;
};
/** Version of a specification. */
export type OpenAPISpecVersion = {
    /** Object type. */
    object: "openapi-spec-version";
    /** Identifier. */
    id: string;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt?: string;
    /**
     * URL of the text of the version. It works without an access token, and expires after 24 to 48 hours, and when the
     * specification is deleted or the caller may no longer read it. Every response contains a new URL.
     */
    url: AbsoluteUrl;
    /** URLs of the version. */
    urls: ResourceUrls;
};
/** One page of a list. */
export type OpenAPISpecVersionList = {
    /** Items of this page. */
    items: OpenAPISpecVersion[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** URLs of a specification. */
export type OpenAPIUrls = {
    /**
     * Format: uri
     *
     * URL of the specification in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the specification in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * Public URL of the latest version. Omitted unless the specification is public.
     */
    published?: string;
};
/** Content of a version of a specification. */
export type OpenAPIVersionContent = {
    /** Parsed documents by file name. */
    filesystem: {
        [key: string]: unknown;
    };
    /**
     * URL of the text of the version. It works without an access token, and expires after 24 to 48 hours, and when the
     * specification is deleted or the caller may no longer read it. Every response contains a new URL.
     */
    url: AbsoluteUrl;
    /** URLs of the text. */
    urls: OpenAPIContentUrls;
};
/** Visibility of a specification. */
export type OpenAPIVisibility = "private" | "public";
/** Unresolved comment. */
export type OpenComment = {
    /** Object type. */
    object: "comment";
    /** Current status. */
    status: "open";
    /** Identifier. */
    id: string;
    /** Author. */
    postedBy: User;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    postedAt: string;
    /**
     * Format: date-time
     *
     * Time of the last edit of the text. Omitted if the text has not been edited.
     */
    editedAt?: string;
    /** Reactions. */
    reactions: Reaction[];
    /** Text. */
    body: CommentBody;
    /** URLs of the comment or reply. */
    urls: ResourceUrls;
    /** Permissions of the caller. */
    permissions: CommentPermissions;
    /**
     * Format: int32
     *
     * Number of replies.
     */
    replies: number;
    /** Users who replied, at most 20. */
    repliers: CommentReplier[];
    /** Content that the comment refers to. */
    target: CommentTarget;
};
/** Opens a modal. */
export type OpenModalAction = {
    /** Name of the action. */
    action: "@ui.modal.open";
    /** Identifier of the component to render in the modal. */
    componentId: string;
    /** Props of the component. */
    props: {
        [key: string]: unknown;
    };
};
/** Opens a URL. */
export type OpenUrlAction = {
    /** Name of the action. */
    action: "@ui.url.open";
    /** URL. */
    url: string;
};
/** Sort direction. */
export type Order = "asc" | "desc";
/** Organization: the tenant that owns members, content and sites. */
export type Organization = {
    /** Object type. */
    object: "organization";
    /** Identifier. */
    id: string;
    /** Title. */
    title: OrganizationTitle;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** Email domains whose users can join without an invitation. */
    emailDomains: string[];
    /**
     * Default hostname of the public content. If the server has a domain for published sites, those of the organization
     * are served at this subdomain of it, or at the URL of the server if the name is not valid in a domain.
     */
    hostname?: OrganizationHostname;
    /** Type of the organization. */
    type: OrganizationType;
    /** Primary use of the service. */
    useCase?: OrganizationUseCase;
    /** Type of the community. Omitted if the organization is not a community. */
    communityType?: CommunityType;
    /** Role of users who join without an invitation. `null` makes them guests. */
    defaultRole?: Role | null;
    /**
     * Content shown to visitors who request no specific content: the address of the organization, above those of its sites,
     * redirects to it while it is published, unless it requires a share link.
     */
    defaultContent?: DefaultContent;
    /** Whether all members must sign in through a SAML provider. */
    sso?: boolean;
    /** Whether AI features are enabled. */
    ai?: boolean;
    /** Whether users can join through invite links. */
    inviteLinks: boolean;
    /** Current plan. */
    plan: OrganizationPlan;
    /**
     * Custom hostname of the public content. Always omitted: no operation sets one. Sites are served at other hostnames
     * through the `proxy` of each site.
     */
    customHostname?: string;
    /**
     * @deprecated
     *
     * Always `true`.
     */
    internal_isOnNewTrial?: true;
    /** Billing of the organization. */
    billing?: OrganizationBilling;
    /** URLs of the organization. */
    urls: OrganizationUrls;
    /** Trial of a paid plan. */
    trial: OrganizationTrial;
    /** Reason why the organization is blocked. Omitted if it is not blocked. */
    blocked?: OrganizationBlockReason;
    /** Upcoming migration to current prices. Omitted if there is none. */
    internal_billingMigration?: BillingMigration;
    /** Permissions of the caller. */
    permissions: OrganizationPermissions;
};
/** Billing of an organization. */
export type OrganizationBilling = {
    /** Billing interval. */
    interval: BillingInterval;
    /**
     * Format: date-time
     *
     * End of the current billing period.
     */
    endDate: string;
    /** Whether the last payment failed. */
    hasPaymentFailed: boolean;
    /** Whether the plan ends with the current period. */
    isScheduledToCancel: boolean;
    /** Prices of the plans. */
    pricing: BillingPricing;
    /** Add-ons billed by usage. */
    usageAddons: BillingAddons;
};
/** Reason why an organization is blocked. */
export type OrganizationBlockReason = {
    /** Reason. */
    reason: "security";
};
/**
 * Organization to create.
 * @example {
 *   "title": "Acme",
 *   "emailDomains": [
 *     "acme.example"
 *   ]
 * }
 */
export type OrganizationCreate = {
    /** Title. */
    title: OrganizationTitle;
    /** Email domains whose users can join without an invitation. */
    emailDomains?: ShortText[];
};
/** Image of an organization, for the logos, icons and covers of its sites. */
export type OrganizationFile = {
    /** Object type. */
    object: "file";
    /** Identifier. */
    id: string;
    /** Name. */
    name: string;
    /** Media type (RFC 6838), determined from the content. */
    contentType: string;
    /**
     * Format: int64
     *
     * Size in bytes.
     */
    size: number;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: uri
     *
     * URL of the image, for every place that takes the URL of an image, such as `header.logo` and `favicon` of the
     * customization of a site. It works without an access token, and until the file is deleted.
     */
    downloadURL: string;
    /** URLs of the file. */
    urls: ResourceUrls;
};
/**
 * Image to upload.
 * @example {
 *   "name": "logo.svg",
 *   "base64": "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAxIDEiLz4="
 * }
 */
export type OrganizationFileCreate = {
    /** Name, with its extension. */
    name: FileName;
    /** Bytes of the image. */
    base64: ImageData;
};
/** One page of a list. */
export type OrganizationFileList = {
    /** Items of this page. */
    items: OrganizationFile[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Hostname of an organization, without a domain. */
export type OrganizationHostname = string;
/** Invite link to the organization. */
export type OrganizationInvite = {
    /** Object type. */
    object: "invite";
    /** Identifier. It is also the secret of the invite link. */
    id: string;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** URLs of the invite link. */
    urls: ResourceUrls;
    /** Role of users who join. `null` makes them guests. */
    role: Role | null;
    /** Whether the caller already has this role or a higher one. */
    redundant: boolean;
};
/** One page of a list. */
export type OrganizationList = {
    /** Items of this page. */
    items: Organization[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "title": "Acme Docs",
 *   "inviteLinks": false,
 *   "defaultRole": "read"
 * }
 */
export type OrganizationPatch = {
    /** Title. */
    title?: OrganizationTitle;
    /** Email domains whose users can join without an invitation. The list replaces the current one. */
    emailDomains?: ShortText[];
    /**
     * Default hostname of the public content. If the server has a domain for published sites, those of the organization
     * are served at this subdomain of it, or at the URL of the server if the name is not valid in a domain.
     */
    hostname?: OrganizationHostname;
    /** Role of users who join without an invitation. `null` makes them guests. */
    defaultRole?: Role | null;
    /** Content shown to visitors who request no specific content. `null` removes it. */
    defaultContent?: DefaultContent | null;
    /** URL of the logo. `null` removes it. */
    logo?: AbsoluteUrl | null;
    /** Whether all members must sign in through a SAML provider. */
    sso?: boolean;
    /** Whether AI features are enabled. */
    ai?: boolean;
    /** Whether users can join through invite links. */
    inviteLinks?: boolean;
};
/** Permissions of the caller in an organization. */
export type OrganizationPermissions = {
    /** Whether the caller can view the organization. */
    view: boolean;
    /** Whether the caller can view the organization in the application, which requires `view` only. */
    access: boolean;
    /** Whether the caller can manage the organization, its members and its settings. */
    admin: boolean;
    /** Whether the caller can own a team. */
    ownTeam: boolean;
    /** Whether the caller can create spaces, collections and sites. */
    createContent: boolean;
    /** Whether the caller can create OpenAPI specifications. */
    createOpenAPISpec: boolean;
    /** Whether the caller can ingest conversations. */
    ingestConversations: boolean;
    /** Whether the caller can view the billing. */
    viewBilling: boolean;
    /** Whether the caller can list the members. */
    listMembers: boolean;
    /** Whether the caller can list the teams. */
    listTeams: boolean;
    /** Whether the caller can list the integrations of the organization. */
    listIntegrations: boolean;
    /** Whether the caller can list the integrations that the organization has installed. */
    listInstallations: boolean;
    /** Whether the caller can install integrations. */
    installIntegration: boolean;
};
/** Plan of an organization. */
export type OrganizationPlan = "free_2024" | "plus_2024" | "pro_2024" | "enterprise_2024" | "community_2024" | "free" | "plus" | "pro" | "internal";
/** Quotas of an organization, set by the operator. */
export type OrganizationQuotas = {
    /** Type of the object. */
    object: "organization-quotas";
    /** Spaces that are not deleted. */
    spaces: QuotaUse;
    /** Pages, groups and links of these spaces. Those of change requests and of OpenAPI specifications do not count. */
    pages: QuotaUse;
    /** Bytes of stored files, also of the history and of deleted spaces. Equal files count once. */
    bytes: QuotaUse;
    /** Members, including guests and disabled members. */
    members: QuotaUse;
    /** Published integrations. */
    integrations: QuotaUse;
    /** Imports, exports, translations and processing of OpenAPI specifications that have not ended. */
    jobs: QuotaUse;
};
/** Title of an organization. */
export type OrganizationTitle = string;
/** Trial of a paid plan. */
export type OrganizationTrial = {
    /** Current status. */
    status: TrialStatus;
    /**
     * Format: date-time
     *
     * Time when the trial ends or ended.
     */
    endDate?: string;
    /** Action at the end of the trial. */
    decision?: "downgrade";
    /**
     * Format: int32
     *
     * Number of trials that the organization has used.
     */
    count: number;
};
/** Type of an organization. */
export type OrganizationType = "business" | "community";
/** URLs of an organization. */
export type OrganizationUrls = {
    /**
     * Format: uri
     *
     * URL of the organization in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the organization in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the logo.
     */
    logo?: string;
};
/** Primary use of the service by an organization. */
export type OrganizationUseCase = "internalDocs" | "docsSite" | "audienceControlledSite" | "productDocs" | "teamKnowledgeBase" | "designSystem" | "openSourceDocs" | "notes" | "other";
/** Entry in the page tree of a space. */
export type Page = DocumentPage | GroupPage | LinkPage | ComputedPage;
/** Changed attributes of a page. */
export type PageChanges = {
    /** Title. */
    title?: TextChange;
    /** Description. */
    description?: TextChange;
    /** Last segment of the path. */
    slug?: TextChange;
    /** Identifiers of the texts, which change with them. */
    document?: TextChange;
    /** Cover. */
    cover?: CoverChange;
    /** Emoji. */
    emoji?: TextChange;
    /** Icon. */
    icon?: TextChange;
    /** Visible parts. */
    layout?: LayoutChange;
    /** Variables. */
    variables?: VariablesChange;
    /** Target of a link. */
    target?: TargetChange;
    /** Whether it is hidden from the table of contents. */
    hidden?: FlagChange;
    /** Whether every index excludes it. */
    noIndex?: FlagChange;
    /** Whether search engines are asked not to index it. */
    noRobotsIndex?: FlagChange;
};
/** Cover: the image above a page. */
export type PageCover = {
    /** Image. */
    ref?: CoverRef;
    /** Image for dark themes. */
    refDark?: CoverRef;
    /**
     * Format: double
     *
     * Vertical offset of the image from its center, in pixels of the image. Positive values move it down. Offsets beyond its
     * edges have no effect.
     */
    yPos: number;
};
/** Page that was created or deleted. One whose type changed is deleted and created. */
export type PageCreatedOrDeleted = {
    /** Type of the change. */
    type: "page_created" | "page_deleted";
    /** Page. */
    page: ComparedPage;
};
/** Page with other attributes. */
export type PageEdited = {
    /** Type of the change. */
    type: "page_edited";
    /** Page after the change. */
    page: ComparedPage;
    /** Changed attributes. */
    attributes: PageChanges;
};
/** Rating of a page. */
export type PageFeedback = {
    /** Rating. */
    rating: PageFeedbackRating;
    /** Comment of the visitor. */
    comment?: string;
};
/** Rating of a page by a visitor. */
export type PageFeedbackEvent = {
    /** Type of the event. */
    type: "page_feedback";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the site. */
    siteId: string;
    /** Identifier of the space. */
    spaceId?: string;
    /** Identifier of the site space. */
    siteSpaceId?: string;
    /** Identifier of the page. */
    pageId?: string;
    /** Rating. */
    feedback: PageFeedback;
    /** Visitor. */
    visitor?: EventVisitor;
    /** URL of the page. */
    url?: string;
    /** Referring URL. */
    referrer?: string;
};
/** Rating of a page by a visitor. */
export type PageFeedbackRating = "bad" | "ok" | "good";
/** Visibility and size of the parts of a page. */
export type PageLayout = {
    /** Width of the layout. */
    width: PageWidth;
    /** Whether the cover is visible. */
    cover: boolean;
    /** Size of the cover. */
    coverSize: CoverSize;
    /** Mask of the cover. */
    coverMask: CoverMask;
    /** Whether the title is visible. */
    title: boolean;
    /** Whether the description is visible. */
    description: boolean;
    /** Whether the table of contents of the space is visible. */
    tableOfContents: boolean;
    /** Whether the outline of the page is visible. */
    outline: boolean;
    /** Whether links to the previous and next page are visible. */
    pagination: boolean;
    /** Whether metadata, such as the time of the last update, is visible. */
    metadata: boolean;
    /** Whether the tags of the page are visible. */
    tags: boolean;
    /** Whether the actions of the page, such as links to its Markdown and PDF, are visible. */
    actions: boolean;
    /** Whether the links of headings to themselves are visible. */
    anchors: boolean;
};
/** Location of a page, or of a position within it. */
export type PageLocation = {
    /** Kind of the location. */
    kind: "page";
    /** Organization that owns the space. */
    organization: Organization;
    /** Space. */
    space: Space;
    /** Version of the content of the space. */
    versionContext?: VersionContext;
    /** Page, without its subpages: its `pages` are empty. */
    page: Page;
    /**
     * Position within the page. For a link target: its anchor, if it has one. For a page that contains links, in lists
     * about one page or file: the first block with such a link.
     */
    internalLocation?: InternalLocation;
};
/** Page at another position: in another parent, or in another order with its siblings. */
export type PageMoved = {
    /** Type of the change. */
    type: "page_moved";
    /** Page after the change. */
    page: ComparedPage;
    /** Previous and new parent. They are the same if only the order changed. */
    parent: ParentChange;
};
/** Reference to a page. */
export type PageRef = {
    /** Kind of the reference. */
    kind: "page";
    /** Identifier of the page. */
    page: Identifier;
    /** Identifier of the space. Omitted if it is the space that contains the reference. */
    space?: Identifier;
};
/**
 * Last segment of the path of a page. Must not contain slashes, white space, `?` or `#`, and must not consist of dots
 * only: those are relative path segments (RFC 3986, section 3.3).
 */
export type PageSlug = string;
/**
 * Complete page tree: at most 50 levels and 100,000 entries, where a page counts as one entry and a page with subpages
 * as two. A change that would exceed either limit is rejected with 409.
 */
export type PageTree = {
    /** Pages at the root, in order and without bodies. All other pages are nested in them. */
    pages: Page[];
};
/** URLs of a page. */
export type PageUrls = {
    /**
     * Format: uri
     *
     * URL of the page in the app.
     */
    app: string;
};
/** Width of the layout of a page. */
export type PageWidth = "default" | "wide";
/** Parents of a page. Omitted at the root. */
export type ParentChange = {
    /** Previous value, if any. */
    before?: ComparedPage;
    /** New value, if any. */
    after?: ComparedPage;
};
/**
 * Segment of the path of a site, section or site space. It contains no slashes, backslashes or control characters, starts
 * and ends without white space, consists not only of dots, and does not start with a tilde: those paths are reserved.
 */
export type PathSegment = string;
/** PDF that can be downloaded for a limited time. */
export type PdfFile = {
    /**
     * Format: uri
     *
     * URL of the PDF. It works without an access token, and expires after one hour and when the caller may no longer read
     * the space. The URLs of files within the PDF expire after 30 to 60 days.
     *
     * The PDF is printed when it is first downloaded, and sent page by page while it is printed. Closing the connection
     * cancels the printing. A printed PDF is cached: later downloads of the same revision have a length and an entity
     * tag, and support ranges.
     */
    url: string;
};
/** Result of a ping. */
export type Ping = {
    /**
     * Visitor token with which the user visits the published sites of the organization as its member, whatever their
     * visibility. It expires after an hour, and is invalid as soon as the membership ends. The claims of members are
     * `member` and, for admins of the organization, `admin`.
     */
    serviceVisitorClaims?: string;
};
/** Revision created by any operation other than a merge. */
export type PlainRevision = {
    /** Cause of the revision: edits, a rollback to an earlier revision, new primary content, or a computation. */
    type: "edits" | "rollback" | "update" | "computed";
    /** Object type. */
    object: "revision";
    /** Identifier. */
    id: string;
    /** Identifiers of the parent revisions. */
    parents: string[];
    /** Page tree, in order and without bodies. Its size is limited like that of a `PageTree`. */
    pages: Page[];
    /** Files. A revision contains at most 100,000. */
    files: File[];
    /** Reusable contents. */
    reusableContents: ReusableContent[];
    /** Variables for expressions in any page, by name. */
    variables?: {
        [key: string]: string;
    };
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** Git commit of the revision. Omitted with `metadata=false`. */
    git?: RevisionGit;
    /** URLs of the revision. */
    urls: RevisionUrls;
};
/** Values by directive. */
export type PolicyDirectives = {
    [key: string]: ShortText;
};
/** Policy as text in ASCII, without control characters other than white space. */
export type PolicyText = string;
/** Price by billing interval. */
export type Price = {
    /**
     * Format: double
     *
     * Price with monthly billing.
     */
    monthly: number;
    /**
     * Format: double
     *
     * Price with yearly billing.
     */
    yearly: number;
};
/** Hostname and path, without a scheme. */
export type ProxyOrigin = string;
/** Customization of a published site and its site spaces. */
export type PublishedCustomizations = {
    /** Customization of the site. */
    site: SiteCustomization;
    /** Customizations of all site spaces, by identifier of the site space. */
    siteSpaces: {
        [key: string]: SiteCustomization;
    };
};
/**
 * Script that an installed integration adds to each page. There are none while the site shares the origin of its URL
 * with another organization that restricts the visitors of a site, because scripts could read that site.
 */
export type PublishedScript = {
    /**
     * Format: uri
     *
     * URL of the script, for visitors of the site.
     */
    script: string;
    /** Content security policy of the integration (CSP Level 3). */
    contentSecurityPolicy?: string;
    /** Whether the script sets cookies. Pages then ask visitors for their consent. */
    cookies: boolean;
};
/** Section or section group. */
export type PublishedSectionEntry = SiteSection | SiteSectionGroup;
/** Structure with sections. */
export type PublishedSections = {
    /** Type of the structure. */
    type: "sections";
    /** Sections and section groups, in order. */
    structure: PublishedSectionEntry[];
};
/** Published site, as its visitors see it. */
export type PublishedSite = {
    /** Object type. */
    object: "published-content-site";
    /** Site. */
    site: Site;
    /** Structure. */
    structure: PublishedStructure;
    /** Customization of the site and its site spaces. */
    customizations: PublishedCustomizations;
    /** Scripts that installed integrations add to each page. */
    scripts: PublishedScript[];
};
/** Structure without sections. */
export type PublishedSiteSpaces = {
    /** Type of the structure. */
    type: "siteSpaces";
    /** Site spaces, in order. */
    structure: SiteSpace[];
};
/** Structure of a published site. */
export type PublishedStructure = PublishedSections | PublishedSiteSpaces;
/** Content of a site that a URL leads to. */
export type PublishedUrlContent = {
    /** Identifier of the organization. */
    organization: string;
    /** Identifier of the site. */
    site: string;
    /** Identifier of the section. Omitted if the site has no sections. */
    siteSection?: string;
    /** Identifier of the site space. */
    siteSpace: string;
    /** Identifier of the space. */
    space: string;
    /** Encoded path of the page in the space, without a slash at its start. Empty for the first page. */
    pathname: string;
    /** Path of the URL of the site space, with a slash at its start and end. */
    basePath: string;
    /** Path of the URL of the site, with a slash at its start and end. */
    siteBasePath: string;
    /**
     * Format: uri
     *
     * Current URL of the content.
     */
    canonicalUrl: string;
    /** Whether no segment that is added to the path can lead to another site space: only to a page. */
    complete: boolean;
    /**
     * Site token: a JWT that is sent like an access token to read the site and the content of its spaces, as the visitor
     * sees them. It expires within two hours, and states the claims of the visitor (`claims`) and the identifiers of this
     * response. It changes whenever the site or the content of the space does.
     */
    apiToken: string;
    /** Secret of the share link in the URL. Omitted unless it admits the visitor. */
    shareKey?: string;
    /** Identifier of what the visitor sees of the site. Omitted if all visitors see the same. */
    contextId?: string;
};
/** Redirect from a URL of published content. */
export type PublishedUrlRedirect = {
    /** Destination: the current URL of the content, or where visitors sign in. */
    target: PublishedUrlRedirectTarget;
    /** Identifier of the site. */
    site: string;
    /**
     * Format: uri
     *
     * URL to redirect to.
     */
    redirect: string;
};
/** Destination of a redirect. */
export type PublishedUrlRedirectTarget = "content" | "external";
/**
 * URL of published content to resolve, with the credentials of the visitor who requests it.
 * @example {
 *   "url": "https://acme.docs.example.com/handbook/install"
 * }
 */
export type PublishedUrlRequest = {
    /**
     * URL of a site, or below it. The secret of a share link (`shareKey`) and a visitor token (`visitorToken` or
     * `jwt_token`) in its query are credentials. The fragment and the rest of the query are ignored.
     */
    url: AbsoluteUrl;
    /**
     * Whether the response to a rejected visitor token is a redirect to where visitors sign in, instead of 401.
     * @default false
     */
    redirectOnError?: boolean;
    /** Visitor. */
    visitor?: PublishedUrlVisitor;
};
/** What a URL of published content leads to. */
export type PublishedUrlResult = PublishedUrlContent | PublishedUrlRedirect;
/** Visitor who requests published content. */
export type PublishedUrlVisitor = {
    /** Kind of visitor. Both kinds receive the same content. */
    type?: PublishedUrlVisitorType;
    /** Visitor token, in place of one in the query of the URL. */
    jwtToken?: string;
    /** Claims that the browser states about itself. Only those that the adaptive schema of the site declares are used. */
    unsignedClaims?: {
        [key: string]: unknown;
    };
};
/** Kind of visitor. */
export type PublishedUrlVisitorType = "human" | "agent";
/** URLs of a part of a site. */
export type PublishedUrls = {
    /**
     * Format: uri
     *
     * Published URL. Omitted if the site is not published.
     */
    published?: string;
};
/** What a quota limits. */
export type QuotaName = "spaces" | "pages" | "bytes" | "members" | "integrations" | "jobs";
/** Use of what a quota limits. */
export type QuotaUse = {
    /**
     * Format: int64
     *
     * Current use. Can exceed a limit that was lowered.
     */
    used: number;
    /**
     * Format: int64
     *
     * Maximum. Omitted if there is none.
     */
    limit?: number;
};
/** Radio button. */
export type RadioElement = {
    /** Type of the element. */
    type: "radio";
    /** Key of the state entry that contains the selection. */
    state: string;
    /** Value of this radio button or checkbox. */
    value: string | number;
    /** Action when the element is pressed. */
    onValueChange?: RenderAction;
    /** Confirmation required before the action. */
    confirm?: RenderConfirmation;
    /** Whether the input is disabled. */
    disabled?: boolean;
};
/** Reactions with the same emoji. */
export type Reaction = {
    /** Emoji. */
    emoji: IconName;
    /**
     * Format: int32
     *
     * Number of users who reacted with the emoji.
     */
    count: number;
    /** Users who reacted with the emoji. */
    users: ReactionUser[];
};
/** Reaction of a user. */
export type ReactionUser = {
    /** User. */
    user: User;
    /**
     * Format: date-time
     *
     * Time of the reaction.
     */
    reactedAt: string;
};
/** Reference name of a new page or file, within one request. */
export type ReferenceName = string;
/**
 * Action that a reader triggers: a built-in action, or an action of the component. A built-in action without its fields is
 * an action of the component.
 */
export type RenderAction = OpenModalAction | CloseModalAction | OpenUrlAction | UnfurlLinkAction | UpdatePropsAction | ComponentAction;
/** Value bound to the component state. It updates while the reader types. */
export type RenderBinding = {
    /** Key of the state entry. */
    $state: string;
};
/** Plain text, or an element. */
export type RenderChild = string | RenderElement;
/** Confirmation required before an action. */
export type RenderConfirmation = {
    /** Title. */
    title: string;
    /** Question. */
    text: string;
    /** Label of the confirm button. */
    confirm: string;
    /** Visual style. */
    style?: "primary" | "danger";
};
/** Context in which a component is displayed. */
export type RenderContext = AccountConfigurationContext | SpaceConfigurationContext | SiteConfigurationContext | ContentSourceConfigurationContext | DocumentContext;
/** Element within a block, modal or form. */
export type RenderElement = RowElement | ColumnElement | BoxElement | DividerElement | CardElement | RenderHintElement | TextElement | RenderLinkElement | ImageElement | MarkdownElement | CodeBlockElement | WebframeElement | InputElement | TextInputElement | SelectElement | SwitchElement | RadioElement | CheckboxElement | ButtonElement | StepElement;
/** Request to render a component. */
export type RenderEvent = {
    /** Type of the event. */
    type: "ui_render";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId?: string;
    /** Identifier of the component within the integration. */
    componentId: ShortText;
    /** Properties passed to the component. */
    props: {
        [key: string]: unknown;
    };
    /** Context in which the component is displayed. */
    context: RenderContext;
    /** State of the component after the previous rendering. */
    state?: {
        [key: string]: unknown;
    };
    /** Action of the reader. */
    action?: TriggeredAction;
    /** Viewer of the component. Omitted if not signed in. */
    auth?: EventCaller;
};
/** Hint: a highlighted note. */
export type RenderHintElement = {
    /** Type of the element. */
    type: "hint";
    /** Content of the hint. */
    children: RenderInline[];
};
/** Plain text, or an element within text. */
export type RenderInline = string | RenderInlineElement;
/** Element within text. */
export type RenderInlineElement = TextElement | RenderLinkElement | ImageElement;
/** Input that a reader sets a value with. */
export type RenderInput = TextInputElement | SelectElement | SwitchElement | RadioElement | CheckboxElement | ButtonElement | CodeBlockElement;
/** Link. */
export type RenderLinkElement = {
    /** Type of the element. */
    type: "link";
    /** Target of the link. */
    target: RenderTarget;
    /** Text of the link. */
    children: string | RenderInline[];
};
/**
 * Component of an integration to render, and its input.
 * @example {
 *   "componentId": "diagram",
 *   "props": {
 *     "source": "client -> server"
 *   },
 *   "context": {
 *     "type": "document",
 *     "theme": "light",
 *     "spaceId": "spc_guide",
 *     "editable": false
 *   }
 * }
 */
export type RenderRequest = {
    /** Identifier of the component within the integration. */
    componentId: ShortText;
    /** Properties passed to the component. */
    props: {
        [key: string]: unknown;
    };
    /** Context in which the component is displayed. */
    context: RenderContext;
    /** State of the component after the previous rendering. */
    state?: {
        [key: string]: unknown;
    };
    /** Action of the reader. */
    action?: TriggeredAction;
};
/** Result of a rendering. */
export type RenderResult = RenderedElement | RenderingComplete;
/** Root element of a component. */
export type RenderRoot = BlockElement | ModalElement | ConfigurationElement;
/** URL that an element refers to, as a whole or in parts. */
export type RenderTarget = {
    /** URL. */
    url: string | RenderUrlParts;
};
/** URL that an element refers to. */
export type RenderUrl = {
    /** URL. */
    url: string;
};
/** URL in parts. Its parameters can be bound to the component state. */
export type RenderUrlParts = {
    /** Host name, with a port if required. */
    host: string;
    /** Path, which begins with `/`. */
    pathname: string;
    /** Query parameters, by name. */
    query?: {
        [key: string]: string | RenderBinding;
    };
};
/** Element to display. */
export type RenderedElement = {
    /** Type of the result. */
    type: "element";
    /** Element. */
    element: RenderRoot;
    /** State of the component for the next rendering. */
    state: {
        [key: string]: unknown;
    };
    /** Properties passed to the component. */
    props: {
        [key: string]: unknown;
    };
};
/** End of a dialog. */
export type RenderingComplete = {
    /** Type of the result. */
    type: "complete";
    /** Value that the dialog returns to its opener. */
    returnValue?: {
        [key: string]: unknown;
    };
};
/**
 * Format: date-time
 *
 * Time (RFC 3339).
 */
export type RequestTime = string;
/** Request to a user to review a change request. */
export type RequestedReviewer = {
    /** Object type. */
    object: "change-request-requested-reviewer";
    /** Kind of reviewer. */
    kind: "user";
    /** User who is to review the change request. */
    user: User;
    /** User who requested the review. */
    requestedBy: User;
    /** Identifier of the revision of the change request at the time of the request. */
    revision: string;
    /**
     * Format: date-time
     *
     * Time of the request.
     */
    createdAt: string;
};
/** One page of a list. */
export type RequestedReviewerList = {
    /** Items of this page. */
    items: RequestedReviewer[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Requested reviews. */
export type RequestedReviewers = {
    /** The requests to the given users, in their order. */
    users: RequestedReviewer[];
};
/**
 * Reviews to request.
 * @example {
 *   "users": [
 *     "usr_ada"
 *   ]
 * }
 */
export type RequestedReviewersCreate = {
    /** Identifiers of the users who are to review the change request. */
    users: Identifier[];
    /** New subject of the change request. */
    subject?: string;
};
/** Resolved comment. */
export type ResolvedComment = {
    /** Object type. */
    object: "comment";
    /** Current status. */
    status: "resolved";
    /** Identifier. */
    id: string;
    /** Author. */
    postedBy: User;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    postedAt: string;
    /**
     * Format: date-time
     *
     * Time of the last edit of the text. Omitted if the text has not been edited.
     */
    editedAt?: string;
    /** Reactions. */
    reactions: Reaction[];
    /** Text. */
    body: CommentBody;
    /** URLs of the comment or reply. */
    urls: ResourceUrls;
    /** Permissions of the caller. */
    permissions: CommentPermissions;
    /**
     * Format: int32
     *
     * Number of replies.
     */
    replies: number;
    /** Users who replied, at most 20. */
    repliers: CommentReplier[];
    /** Content that the comment refers to. */
    target: CommentTarget;
    /**
     * Format: date-time
     *
     * Time of resolution.
     */
    resolvedAt: string;
    /** User who resolved the comment. */
    resolvedBy: User;
};
/** Redirect with the URL of its destination. */
export type ResolvedSiteRedirect = {
    /** Redirect. */
    redirect: SiteRedirect;
    /**
     * Format: uri
     *
     * URL of the destination.
     */
    target: string;
};
/** URLs of a resource. */
export type ResourceUrls = {
    /**
     * Format: uri
     *
     * URL of the resource in this API.
     */
    location: string;
};
/** Reusable content: content that several pages can include. */
export type ReusableContent = {
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Git object of the reusable content. Omitted with `metadata=false`. */
    git?: GitObject;
};
/** Changed attributes of reusable content. */
export type ReusableContentChanges = {
    /** Title. */
    title?: TextChange;
    /** Identifiers of the texts, which change with them. */
    document?: TextChange;
};
/** Reusable content that was created or deleted. */
export type ReusableContentCreatedOrDeleted = {
    /** Type of the change. */
    type: "reusable_content_created" | "reusable_content_deleted";
    /** Reusable content. */
    reusableContent: ReusableContent;
};
/** Reusable content with another title or text. */
export type ReusableContentEdited = {
    /** Type of the change. */
    type: "reusable_content_edited";
    /** Reusable content after the change. */
    reusableContent: ReusableContent;
    /** Changed attributes. */
    attributes: ReusableContentChanges;
};
/** Location of reusable content. */
export type ReusableContentLocation = {
    /** Kind of the location. */
    kind: "reusable-content";
    /** Organization that owns the space. */
    organization: Organization;
    /** Space. */
    space: Space;
    /** Version of the content of the space. */
    versionContext?: VersionContext;
    /** Reusable content. */
    reusableContent: ReusableContent;
};
/** Reference to reusable content. */
export type ReusableContentRef = {
    /** Kind of the reference. */
    kind: "reusable-content";
    /** Identifier of the reusable content. */
    reusableContent: Identifier;
    /** Identifier of the space. Omitted if it is the space that contains the reference. */
    space?: Identifier;
};
/** Change that restores a page to an earlier state. */
export type RevertPage = {
    /** Type of the change. */
    operation: "revert_page";
    /** Identifier of the page. */
    page: Identifier;
    /**
     * Identifier of the revision of the space with the earlier state. Default: the revision that the change request was
     * last updated to.
     */
    revision?: Identifier;
};
/** Decision of a review. */
export type ReviewStatus = "approved" | "changes-requested";
/** Immutable page tree with its files. */
export type Revision = PlainRevision | MergeRevision;
/** Revision that contains the location. Its `pages`, `files` and `reusableContents` are empty. */
export type RevisionContext = {
    /** Type of the version. */
    type: "revision";
    /** Revision. */
    revision: Revision;
};
/** Git commit that a revision was imported from or exported to. */
export type RevisionGit = {
    /** Identifier of the commit. */
    oid: string;
    /** Message of the commit. */
    message: string;
    /** Whether this service created the commit. */
    createdByService: boolean;
    /** URL of the commit. */
    url?: string;
    /** Git reference that contains the commit. */
    ref?: string;
};
/** URLs of a revision. */
export type RevisionUrls = {
    /**
     * Format: uri
     *
     * URL of the content in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the content on a published site. Omitted unless the revision is the current one of a space on such a site.
     */
    published?: string;
    /**
     * Format: uri
     *
     * URL of the content on a published site that is public. Omitted like `published`.
     */
    public?: string;
};
/** Role of a member. Each role includes those that follow it. Where a role can be `null`, `null` is a guest. */
export type Role = "admin" | "create" | "review" | "edit" | "comment" | "read";
/** Horizontal stack of elements. */
export type RowElement = {
    /** Type of the element. */
    type: "hstack";
    /** Elements of the stack. */
    children: RenderElement[];
    /** Alignment of the elements across the stack. */
    align?: "start" | "center" | "end";
};
/** Numbers of a run. */
export type RunCounts = {
    /**
     * Format: int32
     *
     * Number of imported or exported pages.
     */
    pages: number;
    /**
     * Format: int32
     *
     * Number of imported or exported files, such as images.
     */
    files: number;
    /**
     * Format: int32
     *
     * Number of problems, including those that `problems` omits.
     */
    problems: number;
};
/** Failure of a run. */
export type RunFailure = {
    /** Machine-readable cause. Treat an unknown one like `internal_error`. */
    reason: RunFailureReason;
    /** Human-readable description: what happened, and how to resolve it. */
    message: string;
};
/** Cause of a failed run. New causes can be added. */
export type RunFailureReason = "unreachable" | "authentication_failed" | "not_found" | "refused" | "limit_exceeded" | "quota_exceeded" | "branch_diverged" | "superseded" | "space_locked" | "timeout" | "source_invalid" | "remote_error" | "interrupted" | "internal_error";
/** Part of a repository that could not be used as written. The rest was imported. */
export type RunProblem = {
    /** Path of the file in the repository, or the title of an entry without a file. */
    file: string;
    /**
     * Format: int32
     *
     * Line in the file, from 1. Omitted if the problem concerns the whole file.
     */
    line?: number;
    /** Machine-readable cause. */
    reason: RunProblemReason;
    /** Human-readable description: what happened, and how to resolve it. */
    message: string;
};
/** Cause of a problem. New causes can be added. */
export type RunProblemReason = "invalid_syntax" | "invalid_value" | "not_found" | "duplicate" | "unsupported" | "too_large" | "unreadable" | "conflict";
/** Status of a run. */
export type RunStatus = "pending" | "running" | "completed" | "failed";
/** Display name of a SAML provider. */
export type SamlLabel = string;
/** SAML provider: an identity provider that members of an organization sign in with (SAML 2.0). */
export type SamlProvider = {
    /** Object type. */
    object: "saml-provider";
    /** Identifier. */
    id: string;
    /** Display name. */
    label: string;
    /** Sign-in URL of the identity provider. Empty until it is set. */
    ssoURL: AbsoluteUrl | "";
    /** Entity ID of the identity provider. Empty until it is set. */
    entityID: string;
    /** Signing certificate of the identity provider, in PEM format. Empty until it is set. */
    certificate: string;
    /** Team that users join when they first sign in. */
    defaultTeam?: Team;
    /** Role of users who sign in for the first time. `null` makes them guests. */
    defaultRole: Role | null;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** Current status. */
    status: SamlProviderStatus;
    /** Settings to configure at the identity provider. */
    service: SamlService;
    /** URLs of the SAML provider. */
    urls: ResourceUrls;
};
/**
 * SAML provider to create.
 * @example {
 *   "label": "Acme accounts",
 *   "entityID": "https://accounts.example.com/saml",
 *   "ssoURL": "https://accounts.example.com/saml/login",
 *   "defaultRole": "read"
 * }
 */
export type SamlProviderCreate = {
    /** Display name. */
    label: SamlLabel;
    /** Entity ID of the identity provider. */
    entityID?: string;
    /**
     * Format: x509-certificate
     *
     * Signing certificate of the identity provider, in PEM format.
     */
    certificate?: string;
    /** Sign-in URL of the identity provider. */
    ssoURL?: AbsoluteUrl;
    /** Identifier of the team that users join when they first sign in. */
    defaultTeam?: Identifier;
    /** Role of users who sign in for the first time. `null`, the initial value, makes them guests. */
    defaultRole?: Role | null;
};
/** One page of a list. */
export type SamlProviderList = {
    /** Items of this page. */
    items: SamlProvider[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "ssoURL": "https://accounts.example.com/saml/login"
 * }
 */
export type SamlProviderPatch = {
    /** Display name. */
    label?: SamlLabel;
    /** Entity ID of the identity provider. */
    entityID?: string;
    /**
     * Format: x509-certificate
     *
     * Signing certificate of the identity provider, in PEM format.
     */
    certificate?: string;
    /** Sign-in URL of the identity provider. */
    ssoURL?: AbsoluteUrl;
    /** Identifier of the team that users join when they first sign in. */
    defaultTeam?: Identifier;
    /** Role of users who sign in for the first time. `null`, the initial value, makes them guests. */
    defaultRole?: Role | null;
};
/** Status of a SAML provider. */
export type SamlProviderStatus = "active" | "pending";
/** Settings of this service to configure at an identity provider. */
export type SamlService = {
    /**
     * Format: uri
     *
     * URL that the identity provider sends its assertions to.
     */
    acsURL: string;
    /**
     * Format: uri
     *
     * URL that starts the sign-in.
     */
    startURL: string;
    /** Entity ID of this service. */
    entityID: string;
};
/** Page or group that contains a page with matches. */
export type SearchResultAncestor = {
    /** Title. */
    title: string;
};
/** Page that contains matches. */
export type SearchResultPage = {
    /** Identifier of the page. */
    id: string;
    /** Title. */
    title: string;
    /** Description. Empty if the page has none. */
    description: string;
    /** Path of the page within its space. */
    path: string;
    /** Relevance: that of the best section. */
    score: SearchScore;
    /**
     * Format: int32
     *
     * Position among the pages of all spaces, counted from 1 on the first page of the list.
     */
    rank: number;
    /** The best of the sections that contain matches, up to 3, best match first. */
    sections: SearchResultSection[];
    /** Pages and groups that contain the page, from the top level to its parent. */
    ancestors: SearchResultAncestor[];
    /** URLs of the page. */
    urls: SearchResultUrls;
};
/** One page of a list. */
export type SearchResultPageList = {
    /** Items of this page. */
    items: SearchResultPage[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Section of a page, from one heading to the next, that contains matches. */
export type SearchResultSection = {
    /** Identifier of the section. */
    id: string;
    /** Heading. */
    title: string;
    /** Path of the section: the path of its page and its anchor. */
    path: string;
    /** Relevance. */
    score: SearchScore;
    /** Text of the section. Of a text with more than 300 characters, an excerpt around the first match, or its start. */
    body: string;
    /** URLs of the section. */
    urls: SearchResultUrls;
};
/** Space that contains matches. */
export type SearchResultSpace = {
    /** Type of the result. */
    type: "space";
    /** Identifier of the space. */
    id: string;
    /** Title. */
    title: string;
    /** Relevance: that of the best page. */
    score: SearchScore;
    /** The best of the pages that contain matches, up to 10, best match first. A search in the space lists all. */
    pages: SearchResultPage[];
};
/** One page of a list. */
export type SearchResultSpaceList = {
    /** Items of this page. */
    items: SearchResultSpace[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** URLs of a search result. */
export type SearchResultUrls = {
    /**
     * Format: uri
     *
     * URL of the search result in the app.
     */
    app: string;
};
/**
 * Format: double
 *
 * Relevance of a search result: higher is better. Depends on how the title of the page and the heading match the query,
 * and then on the matches in the section. Comparable with the other results of the same search only.
 */
export type SearchScore = number;
/** Description of a section. */
export type SectionDescription = string;
/** Title of a section group. */
export type SectionGroupTitle = string;
/** Selection from a list. */
export type SelectElement = {
    /** Type of the element. */
    type: "select";
    /** Key of the state entry that contains the selection. */
    state: string;
    /** Initial selection. */
    initialValue?: string | string[];
    /** Text displayed while nothing is selected. */
    placeholder?: string;
    /** Whether multiple options can be selected. */
    multiple?: boolean;
    /** Whether the reader can also enter a value that is not an option. */
    acceptInput?: boolean;
    /** Options, the URL to retrieve them from, or what they are. */
    options: SelectOption[] | RenderTarget | SelectSource;
    /** Whether the input is disabled. */
    disabled?: boolean;
    /** Action when the selection changes. */
    onValueChange?: RenderAction;
};
/** Option of a selection. */
export type SelectOption = {
    /** Identifier of the option. */
    id: string;
    /** Label. */
    label: string;
    /** Name of the icon, or an image. */
    icon?: string | ImageElement;
};
/** What the options of a selection are. */
export type SelectSource = {
    /** OpenAPI specifications of the organization. */
    source: "openapi";
};
/** Change between two revisions, as people describe it. */
export type SemanticChange = PageCreatedOrDeleted | PageEdited | PageMoved | FileCreatedOrDeleted | FileEdited | ReusableContentCreatedOrDeleted | ReusableContentEdited | VariablesEdited;
/** Changes between two revisions: of pages by path, of files by name, of reusable contents, and of variables. */
export type SemanticChanges = {
    /** Changes. */
    changes: SemanticChange[];
    /**
     * Format: int32
     *
     * Number of changes that were omitted because of `limit`. Omitted if there are none.
     */
    more?: number;
};
/** Values of settings by name. */
export type SettingValues = {
    [key: string]: unknown;
};
/** Share link: a URL with a secret, through which visitors reach a site whose visibility is `share-link`. */
export type ShareLink = {
    /** Object type. */
    object: "share-link";
    /** Identifier. */
    id: string;
    /** Name, for the people who manage the site. */
    name: string;
    /** Whether visitors can use the link. */
    active: boolean;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** URLs of the share link. */
    urls: ShareLinkUrls;
};
/**
 * Share link to create.
 * @example {
 *   "name": "Reviewers"
 * }
 */
export type ShareLinkCreate = {
    /** Name, for the people who manage the site. */
    name: ShareLinkName;
};
/** One page of a list. */
export type ShareLinkList = {
    /** Items of this page. */
    items: ShareLink[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Name of a share link. */
export type ShareLinkName = string;
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "active": false
 * }
 */
export type ShareLinkPatch = {
    /** Name, for the people who manage the site. */
    name?: ShareLinkName;
    /** Whether visitors can use the link. */
    active?: boolean;
};
/** URLs of a share link. */
export type ShareLinkUrls = {
    /**
     * Format: uri
     *
     * URL of the share link in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the site for visitors, with the secret of the link. Omitted if the site is not published.
     */
    published?: string;
};
/** Text of at most 2,048 characters. */
export type ShortText = string;
/** Site: spaces of an organization, published together at one URL. */
export type Site = {
    /** Object type. */
    object: "site";
    /** Identifier. */
    id: string;
    /** Plan. */
    type: SiteType;
    /** Plan whose features are available. Always equal to `type`: sites are never restricted to those of another plan. */
    appliedType: SiteType;
    /** Title. */
    title: SiteTitle;
    /** Icon. */
    icon?: SiteIcon | null;
    /**
     * Custom hostname. Always omitted: this service assigns no hostnames to single sites, and no operation sets one. A site
     * is served at the hostname of its organization, below its `basename`, and at other hostnames through a `proxy`.
     */
    hostname?: string;
    /** Path segment that identifies the site on a shared hostname. */
    basename?: PathSegment;
    /** Reverse proxy in front of the site. */
    proxy?: SiteProxy;
    /** Audience of the site once it is published. */
    visibility: SiteVisibility;
    /**
     * Role that the site grants to every member of the organization. Always `inherit`: on each site, members have their
     * role in the organization.
     */
    defaultLevel: DefaultLevel;
    /** Permissions of the caller. A visitor of the published site has none. */
    permissions: SitePermissions;
    /** Whether the audience set by `visibility` can reach the site. */
    published: boolean;
    /**
     * Format: int32
     *
     * Number of spaces on the site.
     */
    siteSpaces: number;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** Adaptive content settings. */
    adaptiveContent?: SiteAdaptiveContent;
    /** Advertising status. */
    ads?: SiteAds;
    /** Access of agents to the site. */
    agentsContext: SiteAgentsContext;
    /** Features and their availability in the plan of the site. */
    features: SiteFeature[];
    /** URLs of the site. */
    urls: SiteUrls;
};
/** Adaptive content settings of a site. */
export type SiteAdaptiveContent = {
    /**
     * Whether the content adapts to the claims about the visitor. If not, conditions are not applied: every visitor sees
     * all sections and spaces of the site.
     */
    enabled: boolean;
};
/** Adaptive schema of a site: the claims that it can use about its visitors. */
export type SiteAdaptiveSchema = {
    /** Object type. */
    object: "site-adaptive-schema";
    /** Claims, as a JSON Schema (draft 07). */
    jsonSchema: AdaptiveJsonSchema;
    /**
     * Format: date-time
     *
     * Time of the last update.
     */
    updatedAt: string;
};
/**
 * Adaptive schema to set.
 * @example {
 *   "jsonSchema": {
 *     "type": "object",
 *     "properties": {
 *       "unsigned": {
 *         "type": "object",
 *         "description": "Unsigned claims of the site visitor.",
 *         "properties": {
 *           "returning": {
 *             "type": "boolean",
 *             "description": "Has visited the site before."
 *           }
 *         },
 *         "additionalProperties": false
 *       }
 *     },
 *     "additionalProperties": false
 *   }
 * }
 */
export type SiteAdaptiveSchemaUpdate = {
    /** Claims, as a JSON Schema (draft 07). */
    jsonSchema: AdaptiveJsonSchema;
};
/** Advertising status of a site. */
export type SiteAds = SiteAdsPending | SiteAdsInReview | SiteAdsRejected | SiteAdsLive | SiteAdsDisabled;
/** Granted advertising that is disabled. */
export type SiteAdsDisabled = {
    /** Current status. */
    status: "disabled";
    /** Topic of the site. */
    topic: SiteAdsTopic;
    /** Identifier of the advertising zone at the agency. */
    zoneId: string;
};
/** Requested advertising. */
export type SiteAdsInReview = {
    /** Current status. */
    status: "in-review";
    /** Topic of the site. */
    topic: SiteAdsTopic;
};
/** Advertising that is shown. */
export type SiteAdsLive = {
    /** Current status. */
    status: "live";
    /** Topic of the site. */
    topic: SiteAdsTopic;
    /** Identifier of the advertising zone at the agency. */
    zoneId: string;
};
/** Advertising that is not yet requested. */
export type SiteAdsPending = {
    /** Current status. */
    status: "pending";
    /** Whether the site meets the requirements for a request. */
    submittable: boolean;
};
/** Rejected advertising. */
export type SiteAdsRejected = {
    /** Current status. */
    status: "rejected";
    /** Reason for the rejection. */
    reason?: string;
};
/** Topic of a site with advertising. */
export type SiteAdsTopic = "webdev" | "crypto";
/** Access of agents to a site. */
export type SiteAgentsContext = "excluded" | "included";
/** AI features for questions of readers. */
export type SiteAi = {
    /** No answers, answers in search, or an assistant. */
    mode: "none" | "search" | "assistant";
};
/** Announcement above everything else. */
export type SiteAnnouncement = {
    /** Whether the announcement is shown. */
    enabled: boolean;
    /** Message. */
    message: ShortText;
    /** Visual severity. */
    style: "info" | "warning" | "danger" | "success";
    /** Link. */
    link?: SiteLink;
};
/** Answer to a question. */
export type SiteAnswer = {
    /**
     * Answer of the language model, as Markdown. It may be wrong, and is not sanitized. Omitted if no page of the site has
     * enough words of the question.
     */
    answer?: string;
    /** Pages whose sections the language model received with the question, best match first. */
    sources: SiteAnswerSource[];
};
/** Page that an answer is based on. */
export type SiteAnswerSource = {
    /** Type of the source. */
    type: "page";
    /** Identifier of the page. */
    page: string;
    /** Identifier of the revision of the space. */
    revision: string;
    /** Identifier of the space. */
    space: string;
    /** Identifiers of the sections that the language model received, best match first. */
    sections: string[];
    /** Title of the page. */
    title: string;
    /** URLs of the page. */
    urls: SiteSearchUrls;
};
/** Colors of code for each theme. */
export type SiteCodeTheme = {
    /** Colors for the light theme. */
    light: CodeThemeName;
    /** Colors for the dark theme. */
    dark: CodeThemeName;
};
/** Colors of code in pages and in API references. */
export type SiteCodeThemes = {
    /** Colors of code in pages. */
    default: SiteCodeTheme;
    /** Colors of code in API references. */
    openapi: SiteCodeTheme;
};
/** Component in the settings of an installation on a site. */
export type SiteConfigurationContext = {
    /** Type of the context. */
    type: "configuration_site";
    /** Color theme around the component. */
    theme: "dark" | "light";
    /** Identifier of the site. */
    siteId: Identifier;
};
/**
 * Site to create.
 * @example {
 *   "title": "Developer handbook",
 *   "visibility": "public",
 *   "spaces": [
 *     "spc_handbook"
 *   ]
 * }
 */
export type SiteCreate = {
    /**
     * Plan.
     * @default basic
     */
    type?: SiteType;
    /** Title. */
    title?: SiteTitle;
    /** Audience of the site once it is published. */
    visibility?: SiteVisibility;
    /** Identifiers of the spaces to show, or the initial content of a space created for the site. */
    spaces?: SiteInitialSpaces;
};
/**
 * Customization of a site: its appearance and the features for its readers. `ai`, `advancedCustomization`,
 * `insights` and `pageActions.externalAI` are stored, but have no effect on the published pages of this service.
 * @example {
 *   "styling": {
 *     "theme": "clean",
 *     "primaryColor": {
 *       "light": "#346ddb",
 *       "dark": "#7aa2f7"
 *     },
 *     "infoColor": {
 *       "light": "#346ddb",
 *       "dark": "#7aa2f7"
 *     },
 *     "successColor": {
 *       "light": "#1a7f4b",
 *       "dark": "#5cc28f"
 *     },
 *     "warningColor": {
 *       "light": "#9a6700",
 *       "dark": "#e0b252"
 *     },
 *     "dangerColor": {
 *       "light": "#c4314b",
 *       "dark": "#f28b9a"
 *     },
 *     "corners": "rounded",
 *     "depth": "subtle",
 *     "links": "default",
 *     "font": "Inter",
 *     "monospaceFont": "IBMPlexMono",
 *     "background": "plain",
 *     "icons": "regular",
 *     "sidebar": {
 *       "background": "default",
 *       "list": "default"
 *     },
 *     "search": "prominent"
 *   },
 *   "internationalization": {
 *     "locale": "en"
 *   },
 *   "favicon": {
 *     "emoji": "1f4d6"
 *   },
 *   "header": {
 *     "preset": "default",
 *     "links": [
 *       {
 *         "title": "Status",
 *         "to": {
 *           "kind": "url",
 *           "url": "https://status.example.com"
 *         }
 *       }
 *     ]
 *   },
 *   "footer": {
 *     "groups": [],
 *     "copyright": "© Acme"
 *   },
 *   "themes": {
 *     "default": "system",
 *     "toggeable": true
 *   },
 *   "pdf": {
 *     "enabled": true
 *   },
 *   "feedback": {
 *     "enabled": true
 *   },
 *   "ai": {
 *     "mode": "none"
 *   },
 *   "advancedCustomization": {
 *     "enabled": false
 *   },
 *   "pageActions": {
 *     "externalAI": false,
 *     "markdown": true,
 *     "items": [
 *       "markdown",
 *       "git",
 *       "pdf"
 *     ]
 *   },
 *   "externalLinks": {
 *     "target": "self"
 *   },
 *   "pagination": {
 *     "enabled": true
 *   },
 *   "trademark": {
 *     "enabled": true
 *   },
 *   "privacyPolicy": {},
 *   "socialPreview": {},
 *   "insights": {
 *     "trackingCookie": false
 *   },
 *   "git": {
 *     "showEditLink": true
 *   }
 * }
 */
export type SiteCustomization = {
    /** Title shown instead of the title of the site. */
    title?: ShortText;
    /** Colors, font and shapes. */
    styling: SiteStyling;
    /** Language of spaces without a language of their own. */
    internationalization: SiteInternationalization;
    /** Icon in the browser tab. */
    favicon: SiteIcon;
    /** Header above each page. */
    header: SiteHeader;
    /** Footer below each page. */
    footer: SiteFooter;
    /** Announcement above everything else. */
    announcement?: SiteAnnouncement;
    /** Light and dark themes. */
    themes: SiteThemes;
    /** Export of pages as PDF. Enabled by default. */
    pdf?: SiteToggle;
    /** Form below each page in which readers rate it and comment on it. */
    feedback: SiteToggle;
    /** AI features for questions of readers. Has no effect: questions are not answered. */
    ai: SiteAi;
    /** Activation of the customization beyond the basic options. Has no effect: all options apply. */
    advancedCustomization: SiteToggle;
    /** Actions of readers on a whole page. */
    pageActions: SitePageActions;
    /** Behavior of links to other sites. */
    externalLinks: SiteExternalLinks;
    /** Links to the previous and the next page. */
    pagination: SiteToggle;
    /** Line that names the platform. */
    trademark: SiteToggle;
    /** Privacy policy. */
    privacyPolicy: SiteUrlSetting;
    /** Image that other services show next to a link to the site. */
    socialPreview: SiteUrlSetting;
    /** Measurement of visits. Has no effect: visits are not measured, and no tracking cookie is set. */
    insights: SiteInsights;
    /** Links to the source of pages in Git. Shown by default. */
    git?: SiteGit;
    /** Accounts on other services. Has no effect: pages do not link to them. None by default. */
    socialAccounts?: SiteSocialAccount[];
};
/** Icon that consists of an emoji. */
export type SiteEmojiIcon = {
    /** Emoji. */
    emoji: IconName;
};
/** Entry in the structure of a site. */
export type SiteEntry = SiteSpace | SiteSection | SiteSectionGroup;
/** Reference to an entry in the structure of a site. */
export type SiteEntryPointer = {
    /** Type of the entry. */
    type: SiteEntryType;
    /** Identifier of the site space, section or section group. */
    id: Identifier;
};
/** Position among siblings: the site spaces of one section or of the root, the sections of one group, or the sections and groups of the root. */
export type SiteEntryPosition = {
    /** Sibling to insert before. */
    before?: SiteEntryPointer;
    /** Sibling to insert after. */
    after?: SiteEntryPointer;
};
/** Type of an entry in the structure of a site. */
export type SiteEntryType = "site-space" | "site-section" | "site-section-group";
/** Behavior of links to other sites. */
export type SiteExternalLinks = {
    /** Tab that links open in: the same one (`self`) or a new one (`blank`). */
    target: "self" | "blank";
};
/** Feature of sites, and its availability on this site. */
export type SiteFeature = {
    /** Identifier. */
    id: SiteFeatureId;
    /** Lowest-priced plan that includes the feature. */
    plan: SiteType;
    /** Whether the plan of the site prevents the use of the feature. */
    frozen: boolean;
    /** Parts of the customization that the feature enables. */
    customizations?: SiteFeatureCustomization[];
};
/** Part of the customization of a site that a feature enables. */
export type SiteFeatureCustomization = "header-logo" | "theme-preset" | "premium-fonts" | "custom-icons" | "footer-logo" | "footer-links" | "footer-copyright" | "semantic-colors";
/** Feature of a site. */
export type SiteFeatureId = "sites-adaptive-content" | "sites-advanced-customization" | "sites-advanced-insights" | "sites-ads" | "sites-ai-search" | "sites-ai-assistant" | "sites-api-playground" | "sites-basic-customization" | "sites-custom-domain" | "sites-custom-fonts" | "sites-custom-subdirectory" | "sites-full-text-search" | "sites-multivariant-site" | "sites-no-custom-domain" | "sites-page-feedback" | "sites-page-traffic-insights" | "sites-pdf-export" | "sites-preview-deployments" | "sites-public-visibility" | "sites-redirects" | "sites-search-insights" | "sites-sections" | "sites-seo" | "sites-share-links" | "sites-unlisted-visibility" | "sites-user-contribution" | "sites-visitor-authentication" | "sites-visitors";
/**
 * Opinion of a reader about a page of a site.
 * @example {
 *   "object": "site-feedback",
 *   "id": "fbk_1f6a",
 *   "siteSpace": "ssp_9b2c",
 *   "space": "spc_4d1e",
 *   "page": "page_7c3f",
 *   "url": "https://docs.example.com/guides/quickstart",
 *   "rating": "good",
 *   "comment": "The example helped me.",
 *   "createdAt": "2026-03-04T05:06:07.000Z"
 * }
 */
export type SiteFeedback = {
    /** Object type. */
    object: "site-feedback";
    /** Identifier. */
    id: string;
    /** Identifier of the site space. It may no longer exist. */
    siteSpace: string;
    /** Identifier of the space. It may no longer exist. */
    space: string;
    /** Identifier of the page. It may no longer exist. */
    page: string;
    /**
     * Format: uri
     *
     * URL of the page when it was rated.
     */
    url: string;
    /** Rating. */
    rating: PageFeedbackRating;
    /** Comment. Omitted if the reader wrote none. */
    comment?: string;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
};
/** One page of a list. */
export type SiteFeedbackList = {
    /** Items of this page. */
    items: SiteFeedback[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Footer below each page. */
export type SiteFooter = {
    /** Logo. */
    logo?: ThemedImage;
    /** Groups of links, in order. */
    groups: SiteFooterGroup[];
    /** Copyright notice. */
    copyright?: ShortText;
};
/** Group of links under a heading. */
export type SiteFooterGroup = {
    /** Heading. */
    title: ShortText;
    /** Links, in order. */
    links: SiteLink[];
};
/** Links to the source of pages in Git. */
export type SiteGit = {
    /** Whether each page links to its source. */
    showEditLink: boolean;
};
/** Header above each page. */
export type SiteHeader = {
    /**
     * Style of the header. With `none`, the title, search and theme switch scroll with the page, and the links are not
     * shown next to them.
     */
    preset: "default" | "bold" | "contrast" | "custom" | "none";
    /** Logo. */
    logo?: ThemedImage;
    /** Background color. Applies if `preset` is `custom`. */
    backgroundColor?: ThemedColor;
    /** Color of the links. Applies if `preset` is `custom`. */
    linkColor?: ThemedColor;
    /** Links, in order. */
    links: SiteHeaderLink[];
};
/** Link in the header, with or without nested links. */
export type SiteHeaderLink = {
    /** Label. */
    title: ShortText;
    /** Target of the link. */
    to: ContentRef | null;
    /** Style of the link. */
    style?: "link" | "button-primary" | "button-secondary";
    /** Nested links. */
    links?: SiteLink[];
};
/** Icon of a site: a pair of images, an emoji, or none. */
export type SiteIcon = SiteImageIcon | SiteEmojiIcon | SiteNoIcon;
/** Icon that consists of an image for each color theme. */
export type SiteImageIcon = {
    /** Images. */
    icon: ThemedImage;
};
/** Initial content of a space created for a new site. */
export type SiteInitialSpaceContent = "sample" | "empty";
/** Initial spaces of a new site. */
export type SiteInitialSpaces = InitialSpaceIds | SiteInitialSpaceContent;
/** Measurement of visits. */
export type SiteInsights = {
    /** Whether a cookie distinguishes returning visitors from new ones. */
    trackingCookie: boolean;
};
/** Event of a visitor, with any other fields. */
export type SiteInsightsEvent = {
    /** Type, such as `page_view`. */
    type: ShortText;
} & {
    [key: string]: unknown;
};
/**
 * Events of visitors of a site.
 * @example {
 *   "events": [
 *     {
 *       "type": "page_view"
 *     }
 *   ]
 * }
 */
export type SiteInsightsEvents = {
    /** Events. */
    events: SiteInsightsEvent[];
};
/** Installation on a site. */
export type SiteInstallation = {
    /** Name of the integration. */
    integration: string;
    /** Identifier of the installation. */
    installation: string;
    /** Current status on the space or site. */
    status: InstallationStatus;
    /** Values of the settings on the space or site, by name. Empty for callers who cannot change them. */
    configuration: {
        [key: string]: unknown;
    };
    /** Identifiers that the integration uses for the installation. */
    externalIds: string[];
    /** URLs of the installation on the space or site. */
    urls: ContentInstallationUrls;
    /** Identifier of the site, or the complete site. */
    site: string | Site;
};
/**
 * Site to install an integration on.
 * @example {
 *   "site": "site_docs"
 * }
 */
export type SiteInstallationCreate = {
    /** Identifier of the site, in the organization of the installation. */
    site: Identifier;
};
/** Removal of an installation from a site. */
export type SiteInstallationDeletedEvent = {
    /** Type of the event. */
    type: "site_installation_deleted";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the site. */
    siteId: string;
    /** State before the removal. */
    previous: DeletedInstallation;
};
/** One page of a list. */
export type SiteInstallationList = {
    /** Items of this page. */
    items: SiteInstallation[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Creation of an installation on a site, or change of its settings. */
export type SiteInstallationSetupEvent = {
    /** Type of the event. */
    type: "site_installation_setup";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the site. */
    siteId: string;
    /** Status of the installation. */
    status: InstallationStatus;
    /** State before the change. Omitted if the installation is new. */
    previous?: InstallationSnapshot;
};
/** Language of spaces without a language of their own: of their content, and of everything else on their pages. */
export type SiteInternationalization = {
    /** Language. */
    locale: Language;
};
/** Link with a label. */
export type SiteLink = {
    /** Label. */
    title: ShortText;
    /** Target of the link. */
    to: ContentRef | null;
};
/** One page of a list. */
export type SiteList = {
    /** Items of this page. */
    items: Site[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Empty object: no icon is chosen. */
export type SiteNoIcon = Record<string, never>;
/** Action of readers on a whole page. `assistant` follows `ai.mode`; `mcp` has no effect. */
export type SitePageAction = "assistant" | "external-ai" | "markdown" | "mcp" | "git" | "pdf";
/** Actions of readers on a whole page. */
export type SitePageActions = {
    /** Whether readers can send the page to an external assistant. Has no effect. */
    externalAI?: boolean;
    /** Whether pages link to their Markdown. Has no effect if the site excludes agents. */
    markdown?: boolean;
    /** Enabled actions, in order: the default of `externalAI`, `markdown`, `git` and `pdf`, which take precedence. */
    items?: SitePageAction[];
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "title": "Developer handbook",
 *   "visibility": "unlisted"
 * }
 */
export type SitePatch = {
    /** Title. */
    title?: SiteTitle;
    /** Audience of the site once it is published. */
    visibility?: SiteVisibility;
    /** Path segment that identifies the site on a shared hostname. */
    basename?: PathSegment;
    /** Access of agents to the site. */
    agentsContext?: SiteAgentsContext;
    /** Adaptive content settings. */
    adaptiveContent?: SiteAdaptiveContent;
    /** Identifier of the site space to show first, at the root or in the default section. */
    defaultSiteSpace?: Identifier;
    /** Identifier of the section to show first. */
    defaultSiteSection?: Identifier;
    /** Hostname and path at which another server proxies the site. `null` removes the proxy. */
    proxy?: ProxyOrigin | null;
};
/** Permissions of the caller on a site. Those on the content are the `permissions` of each space. */
export type SitePermissions = {
    /** Whether the caller can view the site. */
    view: boolean;
    /** Whether the caller can open the site in the app. */
    access: boolean;
    /** Whether the caller can change the structure. Always equal to `create`: changes of a structure have no drafts. */
    edit: boolean;
    /** Whether the caller can change the structure, publish the site and manage its share links and redirects. */
    create: boolean;
    /** Whether the caller can change the settings and customization of the site and delete it. */
    admin: boolean;
    /** Whether the caller can install integrations on the site. */
    installIntegration: boolean;
    /** Whether the caller can view the adaptive schema. */
    viewAdaptiveSchema: boolean;
    /** Whether the caller can replace the adaptive schema. */
    editAdaptiveSchema: boolean;
};
/** Prices per site. */
export type SitePricing = {
    /** Price of a premium site. */
    premium: Price;
    /** Price of an ultimate site. */
    ultimate: Price;
};
/** Reverse proxy in front of a site. */
export type SiteProxy = {
    /** Hostname and path that visitors use. */
    origin: string;
    /** URL that the proxy requests. */
    target: string;
};
/** Authentication of the visitors of a site whose visibility is `visitor-auth`. */
export type SitePublishingAuth = {
    /** Object type. */
    object: "publishing-auth";
    /** Key that signs visitor tokens (HS256), as UTF-8 text. Keep it secret. */
    privateKey: string;
    /** Authentication backend. */
    backend: VisitorAuthBackend;
    /** Name of the integration that authenticates visitors. Omitted for `custom`. */
    integration?: string;
    /**
     * Format: uri
     *
     * URL that visitors without a token are redirected to, also if the integration does not respond. Visitors whose token
     * has expired or is invalid receive a page with the status 401 instead. Omitted if it is not set.
     */
    fallbackURL?: string;
};
/**
 * Fields to update. Omitted fields are unchanged. The backend `integration` requires the name of the integration.
 * @example {
 *   "fallbackURL": "https://accounts.example.com/login"
 * }
 */
export type SitePublishingAuthPatch = SitePublishingCustomAuthPatch | SitePublishingIntegrationAuthPatch;
/** Authentication by a backend of the owner. */
export type SitePublishingCustomAuthPatch = {
    /** Authentication backend. `custom` removes the integration. */
    backend?: "custom";
    /** URL that visitors without a token are redirected to. `null` removes it. */
    fallbackURL?: AbsoluteUrl | null;
};
/** Authentication by an integration. */
export type SitePublishingIntegrationAuthPatch = {
    /** Authentication backend. */
    backend?: "integration";
    /** Name of an integration that is installed in the organization and has the scope `site:visitor:auth`. */
    integration: ShortText;
    /** URL that visitors without a token are redirected to. `null` removes it. */
    fallbackURL?: AbsoluteUrl | null;
};
/**
 * Question about the content of a site.
 * @example {
 *   "question": "How do I install it?",
 *   "scope": {
 *     "mode": "default"
 *   }
 * }
 */
export type SiteQuestion = {
    /** Question. Only the first 200 characters are searched for. */
    question: string;
    /** Part of the site that answers it. */
    scope: SiteSearchScope;
    /** Information about the question, with any fields. It is ignored. */
    context?: {
        [key: string]: unknown;
    };
    /** Session of the visitor, with any fields. It is ignored. */
    session?: {
        [key: string]: unknown;
    };
};
/** Redirect from a path of a site that no page has. */
export type SiteRedirect = {
    /** Object type. */
    object: "site-redirect";
    /** Identifier. */
    id: string;
    /** Path below the URL of the site. */
    source: string;
    /** Whether the redirect is not in effect. */
    draft: boolean;
    /** Whether what the wildcard of the source matches is appended to the destination. */
    captureWildcard: boolean;
    /** Whether the redirect of a public site is permanent (308). Otherwise it is temporary (307). */
    permanent: boolean;
    /** Destination. */
    destination: SiteRedirectDestination;
    /**
     * Format: date-time
     *
     * Time of creation. Omitted for redirects of imported repositories and of earlier paths of pages.
     */
    createdAt?: string;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted if there was none.
     */
    updatedAt?: string;
    /** URLs of the redirect. Omitted for redirects of imported repositories and of earlier paths of pages. */
    urls?: ResourceUrls;
};
/**
 * Redirect to create.
 * @example {
 *   "source": "/getting-started",
 *   "destination": {
 *     "kind": "external",
 *     "url": "https://example.com/start"
 *   }
 * }
 */
export type SiteRedirectCreate = {
    /** Path below the URL of the site. */
    source: SiteRedirectSource;
    /** Destination. */
    destination: SiteRedirectDestination;
    /**
     * Whether the redirect is not in effect.
     * @default false
     */
    draft?: boolean;
    /**
     * Whether what the wildcard of the source matches is appended to the destination.
     * @default false
     */
    captureWildcard?: boolean;
    /**
     * Whether the redirect of a public site is permanent.
     * @default false
     */
    permanent?: boolean;
};
/** Destination of a redirect. */
export type SiteRedirectDestination = SiteRedirectSectionDestination | SiteRedirectSpaceDestination | SiteRedirectPageDestination | SiteRedirectExternalDestination;
/** Any URL. */
export type SiteRedirectExternalDestination = {
    /** Type of the destination. */
    kind: "external";
    /** URL. */
    url: AbsoluteUrl;
};
/** One page of a list. */
export type SiteRedirectList = {
    /** Items of this page. */
    items: SiteRedirect[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Page of a site space. */
export type SiteRedirectPageDestination = {
    /** Type of the destination. */
    kind: "site-page";
    /** Identifier of the site space. */
    siteSpaceId: Identifier;
    /** Identifier of the page. A redirect to a page that does not exist has no effect. */
    pageId: Identifier;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "permanent": true
 * }
 */
export type SiteRedirectPatch = {
    /** Path below the URL of the site. */
    source?: SiteRedirectSource;
    /** Destination. */
    destination?: SiteRedirectDestination;
    /** Whether the redirect is not in effect. */
    draft?: boolean;
    /** Whether what the wildcard of the source matches is appended to the destination. */
    captureWildcard?: boolean;
    /** Whether the redirect of a public site is permanent. */
    permanent?: boolean;
};
/** Section of the site. */
export type SiteRedirectSectionDestination = {
    /** Type of the destination. */
    kind: "site-section";
    /** Identifier of the section. */
    siteSectionId: Identifier;
};
/**
 * Path below the URL of a site, percent-encoded. It can end with a wildcard: `/docs/*` stands for all paths below `/docs`,
 * and `/docs*` for all that start with it.
 */
export type SiteRedirectSource = string;
/** Site space. */
export type SiteRedirectSpaceDestination = {
    /** Type of the destination. */
    kind: "site-space";
    /** Identifier of the site space. */
    siteSpaceId: Identifier;
};
/**
 * Search in a published site.
 * @example {
 *   "query": "install",
 *   "scope": {
 *     "mode": "all"
 *   }
 * }
 */
export type SiteSearch = {
    /** Words to search for, as in a search of a space. Only the first 200 characters are used. */
    query: string;
    /** Part of the site to search. Default: one variant of each section. */
    scope?: SiteSearchScope;
    /** Scope of earlier clients, unless `scope` is set: `current` is `default`, with the site space of `siteSpaceId`. */
    mode?: "all" | "current" | "specific";
    /** Identifier of the current site space, for the mode `current`. */
    siteSpaceId?: Identifier;
    /** Identifiers of the site spaces to search, for the mode `specific`, which is then the default. */
    siteSpaceIds?: Identifier[];
};
/** Page or group that contains a page with matches. */
export type SiteSearchAncestor = {
    /** Title. */
    title: string;
};
/** One variant of each section: that of the current site space, or in its language, or the default one. */
export type SiteSearchDefaultScope = {
    /** Type of the scope. */
    mode: "default";
    /** Identifier of the site space that the search is made from. */
    currentSiteSpace?: Identifier;
    /** Part of these variants to search. Ignored without `currentSiteSpace`. Default: all of them. */
    restrictTo?: "currentSiteSpace" | "otherSiteSpaces";
};
/** Page with matches. */
export type SiteSearchPage = {
    /** Identifier of the page. */
    id: string;
    /** Title. */
    title: string;
    /** Description. Empty if the page has none. */
    description: string;
    /** Path of the page within its space. */
    path: string;
    /**
     * Format: double
     *
     * Relevance: higher is better.
     */
    score: number;
    /**
     * Format: int32
     *
     * Position among the pages of all spaces, counted from 1.
     */
    rank: number;
    /** The best of the sections with matches, up to 3, best match first. */
    sections: SiteSearchSection[];
    /** Pages and groups that contain the page, from the root to its parent. */
    ancestors: SiteSearchAncestor[];
    /** URLs of the page. */
    urls: SiteSearchUrls;
};
/** Results of a search in a published site. */
export type SiteSearchResults = {
    /** Spaces with matches, the one with the best match first. */
    items: SiteSearchSpace[];
    /**
     * Format: int32
     *
     * Total number of pages with matches, of which at most 30 are returned.
     */
    count: number;
};
/** Part of a published site that is searched. */
export type SiteSearchScope = SiteSearchDefaultScope | SiteSearchSpecificScope | SiteSearchWholeScope;
/** Section of a page with matches. */
export type SiteSearchSection = {
    /** Identifier of the section. */
    id: string;
    /** Heading. */
    title: string;
    /** Path of the section: the path of its page and its anchor. */
    path: string;
    /**
     * Format: double
     *
     * Relevance: higher is better.
     */
    score: number;
    /** Text of the section. Of a text with more than 300 characters, an excerpt around the first match, or its start. */
    body: string;
    /** URLs of the section. */
    urls: SiteSearchUrls;
};
/** Space with matches. */
export type SiteSearchSpace = {
    /** Type of the result. */
    type: "space";
    /** Identifier of the space. */
    id: string;
    /** Title. */
    title: string;
    /**
     * Format: double
     *
     * Relevance: higher is better.
     */
    score: number;
    /** Pages with matches, best match first. */
    pages: SiteSearchPage[];
};
/** Some site spaces. */
export type SiteSearchSpecificScope = {
    /** Type of the scope. */
    mode: "specific";
    /** Identifiers of the site spaces. Those that the caller does not see are ignored. */
    siteSpaceIds: Identifier[];
};
/** URLs of a search result. */
export type SiteSearchUrls = {
    /**
     * Format: uri
     *
     * URL of the search result on the site.
     */
    app: string;
};
/** All site spaces. */
export type SiteSearchWholeScope = {
    /** Type of the scope. */
    mode: "all";
};
/** Section: a part of a site, shown in one or more variants. */
export type SiteSection = {
    /** Object type. */
    object: "site-section";
    /** Identifier. */
    id: string;
    /** Title. */
    title: SiteTitle;
    /** Description. */
    description?: SectionDescription;
    /** Whether the section is shown first. */
    default?: boolean;
    /** Whether the section is a draft, which visitors do not see. Always `false`: there are no drafts. */
    draft: boolean;
    /** Path on the site. */
    path: PathSegment;
    /** Condition under which a visitor sees the section. */
    condition?: VisitorCondition;
    /** Identifier of the section group that contains the section. */
    sectionGroup?: string;
    /** Name of the icon. */
    icon?: IconName;
    /** Variants. */
    siteSpaces: SiteSpace[];
    /** URLs of the section. */
    urls: PublishedUrls;
};
/**
 * Section to create.
 * @example {
 *   "spaceId": "spc_handbook",
 *   "title": "Handbook",
 *   "icon": "book"
 * }
 */
export type SiteSectionCreate = {
    /** Identifier of the space that becomes the first variant. */
    spaceId: Identifier;
    /** Title. `null`, the default, is the title of the space. */
    title?: SiteTitle | null;
    /** Name of the icon. `null`, the default, is no icon. */
    icon?: IconName | null;
};
/** Section group: several sections of a site under one heading. */
export type SiteSectionGroup = {
    /** Object type. */
    object: "site-section-group";
    /** Identifier. */
    id: string;
    /** Title. */
    title: SectionGroupTitle;
    /** Whether the section group is a draft, which visitors do not see. Always `false`: there are no drafts. */
    draft: boolean;
    /** Sections, in order. Equal to `children`. */
    sections: SiteSection[];
    /** Entries of the group, in order: sections, since groups contain no other entries. */
    children: SiteSection[];
    /** Name of the icon. */
    icon?: IconName;
};
/**
 * Section to add to a section group.
 * @example {
 *   "sectionId": "sec_api"
 * }
 */
export type SiteSectionGroupAddition = {
    /** Identifier of the section. */
    sectionId: Identifier;
};
/**
 * Section group to create.
 * @example {
 *   "title": "Products",
 *   "icon": "box",
 *   "sections": [
 *     "sec_app",
 *     "sec_api"
 *   ]
 * }
 */
export type SiteSectionGroupCreate = {
    /** Title. */
    title: SectionGroupTitle;
    /** Name of the icon. `null`, the default, is no icon. */
    icon?: IconName | null;
    /** Identifiers of the sections to move into the group. */
    sections?: Identifier[];
};
/** One page of a list. */
export type SiteSectionGroupList = {
    /** Items of this page. */
    items: SiteSectionGroup[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * New position of a section group.
 * @example {
 *   "position": {
 *     "after": {
 *       "type": "site-section",
 *       "id": "sec_app"
 *     }
 *   }
 * }
 */
export type SiteSectionGroupMove = {
    /** New position. Default: the last position. */
    position?: SiteSectionGroupPosition;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "title": "Products",
 *   "icon": "box"
 * }
 */
export type SiteSectionGroupPatch = {
    /** Title. */
    title?: SectionGroupTitle;
    /** Name of the icon. `null` removes the icon. */
    icon?: IconName | null;
};
/** Reference to a section group or an ungrouped section. */
export type SiteSectionGroupPointer = {
    /** Type of the sibling. */
    type: "site-section" | "site-section-group";
    /** Identifier of the section or section group. */
    id: Identifier;
};
/** Position among section groups and ungrouped sections. Without `before` and `after`, it is the last position. */
export type SiteSectionGroupPosition = {
    /** Sibling to insert before. */
    before?: SiteSectionGroupPointer;
    /** Sibling to insert after. */
    after?: SiteSectionGroupPointer;
};
/** One page of a list. */
export type SiteSectionList = {
    /** Items of this page. */
    items: SiteSection[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * New position of a section.
 * @example {
 *   "position": {
 *     "before": {
 *       "type": "site-section",
 *       "siteSection": "sec_app"
 *     }
 *   }
 * }
 */
export type SiteSectionMove = {
    /** New position. Default: the last position. */
    position?: SiteSectionPosition;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "title": "API reference",
 *   "path": "api"
 * }
 */
export type SiteSectionPatch = {
    /** Title. */
    title?: SiteTitle;
    /** Path on the site. */
    path?: PathSegment;
    /** Identifier of the variant to show first. */
    defaultSiteSpace?: Identifier;
    /** Condition under which a visitor sees the section. `null` shows it to every visitor. */
    condition?: VisitorCondition | null;
    /** Name of the icon. `null` removes the icon. */
    icon?: IconName | null;
    /** Description. `null` removes the description. */
    description?: SectionDescription | null;
};
/** Reference to a sibling section. */
export type SiteSectionPointer = {
    /** Type of the sibling. */
    type: "site-section";
    /** Identifier of the section. */
    siteSection: Identifier;
};
/** Position among sections. Without `before` and `after`, it is the last position. */
export type SiteSectionPosition = {
    /** Sibling to insert before. */
    before?: SiteSectionPointer;
    /** Sibling to insert after. */
    after?: SiteSectionPointer;
};
/** Sidebar with the list of pages. */
export type SiteSidebar = {
    /** Background. */
    background: "default" | "filled";
    /** Style of the selected page. */
    list: "default" | "pill" | "line";
};
/** Account of the owner of a site on another service. */
export type SiteSocialAccount = {
    /** Service. */
    platform: "twitter" | "instagram" | "facebook" | "linkedin" | "github" | "discord" | "slack" | "youtube" | "tiktok" | "reddit" | "bluesky" | "mastodon" | "threads" | "medium";
    /** Name of the account, without a prefix such as `@`. */
    handle: string;
    /** Places that link to the account. */
    display: SiteSocialAccountDisplay;
};
/** Places that link to an account. */
export type SiteSocialAccountDisplay = {
    /** Whether the footer links to it. */
    footer: boolean;
    /** Whether the header links to it. */
    header: boolean;
};
/** Site space: a space as shown on a site, at the root or as a variant of a section. */
export type SiteSpace = {
    /** Object type. */
    object: "site-space";
    /** Identifier. */
    id: string;
    /** Path on the site. */
    path: PathSegment;
    /** Identifier of the section that contains this variant. */
    section?: string;
    /** Space that is shown. */
    space: Space;
    /** Title on the site. */
    title: string;
    /** Whether the site space is the default of the site: that of the root, or of the default section. */
    default?: boolean;
    /** Whether the site space is a draft, which visitors do not see. Always `false`: there are no drafts. */
    draft: boolean;
    /** Condition under which a visitor sees the site space. */
    condition?: VisitorCondition;
    /** Whether the site space can have its own customization. */
    hasAdvancedCustomizationFeature?: boolean;
    /** URLs of the site space. */
    urls: PublishedUrls;
};
/**
 * Space to add to a site.
 * @example {
 *   "spaceId": "spc_handbook"
 * }
 */
export type SiteSpaceCreate = {
    /** Identifier of the space. */
    spaceId: Identifier;
    /** Identifier of the section. Default: the default section, or the root of a site without sections. */
    sectionId?: Identifier;
};
/** One page of a list. */
export type SiteSpaceList = {
    /** Items of this page. */
    items: SiteSpace[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/**
 * New position of a site space.
 * @example {
 *   "position": {
 *     "after": {
 *       "type": "site-space",
 *       "siteSpace": "ssp_guide"
 *     }
 *   }
 * }
 */
export type SiteSpaceMove = {
    /** New position. Default: the last position. */
    position?: SiteSpacePosition;
};
/**
 * Fields to update. Omitted fields are unchanged.
 * @example {
 *   "path": "handbook"
 * }
 */
export type SiteSpacePatch = {
    /** Path on the site. */
    path?: PathSegment;
    /** Condition under which a visitor sees the site space. `null` shows it to every visitor. */
    condition?: VisitorCondition | null;
    /** Identifier of the space to show. */
    spaceId?: Identifier;
};
/** Reference to a sibling site space. */
export type SiteSpacePointer = {
    /** Type of the sibling. */
    type: "site-space";
    /** Identifier of the site space. */
    siteSpace: Identifier;
};
/** Position among site spaces. Without `before` and `after`, it is the last position. */
export type SiteSpacePosition = {
    /** Sibling to insert before. */
    before?: SiteSpacePointer;
    /** Sibling to insert after. */
    after?: SiteSpacePointer;
};
/**
 * Entry to move, and its new position.
 * @example {
 *   "item": {
 *     "type": "site-section",
 *     "id": "sec_api"
 *   },
 *   "position": {
 *     "before": {
 *       "type": "site-section",
 *       "id": "sec_app"
 *     }
 *   }
 * }
 */
export type SiteStructureSort = {
    /** Entry to move. */
    item: SiteEntryPointer;
    /** New position among its siblings. */
    position: SiteEntryPosition;
};
/** Colors, font and shapes of a site. */
export type SiteStyling = {
    /** Overall theme. `muted` and `gradient` change the backgrounds, `bold` the default header. */
    theme: "clean" | "muted" | "bold" | "gradient";
    /** Color of links and of selected items. */
    primaryColor: ThemedColor;
    /** Color of informational hints. */
    infoColor: ThemedColor;
    /** Color of success hints. */
    successColor: ThemedColor;
    /** Color of warning hints. */
    warningColor: ThemedColor;
    /** Color of danger hints. */
    dangerColor: ThemedColor;
    /** Color that tints all backgrounds, in place of those of `theme` and `background`. */
    tint?: SiteTint;
    /** Shape of corners. */
    corners: "straight" | "rounded" | "circular";
    /** Subtle shadows, or none. */
    depth: "subtle" | "flat";
    /** Style of links in text: in the primary color, or in the color of the text and underlined in the primary color. */
    links: "default" | "accent";
    /**
     * Name of the font: `Inter`, `Merriweather`, `OpenSans`, `Roboto` or `SourceSansPro`. Names with spaces are returned
     * without. Any other name selects the font of the system of the reader.
     */
    font: ShortText;
    /**
     * Name of the font for code: `FiraCode`, `IBMPlexMono`, `JetBrainsMono` or `SourceCodePro`. Names with spaces are
     * returned without. Any other name selects the font of the system of the reader.
     */
    monospaceFont: ShortText;
    /** Colors of code. Has no effect: code has the colors of the theme. `default-light` and `default-dark` by default. */
    codeTheme?: SiteCodeThemes;
    /** Background of pages. */
    background: "plain" | "match";
    /**
     * Style of icons. `duotone` is shown as `solid`, `thin` and `light` as `regular`, and icons that exist only as `solid`
     * are shown as such.
     */
    icons: "regular" | "solid" | "duotone" | "thin" | "light";
    /** Sidebar with the list of pages. */
    sidebar: SiteSidebar;
    /** Prominence of the search field. */
    search: "prominent" | "subtle";
};
/** Initial theme, and whether readers can switch it. */
export type SiteThemes = {
    /** Theme on the first visit. */
    default: "light" | "dark" | "system";
    /** Whether readers can switch the theme. */
    toggeable: boolean;
};
/** Color that tints all backgrounds. */
export type SiteTint = {
    /** Color. */
    color: ThemedColor;
};
/** Title of a site or section. */
export type SiteTitle = string;
/** Feature that can be enabled or disabled. */
export type SiteToggle = {
    /** Whether the feature is enabled. */
    enabled: boolean;
};
/** Plan of a site. */
export type SiteType = "basic" | "premium" | "ultimate" | "sponsored" | "legacy-basic" | "legacy-premium";
/** Optional URL. */
export type SiteUrlSetting = {
    /** URL. Omitted if it is not set. */
    url?: AbsoluteUrl;
};
/** URLs of a site. */
export type SiteUrls = {
    /**
     * Format: uri
     *
     * URL of the site in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the site in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the published site. Omitted if the site is not published.
     */
    published?: string;
};
/** View of a page of a published site. Requires `site:views:read`. */
export type SiteViewEvent = {
    /** Type of the event. */
    type: "site_view";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the site. */
    siteId: string;
    /** Identifier of the space. */
    spaceId?: string;
    /** Identifier of the site space. */
    siteSpaceId?: string;
    /** Identifier of the page. */
    pageId?: string;
    /** Visitor. */
    visitor: EventVisitor;
    /** URL of the page. */
    url: string;
    /** Referring URL. */
    referrer: string;
};
/** Audience of a published site. */
export type SiteVisibility = "public" | "unlisted" | "share-link" | "visitor-auth";
/** Change of a size in bytes. */
export type SizeChange = {
    /**
     * Format: int64
     *
     * Previous value, if any.
     */
    before?: number;
    /**
     * Format: int64
     *
     * New value, if any.
     */
    after?: number;
};
/** Space: a set of pages with a history. */
export type Space = {
    /** Object type. */
    object: "space";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /** Emoji displayed next to the title. Empty if there is none. */
    emoji: string;
    /** Visibility. */
    visibility: SpaceVisibility;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last update of the space or its content.
     */
    updatedAt: string;
    /**
     * Format: date-time
     *
     * Time of deletion. The space can be restored for 7 days.
     */
    deletedAt?: string;
    /** Edit mode. */
    editMode?: SpaceEditMode;
    /** URLs of the space. */
    urls: SpaceUrls;
    /** Identifier of the organization that owns the space. */
    organization: string;
    /** Identifier of the parent collection. Omitted at the root. */
    parent?: string;
    /** Language of the content. */
    language?: Language;
    /** Git repository that the space is synchronized with. */
    gitSync?: GitInfo;
    /** Authentication of visitors. */
    visitorAuth?: VisitorAuth;
    /** Identifier of the revision that is visible to readers. */
    revision: string;
    /** Role of every member in the space: the level set on the space, or the inherited one. */
    defaultLevel: Role;
    /**
     * Format: int32
     *
     * Number of open comments.
     */
    comments: number;
    /**
     * Format: int32
     *
     * Number of change requests.
     */
    changeRequests: number;
    /**
     * Format: int32
     *
     * Number of open change requests.
     */
    changeRequestsOpen: number;
    /**
     * Format: int32
     *
     * Number of draft change requests.
     */
    changeRequestsDraft: number;
    /** Permissions of the caller. */
    permissions: SpacePermissions;
};
/** Space to create with computed content. */
export type SpaceComputedCreate = {
    /** Title. Default: `Untitled`. */
    title?: ContentTitle;
    /** Emoji to display next to the title. */
    emoji?: IconName;
    /** Identifier of the parent collection. Default: the root of the organization. */
    parent?: Identifier;
    /** Language of the content. */
    language?: Language;
    /** Edit mode. */
    editMode?: SpaceEditMode;
    /** Source to compute the content from. */
    computedSource: ComputedRevisionSource;
};
/** Component in the settings of an installation on a space. */
export type SpaceConfigurationContext = {
    /** Type of the context. */
    type: "configuration_space";
    /** Color theme around the component. */
    theme: "dark" | "light";
    /** Identifier of the space. */
    spaceId: Identifier;
};
/** Change of the primary content of a space. Requires `space:content:read`. */
export type SpaceContentUpdatedEvent = {
    /** Type of the event. */
    type: "space_content_updated";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** Identifier of the new revision. */
    revisionId: string;
    /** Users who updated the content. */
    updatedBy: User[];
};
/**
 * Space to create. It is initially empty, or filled from a template or a computed source, but not both.
 * @example {
 *   "title": "User guide",
 *   "emoji": "📘",
 *   "parent": "col_products",
 *   "language": "en"
 * }
 */
export type SpaceCreate = SpaceTemplateCreate | SpaceComputedCreate;
/** Edit mode of a space. */
export type SpaceEditMode = "live" | "locked";
/** Fields to update in a space that displays an emoji, or nothing, next to its title. */
export type SpaceEmojiPatch = {
    /** Title. */
    title?: ContentTitle;
    /** Role of every member in the space. `null` and `inherit` inherit the role from the parent. */
    defaultLevel?: DefaultLevel | null;
    /** Language of the content. */
    language?: Language;
    /** Edit mode. */
    editMode?: SpaceEditMode;
    /** Emoji to display next to the title, instead of an icon. `null` removes the emoji. */
    emoji?: IconName | null;
    /** URL of the icon. Must be `null`, which removes the icon. */
    icon?: null;
};
/** End of a synchronization of a space with Git. Requires `space:git:sync`. */
export type SpaceGitSyncCompletedEvent = {
    /** Type of the event. */
    type: "space_gitsync_completed";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** Identifier of the revision. */
    revisionId: string;
    /** Identifier of the commit. */
    commitId: string;
    /** Result of the synchronization. */
    state: "success" | "failure";
};
/** Start of a synchronization of a space with Git. Requires `space:git:sync`. */
export type SpaceGitSyncStartedEvent = {
    /** Type of the event. */
    type: "space_gitsync_started";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** Identifier of the revision. */
    revisionId: string;
    /** Identifier of the commit. */
    commitId: string;
};
/** Fields to update in a space that displays an icon, or nothing, next to its title. */
export type SpaceIconPatch = {
    /** Title. */
    title?: ContentTitle;
    /** Role of every member in the space. `null` and `inherit` inherit the role from the parent. */
    defaultLevel?: DefaultLevel | null;
    /** Language of the content. */
    language?: Language;
    /** Edit mode. */
    editMode?: SpaceEditMode;
    /** Emoji. Must be `null`, which removes the emoji. */
    emoji?: null;
    /** URL of the icon to display next to the title, instead of an emoji. `null` removes the icon. */
    icon?: AbsoluteUrl | null;
};
/** Installation on a space. */
export type SpaceInstallation = {
    /** Name of the integration. */
    integration: string;
    /** Identifier of the installation. */
    installation: string;
    /** Current status on the space or site. */
    status: InstallationStatus;
    /** Values of the settings on the space or site, by name. Empty for callers who cannot change them. */
    configuration: {
        [key: string]: unknown;
    };
    /** Identifiers that the integration uses for the installation. */
    externalIds: string[];
    /** URLs of the installation on the space or site. */
    urls: ContentInstallationUrls;
    /** Identifier of the space, or the complete space. */
    space: string | Space;
};
/**
 * Space to install an integration on.
 * @example {
 *   "space": "spc_guide"
 * }
 */
export type SpaceInstallationCreate = {
    /** Identifier of the space, in the organization of the installation. */
    space: Identifier;
};
/** Removal of an installation from a space. */
export type SpaceInstallationDeletedEvent = {
    /** Type of the event. */
    type: "space_installation_deleted";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** State before the removal. */
    previous: DeletedInstallation;
};
/** One page of a list. */
export type SpaceInstallationList = {
    /** Items of this page. */
    items: SpaceInstallation[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Creation of an installation on a space, or change of its settings. */
export type SpaceInstallationSetupEvent = {
    /** Type of the event. */
    type: "space_installation_setup";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** Status of the installation. */
    status: InstallationStatus;
    /** State before the change. Omitted if the installation is new. */
    previous?: InstallationSnapshot;
};
/** Invite link to a space, as a guest. */
export type SpaceInvite = {
    /** Object type. */
    object: "invite";
    /** Identifier. It is also the secret of the invite link. */
    id: string;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** URLs of the invite link. */
    urls: ResourceUrls;
    /** Role in the space for users who join. */
    level: Role;
    /** Identifier of the space. */
    space: string;
};
/** Invite link to a space to create. */
export type SpaceInviteCreate = {
    /** Role in the space for users who join. */
    level: Role;
    /** Identifier of the space. */
    space: Identifier;
};
/** One page of a list. */
export type SpaceList = {
    /** Items of this page. */
    items: Space[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Location of a space. */
export type SpaceLocation = {
    /** Kind of the location. */
    kind: "space";
    /** Organization that owns the space. */
    organization: Organization;
    /** Space. */
    space: Space;
};
/** Space map of an organization. */
export type SpaceMap = {
    /** Object type. */
    object: "space-map";
    /** Spaces by their identifier on the platform that they were moved from. */
    spaceMap: SpacesByFormerId;
    /**
     * Format: date-time
     *
     * Time of the last update. Omitted if the map was never set.
     */
    updatedAt?: string;
};
/**
 * Space map to set.
 * @example {
 *   "spaceMap": {
 *     "aBc123dEf456gHi789jK": "spc_4fG7hJ2kL9mN"
 *   }
 * }
 */
export type SpaceMapUpdate = {
    /** Spaces by their identifier on the platform that they were moved from. */
    spaceMap: SpacesByFormerId;
};
/**
 * Fields to update. Omitted fields are unchanged. A space has an emoji or an icon, but not both.
 * @example {
 *   "title": "Handbook",
 *   "emoji": "📗"
 * }
 */
export type SpacePatch = SpaceEmojiPatch | SpaceIconPatch;
/** Permissions of the caller on a space. */
export type SpacePermissions = {
    /** Whether the caller can view the space. */
    view: boolean;
    /** Whether the caller can open the space in the app. */
    access: boolean;
    /** Whether the caller can update, move, delete and restore the space, and grant access to it. */
    admin: boolean;
    /** Whether the caller can view the invite links of the space. */
    viewInviteLinks: boolean;
    /** Whether the caller can edit the content. */
    edit: boolean;
    /** Whether the caller can start a Git import. */
    triggerGitSync: boolean;
    /** Whether the caller can comment. */
    comment: boolean;
    /** Whether the caller can merge change requests. */
    merge: boolean;
    /** Whether the caller can review change requests. */
    review: boolean;
    /** Whether the caller can install integrations in the space. */
    installIntegration: boolean;
};
/** Reference to a sibling space. */
export type SpacePointer = {
    /** Type of the sibling. */
    type: "space";
    /** Identifier of the space. */
    space: Identifier;
};
/** Reference to a space. */
export type SpaceRef = {
    /** Kind of the reference. */
    kind: "space";
    /** Identifier of the space. */
    space: Identifier;
};
/** Space to create, which is initially empty or filled from a template. */
export type SpaceTemplateCreate = {
    /** Title. Default: `Untitled`. */
    title?: ContentTitle;
    /** Emoji to display next to the title. */
    emoji?: IconName;
    /** Identifier of the parent collection. Default: the root of the organization. */
    parent?: Identifier;
    /** Language of the content. */
    language?: Language;
    /** Edit mode. */
    editMode?: SpaceEditMode;
    /** Template for the initial content. */
    template?: TemplateChoice;
};
/** URLs of a space. */
export type SpaceUrls = {
    /**
     * Format: uri
     *
     * URL of the space in this API.
     */
    location: string;
    /**
     * Format: uri
     *
     * URL of the space in the app.
     */
    app: string;
    /**
     * Format: uri
     *
     * URL of the space for its audience.
     */
    published?: string;
    /**
     * Format: uri
     *
     * URL of the space for the public.
     */
    public?: string;
    /**
     * Format: uri
     *
     * URL of the icon.
     */
    icon?: string;
};
/** View of a page of a space on a published site. Requires `space:views:read`. */
export type SpaceViewEvent = {
    /** Type of the event. */
    type: "space_view";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** Identifier of the page. */
    pageId?: string;
    /** Visitor. */
    visitor: EventVisitor;
    /** URL of the page. */
    url: string;
    /** Referring URL. */
    referrer: string;
};
/** Visibility of a space, determined by the sites that include it. */
export type SpaceVisibility = "public" | "unlisted" | "share-link" | "visitor-auth" | "in-collection" | "private";
/** Change of the visibility of a space. Requires `space:metadata:read`. */
export type SpaceVisibilityUpdatedEvent = {
    /** Type of the event. */
    type: "space_visibility_updated";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId: string;
    /** Identifier of the space. */
    spaceId: string;
    /** Previous visibility. */
    previousVisibility: SpaceVisibility;
    /** New visibility. */
    visibility: SpaceVisibility;
};
/**
 * Spaces of an organization by the identifier that they had on the platform that they were moved from: at most 1,000.
 * The identifier is the part of a URL after `/s/` or `/spaces/`, as in `https://app.gitbook.com/s/aBc123/setup`.
 */
export type SpacesByFormerId = {
    [key: string]: Identifier;
};
/** Option to sign in to an organization. */
export type SsoLogin = {
    /** Identifier of the SAML provider. */
    id: string;
    /** Display name of the SAML provider. */
    label: string;
    /**
     * Format: uri
     *
     * URL that starts the sign-in.
     */
    startURL: string;
};
/** Options to sign in to an organization. */
export type SsoLogins = {
    /** Sign-in options, one for each active provider. */
    items: SsoLogin[];
};
/** Step of a form. */
export type StepElement = {
    /** Type of the element. */
    type: "step";
    /** Identifier of the step. */
    id: string;
    /** Title. */
    title?: string;
    /** Elements of the step. */
    children: RenderElement[];
    /** Whether the reader can continue to the next step. */
    next?: boolean;
};
/** Form with steps. */
export type StepperElement = {
    /** Type of the element. */
    type: "stepper";
    /** Identifier of the current step. */
    activeStep: string;
    /** Action when the reader selects another step. */
    onStepChange: RenderAction;
    /** Action after the last step. */
    onComplete: RenderAction;
    /** Steps, in order. */
    children: StepElement[];
};
/** Subdomain under which the public content of an organization is served. */
export type Subdomain = {
    /** Object type. */
    object: "subdomain";
    /** Subdomain. */
    subdomain: SubdomainName;
    /** Owner of the subdomain. */
    target: SubdomainTarget;
    /** Whether the subdomain serves content. */
    isActive: boolean;
};
/** Subdomain. */
export type SubdomainName = string;
/** Owner of a subdomain. */
export type SubdomainTarget = {
    /** Type of the owner. */
    type: "organization";
    /** Identifier of the organization. */
    organization: string;
};
/** Switch. */
export type SwitchElement = {
    /** Type of the element. */
    type: "switch";
    /** Key of the state entry that contains whether the switch is on. */
    state: string;
    /** Whether the switch is initially on. */
    initialValue?: boolean;
    /** Whether the input is disabled. */
    disabled?: boolean;
    /** Action when the switch is toggled. */
    onValueChange?: RenderAction;
    /** Confirmation required before the action. */
    confirm?: RenderConfirmation;
};
/** Cell of a table. */
export type TableCell = {
    /** Identifier of the row. */
    record: ShortText;
    /** Identifier of the column. */
    definition: ShortText;
};
/** Change of the target of a link. */
export type TargetChange = {
    /** Previous value, if any. */
    before?: ContentRef;
    /** New value, if any. */
    after?: ContentRef;
};
/** Due task that the integration scheduled for itself. */
export type TaskEvent = {
    /** Type of the event. */
    type: "task";
    /** Identifier of the event. */
    eventId: string;
    /** Identifier of the installation. */
    installationId?: string;
    /** Task. */
    task: IntegrationTask;
};
/** Team: a named group of members that can be granted access together. */
export type Team = {
    /** Object type. */
    object: "team";
    /** Identifier. */
    id: string;
    /** Title. */
    title: string;
    /**
     * Format: int32
     *
     * Number of members.
     */
    members: number;
    /**
     * Format: int32
     *
     * Number of spaces that the team has access to.
     */
    spaces: number;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /** Permissions of the caller. */
    permissions: TeamPermissions;
};
/**
 * Team to create.
 * @example {
 *   "title": "Writers",
 *   "members": [
 *     "usr_ada",
 *     "usr_grace"
 *   ]
 * }
 */
export type TeamCreate = {
    /** Title. */
    title: TeamTitle;
    /** Identifiers of the initial members. The caller becomes the owner, whether listed or not. */
    members?: Identifier[];
};
/** Role granted to the members of a team. */
export type TeamGrant = {
    /** Granted role. */
    permission: Role;
    /** Team. */
    team: Team;
};
/** One page of a list. */
export type TeamGrantList = {
    /** Items of this page. */
    items: TeamGrant[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** One page of a list. */
export type TeamList = {
    /** Items of this page. */
    items: Team[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Member of a team. */
export type TeamMember = {
    /** Membership in the organization. */
    organization: Member;
    /** Membership in the team. */
    team: TeamMembership;
    /** Permissions of the caller on the member. */
    permissions: TeamMemberPermissions;
};
/** One page of a list. */
export type TeamMemberList = {
    /** Items of this page. */
    items: TeamMember[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Permissions of the caller on a member of a team. */
export type TeamMemberPermissions = {
    /** Whether the caller can read the member. */
    view: boolean;
};
/**
 * Membership to set.
 * @example {
 *   "role": "owner"
 * }
 */
export type TeamMemberSet = {
    /** Role in the team. If omitted, a current member keeps the role, and a new member gets the role `member`. */
    role?: TeamRole;
};
/**
 * Members to add to and remove from a team. A member in both lists is removed.
 * @example {
 *   "add": [
 *     "usr_ada"
 *   ],
 *   "remove": [
 *     "grace@example.com"
 *   ]
 * }
 */
export type TeamMembersUpdate = {
    /** Identifiers or email addresses of the members to add. Current members of the team keep their role. */
    add?: ShortText[];
    /** Identifiers or email addresses of the members to remove. Members who are not in the team are ignored. */
    remove?: ShortText[];
    /** Memberships by user identifier. Members who are not in the team are added. */
    memberships?: {
        [key: string]: TeamMembership;
    };
};
/** Membership of a user in a team. */
export type TeamMembership = {
    /** Role in the team. */
    role: TeamRole;
};
/**
 * Fields to update.
 * @example {
 *   "title": "Technical writers"
 * }
 */
export type TeamPatch = {
    /** Title. */
    title: TeamTitle;
};
/** Permissions of the caller on a team. */
export type TeamPermissions = {
    /** Whether the caller can manage the team and its members. */
    admin: boolean;
    /** Whether the caller can view the team and its members. */
    view: boolean;
};
/** Role of a member in a team. */
export type TeamRole = "owner" | "member";
/** Title of a team. */
export type TeamTitle = string;
/**
 * Template for the initial content:
 *
 * - `tpl_product_guide`: getting started with a product, its concepts and tasks. Its parameter `logo` is a `file` or a `url` reference.
 * - `tpl_api_reference`: an introduction to an API, and pages computed from its specification. Its parameter `specification` is an `openapi` reference.
 * - `tpl_handbook`: a team handbook, without parameters.
 * - `tpl_release_notes`: changes in each release and upgrade instructions, without parameters.
 * @example {
 *   "id": "tpl_handbook"
 * }
 */
export type TemplateChoice = {
    /** Identifier of the template. */
    id: Identifier;
    /** Values of the parameters of the template. */
    params?: TemplateParams;
};
/** Values of the parameters of a template. */
export type TemplateParams = {
    /** References by parameter name, one for each parameter of the template. */
    contentRefs?: {
        [key: string]: ContentRef;
    };
};
/** Change of a text. */
export type TextChange = {
    /** Previous value, if any. */
    before?: string;
    /** New value, if any. */
    after?: string;
};
/** Text. */
export type TextElement = {
    /** Type of the element. */
    type: "text";
    /** Plain text, and elements within it. */
    children: string | RenderInline[];
    /** Text style. */
    style?: "bold" | "italic" | "code" | "strikethrough";
};
/** Format of a text in a response. */
export type TextFormat = "document" | "markdown";
/** Text input. */
export type TextInputElement = {
    /** Type of the element. */
    type: "textinput";
    /** Key of the state entry that contains the text. */
    state: string;
    /** Initial text. */
    initialValue?: string;
    /** Text displayed while the input is empty. */
    placeholder?: string;
    /** Type of the input. */
    inputType?: "text" | "password" | "email";
    /** Whether the input has multiple lines. */
    multiline?: boolean;
    /** Whether the input is disabled. */
    disabled?: boolean;
};
/** Color for each theme. */
export type ThemedColor = {
    /** Color for the light theme. */
    light: Color;
    /** Color for the dark theme. */
    dark: Color;
};
/** Image for each color theme. */
export type ThemedImage = {
    /** URL of the image for the light theme. */
    light: AbsoluteUrl;
    /** URL of the image for the dark theme. */
    dark: AbsoluteUrl;
};
/**
 * Organization to transfer a space or collection to.
 * @example {
 *   "organization": "org_acme"
 * }
 */
export type TransferContent = {
    /** Identifier of the organization that becomes the owner. The space or collection moves to its root. */
    organization: Identifier;
};
/**
 * Translation: a space maintained in another language than its source. Text is translated; structure, code, links,
 * variables, paths and the anchors of headings are those of the source.
 */
export type Translation = {
    /** Object type. */
    object: "translation";
    /** Identifier. */
    id: string;
    /** Status of the last run. */
    status: TranslationStatus;
    /** Source of the translation. */
    source: TranslationSource;
    /** Target language. */
    language: Language;
    /**
     * Instructions for the translator. An empty document if there are none. List items of the form `term → translation`
     * and the first two columns of tables are a glossary; the translation service takes no other instructions.
     */
    instructions: Document;
    /** Location of the translated pages. Omitted before the first run. */
    result?: TranslationResult;
    /** Failure of the last run, which can be started again. Omitted if it has not failed. */
    failure?: RunFailure;
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last update.
     */
    updatedAt: string;
    /** Statistics of the runs. */
    stats: TranslationStats;
    /** Permissions of the caller. */
    permissions: TranslationPermissions;
    /** URLs of the translation. */
    urls: ResourceUrls;
};
/**
 * Translation to create.
 * @example {
 *   "source": {
 *     "space": "spc_handbook",
 *     "language": "en"
 *   },
 *   "language": "fr"
 * }
 */
export type TranslationCreate = {
    /** Target language. */
    language: Language;
    /**
     * Source of the translation. Default: the only space of the organization that has a language. If there is not exactly
     * one, the source is required.
     */
    source?: TranslationSource;
    /** Instructions for the translator. */
    instructions?: Document;
};
/** Translation that content is computed from. */
export type TranslationDependency = {
    /** Reference to the translation. */
    ref: TranslationRef;
};
/** One page of a list. */
export type TranslationList = {
    /** Items of this page. */
    items: Translation[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Original of a translated page. */
export type TranslationPageProps = {
    /** Identifier of the original space. */
    space: Identifier;
    /** Identifier of the original document. */
    document: Identifier;
};
/** Page computed by a translation. */
export type TranslationPageSource = {
    /** Type of the source. */
    type: "builtin:translation";
    /** Original of the page. */
    props: TranslationPageProps;
    /** Dependencies of the content, by name. */
    dependencies: {
        [key: string]: TranslationDependency;
    };
};
/** Permissions of the caller on a translation. */
export type TranslationPermissions = {
    /** Whether the caller can view the translation. */
    view: boolean;
    /** Whether the caller can update, run and delete the translation. */
    edit: boolean;
};
/** Reference to a translation of the organization. */
export type TranslationRef = {
    /** Kind of the reference. */
    kind: "translation";
    /** Identifier of the translation. */
    translation: Identifier;
};
/** Location of the translated pages. */
export type TranslationResult = {
    /** Identifier of the translated space. */
    space: string;
    /** Identifier of the revision that the last run created. */
    revision: string;
    /** Language of the translated space. */
    language: Language;
};
/** Pages computed by a translation. */
export type TranslationRevisionSource = {
    /** Type of the source. */
    type: "builtin:translation";
    /** Settings. A translation defines none. */
    props?: {
        [key: string]: unknown;
    };
    /** Dependencies of the content, by name. */
    dependencies: {
        [key: string]: TranslationDependency;
    };
};
/** Source of a translation. */
export type TranslationSource = {
    /** Identifier of the space. */
    space: Identifier;
    /** Language of the space. */
    language: Language;
};
/** Statistics of the runs of a translation. */
export type TranslationStats = {
    /**
     * Format: int32
     *
     * Number of runs.
     */
    runs: number;
    /**
     * Format: int32
     *
     * Number of words that all runs translated.
     */
    totalWords: number;
    /**
     * Format: int32
     *
     * Number of pages that all runs translated.
     */
    totalPages: number;
    /**
     * Format: double
     *
     * Duration of all runs, in seconds.
     */
    totalDuration: number;
    /**
     * Format: double
     *
     * Duration of the last run, in seconds.
     */
    latestRunDuration: number;
    /**
     * Format: int32
     *
     * Number of pages that the last run translated.
     */
    latestPages: number;
    /**
     * Format: int32
     *
     * Number of words that the last run translated.
     */
    latestWords: number;
};
/** Status of a run of a translation. */
export type TranslationStatus = "pending" | "running" | "completed";
/**
 * Fields to update.
 * @example {
 *   "instructions": {
 *     "object": "document",
 *     "data": {},
 *     "nodes": [
 *       {
 *         "object": "block",
 *         "type": "list-unordered",
 *         "data": {},
 *         "isVoid": false,
 *         "nodes": [
 *           {
 *             "object": "block",
 *             "type": "list-item",
 *             "data": {},
 *             "isVoid": false,
 *             "nodes": [
 *               {
 *                 "object": "block",
 *                 "type": "paragraph",
 *                 "data": {},
 *                 "isVoid": false,
 *                 "nodes": [
 *                   {
 *                     "object": "text",
 *                     "leaves": [
 *                       {
 *                         "object": "leaf",
 *                         "text": "space → espace",
 *                         "marks": []
 *                       }
 *                     ]
 *                   }
 *                 ]
 *               }
 *             ]
 *           }
 *         ]
 *       }
 *     ]
 *   }
 * }
 */
export type TranslationUpdate = {
    /** Instructions for the translator. */
    instructions: Document;
};
/** Status of a trial. */
export type TrialStatus = "notapplicable" | "none" | "active" | "ended" | "expired";
/** Action that a reader triggered, with the values of its fields: a `RenderAction` of the rendered element. */
export type TriggeredAction = {
    /** Name of the action. */
    action: ShortText;
} & {
    [key: string]: unknown;
};
/** Submits a pasted URL. */
export type UnfurlLinkAction = {
    /** Name of the action. */
    action: "@link.unfurl";
    /** URL. */
    url: string;
};
/** Change that updates or moves a page. Omitted fields are unchanged. */
export type UpdatePage = {
    /** Type of the change. */
    operation: "update_page";
    /** Identifier of the page, or the `ref` that an earlier change assigned to it. */
    page: Identifier;
    /**
     * New text. The Markdown of blocks that are equal to blocks of the current text is unchanged, so that a document can
     * be sent back with a few changes.
     */
    document?: DocumentInput;
    /** Title. */
    title?: EditedTitle;
    /** Last segment of the path. */
    slug?: PageSlug;
    /**
     * Identifier of the parent page or group, or the `ref` that an earlier change assigned to it. `null`, the default for
     * a new page, is the root of the tree.
     */
    into?: Identifier | null;
    /**
     * Format: int32
     *
     * Index among the pages of the parent, starting at 0. Default for a new or moved page: the end.
     */
    at?: number;
};
/** Updates the props of the block in the page. */
export type UpdatePropsAction = {
    /** Name of the action. */
    action: "@editor.node.updateProps";
    /** New props of the block. */
    props: {
        [key: string]: unknown;
    };
};
/** External URL. */
export type UrlLocation = {
    /** Kind of the location. */
    kind: "url";
    /** URL. */
    url: string;
};
/** Reference to an external URL. */
export type UrlRef = {
    /** Kind of the reference. */
    kind: "url";
    /** URL, as the author wrote it. */
    url: ShortText;
};
/** User: a person or a service account. */
export type User = {
    /** Object type. */
    object: "user";
    /** Identifier. */
    id: string;
    /** Display name. */
    displayName: string;
    /** Email address. Omitted if it is not visible to the caller. */
    email?: string;
    /** URL of the profile picture. */
    photoURL?: string;
    /** URLs of the user. */
    urls: ResourceUrls;
};
/** Access token of a user, without its secret. It acts for the user in all of their organizations. */
export type UserAccessToken = {
    /** Object type. */
    object: "access-token";
    /** Identifier. The secret cannot be derived from it. */
    id: string;
    /** Purpose of the token, as described by its creator. */
    label: string;
    /** Scopes that limit the token. Omitted for a token with all permissions of its user. */
    scopes?: AccessTokenScope[];
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last use, with a precision of one minute. Omitted if the token was never used.
     */
    lastUsedAt?: string;
    /**
     * Format: date-time
     *
     * Time of expiration. Omitted if the token does not expire.
     */
    expiresAt?: string;
};
/**
 * Access token to create.
 * @example {
 *   "label": "Nightly export",
 *   "scopes": [
 *     "read"
 *   ]
 * }
 */
export type UserAccessTokenCreate = {
    /** Purpose of the token, for later reviews of tokens. */
    label: string;
    /** Scopes that limit the token. If omitted, the token has all permissions of its user. */
    scopes?: AccessTokenScope[];
    /**
     * Format: date-time
     *
     * Time of expiration. It must be in the future. If omitted, the token does not expire.
     */
    expiresAt?: string;
};
/** One page of a list. */
export type UserAccessTokenList = {
    /** Items of this page. */
    items: UserAccessToken[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Access token with its secret. */
export type UserAccessTokenWithSecret = {
    /** Object type. */
    object: "access-token";
    /** Identifier. The secret cannot be derived from it. */
    id: string;
    /** Purpose of the token, as described by its creator. */
    label: string;
    /** Scopes that limit the token. Omitted for a token with all permissions of its user. */
    scopes?: AccessTokenScope[];
    /**
     * Format: date-time
     *
     * Time of creation.
     */
    createdAt: string;
    /**
     * Format: date-time
     *
     * Time of the last use, with a precision of one minute. Omitted if the token was never used.
     */
    lastUsedAt?: string;
    /**
     * Format: date-time
     *
     * Time of expiration. Omitted if the token does not expire.
     */
    expiresAt?: string;
    /**
     * Secret, to send as `Authorization: Bearer …`. It is returned only here and cannot be retrieved later. It matches
     * `^colophon_[0-9A-Za-z]{49}$`, and its last 6 characters are a checksum of the 43 before them.
     */
    token: string;
};
/** Role granted to a user. */
export type UserGrant = {
    /** Granted role. */
    permission: Role;
    /** User. */
    user: User;
};
/** One page of a list. */
export type UserGrantList = {
    /** Items of this page. */
    items: UserGrant[];
    /** Next page. Omitted on the last page, and if `limit` is `0`. */
    next?: NextPage;
    /**
     * Format: int32
     *
     * Number of items on all pages.
     */
    count?: number;
};
/** Location of a user. */
export type UserLocation = {
    /** Kind of the location. */
    kind: "user";
    /** User. */
    user: User;
};
/** Reference to a user. */
export type UserRef = {
    /** Kind of the reference. */
    kind: "user";
    /** Identifier of the user. */
    user: Identifier;
};
/** Change of the variables of a page. */
export type VariablesChange = {
    /** Previous value, if any. */
    before?: {
        [key: string]: string;
    };
    /** New value, if any. */
    after?: {
        [key: string]: string;
    };
};
/** Variables of the content with other values. */
export type VariablesEdited = {
    /** Type of the change. */
    type: "variables_edited";
    /** Changed variables by name. */
    variables: {
        [key: string]: TextChange;
    };
};
/** Version of a space's content that contains the location. */
export type VersionContext = RevisionContext | ChangeRequestContext;
/** Authentication of visitors. */
export type VisitorAuth = CustomVisitorAuth | IntegrationVisitorAuth;
/** Backend that authenticates the visitors of a site. */
export type VisitorAuthBackend = "custom" | "integration";
/**
 * Expression that determines whether a visitor sees the resource, such as
 * `visitor.claims.beta && !visitor.claims.unsigned.returning`. It consists of claims of the adaptive schema of the site
 * (`visitor.claims.<name>`, `visitor.claims.unsigned.<name>`), literals, `==`, `!=`, `&&`, `||`, `!`, `? :`,
 * parentheses, and `"<name>" in visitor.claims` for whether a claim is set. Other expressions, and claims that the
 * schema does not have, are rejected with 400. Conditions apply only while the adaptive content of the site is enabled.
 * Conditions in the text of pages (`{% if visitor.claims.beta %}`) always apply: without adaptive content, visitors have
 * no claims.
 */
export type VisitorCondition = string;
/** Embedded web page. */
export type WebframeElement = {
    /** Type of the element. */
    type: "webframe";
    /** Source of the web page. */
    source: RenderUrl;
    /**
     * Format: double
     *
     * Ratio of width to height.
     */
    aspectRatio?: number;
    /** Buttons. */
    buttons?: ButtonElement[];
    /** Data posted to the web page, by name. */
    data?: {
        [key: string]: string | RenderBinding;
    };
};
/** Website to import: the page at a URL, and the pages below it. */
export type WebsiteImportSource = {
    /** Type of the source. */
    type: "website";
    /** URL of the first page. */
    url: CallableUrl;
};
/** Any other error, including server errors. */
export type UnexpectedErrorResponse = {
    content: {
        "application/json": Error;
    };
};
export type $defs = Record<string, never>;
export interface operations {
    getCollection: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Collection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteCollection: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateCollection: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CollectionPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Collection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    moveCollection: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": MoveContent;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Collection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createCollectionGrants: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GrantsCreate;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listCollectionTeamGrants: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": TeamGrantList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteCollectionTeamGrant: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateCollectionTeamGrant: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GrantPatch;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listCollectionUserGrants: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": UserGrantList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteCollectionUserGrant: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateCollectionUserGrant: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GrantPatch;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listCollectionSpaces: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    transferCollection: {
        parameters: {
            path: {
                /** Identifier of the collection. */
                collectionId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TransferContent;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Collection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getEmailDomainOrganizations: {
        parameters: {
            path: {
                /** Part of an email address after the `@`. */
                emailDomain: ShortText;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": EmailDomainOrganizations;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only integrations whose name or title contains this text. */
                search?: ShortText;
                /** Return only integrations in this category. */
                category?: IntegrationCategory;
                /** Return only integrations with a block that accepts links to this hostname. */
                blockDomain?: string;
                /** Return only integrations with blocks (`true`) or without blocks (`false`). */
                blocks?: boolean;
                /** Return only integrations with content sources (`true`) or without content sources (`false`). */
                contentSources?: boolean;
                /** Return only integrations of the organization with this identifier. */
                owner?: Identifier;
                /** Return only integrations with this scope. */
                scope?: IntegrationScope;
                /** Return only integrations that can be installed on this target. */
                target?: IntegrationTarget;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": IntegrationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getIntegration: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Integration;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    publishIntegration: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        requestBody: {
            content: {
                "application/json": IntegrationPublication;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Integration;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    unpublishIntegration: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    startIntegrationDevelopment: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        requestBody: {
            content: {
                "application/json": IntegrationTunnel;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    stopIntegrationDevelopment: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listIntegrationEvents: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": IntegrationEventList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getIntegrationEvent: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the event. */
                eventId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": IntegrationEventWithTrace;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listInstallations: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only installations with this external identifier. */
                externalId?: ShortText;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": InstallationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createInstallation: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        requestBody: {
            content: {
                "application/json": InstallationCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Installation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Installation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": InstallationPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Installation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listInstallationSites: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only installations with this external identifier. */
                externalId?: ShortText;
                /** Whether to return complete spaces and sites instead of their identifiers. */
                extended?: boolean;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteInstallationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSiteInstallation: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteInstallationCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SiteInstallation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
                /** Identifier of the site. */
                installedSiteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteInstallation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSiteInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
                /** Identifier of the site. */
                installedSiteId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSiteInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
                /** Identifier of the site. */
                installedSiteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ContentInstallationPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteInstallation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listInstallationSpaces: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only installations with this external identifier. */
                externalId?: ShortText;
                /** Whether to return complete spaces and sites instead of their identifiers. */
                extended?: boolean;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceInstallationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSpaceInstallation: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SpaceInstallationCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SpaceInstallation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpaceInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
                /** Identifier of the space. */
                installedSpaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceInstallation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSpaceInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
                /** Identifier of the space. */
                installedSpaceId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSpaceInstallation: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
                /** Identifier of the space. */
                installedSpaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ContentInstallationPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceInstallation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createInstallationToken: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
                /** Identifier of the installation. */
                installationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": InstallationToken;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    renderIntegration: {
        parameters: {
            query: {
                /** `RenderRequest` in JSON, compressed by LZ-string for URLs. At most 262,144 characters of JSON. */
                request: CompressedRenderRequest;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            /** Result of the rendering, and its cache directives. */
            200: {
                headers: {
                    /** Cache directives of the response (RFC 9111, section 5.2). */
                    "Cache-Control"?: string;
                    /** Content security policy of the integration (CSP Level 3). Omitted if it has none. */
                    "Content-Security-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": RenderResult;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    renderIntegrationComponent: {
        parameters: {
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        requestBody: {
            content: {
                "application/json": RenderRequest;
            };
        };
        responses: {
            /** Result of the rendering, and its cache directives. */
            200: {
                headers: {
                    /** Cache directives of the response (RFC 9111, section 5.2). */
                    "Cache-Control"?: string;
                    /** Content security policy of the integration (CSP Level 3). Omitted if it has none. */
                    "Content-Security-Policy"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": RenderResult;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSiteInstallations: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only installations with this external identifier. */
                externalId?: ShortText;
                /** Whether to return complete spaces and sites instead of their identifiers. */
                extended?: boolean;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteInstallationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceInstallations: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only installations with this external identifier. */
                externalId?: ShortText;
                /** Whether to return complete spaces and sites instead of their identifiers. */
                extended?: boolean;
            };
            path: {
                /** Name of the integration. */
                integrationName: IntegrationName;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceInstallationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listImportRuns: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only runs with this target space. */
                space?: Identifier;
                /** Return only runs with the target change request that has this identifier. */
                changeRequest?: Identifier;
                /** Return only runs with this status. Those that have not ended are `active`. */
                status?: components["parameters"]["ImportRunListQuery.status"];
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ImportRunList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    startImportRun: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ImportRunCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ImportRun;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getImportRun: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the run. */
                importId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ImportRun;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    cancelImportRun: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the run. */
                importId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ImportRun;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OrganizationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createOrganization: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
        };
        requestBody: {
            content: {
                "application/json": OrganizationCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": Organization;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getOrganization: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Organization;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateOrganization: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": OrganizationPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Organization;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /**
                 * Return only events with this actor: the identifier of a user, installation or integration, or `operator` or
                 * `system`.
                 */
                actor?: AuditedIdentifier;
                /** Return only events with this action. */
                action?: AuditAction;
                /** Return only events with a resource of this type. */
                resourceType?: AuditResourceType;
                /** Return only events with the resource that has this identifier. */
                resource?: AuditedIdentifier;
                /** Return only events at or after this time. */
                from?: RequestTime;
                /** Return only events before this time. */
                until?: RequestTime;
                /** Return only events of the request with this identifier. */
                requestId?: Identifier;
                /** Return only events of requests from this IP address. */
                address?: IpAddress;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": AuditEventList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getAuditEvent: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the audit event. */
                auditEventId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": AuditEventDetails;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Whether to include collections within collections. */
                nested?: boolean;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CollectionList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createCollection: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody?: {
            content: {
                "application/json": CollectionCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Collection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listOrganizationFiles: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OrganizationFileList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createOrganizationFile: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": OrganizationFileCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": OrganizationFile;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getOrganizationFile: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the file. */
                organizationFileId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OrganizationFile;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteOrganizationFile: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the file. */
                organizationFileId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    inviteUsers: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": InviteUsers;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": InvitedUsers;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    acceptInvite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the invitation. */
                inviteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Member;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listLinkInvites: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkInviteList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createLinkInvite: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": LinkInviteCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": LinkInvite;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getLinkInvite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the invitation. */
                inviteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkInvite;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteLinkInvite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the invitation. */
                inviteId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateLinkInvite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the invitation. */
                inviteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": LinkInvitePatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkInvite;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Sort direction. */
                order?: Order;
                /** Return only members with this role. */
                role?: MemberRoleFilter;
                /** Return only members whose name or email address contains this text (case-insensitive). */
                search?: ShortText;
                /** Sort key. */
                sort?: MemberSort;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": MemberList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getMember: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Member;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteMember: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateMember: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": MemberPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Member;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listMemberSpaces: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Sort direction. */
                order?: Order;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": MemberSpaceList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    enableMemberSso: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Member;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listMemberTeams: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only teams whose title contains this text (case-insensitive). */
                title?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": MemberTeamList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listMemberAccessTokens: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": UserAccessTokenList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    revokeMemberAccessToken: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
                /** Identifier of the access token. */
                tokenId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listOpenAPISpecs: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpecList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createOpenAPISpec: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": OpenAPISpecCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": OpenAPISpec;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getOpenAPISpec: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpec;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    putOpenAPISpec: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        requestBody: {
            content: {
                "application/json": OpenAPISpecUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpec;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteOpenAPISpec: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateOpenAPISpec: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        requestBody: {
            content: {
                "application/json": OpenAPISpecPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpec;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listOpenAPISpecVersions: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpecVersionList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getLatestOpenAPISpecVersion: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpecVersion;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getLatestOpenAPISpecVersionContent: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPIVersionContent;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getOpenAPISpecVersion: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
                /** Identifier of the version. */
                versionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPISpecVersion;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getOpenAPISpecVersionContent: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Slug of the specification. */
                specSlug: OpenAPISlug;
                /** Identifier of the version. */
                versionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OpenAPIVersionContent;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    pingOrganization: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Ping;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getOrganizationQuotas: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": OrganizationQuotas;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSamlProviders: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SamlProviderList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSamlProvider: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SamlProviderCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SamlProvider;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSamlProvider: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the SAML provider. */
                samlProviderId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SamlProvider;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSamlProvider: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the SAML provider. */
                samlProviderId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSamlProvider: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the SAML provider. */
                samlProviderId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SamlProviderPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SamlProvider;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    searchOrganization: {
        parameters: {
            query: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /**
                 * Words to search for. A section matches if it contains all of them, also in other forms of the language of its space,
                 * in its text, its heading or the title of its page. The last word may be incomplete. Articles and question words are
                 * ignored if there are others.
                 *
                 * Names such as `C#`, `C++`, `.NET` and `node.js` are words. Words in double quotes are only found as written and
                 * next to each other; a quote without a counterpart is ignored.
                 *
                 * If no section matches, words of five letters or more that occur nowhere are corrected in one letter, or split into
                 * two words. If still no section matches, sections of the pages with at least a third of the words are listed, those
                 * with most and rarest words first.
                 *
                 * Pages whose title is the query are first, followed by those whose title starts with it, and then by those with the
                 * best sections. Up to 1,000 sections are ranked, and the best of each page are listed.
                 */
                query: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SearchResultSpaceList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSites: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only sites that show the space with this identifier. */
                space?: Identifier;
                /** Return only sites whose title contains this text. */
                title?: ShortText;
                /** Return only sites that are published (`true`) or unpublished (`false`). */
                published?: boolean;
                /** Return only sites on one of these plans. */
                type?: components["parameters"]["SiteListQuery.type"];
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSite: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody?: {
            content: {
                "application/json": SiteCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Site;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Site;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SitePatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Site;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteAdaptiveSchema: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteAdaptiveSchema;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    replaceSiteAdaptiveSchema: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteAdaptiveSchemaUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteAdaptiveSchema;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteAdaptiveConditionTemplates: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": AdaptiveConditionTemplates;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    askSite: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteQuestion;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteAnswer;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteCustomization: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteCustomization;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    replaceSiteCustomization: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteCustomization;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteCustomization;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSiteFeedback: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteFeedbackList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    recordSiteEvents: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteInsightsEvents;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    publishSite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Site;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getPublishedSite: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PublishedSite;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSitePublishingAuth: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SitePublishingAuth;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSitePublishingAuth: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SitePublishingAuthPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SitePublishingAuth;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    regenerateSitePublishingAuth: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SitePublishingAuth;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteRedirectBySource: {
        parameters: {
            query: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
                /** Path below the URL of the site, which starts with a slash. */
                source: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ResolvedSiteRedirect;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSiteRedirects: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteRedirectList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSiteRedirect: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteRedirectCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SiteRedirect;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteRedirect: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the redirect. */
                siteRedirectId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteRedirect;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSiteRedirect: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the redirect. */
                siteRedirectId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSiteRedirect: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the redirect. */
                siteRedirectId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteRedirectPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteRedirect;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    searchSite: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSearch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSearchResults;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSiteSectionGroups: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSectionGroupList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSiteSectionGroup: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSectionGroupCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SiteSectionGroup;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSiteSectionGroup: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section group. */
                siteSectionGroupId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSiteSectionGroup: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section group. */
                siteSectionGroupId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSectionGroupPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSectionGroup;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    moveSiteSectionGroup: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section group. */
                siteSectionGroupId: Identifier;
            };
        };
        requestBody?: {
            content: {
                "application/json": SiteSectionGroupMove;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSectionGroup;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    addSiteSectionToGroup: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section group. */
                siteSectionGroupId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSectionGroupAddition;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the section group (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SiteSectionGroup;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    removeSiteSectionFromGroup: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section group. */
                siteSectionGroupId: Identifier;
                /** Identifier of the section. */
                siteSectionId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSiteSections: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSectionList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSiteSection: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSectionCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SiteSection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSiteSection: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section. */
                siteSectionId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSiteSection: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section. */
                siteSectionId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSectionPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    moveSiteSection: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the section. */
                siteSectionId: Identifier;
            };
        };
        requestBody?: {
            content: {
                "application/json": SiteSectionMove;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSection;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listShareLinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ShareLinkList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createShareLink: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ShareLinkCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ShareLink;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteShareLink: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the share link. */
                shareLinkId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateShareLink: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the share link. */
                shareLinkId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ShareLinkPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ShareLink;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSiteSpaces: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only the default site space of the site (`true`), or only the others (`false`). */
                default?: boolean;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSpaceList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSiteSpace: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSpaceCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": SiteSpace;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSiteSpace: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the site space. */
                siteSpaceId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSiteSpace: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the site space. */
                siteSpaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteSpacePatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSpace;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    moveSiteSpace: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
                /** Identifier of the site space. */
                siteSpaceId: Identifier;
            };
        };
        requestBody?: {
            content: {
                "application/json": SiteSpaceMove;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteSpace;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSiteStructure: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PublishedStructure;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    sortSiteStructure: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SiteStructureSort;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SiteEntry;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    unpublishSite: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the site. */
                siteId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Site;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpaceMap: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceMap;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    replaceSpaceMap: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SpaceMapUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceMap;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaces: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SpaceList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSpace: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody?: {
            content: {
                "application/json": SpaceCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSsoLogins: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SsoLogins;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listTeams: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only teams that the member with this identifier can manage. */
                owner?: Identifier;
                /** Return only teams whose title contains this text (case-insensitive). */
                title?: ShortText;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": TeamList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createTeam: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TeamCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": Team;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getTeam: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Team;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteTeam: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateTeam: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TeamPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Team;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listTeamMembers: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": TeamMemberList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateTeamMembers: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TeamMembersUpdate;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    setTeamMember: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TeamMemberSet;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteTeamMember: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listTranslations: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": TranslationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createTranslation: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TranslationCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": Translation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getTranslation: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the translation. */
                translationId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Translation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateTranslation: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the translation. */
                translationId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TranslationUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Translation;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteTranslation: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the translation. */
                translationId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    runTranslation: {
        parameters: {
            path: {
                /** Identifier of the organization. */
                organizationId: Identifier;
                /** Identifier of the translation. */
                translationId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpace: {
        parameters: {
            query?: {
                /**
                 * Secret of an active share link of the site. No other credential is required. The published URLs of the site, its
                 * sections and its site spaces in the response contain it. Other values are ignored for members.
                 */
                shareKey?: ShortText;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSpace: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSpace: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": SpacePatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequests: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only change requests with this status. */
                status?: ChangeRequestStatus;
                /** Return only change requests that contain a revision by the user with this identifier. */
                contributor?: Identifier;
                /** Return only change requests that the user with this identifier created. */
                creator?: Identifier;
                /** Return only change requests that the user with this identifier was requested to review. */
                requestedReviewer?: Identifier;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequestList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createChangeRequest: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ChangeRequestCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ChangeRequest;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequest: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequest;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateChangeRequest: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ChangeRequestPatch;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequest;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestChanges: {
        parameters: {
            query?: {
                /** Maximum number of changes to return. */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SemanticChanges;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestCommenters: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": MemberList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestComments: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Sort direction. */
                order?: Order;
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
                /** Return only comments with this status. */
                status?: CommentStatusFilter;
                /** Return only comments on the page with this identifier. */
                targetPage?: Identifier;
                /** Return only comments by the users with these identifiers. */
                authors?: components["parameters"]["CommentListQuery.authors"];
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createChangeRequestComment: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": Comment;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestComment: {
        parameters: {
            query?: {
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Comment;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateChangeRequestComment: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Comment;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteChangeRequestComment: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestCommentReplies: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentReplyList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createChangeRequestCommentReply: {
        parameters: {
            query?: {
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentReplyCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": CommentReply;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestCommentReply: {
        parameters: {
            query?: {
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
                /** Identifier of the reply. */
                commentReplyId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentReply;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateChangeRequestCommentReply: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
                /** Identifier of the reply. */
                commentReplyId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ChangeRequestCommentReplyUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentReply;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteChangeRequestCommentReply: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
                /** Identifier of the reply. */
                commentReplyId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestContent: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Revision;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateChangeRequestContent: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ContentChanges;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": EditedChangeRequest;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestFiles: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": FileList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestFile: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the file. */
                fileId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": File;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestFileBacklinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the file. */
                fileId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LocationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    importChangeRequestContent: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ContentImport;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the new revision (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ImportedContent;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestPage: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
                /** Format of the body. */
                format?: TextFormat;
                /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
                evaluated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Page;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestPageBacklinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LocationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestPageLinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestPageTree: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PageTree;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestPageByPath: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
                /** Format of the body. */
                format?: TextFormat;
                /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
                evaluated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Path of the page within the space, with slashes encoded as `%2F`. */
                pagePath: ShortText;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Page;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestLinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only links with this status. */
                status?: LinkStatus;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    mergeChangeRequest: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequestMergeResult;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestPdf: {
        parameters: {
            query?: {
                /** Identifier of the page to start at. */
                page?: Identifier;
                /** Print only this page, without its subpages. Ignored unless `page` is set. */
                only?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PdfFile;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listRequestedReviewers: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": RequestedReviewerList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    addRequestedReviewers: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": RequestedReviewersCreate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": RequestedReviewers;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    removeRequestedReviewer: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listChangeRequestReviews: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
                /** Return only reviews that are outdated, or only those that are not. */
                outdated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequestReviewList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createChangeRequestReview: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ChangeRequestReviewCreate;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ChangeRequestReview;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getChangeRequestReview: {
        parameters: {
            query?: {
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
                /** Identifier of the review. */
                reviewId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequestReview;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    syncChangeRequest: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the change request, or its number within the space. */
                changeRequestId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ChangeRequestUpdateResult;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceCommenters: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": MemberList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceComments: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Sort direction. */
                order?: Order;
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
                /** Return only comments with this status. */
                status?: CommentStatusFilter;
                /** Return only comments on the page with this identifier. */
                targetPage?: Identifier;
                /** Return only comments by the users with these identifiers. */
                authors?: components["parameters"]["CommentListQuery.authors"];
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSpaceComment: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": Comment;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpaceComment: {
        parameters: {
            query?: {
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Comment;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSpaceComment: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Comment;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSpaceComment: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceCommentReplies: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentReplyList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSpaceCommentReply: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentReplyCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": CommentReply;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpaceCommentReply: {
        parameters: {
            query?: {
                /** Format of the bodies. Default: `markdown`. */
                format?: TextFormat;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
                /** Identifier of the reply. */
                commentReplyId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentReply;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSpaceCommentReply: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
                /** Identifier of the reply. */
                commentReplyId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": CommentReplyUpdate;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": CommentReply;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSpaceCommentReply: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the comment. */
                commentId: Identifier;
                /** Identifier of the reply. */
                commentReplyId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpaceContent: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Revision;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceFiles: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": FileList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpaceFile: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the file. */
                fileId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": File;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceFileBacklinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the file. */
                fileId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LocationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    importSpaceContent: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": ContentImport;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the new revision (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ImportedContent;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listContentImportRuns: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ContentImportRunList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getContentImportRun: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the run. */
                importRunId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": ContentImportRun;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpacePage: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
                /** Format of the body. */
                format?: TextFormat;
                /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
                evaluated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Page;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpacePageBacklinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LocationList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpacePageLinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only links with this status. */
                status?: LinkStatus;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpacePageTree: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PageTree;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSpacePageByPath: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
                /** Format of the body. */
                format?: TextFormat;
                /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
                evaluated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Path of the page within the space, with slashes encoded as `%2F`. */
                pagePath: ShortText;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Page;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    applySpaceTemplate: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TemplateChoice;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    duplicateSpace: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            /** The resource was created. */
            201: {
                headers: {
                    /** Absolute URL of the created resource (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    exportGitRepository: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GitExport;
            };
        };
        responses: {
            /** The operation was started. */
            204: {
                headers: {
                    /** Absolute URL of the run, which reports the progress and the result. */
                    location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    importGitRepository: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GitImport;
            };
        };
        responses: {
            /** The operation was started. */
            204: {
                headers: {
                    /** Absolute URL of the run, which reports the progress and the result. */
                    location: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    getGitInfo: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": GitInfo;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteLegacyGitInstallation: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listGitRuns: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": GitRunList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getGitRun: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the run. */
                runId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": GitRun;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceLinks: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Return only links with this status. */
                status?: LinkStatus;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": LinkList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    moveSpace: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": MoveContent;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createSpaceGrants: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GrantsCreate;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceTeamGrants: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": TeamGrantList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSpaceTeamGrant: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSpaceTeamGrant: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the team. */
                teamId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GrantPatch;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    listSpaceUserGrants: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": UserGrantList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    deleteSpaceUserGrant: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    updateSpaceUserGrant: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the user. */
                userId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": GrantPatch;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
    restoreSpace: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevision: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Revision;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevisionChanges: {
        parameters: {
            query?: {
                /** Maximum number of changes to return. */
                limit?: number;
                /** Whether to include Git metadata. Changes contain none, so it has no effect. */
                metadata?: boolean;
                /** Whether to include computed pages. Changes contain the entries that they are computed from, so it has no effect. */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SemanticChanges;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listRevisionFiles: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": FileList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevisionPage: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
                /** Format of the body. */
                format?: TextFormat;
                /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
                evaluated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Page;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevisionPageDocument: {
        parameters: {
            query?: {
                /**
                 * Whether to replace expressions with their values, and to add the URLs of targets to references. Expressions about
                 * the visitor are unchanged, so that `deterministic-only` has the same result as `true`.
                 */
                evaluated?: components["parameters"]["DocumentQuery.evaluated"];
                /** Whether inclusions of reusable content of the space are replaced with their blocks. */
                dereferenced?: DocumentDereferencing;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
                /** Identifier of the page. */
                pageId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Document;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevisionPageTree: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PageTree;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevisionPageByPath: {
        parameters: {
            query?: {
                /** Whether to include Git metadata, which can change while the content does not. */
                metadata?: boolean;
                /**
                 * Whether to return computed pages in place of the entries that they are computed from. Only OpenAPI specifications
                 * are computed.
                 */
                computed?: boolean;
                /** Format of the body. */
                format?: TextFormat;
                /** Whether to replace expressions with their values, and to add the URLs of targets to the references of a document. */
                evaluated?: boolean;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
                /** Path of the page within the space, with slashes encoded as `%2F`. */
                pagePath: ShortText;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Page;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getRevisionReusableContentDocument: {
        parameters: {
            query?: {
                /**
                 * Whether to replace expressions with their values, and to add the URLs of targets to references. Expressions about
                 * the visitor are unchanged, so that `deterministic-only` has the same result as `true`.
                 */
                evaluated?: components["parameters"]["DocumentQuery.evaluated"];
                /** Whether inclusions of reusable content of the space are replaced with their blocks. */
                dereferenced?: DocumentDereferencing;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
                /** Identifier of the revision. */
                revisionId: Identifier;
                /** Identifier of the reusable content. */
                reusableContentId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Document;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    searchSpace: {
        parameters: {
            query: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
                /**
                 * Words to search for. A section matches if it contains all of them, also in other forms of the language of its space,
                 * in its text, its heading or the title of its page. The last word may be incomplete. Articles and question words are
                 * ignored if there are others.
                 *
                 * Names such as `C#`, `C++`, `.NET` and `node.js` are words. Words in double quotes are only found as written and
                 * next to each other; a quote without a counterpart is ignored.
                 *
                 * If no section matches, words of five letters or more that occur nowhere are corrected in one letter, or split into
                 * two words. If still no section matches, sections of the pages with at least a third of the words are listed, those
                 * with most and rarest words first.
                 *
                 * Pages whose title is the query are first, followed by those whose title starts with it, and then by those with the
                 * best sections. Up to 1,000 sections are ranked, and the best of each page are listed.
                 */
                query: string;
            };
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": SearchResultPageList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    transferSpace: {
        parameters: {
            path: {
                /** Identifier of the space. */
                spaceId: Identifier;
            };
        };
        requestBody: {
            content: {
                "application/json": TransferContent;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Space;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getSubdomain: {
        parameters: {
            path: {
                /** Subdomain. */
                subdomain: SubdomainName;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": Subdomain;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    resolvePublishedUrl: {
        parameters: {};
        requestBody: {
            content: {
                "application/json": PublishedUrlRequest;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": PublishedUrlResult;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    getCurrentUser: {
        parameters: {};
        responses: {
            200: {
                content: {
                    "application/json": User;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    listAccessTokens: {
        parameters: {
            query?: {
                /** Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: ShortText;
                /**
                 * Maximum number of items to return. With `0`, `items` is empty and only `count` is computed. A page may contain
                 * fewer items: it ends before the texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": UserAccessTokenList;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    createAccessToken: {
        parameters: {
            header?: {
                /**
                 * Unique key of the request, such as a random UUID. Repeating a successful request with its key within 24 hours
                 * creates nothing and returns the first response again, as long as the caller may still send the request and see the
                 * created resource. A request that repeats one in progress waits for its response.
                 */
                "Idempotency-Key"?: string;
            };
        };
        requestBody: {
            content: {
                "application/json": UserAccessTokenCreate;
            };
        };
        responses: {
            /** The resource was created. It has no URL of its own. */
            201: {
                content: {
                    "application/json": UserAccessTokenWithSecret;
                };
            };
            default: UnexpectedErrorResponse;
        };
    };
    revokeAccessToken: {
        parameters: {
            path: {
                /** Identifier of the access token. */
                tokenId: Identifier;
            };
        };
        responses: {
            204: {
                content?: never;
            };
            default: UnexpectedErrorResponse;
        };
    };
}
