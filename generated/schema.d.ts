// Generated from spec/main.tsp by `npm run generate`. Do not edit: change the contract and run the command.

export interface paths {
    "/v1/collections/{collectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a collection
         * @description Retrieves a collection.
         */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        /**
         * Delete a collection
         * @description Deletes a collection. Its contents move to its parent.
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        /**
         * Update a collection
         * @description Updates a collection.
         */
        patch: operations["updateCollection"];
        trace?: never;
    };
    "/v1/collections/{collectionId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a collection
         * @description Moves a collection within its organization. Returns 409 if the new parent is the collection itself or one of its
         *     descendants, or if the move changes nothing.
         */
        post: operations["moveCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collectionId}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant access to a collection
         * @description Grants a role in a collection to users and teams. It replaces any role granted to them before.
         */
        post: operations["createCollectionGrants"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collectionId}/permissions/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams with access to a collection
         * @description Lists the teams that have been granted a role in a collection.
         */
        get: operations["listCollectionTeamGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collectionId}/permissions/teams/{teamId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a team's access to a collection
         * @description Revokes a team's access to a collection.
         */
        delete: operations["deleteCollectionTeamGrant"];
        options?: never;
        head?: never;
        /**
         * Update a team's access to a collection
         * @description Updates the role granted to a team in a collection.
         */
        patch: operations["updateCollectionTeamGrant"];
        trace?: never;
    };
    "/v1/collections/{collectionId}/permissions/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users with access to a collection
         * @description Lists the users who have been granted a role in a collection.
         */
        get: operations["listCollectionUserGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collectionId}/permissions/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a user's access to a collection
         * @description Revokes a user's access to a collection.
         */
        delete: operations["deleteCollectionUserGrant"];
        options?: never;
        head?: never;
        /**
         * Update a user's access to a collection
         * @description Updates the role granted to a user in a collection.
         */
        patch: operations["updateCollectionUserGrant"];
        trace?: never;
    };
    "/v1/collections/{collectionId}/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the spaces of a collection
         * @description Lists the spaces directly in a collection, in order of their positions.
         */
        get: operations["listCollectionSpaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collectionId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer a collection
         * @description Transfers a collection and all its contents to another organization of the caller.
         */
        post: operations["transferCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/email-domains/{emailDomain}/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations by email domain
         * @description Lists the organizations that users of an email domain can join and that are visible to the caller.
         */
        get: operations["getEmailDomainOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description Lists the integrations that the caller can find, oldest first.
         */
        get: operations["listIntegrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an integration
         * @description Retrieves an integration.
         */
        get: operations["getIntegration"];
        put?: never;
        /**
         * Publish an integration
         * @description Publishes an integration for the first time or again. A name that another organization uses is a conflict.
         */
        post: operations["publishIntegration"];
        /**
         * Unpublish an integration
         * @description Unpublishes an integration and removes all its installations.
         */
        delete: operations["unpublishIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/dev": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Start developing an integration
         * @description Redirects the events of an integration to a URL of its developer.
         */
        put: operations["startIntegrationDevelopment"];
        post?: never;
        /**
         * Stop developing an integration
         * @description Sends the events of an integration to its published script again.
         */
        delete: operations["stopIntegrationDevelopment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of an integration
         * @description Lists the events that an integration received, oldest first.
         */
        get: operations["listIntegrationEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an event of an integration
         * @description Retrieves an event with the log of the script that handled it.
         */
        get: operations["getIntegrationEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the installations of an integration
         * @description Lists the installations of an integration that are visible to the caller, oldest first.
         */
        get: operations["listInstallations"];
        put?: never;
        /**
         * Install an integration
         * @description Installs an integration in an organization. The status is `pending` while a required setting has no value.
         */
        post: operations["createInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Render a component of an integration
         * @description Renders a component of an integration. The request must fit into a URL.
         */
        get: operations["renderIntegration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sites of an integration
         * @description Lists the sites that the installations of an integration apply to.
         */
        get: operations["listSiteInstallations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/{integrationName}/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the spaces of an integration
         * @description Lists the spaces that the installations of an integration apply to.
         */
        get: operations["listSpaceInstallations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organizations
         * @description Lists the organizations that the caller is a member of.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description Creates an organization. The caller becomes its admin.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an organization
         * @description Retrieves an organization.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an organization
         * @description Updates an organization. Omitted fields are unchanged.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description Lists the audit events of an organization, newest first, for admins. They report changes to permissions, members,
         *     tokens, visibility and integrations, and deletions. Events of access tokens are listed in the organization that
         *     their user joined first. Events are retained for 400 days unless the operator configures another period.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections
         * @description Lists the collections of an organization that are visible to the caller.
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Create a collection
         * @description Creates a collection at the end of its parent.
         */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite users by email address
         * @description Makes users members by email address. Existing members are unchanged. If an address has no user yet, its invitation
         *     is pending, and the user is a member from the start.
         */
        post: operations["inviteUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Makes the caller a member through an invite link, or an invitation to their email address. Existing members retain
         *     the higher of both roles. Returns 403 if the membership of the caller is disabled, and 409 for an invite link while
         *     the organization has invite links disabled.
         */
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/link-invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invite links
         * @description Lists the invite links of an organization. Admins see all of them. Other members see those to the spaces and
         *     collections for which they have the `viewInviteLinks` permission.
         */
        get: operations["listLinkInvites"];
        put?: never;
        /**
         * Create an invite link
         * @description Creates an invite link to the organization, a space or a collection.
         */
        post: operations["createLinkInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/link-invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invite link
         * @description Retrieves an invite link.
         */
        get: operations["getLinkInvite"];
        put?: never;
        post?: never;
        /**
         * Delete an invite link
         * @description Deletes an invite link. It can no longer be accepted.
         */
        delete: operations["deleteLinkInvite"];
        options?: never;
        head?: never;
        /**
         * Update an invite link
         * @description Updates the role of an invite link.
         */
        patch: operations["updateLinkInvite"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Lists the members of an organization, including guests.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member
         * @description Retrieves a member.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member from the organization, with all grants and team memberships there. Members can remove themselves.
         *     Returns 409 for the last admin who is not disabled.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /**
         * Update a member
         * @description Updates the role of a member. Returns 409 if the last admin who is not disabled would lose that role.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the spaces of a member
         * @description Lists the spaces that a member has access to and that are visible to the caller, with the role of the member in
         *     each.
         */
        get: operations["listMemberSpaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}/sso": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable SSO for a member
         * @description Requires a member to sign in through the SAML provider of the organization from now on.
         */
        post: operations["enableMemberSso"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams of a member
         * @description Lists the teams that a member belongs to, with the membership in each.
         */
        get: operations["listMemberTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the access tokens of a member
         * @description Lists the access tokens of a member, for admins. A token acts for its user in all of their organizations, so only
         *     one of them manages it: the organization that the user joined first. In any other organization, this operation
         *     returns 403, and removing the member ends the access of their tokens.
         */
        get: operations["listMemberAccessTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/members/{userId}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an access token of a member
         * @description Revokes an access token of a member, for admins of the organization that the user joined first. The token is
         *     rejected from the next request on, in all organizations of the member.
         */
        delete: operations["revokeMemberAccessToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List OpenAPI specifications
         * @description Lists the OpenAPI specifications of an organization, oldest first.
         */
        get: operations["listOpenAPISpecs"];
        put?: never;
        /**
         * Create an OpenAPI specification
         * @description Creates an OpenAPI specification and starts processing its source. Returns 409 if the slug is already in use.
         */
        post: operations["createOpenAPISpec"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an OpenAPI specification
         * @description Retrieves an OpenAPI specification with the processing state of its source.
         */
        get: operations["getOpenAPISpec"];
        /**
         * Create or update an OpenAPI specification
         * @description Creates an OpenAPI specification, or replaces its source. In both cases, processing starts.
         */
        put: operations["putOpenAPISpec"];
        post?: never;
        /**
         * Delete an OpenAPI specification
         * @description Deletes an OpenAPI specification and all its versions.
         */
        delete: operations["deleteOpenAPISpec"];
        options?: never;
        head?: never;
        /**
         * Update an OpenAPI specification
         * @description Updates the visibility of an OpenAPI specification.
         */
        patch: operations["updateOpenAPISpec"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an OpenAPI specification
         * @description Lists the versions of an OpenAPI specification, oldest first.
         */
        get: operations["listOpenAPISpecVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest version of an OpenAPI specification
         * @description Retrieves the latest version of an OpenAPI specification. Returns 404 until its source has been processed once.
         */
        get: operations["getLatestOpenAPISpecVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the content of the latest version of an OpenAPI specification
         * @description Retrieves the content of the latest version of an OpenAPI specification.
         */
        get: operations["getLatestOpenAPISpecVersionContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of an OpenAPI specification
         * @description Retrieves a version of an OpenAPI specification.
         */
        get: operations["getOpenAPISpecVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the content of a version of an OpenAPI specification
         * @description Retrieves the content of a version of an OpenAPI specification.
         */
        get: operations["getOpenAPISpecVersionContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record activity of the caller
         * @description Records that the caller is active in the organization now.
         */
        post: operations["pingOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/saml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List SAML providers
         * @description Lists the SAML providers of an organization, for admins.
         */
        get: operations["listSamlProviders"];
        put?: never;
        /**
         * Create a SAML provider
         * @description Creates a SAML provider. It is pending until its entity ID, certificate and sign-in URL are set.
         */
        post: operations["createSamlProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/saml/{samlProviderId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a SAML provider
         * @description Retrieves a SAML provider.
         */
        get: operations["getSamlProvider"];
        put?: never;
        post?: never;
        /**
         * Delete a SAML provider
         * @description Deletes a SAML provider. Members can no longer sign in with it.
         */
        delete: operations["deleteSamlProvider"];
        options?: never;
        head?: never;
        /**
         * Update a SAML provider
         * @description Updates a SAML provider. Omitted fields are unchanged.
         */
        patch: operations["updateSamlProvider"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search an organization
         * @description Searches all content of an organization that the caller can read. Spaces, and the pages within each space, are
         *     sorted by relevance.
         */
        get: operations["searchOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sites
         * @description Lists the sites of an organization that are visible to the caller, oldest first.
         */
        get: operations["listSites"];
        put?: never;
        /**
         * Create a site
         * @description Creates a site. It is initially unpublished. Without a body, it is empty and untitled.
         */
        post: operations["createSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a site
         * @description Retrieves a site.
         */
        get: operations["getSite"];
        put?: never;
        post?: never;
        /**
         * Delete a site
         * @description Deletes a site. Its spaces are not deleted.
         */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        /**
         * Update a site
         * @description Updates the settings of a site. A `basename` that another site uses is a conflict.
         */
        patch: operations["updateSite"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the adaptive schema of a site
         * @description Retrieves the claims that conditions on a site can use. Returns 404 if they were never set.
         */
        get: operations["getSiteAdaptiveSchema"];
        /**
         * Replace the adaptive schema of a site
         * @description Sets the claims that conditions on a site can use. They replace all earlier claims.
         */
        put: operations["replaceSiteAdaptiveSchema"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the condition templates of a site
         * @description Lists ready-to-use conditions based on the claims of a site.
         */
        get: operations["listSiteAdaptiveConditionTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a published site
         * @description Retrieves a published site as its visitors see it: structure, customization and scripts.
         */
        get: operations["getPublishedSite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List site section groups
         * @description Lists the section groups of a site, in the order of its structure.
         */
        get: operations["listSiteSectionGroups"];
        put?: never;
        /**
         * Create a site section group
         * @description Creates a section group in a site and moves the specified sections into it.
         */
        post: operations["createSiteSectionGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a site section group
         * @description Deletes a section group. Its sections remain at its position.
         */
        delete: operations["deleteSiteSectionGroup"];
        options?: never;
        head?: never;
        /**
         * Update a site section group
         * @description Updates the title or icon of a section group.
         */
        patch: operations["updateSiteSectionGroup"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a site section group
         * @description Moves a section group to another position in the structure.
         */
        post: operations["moveSiteSectionGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a section to a group
         * @description Moves a section of the site to the end of a section group.
         */
        post: operations["addSiteSectionToGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections/{siteSectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a section from a group
         * @description Removes a section from a section group. It remains on the site, next to the group.
         */
        delete: operations["removeSiteSectionFromGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/sections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List site sections
         * @description Lists the sections of a site, in the order of its structure.
         */
        get: operations["listSiteSections"];
        put?: never;
        /**
         * Create a site section
         * @description Creates a section in a site, with one space as its first variant.
         */
        post: operations["createSiteSection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a site section
         * @description Deletes a section with its variants. The spaces are not deleted.
         */
        delete: operations["deleteSiteSection"];
        options?: never;
        head?: never;
        /**
         * Update a site section
         * @description Updates a section. A `path` that another part of the site uses is a conflict.
         */
        patch: operations["updateSiteSection"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a site section
         * @deprecated
         * @description Moves a section to another position in the structure. Superseded by `sortSiteStructure`.
         */
        post: operations["moveSiteSection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List site spaces
         * @description Lists the spaces of a site, in the order of its structure.
         */
        get: operations["listSiteSpaces"];
        put?: never;
        /**
         * Add a space to a site
         * @description Adds a space to a site.
         */
        post: operations["createSiteSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a space from a site
         * @description Removes a space from a site. The space itself is not deleted.
         */
        delete: operations["deleteSiteSpace"];
        options?: never;
        head?: never;
        /**
         * Update a site space
         * @description Updates a site space. A `path` that another part of the site uses is a conflict.
         */
        patch: operations["updateSiteSpace"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a site space
         * @description Moves a site space to another position among its siblings.
         */
        post: operations["moveSiteSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List spaces
         * @description Lists the spaces of an organization that are visible to the caller.
         */
        get: operations["listSpaces"];
        put?: never;
        /**
         * Create a space
         * @description Creates a space at the end of its parent.
         */
        post: operations["createSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/sso": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sign-in options
         * @description Lists the options to sign in to an organization, not paginated.
         */
        get: operations["getSsoLogins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List teams
         * @description Lists the teams of an organization.
         */
        get: operations["listTeams"];
        /**
         * Create a team
         * @description Creates a team. The caller becomes its owner.
         */
        put: operations["createTeam"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/teams/{teamId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a team
         * @description Retrieves a team.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        /**
         * Delete a team
         * @description Deletes a team and its grants. SAML providers that used it as their default team have none afterwards.
         */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        /**
         * Update a team
         * @description Updates a team.
         */
        patch: operations["updateTeam"];
        trace?: never;
    };
    "/v1/orgs/{organizationId}/teams/{teamId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a team
         * @description Lists the members of a team with their roles.
         */
        get: operations["listTeamMembers"];
        /**
         * Add and remove members of a team
         * @description Adds and removes members of a team in one step.
         */
        put: operations["updateTeamMembers"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/teams/{teamId}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add or update a member of a team
         * @description Adds a member to a team, or updates the membership.
         */
        put: operations["setTeamMember"];
        post?: never;
        /**
         * Remove a member from a team
         * @description Removes a member from a team. Members can remove themselves.
         */
        delete: operations["deleteTeamMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/translations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List translations
         * @description Lists the translations of an organization, oldest first.
         */
        get: operations["listTranslations"];
        put?: never;
        /**
         * Create a translation
         * @description Creates a translation and starts its first run.
         */
        post: operations["createTranslation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/translations/{translationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a translation
         * @description Retrieves a translation, with the status of its last run.
         */
        get: operations["getTranslation"];
        /**
         * Update a translation
         * @description Updates the instructions for the translator. They apply from the next run on.
         */
        put: operations["updateTranslation"];
        post?: never;
        /**
         * Delete a translation
         * @description Deletes a translation. The translated space is retained.
         */
        delete: operations["deleteTranslation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{organizationId}/translations/{translationId}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a translation
         * @description Starts another run, which translates the pages that changed since the last run.
         */
        post: operations["runTranslation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a space
         * @description Retrieves a space. Its admins can also retrieve it after its deletion, with `deletedAt`, while it can be restored.
         */
        get: operations["getSpace"];
        put?: never;
        post?: never;
        /**
         * Delete a space
         * @description Deletes a space and removes it from its sites. It can be restored for 7 days.
         */
        delete: operations["deleteSpace"];
        options?: never;
        head?: never;
        /**
         * Update a space
         * @description Updates a space.
         */
        patch: operations["updateSpace"];
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List change requests
         * @description Lists the change requests of a space. By default, only open ones are returned.
         */
        get: operations["listChangeRequests"];
        put?: never;
        /**
         * Create a change request
         * @description Creates a change request from the current content of a space, as a draft.
         */
        post: operations["createChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a change request
         * @description Retrieves a change request.
         */
        get: operations["getChangeRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a change request
         * @description Updates the subject or the status of a change request. Returns 409 if it is already merged.
         */
        patch: operations["updateChangeRequest"];
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the commenters of a change request
         * @description Lists the members who have commented on a change request.
         */
        get: operations["listChangeRequestCommenters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the comments on a change request
         * @description Lists the comments on a change request. By default, comments of any status are returned, newest first.
         */
        get: operations["listChangeRequestComments"];
        put?: never;
        /**
         * Create a comment on a change request
         * @description Creates a comment on a change request: on the whole content, a page, a node of a page, or a table cell.
         */
        post: operations["createChangeRequestComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a comment on a change request
         * @description Retrieves a comment on a change request.
         */
        get: operations["getChangeRequestComment"];
        /**
         * Update a comment on a change request
         * @description Updates the text of a comment on a change request, resolves or reopens it, and adds or removes reactions.
         */
        put: operations["updateChangeRequestComment"];
        post?: never;
        /**
         * Delete a comment on a change request
         * @description Deletes a comment on a change request and its replies.
         */
        delete: operations["deleteChangeRequestComment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the replies to a comment on a change request
         * @description Lists the replies to a comment on a change request, oldest first.
         */
        get: operations["listChangeRequestCommentReplies"];
        put?: never;
        /**
         * Reply to a comment on a change request
         * @description Creates a reply to a comment on a change request.
         */
        post: operations["createChangeRequestCommentReply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/replies/{commentReplyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a reply to a comment on a change request
         * @description Retrieves a reply to a comment on a change request.
         */
        get: operations["getChangeRequestCommentReply"];
        /**
         * Update a reply to a comment on a change request
         * @description Updates the text of a reply to a comment on a change request, and adds or removes reactions.
         */
        put: operations["updateChangeRequestCommentReply"];
        post?: never;
        /**
         * Delete a reply to a comment on a change request
         * @description Deletes a reply to a comment on a change request.
         */
        delete: operations["deleteChangeRequestCommentReply"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the content of a change request
         * @description Retrieves the current revision of a change request in full: page tree, files, reusable content and variables.
         */
        get: operations["getChangeRequestContent"];
        put?: never;
        /**
         * Edit the content of a change request
         * @description Adds, updates, moves and deletes pages, and adds files, in a new revision of a change request. Returns 409 if it is
         *     already merged.
         */
        post: operations["updateChangeRequestContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a change request
         * @description Lists the files of a change request.
         */
        get: operations["listChangeRequestFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of a change request
         * @description Retrieves a file of a change request: its metadata and its download URL.
         */
        get: operations["getChangeRequestFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the locations that link to a file of a change request
         * @description Lists the locations that link to a file of a change request.
         */
        get: operations["listChangeRequestFileBacklinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import content into a change request
         * @description Imports content from a URL into a change request: converts it to pages and files, in a new revision.
         */
        post: operations["importChangeRequestContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a page of a change request
         * @description Retrieves a page of a change request with its body and the tree of its subpages.
         */
        get: operations["getChangeRequestPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/backlinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the locations that link to a page of a change request
         * @description Lists the locations that link to a page of a change request.
         */
        get: operations["listChangeRequestPageBacklinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links on a page of a change request
         * @description Lists the links on a page of a change request and their status.
         */
        get: operations["listChangeRequestPageLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the page tree of a change request
         * @description Retrieves only the page tree of a change request.
         */
        get: operations["getChangeRequestPageTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links in a change request
         * @description Lists the targets that the content of a change request links to, and their status.
         */
        get: operations["listChangeRequestLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a change request
         * @description Merges a change request into its space, page by page and line by line. If both changed the same lines, the space is
         *     unchanged, and both versions are written to the text of the change request, in lines between
         *     `<<<<<<< change request`, `=======` and `>>>>>>> primary content`. It can be merged again once no page contains
         *     these markers.
         */
        post: operations["mergeChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a PDF of a change request
         * @description Prints the content of a change request, or part of it, to a PDF and returns its URL.
         */
        get: operations["getChangeRequestPdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Synchronize a change request with its space
         * @description Merges the changes of the space since the last update into a change request, by the same rules as a merge.
         */
        post: operations["syncChangeRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/commenters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the commenters of a space
         * @description Lists the members who have commented on a space.
         */
        get: operations["listSpaceCommenters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the comments on a space
         * @description Lists the comments on a space. By default, comments of any status are returned, newest first.
         */
        get: operations["listSpaceComments"];
        put?: never;
        /**
         * Create a comment on a space
         * @description Creates a comment on a space: on the whole content, a page, a node of a page, or a table cell.
         */
        post: operations["createSpaceComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/comments/{commentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a comment on a space
         * @description Retrieves a comment on a space.
         */
        get: operations["getSpaceComment"];
        /**
         * Update a comment on a space
         * @description Updates the text of a comment on a space, resolves or reopens it, and adds or removes reactions.
         */
        put: operations["updateSpaceComment"];
        post?: never;
        /**
         * Delete a comment on a space
         * @description Deletes a comment on a space and its replies.
         */
        delete: operations["deleteSpaceComment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/comments/{commentId}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the replies to a comment on a space
         * @description Lists the replies to a comment on a space, oldest first.
         */
        get: operations["listSpaceCommentReplies"];
        put?: never;
        /**
         * Reply to a comment on a space
         * @description Creates a reply to a comment on a space.
         */
        post: operations["createSpaceCommentReply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/comments/{commentId}/replies/{commentReplyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a reply to a comment on a space
         * @description Retrieves a reply to a comment on a space.
         */
        get: operations["getSpaceCommentReply"];
        /**
         * Update a reply to a comment on a space
         * @description Updates the text of a reply to a comment on a space, and adds or removes reactions.
         */
        put: operations["updateSpaceCommentReply"];
        post?: never;
        /**
         * Delete a reply to a comment on a space
         * @description Deletes a reply to a comment on a space.
         */
        delete: operations["deleteSpaceCommentReply"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the content of a space
         * @description Retrieves the current revision of a space in full: page tree, files, reusable content and variables.
         */
        get: operations["getSpaceContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a space
         * @description Lists the files of a space.
         */
        get: operations["listSpaceFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/files/{fileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of a space
         * @description Retrieves a file of a space: its metadata and its download URL.
         */
        get: operations["getSpaceFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/files/{fileId}/backlinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the locations that link to a file of a space
         * @description Lists the locations that link to a file of a space.
         */
        get: operations["listSpaceFileBacklinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import content into a space
         * @description Imports content from a URL into a space: converts it to pages and files, in a new revision.
         */
        post: operations["importSpaceContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/page/{pageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a page of a space
         * @description Retrieves a page of a space with its body and the tree of its subpages.
         */
        get: operations["getSpacePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/page/{pageId}/backlinks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the locations that link to a page of a space
         * @description Lists the locations that link to a page of a space.
         */
        get: operations["listSpacePageBacklinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/page/{pageId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links on a page of a space
         * @description Lists the links on a page of a space and their status.
         */
        get: operations["listSpacePageLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the page tree of a space
         * @description Retrieves only the page tree of a space.
         */
        get: operations["getSpacePageTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/path/{pagePath}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a page of a space by its path
         * @description Retrieves the page of a space at a path, with its body and the tree of its subpages.
         */
        get: operations["getSpacePageByPath"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/content/template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fill a space from a template
         * @description Fills a space with the pages and files of a template, in a new revision.
         */
        post: operations["applySpaceTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/duplicate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Duplicate a space
         * @description Creates a copy of a space in the same parent, with the same content but without the history.
         */
        post: operations["duplicateSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/git/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export to Git
         * @description Starts an export of the content of a space to a Git branch, as one commit.
         */
        post: operations["exportGitRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/git/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import from Git
         * @description Starts an import of the content of a space from a Git branch. The response does not wait for the import. A page
         *     keeps its identifier when its path is imported again.
         */
        post: operations["importGitRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/git/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the Git repository of a space
         * @description Retrieves the Git repository that a space is synchronized with. Returns 404 if there is none.
         */
        get: operations["getGitInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/git/legacy-installation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a legacy Git installation
         * @description Removes the legacy Git installation of a space, to allow one of the integrations to replace it.
         */
        delete: operations["deleteLegacyGitInstallation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links in a space
         * @description Lists the targets that the content of a space links to, and their status.
         */
        get: operations["listSpaceLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a space
         * @description Moves a space within its organization. Returns 409 if the move changes nothing.
         */
        post: operations["moveSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grant access to a space
         * @description Grants a role in a space to users and teams. It replaces any role granted to them before.
         */
        post: operations["createSpaceGrants"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/permissions/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the teams with access to a space
         * @description Lists the teams that have been granted a role in a space.
         */
        get: operations["listSpaceTeamGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/permissions/teams/{teamId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a team's access to a space
         * @description Revokes a team's access to a space.
         */
        delete: operations["deleteSpaceTeamGrant"];
        options?: never;
        head?: never;
        /**
         * Update a team's access to a space
         * @description Updates the role granted to a team in a space.
         */
        patch: operations["updateSpaceTeamGrant"];
        trace?: never;
    };
    "/v1/spaces/{spaceId}/permissions/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the users with access to a space
         * @description Lists the users who have been granted a role in a space.
         */
        get: operations["listSpaceUserGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/permissions/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a user's access to a space
         * @description Revokes a user's access to a space.
         */
        delete: operations["deleteSpaceUserGrant"];
        options?: never;
        head?: never;
        /**
         * Update a user's access to a space
         * @description Updates the role granted to a user in a space.
         */
        patch: operations["updateSpaceUserGrant"];
        trace?: never;
    };
    "/v1/spaces/{spaceId}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a space
         * @description Restores a space that was deleted less than 7 days ago.
         */
        post: operations["restoreSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a revision
         * @description Retrieves a revision in full: page tree, files, reusable content and variables.
         */
        get: operations["getRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a revision
         * @description Lists the files of a revision.
         */
        get: operations["listRevisionFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a page of a revision
         * @description Retrieves a page of a revision with its body and the tree of its subpages.
         */
        get: operations["getRevisionPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/revisions/{revisionId}/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the page tree of a revision
         * @description Retrieves only the page tree of a revision.
         */
        get: operations["getRevisionPageTree"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search a space
         * @description Searches a space. Returns the pages that contain the search terms, best match first, with the matching sections.
         */
        get: operations["searchSpace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{spaceId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer a space
         * @description Transfers a space to another organization of the caller.
         */
        post: operations["transferSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the authenticated user
         * @description Retrieves the user that the access token belongs to.
         */
        get: operations["getCurrentUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the caller's access tokens
         * @description Lists the access tokens of the caller, including expired but not revoked ones.
         */
        get: operations["listAccessTokens"];
        put?: never;
        /**
         * Create an access token
         * @description Creates an access token for the caller. Only this response contains the secret. Returns 403 if the new token would
         *     have more permissions, or expire later, than the token of the request. Returns 409 if the user already has 100
         *     tokens that are neither expired nor revoked.
         */
        post: operations["createAccessToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an access token
         * @description Revokes an access token of the caller, which can be the token of the request. The token is rejected from the next
         *     request on.
         */
        delete: operations["revokeAccessToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: uri
         * @description Absolute URL (RFC 3986) of at most 2,048 characters.
         */
        AbsoluteUrl: string;
        /**
         * @description Scope of an access token, within the permissions of its user. Each scope includes the previous ones. An operation
         *     requires `read` if it is a GET and `write` otherwise, unless its `x-scope` is `admin`.
         * @enum {string}
         */
        AccessTokenScope: "read" | "write" | "admin";
        /** @description Component in the settings of an installation. */
        AccountConfigurationContext: {
            /**
             * @description Type of the context. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_account";
            /**
             * @description Color theme around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description Identifier of the organization. */
            organizationId: components["schemas"]["Identifier"];
        };
        /** @description Boolean claim. */
        AdaptiveClaim: {
            /**
             * @description Type of the claim.
             * @enum {string}
             */
            type: "boolean";
            /** @description Description of the claim. */
            description: components["schemas"]["ShortText"];
        };
        /** @description Claims by name. `unsigned` is reserved for unverified claims. */
        AdaptiveClaims: {
            /** @description Unverified claims that the browser of the visitor states about itself. */
            unsigned?: components["schemas"]["AdaptiveUnsignedClaims"];
        } & {
            [key: string]: components["schemas"]["AdaptiveClaim"] | components["schemas"]["AdaptiveUnsignedClaims"];
        };
        /** @description Condition template: a condition to start from. */
        AdaptiveConditionTemplate: {
            /** @description Visitors that the condition selects. */
            description: string;
            /** @description Expression. */
            condition: string;
        };
        /** @description Condition templates. */
        AdaptiveConditionTemplates: {
            /** @description Templates. */
            items: components["schemas"]["AdaptiveConditionTemplate"][];
        };
        /** @description Claims about a visitor, as a JSON Schema (draft 07) of an object without additional properties. */
        AdaptiveJsonSchema: {
            /** @description Draft of JSON Schema. */
            $schema?: components["schemas"]["ShortText"];
            /**
             * @description Type of the schema.
             * @enum {string}
             */
            type: "object";
            /** @description Claims by name. */
            properties: components["schemas"]["AdaptiveClaims"];
            /**
             * @description Always `false`: claims that are not listed do not exist.
             * @enum {boolean}
             */
            additionalProperties: false;
        };
        /** @description Unverified claims. */
        AdaptiveUnsignedClaims: {
            /**
             * @description Type of the schema.
             * @enum {string}
             */
            type: "object";
            /**
             * @description Fixed description.
             * @enum {string}
             */
            description: "Unsigned claims of the site visitor.";
            /** @description Claims by name. */
            properties: {
                [key: string]: components["schemas"]["AdaptiveClaim"];
            };
            /**
             * @description Always `false`: claims that are not listed do not exist.
             * @enum {boolean}
             */
            additionalProperties?: false;
        };
        /** @description Anchor within a page. */
        AnchorPosition: {
            /**
             * @description Type of the position.
             * @enum {string}
             */
            type: "anchor";
            /** @description Name of the anchor. */
            anchor: string;
        };
        /** @description Reference to an anchor within a page. */
        AnchorRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "anchor";
            /** @description Name of the anchor. */
            anchor: components["schemas"]["ShortText"];
            /** @description Identifier of the space. Omitted if it is the space that contains the reference. */
            space?: components["schemas"]["Identifier"];
            /** @description Identifier of the page. Omitted if it is the page that contains the reference. */
            page?: components["schemas"]["Identifier"];
        };
        /**
         * @description Action that an audit event reports.
         * @enum {string}
         */
        AuditAction: "organization.created" | "organization.settings_changed" | "member.added" | "member.removed" | "member.role_changed" | "member.sso_enabled" | "invite.created" | "invite.changed" | "invite.deleted" | "team.created" | "team.deleted" | "team.member_added" | "team.member_removed" | "team.member_role_changed" | "grant.created" | "grant.changed" | "grant.deleted" | "token.created" | "token.revoked" | "saml_provider.created" | "saml_provider.updated" | "saml_provider.deleted" | "space.access_changed" | "space.deleted" | "space.restored" | "space.purged" | "space.moved" | "space.transferred" | "collection.access_changed" | "collection.deleted" | "collection.moved" | "collection.transferred" | "openapi_spec.visibility_changed" | "openapi_spec.deleted" | "comment.deleted" | "git_installation.deleted";
        /** @description Actor of an audit event. */
        AuditActor: {
            /** @description Type of the actor. */
            type: components["schemas"]["AuditActorType"];
            /** @description Identifier of the user. Omitted unless the actor is a user. */
            id?: string;
            /** @description Current display name of the user. Omitted unless the actor is a user. */
            displayName?: string;
            /** @description Identifier of the access token of the request. Omitted unless the actor is a user. */
            token?: string;
        };
        /**
         * @description Type of the actor of an audit event.
         * @enum {string}
         */
        AuditActorType: "user" | "operator" | "system";
        /** @description Details of an audit event. They never contain secrets. */
        AuditDetails: {
            /** @description User, team or other resource that the event concerns, in addition to its resource. */
            subject?: components["schemas"]["AuditResource"];
            /** @description Previous role, level, visibility, collection or organization. Omitted if there was none. */
            before?: string;
            /** @description New role, level, visibility, collection or organization. Omitted if there is none. */
            after?: string;
            /** @description Names of the changed settings, or of the scopes of a token. */
            fields?: string[];
        };
        /**
         * @description Audit event: a change to the permissions, members, tokens, visibility or integrations of an organization, or a
         *     deletion.
         */
        AuditEvent: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "audit-event";
            /** @description Identifier. */
            id: string;
            /** @description Action. */
            action: components["schemas"]["AuditAction"];
            /** @description Actor. */
            actor: components["schemas"]["AuditActor"];
            /** @description Resource that the action was performed on. */
            resource: components["schemas"]["AuditResource"];
            /** @description Details. */
            details: components["schemas"]["AuditDetails"];
            /**
             * Format: date-time
             * @description Time of the change.
             */
            occurredAt: string;
            /** @description Identifier of the request, as in its `X-Request-Id` and in the server log. Omitted if the event has no request. */
            requestId?: string;
            /** @description IP address of the client. Omitted if the event has no request. */
            address?: string;
        };
        /** @description One page of a list. */
        AuditEventList: {
            /** @description Items of this page. */
            items: components["schemas"]["AuditEvent"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Resource of an audit event. It may no longer exist. */
        AuditResource: {
            /** @description Type of the resource. */
            type: components["schemas"]["AuditResourceType"];
            /** @description Identifier of the resource. */
            id: string;
        };
        /**
         * @description Type of the resource of an audit event.
         * @enum {string}
         */
        AuditResourceType: "organization" | "user" | "invite" | "team" | "token" | "saml-provider" | "space" | "collection" | "openapi-spec" | "comment";
        /**
         * Format: byte
         * @description Bytes encoded in base64 (RFC 4648, section 4).
         */
        Base64: string;
        /** @description Add-on billed by usage. */
        BillingAddon: {
            /** @description Whether the add-on is enabled. */
            enabled: boolean;
        };
        /** @description Add-ons billed by usage. */
        BillingAddons: {
            /** @description AI answers to readers. */
            ai_responses?: components["schemas"]["BillingAddon"];
            /** @description Answers of an AI agent. */
            ai_agent_responses?: components["schemas"]["BillingAddon"];
            /** @description Translated words. */
            translation_words?: components["schemas"]["BillingAddon"];
        };
        /**
         * @description Billing interval.
         * @enum {string}
         */
        BillingInterval: "monthly" | "yearly";
        /** @description Migration from previous to current prices. */
        BillingMigration: {
            /**
             * Format: date-time
             * @description Latest time of the migration.
             */
            deadline?: string;
            /**
             * Format: double
             * @description Discount on the current price, in percent.
             */
            discountPercent?: number;
            /**
             * Format: date-time
             * @description End of the discount.
             */
            discountEndDate?: string;
        };
        /** @description Prices of the plans. */
        BillingPricing: {
            /** @description Prices per member, by plan. */
            members: components["schemas"]["MemberPricing"];
            /** @description Prices per site, by plan. */
            sites: components["schemas"]["SitePricing"];
        };
        /** @description Menu entry of a block. */
        BlockControl: {
            /** @description Name of the icon. */
            icon?: string;
            /** @description Label. */
            label: string;
            /** @description Action when the entry is pressed. */
            onPress: components["schemas"]["RenderAction"];
            /** @description Confirmation required before the action. */
            confirm?: components["schemas"]["RenderConfirmation"];
        };
        /** @description Block in a page. */
        BlockElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "block";
            /** @description Elements of the block. */
            children: components["schemas"]["RenderElement"][];
            /** @description Menu entries. */
            controls?: components["schemas"]["BlockControl"][];
        };
        /** @description Group of elements within a stack. */
        BoxElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "box";
            /** @description Elements of the box. */
            children: components["schemas"]["RenderChild"][];
            /**
             * Format: double
             * @description Share of the remaining space.
             */
            grow?: number;
            /**
             * @description Visual style.
             * @enum {string}
             */
            style?: "default" | "card" | "secondary";
        };
        /** @description Statistics of broken links. */
        BrokenLinkStats: {
            /**
             * Format: int32
             * @description Number of broken links.
             */
            total: number;
            /**
             * Format: int32
             * @description Number of broken links that the change request introduces. Omitted for the content of a space.
             */
            changeRequest?: number;
        };
        /** @description Button. */
        ButtonElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "button";
            /** @description Action when the button is pressed. */
            onPress: components["schemas"]["RenderAction"];
            /** @description Label. */
            label?: string;
            /**
             * @description Visual style.
             * @enum {string}
             */
            style?: "primary" | "secondary" | "danger";
            /** @description Name of the icon. */
            icon?: string;
            /** @description Text displayed while the pointer is over the button. */
            tooltip?: string;
            /** @description Confirmation required before the action. */
            confirm?: components["schemas"]["RenderConfirmation"];
            /** @description Whether the button is disabled. */
            disabled?: boolean;
        };
        /** @description Card. */
        CardElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "card";
            /** @description Title. */
            title?: string;
            /** @description Line below the title: text, or text elements. */
            hint?: string | components["schemas"]["TextElement"][];
            /** @description Name of the icon, or an image. */
            icon?: string | components["schemas"]["ImageElement"];
            /** @description Action when the card is pressed. */
            onPress?: components["schemas"]["RenderAction"];
            /** @description Elements of the card. */
            children?: components["schemas"]["RenderChild"][];
            /** @description Buttons. */
            buttons?: components["schemas"]["ButtonElement"][];
        };
        /** @description Change request: a branch of the content of a space, to be reviewed and merged. */
        ChangeRequest: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "change-request";
            /** @description Identifier. */
            id: string;
            /**
             * Format: int32
             * @description Number within the space, starting at 1. Serves as an identifier in paths.
             */
            number: number;
            /** @description Current status. */
            status: components["schemas"]["ChangeRequestStatus"];
            /** @description Subject. Can be empty. */
            subject: string;
            /** @description User who created the change request. */
            createdBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last update.
             */
            updatedAt: string;
            /**
             * @description Identifier of the current revision. Before the first edit: the revision of the space that the change request was
             *     created from.
             */
            revision: string;
            /** @description Identifier of the revision of the space that the change request was created from. */
            revisionInitial: string;
            /** @description Identifier of the revision of the space that the change request was last updated to. */
            revisionMergedAncestor?: string;
            /** @description Identifier of the revision that the merge created. */
            revisionMerged?: string;
            /**
             * Format: int32
             * @description Number of open comments.
             */
            comments: number;
            /**
             * @description Whether the primary content has changed since the change request was created or last updated to it. Always `false`
             *     if merged.
             */
            outdated: boolean;
            /** @description URLs of the change request. */
            urls: components["schemas"]["ChangeRequestUrls"];
        };
        /**
         * @description Fields to update in a reply to a comment on a change request. Omitted fields are unchanged.
         * @example {
         *       "addedReactions": [
         *         "👍"
         *       ]
         *     }
         */
        ChangeRequestCommentReplyUpdate: {
            /** @description Whether the parent comment is resolved. */
            resolved?: boolean;
            /** @description New text. */
            body?: components["schemas"]["MarkdownBody"];
            /** @description Emoji of the reactions to add. A comment or reply can have at most 10,000 reactions. */
            addedReactions?: components["schemas"]["IconName"][];
            /** @description Emoji of the caller's reactions to remove. */
            removedReactions?: components["schemas"]["IconName"][];
        };
        /** @description Change request that contains the location. */
        ChangeRequestContext: {
            /**
             * @description Type of the version.
             * @enum {string}
             */
            type: "changeRequest";
            /** @description Change request. */
            changeRequest: components["schemas"]["ChangeRequest"];
        };
        /**
         * @description Change request to create.
         * @example {
         *       "subject": "Explain how tokens expire"
         *     }
         */
        ChangeRequestCreate: {
            /** @description Subject. Default: empty. */
            subject?: components["schemas"]["ShortText"];
            /** @description Identifier of a task for an agent to carry out. It is stored, but has no effect. */
            agentTaskId?: components["schemas"]["ShortText"];
        };
        /** @description One page of a list. */
        ChangeRequestList: {
            /** @description Items of this page. */
            items: components["schemas"]["ChangeRequest"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Result of a merge. */
        ChangeRequestMergeResult: {
            /** @description Identifier of the resulting revision: of the space if merged, of the change request if there are conflicts. */
            revision: string;
            /**
             * @description `merge` if merged; `conflicts` if the text contains both versions to choose from.
             * @enum {string}
             */
            result: "merge" | "conflicts";
        };
        /**
         * @description Fields to update. Omitted fields are unchanged.
         * @example {
         *       "status": "open"
         *     }
         */
        ChangeRequestPatch: {
            /** @description Subject. */
            subject?: string;
            /**
             * @description Status. Only a merge sets it to `merged`.
             * @enum {string}
             */
            status?: "draft" | "open" | "archived";
        };
        /**
         * @description Status of a change request.
         * @enum {string}
         */
        ChangeRequestStatus: "draft" | "open" | "archived" | "merged";
        /** @description Result of an update. */
        ChangeRequestUpdateResult: {
            /** @description Identifier of the resulting revision of the change request. */
            revision: string;
            /**
             * @description `update` if up to date; `conflicts` if the text contains both versions to choose from.
             * @enum {string}
             */
            result: "update" | "conflicts";
        };
        /** @description URLs of a change request. */
        ChangeRequestUrls: {
            /**
             * Format: uri
             * @description URL of the change request in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the change request in this API.
             */
            location: string;
        };
        /** @description Checkbox. */
        CheckboxElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "checkbox";
            /** @description Key of the state entry that contains the selection. */
            state: string;
            /** @description Value of this radio button or checkbox. */
            value: string | number;
            /** @description Action when the element is pressed. */
            onValueChange?: components["schemas"]["RenderAction"];
            /** @description Confirmation required before the action. */
            confirm?: components["schemas"]["RenderConfirmation"];
        };
        /** @description Closes the modal. */
        CloseModalAction: {
            /**
             * @description Name of the action.
             * @enum {string}
             */
            action: "@ui.modal.close";
            /** @description Value to return to the opener of the modal. */
            returnValue?: {
                [key: string]: unknown;
            };
        };
        /** @description Code block, read-only or editable. */
        CodeElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "codeblock";
            /** @description Code. */
            content: string | components["schemas"]["RenderBinding"];
            /** @description Language of the code. */
            syntax?: string;
            /** @description Whether lines are numbered, or the number of the first line. */
            lineNumbers?: boolean | number;
            /** @description Buttons. */
            buttons?: components["schemas"]["ButtonElement"][];
            /** @description Key of the state entry that contains the edited code. */
            state?: string;
            /** @description Action when the reader changes the code. */
            onContentChange?: components["schemas"]["RenderAction"];
            /** @description Elements above the code. */
            header?: components["schemas"]["RenderElement"][];
            /** @description Elements below the code. */
            footer?: components["schemas"]["RenderElement"][];
        };
        /** @description Collection: a folder of spaces and other collections. */
        Collection: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "collection";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Description. */
            description?: string;
            /** @description Identifier of the organization that owns the collection. */
            organization: string;
            /** @description Identifier of the parent collection. Omitted at the root. */
            parent?: string;
            /** @description Role of every member in the contents of the collection: the level set on the collection, or the inherited one. */
            defaultLevel: components["schemas"]["Role"];
            /** @description URLs of the collection. */
            urls: components["schemas"]["CollectionUrls"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["CollectionPermissions"];
        };
        /** @description Collection to create. */
        CollectionCreate: {
            /** @description Title. Default: `Untitled`. */
            title?: components["schemas"]["ContentTitle"];
            /** @description Identifier of the parent collection. Default: the root of the organization. */
            parent?: components["schemas"]["Identifier"];
        };
        /** @description Invite link to a collection, as a guest. */
        CollectionInvite: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "invite";
            /** @description Identifier. It is also the secret of the invite link. */
            id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description URLs of the invite link. */
            urls: components["schemas"]["InviteUrls"];
            /** @description Role in the collection for users who join. */
            level: components["schemas"]["Role"];
            /** @description Identifier of the collection. */
            collection: string;
        };
        /** @description Invite link to a collection to create. */
        CollectionInviteCreate: {
            /** @description Role in the collection for users who join. */
            level: components["schemas"]["Role"];
            /** @description Identifier of the collection. */
            collection: components["schemas"]["Identifier"];
        };
        /** @description One page of a list. */
        CollectionList: {
            /** @description Items of this page. */
            items: components["schemas"]["Collection"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Location of a collection. */
        CollectionLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "collection";
            /** @description Organization that owns the collection. */
            organization: components["schemas"]["Organization"];
            /** @description Collection. */
            collection: components["schemas"]["Collection"];
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        CollectionPatch: {
            /** @description Title. */
            title?: components["schemas"]["ContentTitle"];
            /** @description Description. */
            description?: string;
            /** @description Role of every member in the contents of the collection. `null` and `inherit` inherit the role from the parent. */
            defaultLevel?: components["schemas"]["DefaultLevel"] | null;
        };
        /** @description Permissions of the caller on a collection. */
        CollectionPermissions: {
            /** @description Whether the caller can view the collection. */
            view: boolean;
            /** @description Whether the caller can update, move and delete the collection, and grant access to it. */
            admin: boolean;
            /** @description Whether the caller can view the invite links of the collection. */
            viewInviteLinks: boolean;
            /** @description Whether the caller can create spaces and collections in the collection. */
            create: boolean;
        };
        /** @description Reference to a sibling collection. */
        CollectionPointer: {
            /**
             * @description Type of the sibling. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "collection";
            /** @description Identifier of the collection. */
            collection: components["schemas"]["Identifier"];
        };
        /** @description Reference to a collection. */
        CollectionRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "collection";
            /** @description Identifier of the collection. */
            collection: components["schemas"]["Identifier"];
        };
        /** @description URLs of a collection. */
        CollectionUrls: {
            /**
             * Format: uri
             * @description URL of the collection in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the collection in the app.
             */
            app: string;
        };
        /** @description Color in the form `#rrggbb`. */
        Color: string;
        /** @description Vertical stack of elements. */
        ColumnElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "vstack";
            /** @description Elements of the stack. */
            children: components["schemas"]["RenderElement"][];
            /**
             * @description Alignment of the elements across the stack.
             * @enum {string}
             */
            align?: "start" | "center" | "end";
        };
        /** @description Comment on a space, on a change request, or on a part of its content. */
        Comment: components["schemas"]["OpenComment"] | components["schemas"]["ResolvedComment"];
        /** @description Text of a comment or reply, in the requested format. */
        CommentBody: components["schemas"]["MarkdownBody"] | components["schemas"]["DocumentBody"];
        /**
         * @description Comment to create.
         * @example {
         *       "page": "pag_7Hq2",
         *       "body": {
         *         "markdown": "Shouldn't this name the default?"
         *       }
         *     }
         */
        CommentCreate: {
            /** @description Key of the node to comment on, within the page. */
            node?: components["schemas"]["ShortText"];
            /** @description Identifier of the page to comment on. Omit it to comment on the whole content. */
            page?: components["schemas"]["Identifier"];
            /** @description Text. */
            body: components["schemas"]["MarkdownBody"];
            /** @description Cell to comment on, within a table. */
            tableCell?: components["schemas"]["TableCell"];
        };
        /** @description One page of a list. */
        CommentList: {
            /** @description Items of this page. */
            items: components["schemas"]["Comment"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Permissions of the caller on a comment or reply. */
        CommentPermissions: {
            /** @description Whether the caller can view it. */
            view: boolean;
            /** @description Whether the caller can edit it. */
            edit: boolean;
            /** @description Whether the caller can reply to it. */
            reply?: boolean;
            /** @description Whether the caller can delete it. */
            delete: boolean;
        };
        /** @description Reply to a comment. */
        CommentReply: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "comment-reply";
            /** @description Identifier. */
            id: string;
            /** @description Author. */
            postedBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            postedAt: string;
            /**
             * Format: date-time
             * @description Time of the last edit of the text. Omitted if the text has not been edited.
             */
            editedAt?: string;
            /** @description Reactions. */
            reactions: components["schemas"]["Reaction"][];
            /** @description Text. */
            body: components["schemas"]["CommentBody"];
            /** @description URLs. */
            urls: components["schemas"]["CommentUrls"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["CommentPermissions"];
        };
        /**
         * @description Reply to create.
         * @example {
         *       "body": {
         *         "markdown": "It does now."
         *       }
         *     }
         */
        CommentReplyCreate: {
            /** @description Text. */
            body: components["schemas"]["MarkdownBody"];
        };
        /** @description One page of a list. */
        CommentReplyList: {
            /** @description Items of this page. */
            items: components["schemas"]["CommentReply"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /**
         * @description Fields to update in a reply to a comment on a space. Omitted fields are unchanged.
         * @example {
         *       "addedReactions": [
         *         "👍"
         *       ]
         *     }
         */
        CommentReplyUpdate: {
            /** @description New text. */
            body?: components["schemas"]["MarkdownBody"];
            /** @description Emoji of the reactions to add. A comment or reply can have at most 10,000 reactions. */
            addedReactions?: components["schemas"]["IconName"][];
            /** @description Emoji of the caller's reactions to remove. */
            removedReactions?: components["schemas"]["IconName"][];
        };
        /**
         * @description Status of the comments to list.
         * @enum {string}
         */
        CommentStatusFilter: "all" | "open" | "resolved";
        /** @description Content that a comment refers to. */
        CommentTarget: {
            /** @description Node within the page. */
            node?: components["schemas"]["CommentedNode"];
            /** @description Cell within the table. */
            tableCell?: components["schemas"]["TableCell"];
            /** @description Identifier of the change request. */
            changeRequest?: string;
            /** @description Identifier of the review of the change request. */
            review?: string;
            /** @description Page. */
            page?: components["schemas"]["CommentedPage"];
            /** @description Identifier of the space. */
            space: string;
            /** @description Identifier of the revision that was current at the time of the comment. */
            revision: string;
        };
        /**
         * @description Fields to update. Omitted fields are unchanged.
         * @example {
         *       "resolved": true
         *     }
         */
        CommentUpdate: {
            /** @description Whether the comment is resolved. */
            resolved?: boolean;
            /** @description New text. */
            body?: components["schemas"]["MarkdownBody"];
            /** @description Emoji of the reactions to add. A comment or reply can have at most 10,000 reactions. */
            addedReactions?: components["schemas"]["IconName"][];
            /** @description Emoji of the caller's reactions to remove. */
            removedReactions?: components["schemas"]["IconName"][];
        };
        /** @description URLs of a comment or reply. */
        CommentUrls: {
            /**
             * Format: uri
             * @description URL of the comment or reply in this API.
             */
            location: string;
        };
        /** @description Node that a comment refers to. */
        CommentedNode: {
            /** @description Key of the node in its document. */
            id: string;
            /** @description Text of the node at the time of the comment. Only the beginning of a long text is included. */
            preview: string;
        };
        /**
         * @description Page that a comment refers to: its current state or, if the page no longer exists, its state at the time of the
         *     comment.
         */
        CommentedPage: {
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Emoji next to the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description Name of an icon next to the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description Time of creation. Omitted until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description Time of the last update. Omitted until the first edit.
             */
            updatedAt?: string;
            /** @description Path within the space. */
            path: string;
            /**
             * @description Whether the target of the comment no longer exists: the page, or the node that the comment refers to. A block no
             *     longer exists once its content has changed.
             */
            outdated: boolean;
        };
        /**
         * @description Type of a community.
         * @enum {string}
         */
        CommunityType: "nonProfit" | "openSource" | "education";
        /** @description Action that the component handles. */
        ComponentAction: {
            /** @description Name of the action. Names that begin with `@` are reserved for built-in actions. */
            action: components["schemas"]["ShortText"];
        } & {
            [key: string]: unknown;
        };
        /** @description Request to compute a page. */
        ComputeDocumentEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "content_compute_document";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the content source within the integration. */
            sourceId: string;
            /** @description Properties for the content source. */
            props: {
                [key: string]: unknown;
            };
            /** @description Dependencies of the result, by name. */
            dependencies: {
                [key: string]: components["schemas"]["ComputedDependency"];
            };
        };
        /** @description Request to compute the pages of a space. */
        ComputeRevisionEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "content_compute_revision";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the content source within the integration. */
            sourceId: string;
            /** @description Properties for the content source. */
            props: {
                [key: string]: unknown;
            };
            /** @description Dependencies of the result, by name. */
            dependencies: {
                [key: string]: components["schemas"]["ComputedDependency"];
            };
        };
        /** @description Dependency of content computed by an integration. */
        ComputedDependency: {
            /** @description Reference to the dependency. */
            ref: components["schemas"]["ComputedDependencyRef"];
        };
        /** @description Reference to any resource that computed content can depend on. */
        ComputedDependencyRef: components["schemas"]["ContentRef"] | components["schemas"]["TranslationRef"];
        /** @description Placeholder in the page tree that computed pages replace. */
        ComputedPage: {
            /**
             * @description Type of the page.
             * @enum {string}
             */
            type: "computed";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Emoji next to the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description Name of an icon next to the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description Time of creation. Omitted until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description Time of the last update. Omitted until the first edit.
             */
            updatedAt?: string;
            /** @description Source that the pages are computed from. */
            computed: components["schemas"]["ComputedRevisionSource"];
        };
        /** @description Source that the body of a page is computed from. */
        ComputedPageSource: components["schemas"]["OpenAPIPageSource"] | components["schemas"]["TranslationPageSource"] | components["schemas"]["IntegrationSource"];
        /** @description Source that a page tree is computed from. */
        ComputedRevisionSource: components["schemas"]["OpenAPIRevisionSource"] | components["schemas"]["TranslationRevisionSource"] | components["schemas"]["IntegrationSource"];
        /** @description Settings form. */
        ConfigurationElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration";
            /** @description Elements of the form: one stepper, or any other elements. */
            children: components["schemas"]["RenderElement"][];
        };
        /** @description Change to the content. */
        ContentChange: components["schemas"]["InsertPage"] | components["schemas"]["UpdatePage"] | components["schemas"]["DeletePage"] | components["schemas"]["RevertPage"] | components["schemas"]["InsertFiles"];
        /**
         * @description Changes to make, in this order. Either all or none of them are made.
         * @example {
         *       "changes": [
         *         {
         *           "operation": "insert_page",
         *           "title": "Getting started",
         *           "document": {
         *             "markdown": "Install it, then sign in."
         *           }
         *         }
         *       ]
         *     }
         */
        ContentChanges: {
            /** @description Changes. */
            changes: components["schemas"]["ContentChange"][];
        };
        /**
         * @description Content to import.
         * @example {
         *       "url": "https://docs.example.com/guide.md",
         *       "source": "markdown"
         *     }
         */
        ContentImport: {
            /** @description URL of the source. */
            url: components["schemas"]["AbsoluteUrl"];
            /** @description Type of the source. */
            source: components["schemas"]["ImportSource"];
        };
        /** @description Target of links, with all locations that link to it. */
        ContentLink: {
            /** @description Status of the links. */
            status: components["schemas"]["LinkStatus"];
            /** @description Relation to the target. */
            relation: components["schemas"]["LinkRelation"];
            /** @description Target. Omitted if there is nothing to display for it. */
            targetReference?: components["schemas"]["Location"];
            /** @description Locations that link to the target. */
            locationReferences: components["schemas"]["Location"][];
        };
        /** @description Reference to a sibling space or collection. */
        ContentPointer: components["schemas"]["SpacePointer"] | components["schemas"]["CollectionPointer"];
        /** @description Position among siblings. Without `before` and `after`, it is the last position. */
        ContentPointerPosition: {
            /** @description Sibling to insert before. */
            before?: components["schemas"]["ContentPointer"];
            /** @description Sibling to insert after. */
            after?: components["schemas"]["ContentPointer"];
        };
        /** @description Reference from content to a resource. */
        ContentRef: components["schemas"]["FileRef"] | components["schemas"]["UrlRef"] | components["schemas"]["PageRef"] | components["schemas"]["AnchorRef"] | components["schemas"]["UserRef"] | components["schemas"]["CollectionRef"] | components["schemas"]["SpaceRef"] | components["schemas"]["ReusableContentRef"] | components["schemas"]["OpenAPIRef"];
        /** @description Content security policy: as text, or as directives with their values. */
        ContentSecurityPolicyWrite: components["schemas"]["LongText"] | {
            [key: string]: components["schemas"]["ShortText"];
        };
        /** @description Component in the settings of a content source. */
        ContentSourceConfigurationContext: {
            /**
             * @description Type of the context. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_contentsource";
            /**
             * @description Color theme around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description Identifier of the organization. */
            organizationId: components["schemas"]["Identifier"];
            /** @description Identifier of the space. */
            spaceId?: components["schemas"]["Identifier"];
        };
        /** @description Title of a space or collection. */
        ContentTitle: string;
        /** @description Reference to the image of a cover. */
        CoverRef: components["schemas"]["FileRef"] | components["schemas"]["UrlRef"];
        /**
         * @description Size of the cover of a page.
         * @enum {string}
         */
        CoverSize: "hero" | "full";
        /** @description Authentication of visitors by a service of the organization. */
        CustomVisitorAuth: {
            /**
             * @description Authentication backend. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            backend: "custom";
        };
        /** @description Site shown as the default content of an organization. */
        DefaultContent: {
            /**
             * @description Type of the content.
             * @enum {string}
             */
            type: "site";
            /** @description Identifier of the site. */
            site: components["schemas"]["Identifier"];
        };
        /**
         * @description Role that a space or collection grants to every member of the organization, or `inherit` for the role that its parent grants.
         * @enum {string}
         */
        DefaultLevel: "admin" | "create" | "review" | "edit" | "comment" | "read" | "inherit";
        /** @description Change that deletes a page and its descendants. */
        DeletePage: {
            /**
             * @description Type of the change.
             * @enum {string}
             */
            operation: "delete_page";
            /** @description Identifier of the page, or the `ref` that an earlier change assigned to it. */
            page: components["schemas"]["Identifier"];
        };
        /** @description State of an installation before its removal. */
        DeletedInstallation: {
            /** @description Values of the settings by name. */
            configuration?: {
                [key: string]: unknown;
            };
        };
        /** @description Space or line between elements. */
        DividerElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "divider";
            /**
             * @description Size of the space.
             * @enum {string}
             */
            size?: "small" | "medium" | "large";
            /**
             * @description Visual style: space only, or a line.
             * @enum {string}
             */
            style?: "default" | "line";
        };
        /**
         * @description Text as a tree of blocks. A page in the document format is returned as this tree, which is equivalent to its
         *     markdown.
         */
        Document: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "document";
            /** @description Data of the whole document. */
            data: components["schemas"]["DocumentData"];
            /** @description Blocks, from top to bottom. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /**
         * @description Horizontal alignment.
         * @enum {string}
         */
        DocumentAlignment: "start" | "center" | "end";
        /** @description Text with a note. */
        DocumentAnnotationInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "annotation";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentAnnotationInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a text with a note. */
        DocumentAnnotationInlineData: {
            /** @description Note. */
            body: components["schemas"]["DocumentBlock"][];
        };
        /** @description Block at the top level of a document or inside another block. */
        DocumentBlock: components["schemas"]["DocumentParagraphBlock"] | components["schemas"]["DocumentHeadingBlock"] | components["schemas"]["DocumentListBlock"] | components["schemas"]["DocumentDividerBlock"] | components["schemas"]["DocumentQuoteBlock"] | components["schemas"]["DocumentHintBlock"] | components["schemas"]["DocumentImagesBlock"] | components["schemas"]["DocumentFileBlock"] | components["schemas"]["DocumentDrawingBlock"] | components["schemas"]["DocumentEmbedBlock"] | components["schemas"]["DocumentCodeBlock"] | components["schemas"]["DocumentMathBlock"] | components["schemas"]["DocumentExpandableBlock"] | components["schemas"]["DocumentTabsBlock"] | components["schemas"]["DocumentTableBlock"] | components["schemas"]["DocumentSwaggerBlock"] | components["schemas"]["DocumentOpenAPIOperationBlock"] | components["schemas"]["DocumentOpenAPISchemasBlock"] | components["schemas"]["DocumentOpenAPIWebhookBlock"] | components["schemas"]["DocumentContentRefBlock"] | components["schemas"]["DocumentIntegrationBlock"] | components["schemas"]["DocumentReusableContentBlock"] | components["schemas"]["DocumentStepperBlock"] | components["schemas"]["DocumentPromptBlock"] | components["schemas"]["DocumentConditionBlock"] | components["schemas"]["DocumentColumnsBlock"] | components["schemas"]["DocumentUpdatesBlock"];
        /** @description Text as a tree of blocks. */
        DocumentBody: {
            /** @description Tree of blocks. */
            document: components["schemas"]["Document"];
        };
        /** @description Button. */
        DocumentButtonInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "button";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentButtonInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a button. */
        DocumentButtonInlineData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Target of the button. Omitted for a button with another action, which its attributes specify. */
            ref?: components["schemas"]["ContentRef"];
            /**
             * @description Style of the button.
             * @enum {string}
             */
            kind: "primary" | "secondary";
            /** @description Icon of the button. */
            icon?: components["schemas"]["ShortText"];
            /** @description Label. */
            label: components["schemas"]["LongText"];
        };
        /** @description Code block. */
        DocumentCodeBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "code";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentCodeBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentCodeLineBlock"][];
        };
        /** @description Data of a code block. */
        DocumentCodeBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Language, as named in a fenced code block. */
            syntax?: components["schemas"]["LongText"];
            /** @description Title above the code, often a file name. */
            title?: components["schemas"]["LongText"];
            /**
             * @description Handling of long lines.
             * @enum {string}
             */
            overflow?: "wrap" | "scroll";
            /** @description Whether lines are numbered. */
            lineNumbers?: boolean;
            /** @description Whether the block uses the full width of the page. */
            fullWidth?: boolean;
        };
        /** @description Line of a code block, without its line ending. */
        DocumentCodeLineBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "code-line";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentEmptyData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Color of a text. */
        DocumentColorMark: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "mark";
            /**
             * @description Type of the mark.
             * @enum {string}
             */
            type: "color";
            /** @description Colors. */
            data: components["schemas"]["DocumentColorMarkData"];
        };
        /** @description Colors of a text, named as in CSS or in the theme of the site. */
        DocumentColorMarkData: {
            /** @description Text color. */
            text?: components["schemas"]["ShortText"];
            /** @description Background color. */
            background?: components["schemas"]["ShortText"];
        };
        /** @description Column. */
        DocumentColumnBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "column";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentColumnBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a column. */
        DocumentColumnBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Width, as written. */
            width?: components["schemas"]["LongText"];
        };
        /** @description Columns, side by side. */
        DocumentColumnsBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "columns";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentTagData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentColumnBlock"][];
        };
        /** @description Blocks that are visible only to some visitors. */
        DocumentConditionBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "if";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentConditionBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of blocks displayed on a condition. */
        DocumentConditionBlockData: {
            /** @description Expression that determines whether the blocks are displayed. */
            expression: components["schemas"]["LongText"];
        };
        /** @description Link displayed as a block. */
        DocumentContentRefBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "content-ref";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentContentRefBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a link displayed as a block. */
        DocumentContentRefBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Target of the link. */
            ref: components["schemas"]["ContentRef"];
            /** @description Text of the link. Default: the title of the target. */
            title?: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Component in a page. */
        DocumentContext: {
            /**
             * @description Type of the context. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "document";
            /**
             * @description Color theme around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description Identifier of the space. */
            spaceId: components["schemas"]["Identifier"];
            /** @description Whether the reader can edit the page. */
            editable: boolean;
        };
        /** @description Data of a whole document. Additional properties are allowed. */
        DocumentData: {
            /**
             * Format: int32
             * @description Version of the block schema. Responses always contain `1`.
             */
            schemaVersion?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description Divider: a horizontal line across the page. */
        DocumentDividerBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "divider";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentEmptyData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Drawing created in the app. */
        DocumentDrawingBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "drawing";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentFileBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Embedded external content, such as a page or a video. */
        DocumentEmbedBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "embed";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentEmbedBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of embedded content. */
        DocumentEmbedBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description URL to embed. */
            url: components["schemas"]["LongText"];
            /** @description Caption below the embedded content. */
            caption?: components["schemas"]["DocumentInlineNode"][];
            /** @description Whether the embedded content uses the full width of the page. */
            fullWidth?: boolean;
        };
        /** @description Emoji written as a short name. An emoji written as a character is text. */
        DocumentEmojiInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "emoji";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentEmojiInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an emoji. */
        DocumentEmojiInlineData: {
            /** @description Short name, without colons. */
            code: components["schemas"]["ShortText"];
        };
        /** @description Empty data. */
        DocumentEmptyData: Record<string, never>;
        /** @description Title that expands to show blocks. */
        DocumentExpandableBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "expandable";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentExpandableBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an expandable block. */
        DocumentExpandableBlockData: {
            /** @description Title, always visible. */
            title: components["schemas"]["DocumentInlineNode"][];
            /** @description Content, visible when expanded. */
            body: components["schemas"]["DocumentBlock"][];
            /** @description Whether the block is expanded initially. */
            open?: boolean;
        };
        /** @description Expression, displayed as its value. */
        DocumentExpressionInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "expression";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentExpressionInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an expression. */
        DocumentExpressionInlineData: {
            /** @description Expression, such as `space.vars.version`. */
            expression: components["schemas"]["LongText"];
        };
        /** @description File to download. */
        DocumentFileBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "file";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentFileBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a file or a drawing. */
        DocumentFileBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description File. */
            ref: components["schemas"]["ContentRef"];
            /** @description Caption below the file or drawing. */
            caption?: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a formula. */
        DocumentFormulaData: {
            /** @description Formula in TeX. */
            formula: components["schemas"]["LongText"];
        };
        /** @description Heading of one of three levels, below the title of the page. */
        DocumentHeadingBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "heading-1" | "heading-2" | "heading-3";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentHeadingBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a heading. */
        DocumentHeadingBlockData: {
            /** @description Anchor, if the page sets one. Otherwise, the anchor is derived from the title. */
            id?: components["schemas"]["LongText"];
            /** @description Horizontal alignment. Default: `start`. */
            align?: components["schemas"]["DocumentAlignment"];
        };
        /** @description Hint: a box that draws attention to its content. */
        DocumentHintBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "hint";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentHintBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a hint. */
        DocumentHintBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /**
             * @description Purpose of the hint.
             * @enum {string}
             */
            style: "info" | "success" | "warning" | "danger";
            /** @description Icon to display instead of the default icon of the style. */
            icon?: components["schemas"]["LongText"];
        };
        /** @description Icon. */
        DocumentIconInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "icon";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentIconInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an icon. */
        DocumentIconInlineData: {
            /** @description Name of the icon. */
            icon: components["schemas"]["ShortText"];
            /** @description Color. */
            color?: components["schemas"]["ShortText"];
        };
        /** @description Image in a row of images. */
        DocumentImageBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "image";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentImageBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an image. */
        DocumentImageBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Image. */
            ref: components["schemas"]["ContentRef"];
            /** @description Image for dark themes. */
            refDark?: components["schemas"]["ContentRef"];
            /** @description Alternative text for readers who cannot see the image. */
            alt?: components["schemas"]["LongText"];
            /** @description Caption below the image. */
            caption?: components["schemas"]["DocumentInlineNode"][];
            /** @description Width in pixels or percent, as written. */
            width?: components["schemas"]["LongText"];
            /** @description Height in pixels, as written. */
            height?: components["schemas"]["LongText"];
        };
        /** @description Image within a line of text. */
        DocumentImageInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "inline-image";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentImageInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an image within a line of text. */
        DocumentImageInlineData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Image. */
            ref: components["schemas"]["ContentRef"];
            /** @description Image for dark themes. */
            refDark?: components["schemas"]["ContentRef"];
            /** @description Alternative text for readers who cannot see the image. */
            alt?: components["schemas"]["LongText"];
            /** @description Text displayed when the pointer hovers over the image. */
            title?: components["schemas"]["LongText"];
            /**
             * @description Displayed size: the height of the line, or the original size.
             * @enum {string}
             */
            size?: "line" | "original";
        };
        /** @description Row of one or more images. */
        DocumentImagesBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "images";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentImagesBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentImageBlock"][];
        };
        /** @description Data of a row of images. */
        DocumentImagesBlockData: {
            /** @description Horizontal alignment of the images. */
            align?: components["schemas"]["DocumentAlignment"];
            /** @description Whether the images use the full width of the page. */
            fullWidth?: boolean;
            /** @description Whether the images are framed. */
            withFrame?: boolean;
        };
        /** @description Inline node other than text. */
        DocumentInline: components["schemas"]["DocumentLinkInline"] | components["schemas"]["DocumentEmojiInline"] | components["schemas"]["DocumentIconInline"] | components["schemas"]["DocumentExpressionInline"] | components["schemas"]["DocumentMathInline"] | components["schemas"]["DocumentImageInline"] | components["schemas"]["DocumentAnnotationInline"] | components["schemas"]["DocumentMentionInline"] | components["schemas"]["DocumentButtonInline"];
        /** @description Node of inline content. */
        DocumentInlineNode: components["schemas"]["DocumentText"] | components["schemas"]["DocumentInline"];
        /** @description Body of a page to write, in either format. */
        DocumentInput: components["schemas"]["MarkdownBody"] | components["schemas"]["Document"];
        /** @description Block rendered by an integration. */
        DocumentIntegrationBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "integration";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentIntegrationBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a block of an integration. */
        DocumentIntegrationBlockData: {
            /** @description Name of the integration. */
            integration: components["schemas"]["LongText"];
            /** @description Identifier of the block within the integration. */
            block: components["schemas"]["LongText"];
            /** @description Properties of the block, by name. */
            props: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description Part of a text with the same marks throughout. */
        DocumentLeaf: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "leaf";
            /** @description Text. A line feed is a line break. */
            text: components["schemas"]["LongText"];
            /** @description Marks: the formatting of the text. */
            marks: components["schemas"]["DocumentMark"][];
            /**
             * @description Set to `true` for markup that is preserved verbatim because this contract does not define it or because it exceeds
             *     a limit. Omitted otherwise.
             * @enum {boolean}
             */
            raw?: true;
        };
        /** @description Link. */
        DocumentLinkInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "link";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentLinkInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a link. */
        DocumentLinkInlineData: {
            /** @description Target of the link. */
            ref: components["schemas"]["ContentRef"];
            /** @description Text displayed when the pointer hovers over the link. */
            title?: components["schemas"]["LongText"];
        };
        /** @description List: ordered, unordered, or a list of tasks. */
        DocumentListBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "list-ordered" | "list-unordered" | "list-tasks";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentListBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentListItemBlock"][];
        };
        /** @description Data of a list. */
        DocumentListBlockData: {
            /**
             * Format: int32
             * @description Number of the first item of an ordered list. Default: 1.
             */
            start?: number;
        };
        /** @description List item. */
        DocumentListItemBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "list-item";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentListItemBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a list item. */
        DocumentListItemBlockData: {
            /** @description Whether the task is done. Omitted if the item is not a task. */
            checked?: boolean;
        };
        /** @description Formatting of a text. */
        DocumentMark: components["schemas"]["DocumentPlainMark"] | components["schemas"]["DocumentColorMark"];
        /** @description Formula displayed as a block. */
        DocumentMathBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "math";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentFormulaData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Formula within a line of text. */
        DocumentMathInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "inline-math";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentFormulaData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Page, user or other resource, displayed as its title. */
        DocumentMentionInline: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description Type of the node.
             * @enum {string}
             */
            type: "mention";
            /**
             * @description Whether nodes of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Data of the node, other than its child nodes. */
            data: components["schemas"]["DocumentMentionInlineData"];
            /** @description Child nodes, in order. Empty if nodes of this type have none. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a mention. */
        DocumentMentionInlineData: {
            /** @description Mentioned resource. */
            ref: components["schemas"]["ContentRef"];
        };
        /** @description Operation of an OpenAPI specification. */
        DocumentOpenAPIOperationBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "openapi-operation";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentOpenAPIOperationBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an operation of an OpenAPI specification. */
        DocumentOpenAPIOperationBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Slug of the specification in the organization. */
            spec?: components["schemas"]["LongText"];
            /** @description Source of the specification. */
            ref?: components["schemas"]["ContentRef"];
            /** @description Path of the operation. */
            path?: components["schemas"]["LongText"];
            /** @description HTTP method of the operation. */
            method?: components["schemas"]["LongText"];
        };
        /** @description Schemas of an OpenAPI specification. */
        DocumentOpenAPISchemasBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "openapi-schemas";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentOpenAPISchemasBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of schemas of an OpenAPI specification. */
        DocumentOpenAPISchemasBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Slug of the specification in the organization. */
            spec?: components["schemas"]["LongText"];
            /** @description Source of the specification. */
            ref?: components["schemas"]["ContentRef"];
            /** @description Names of the schemas. Default: all schemas of the specification. */
            schemas?: components["schemas"]["LongText"][];
            /** @description Whether the schemas are displayed as a group. */
            grouped?: boolean;
        };
        /** @description Webhook of an OpenAPI specification. */
        DocumentOpenAPIWebhookBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "openapi-webhook";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentOpenAPIWebhookBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a webhook of an OpenAPI specification. */
        DocumentOpenAPIWebhookBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Slug of the specification in the organization. */
            spec?: components["schemas"]["LongText"];
            /** @description Source of the specification. */
            ref?: components["schemas"]["ContentRef"];
            /** @description Name of the webhook. */
            name?: components["schemas"]["LongText"];
            /** @description HTTP method of the webhook. */
            method?: components["schemas"]["LongText"];
        };
        /** @description Page with a body. */
        DocumentPage: {
            /**
             * @description Type of the page.
             * @enum {string}
             */
            type: "document";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Emoji next to the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description Name of an icon next to the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description Time of creation. Omitted until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description Time of the last update. Omitted until the first edit.
             */
            updatedAt?: string;
            /** @description Last segment of the path. */
            slug: string;
            /** @description Path within the space. */
            path: string;
            /** @description Subpages, in order. */
            pages: components["schemas"]["Page"][];
            /** @description Whether the page is hidden from the table of contents. */
            hidden: boolean;
            /** @description Whether the page is excluded from every index. */
            noIndex: boolean;
            /** @description Whether search engines are asked not to index the page. */
            noRobotsIndex: boolean;
            /** @description Description in one or two sentences. */
            description?: string;
            /** @description Body as markdown. Only included when a single page is retrieved in that format. */
            markdown?: string;
            /** @description Body as a document. Only included when a single page is retrieved in that format. */
            document?: components["schemas"]["Document"];
            /** @description Identifier of the body. Omitted if the body is computed. */
            documentId?: string;
            /** @description Source that the body is computed from. Omitted if the body is not computed. */
            computed?: components["schemas"]["ComputedPageSource"];
            /** @description Value that changes whenever the computed body changes. Only included together with `computed`. */
            computedSeed?: string;
            /** @description Visible parts of the page. */
            layout: components["schemas"]["PageLayout"];
            /** @description Cover. */
            cover?: components["schemas"]["PageCover"];
            /** @description Variables for expressions in the page, by name. */
            variables?: {
                [key: string]: string;
            };
            /** @description Git object of the page. Omitted with `metadata=false`. */
            git?: components["schemas"]["GitObject"];
            /** @description URLs of the page. */
            urls: components["schemas"]["PageUrls"];
        };
        /** @description Paragraph. Markup that this contract does not define is a separate paragraph of raw leaves. */
        DocumentParagraphBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "paragraph";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentParagraphBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a paragraph. */
        DocumentParagraphBlockData: {
            /** @description Horizontal alignment. Default: `start`. */
            align?: components["schemas"]["DocumentAlignment"];
            /**
             * @description Reason why the paragraph contains verbatim markdown, as a single raw leaf. Omitted for any other paragraph, and
             *     ignored in requests.
             */
            problem?: components["schemas"]["DocumentProblem"];
        };
        /** @description Mark that is fully described by its type. */
        DocumentPlainMark: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "mark";
            /**
             * @description Type of the mark.
             * @enum {string}
             */
            type: "bold" | "italic" | "code" | "keyboard" | "strikethrough" | "superscript" | "subscript";
        };
        /** @description Limit that markdown exceeds. The markdown is preserved in full; only its blocks are unavailable. */
        DocumentProblem: {
            /** @description Machine-readable reason. */
            reason: components["schemas"]["DocumentProblemReason"];
            /** @description Human-readable description: what happened and how to fix it. */
            message: components["schemas"]["ShortText"];
        };
        /**
         * @description Reason why markdown is preserved verbatim instead of being converted to blocks.
         * @enum {string}
         */
        DocumentProblemReason: "too-long" | "too-large" | "too-deep" | "too-complex" | "time-limit" | "memory-limit" | "unsettled";
        /** @description Prompt that readers can use in an assistant. */
        DocumentPromptBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "prompt";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentPromptBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a prompt. */
        DocumentPromptBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Purpose of the prompt. */
            description?: components["schemas"]["LongText"];
            /** @description Icon next to the description. */
            icon?: components["schemas"]["LongText"];
        };
        /** @description Quotation. */
        DocumentQuoteBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "blockquote";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentEmptyData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Inclusion of reusable content. */
        DocumentReusableContentBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "reusable-content";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentReusableContentBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an inclusion of reusable content. */
        DocumentReusableContentBlockData: {
            /** @description Reusable content. */
            ref: components["schemas"]["ContentRef"];
        };
        /** @description Step of a procedure. Its first heading is its title. */
        DocumentStepBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "stepper-step";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentTagData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Step-by-step procedure. */
        DocumentStepperBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "stepper";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentTagData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentStepBlock"][];
        };
        /** @description Operation described in a file. */
        DocumentSwaggerBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "swagger";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentSwaggerBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an operation described in a file. */
        DocumentSwaggerBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description File that describes the operation. */
            ref?: components["schemas"]["ContentRef"];
            /** @description Path of the operation. */
            path?: components["schemas"]["LongText"];
            /** @description HTTP method of the operation. */
            method?: components["schemas"]["LongText"];
        };
        /** @description Table. */
        DocumentTableBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "table";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentTableBlockData"];
            /**
             * @description Always `true`: blocks of this type have no child nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a table. */
        DocumentTableBlockData: {
            /** @description Presentation of the table. */
            view: components["schemas"]["DocumentTableView"];
            /** @description Columns by identifier. */
            definition: {
                [key: string]: components["schemas"]["DocumentTableColumn"];
            };
            /** @description Rows by identifier. */
            records: {
                [key: string]: components["schemas"]["DocumentTableRecord"];
            };
            /** @description Whether the table uses the full width of the page. */
            fullWidth?: boolean;
            /** @description Additional attributes of the table, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description Column of a table. */
        DocumentTableColumn: {
            /** @description Identifier. Comments on a cell refer to it as `definition`. */
            id: components["schemas"]["LongText"];
            /** @description Title. */
            title: components["schemas"]["DocumentInlineNode"][];
            /**
             * @description Type of the cells, such as `text`, `number`, `checkbox`, `select`, `files`, `image`, `rating`, `users` or
             *     `content-ref`.
             */
            type: components["schemas"]["LongText"];
            /** @description Horizontal alignment of the text in the cells. */
            align?: components["schemas"]["DocumentAlignment"];
            /** @description Width, as written. */
            width?: components["schemas"]["LongText"];
            /** @description Whether the column is hidden. */
            hidden?: boolean;
            /**
             * @description Role of the column in a card: target of the card, or its cover for light or dark themes.
             * @enum {string}
             */
            card?: "target" | "cover" | "cover-dark";
            /** @description Additional attributes of the column, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description Row of a table. Comments on a cell refer to the identifier of the row as `record`. */
        DocumentTableRecord: {
            /** @description Sort key: rows are displayed in the order of their sort keys, compared as text. */
            orderIndex: components["schemas"]["ShortText"];
            /** @description Cells by the identifier of the column. Empty cells are omitted. */
            values: {
                [key: string]: components["schemas"]["DocumentBlock"][];
            };
        };
        /** @description Presentation of a table. */
        DocumentTableView: {
            /**
             * @description Layout: rows and columns, or one card for each row.
             * @enum {string}
             */
            type: "grid" | "cards";
            /** @description Identifiers of all columns, in order. */
            columns: components["schemas"]["LongText"][];
            /**
             * @description Size of the cards.
             * @enum {string}
             */
            cardSize?: "medium" | "large";
            /** @description Whether the titles of the columns are hidden. */
            hideHeader?: boolean;
        };
        /** @description Set of tabs, of which one is visible at a time. */
        DocumentTabsBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "tabs";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentTabsBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentTabsItemBlock"][];
        };
        /** @description Data of a set of tabs. */
        DocumentTabsBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Whether the tabs use the full width of the page. */
            fullWidth?: boolean;
        };
        /** @description Tab. */
        DocumentTabsItemBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "tabs-item";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentTabsItemBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a tab. */
        DocumentTabsItemBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Title. */
            title: components["schemas"]["LongText"];
            /** @description Icon next to the title. */
            icon?: components["schemas"]["LongText"];
        };
        /** @description Data of any node that can be written as a tag. */
        DocumentTagData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description Run of text. */
        DocumentText: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "text";
            /** @description Parts of the text, each with its own marks. */
            leaves: components["schemas"]["DocumentLeaf"][];
        };
        /** @description Changelog entry. */
        DocumentUpdateBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "update";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentUpdateBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a changelog entry. */
        DocumentUpdateBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Date, as written. */
            date?: components["schemas"]["LongText"];
            /** @description Topics of the entry. */
            tags?: components["schemas"]["LongText"][];
        };
        /** @description Changelog. */
        DocumentUpdatesBlock: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "block";
            /**
             * @description Type of the block.
             * @enum {string}
             */
            type: "updates";
            /**
             * @description Key, unique within the document. Always present in responses. It is derived from the content of the block, so edits
             *     elsewhere in the document do not change it.
             */
            key?: components["schemas"]["ShortText"];
            /** @description Data of the block, other than its child nodes. */
            data: components["schemas"]["DocumentUpdatesBlockData"];
            /**
             * @description Always `false`: blocks of this type can have child nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description Child nodes, in order. */
            nodes: components["schemas"]["DocumentUpdateBlock"][];
        };
        /** @description Data of a changelog. */
        DocumentUpdatesBlockData: {
            /** @description Attributes of the tag that this contract does not define, as written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Format of the dates. */
            format?: components["schemas"]["LongText"];
        };
        /**
         * Format: email
         * @description Email address (RFC 5321, section 4.5.3.1.3 limits its length).
         */
        EmailAddress: string;
        /** @description Organizations that users of an email domain can join. */
        EmailDomainOrganizations: {
            /** @description Organizations, not paginated. */
            organizations: components["schemas"]["Organization"][];
        };
        /** @description Email address to invite with a specific role. */
        EmailInvite: {
            /** @description Email address. */
            email: components["schemas"]["EmailAddress"];
            /** @description Role. `null` makes the user a guest. */
            role: components["schemas"]["Role"] | null;
        };
        /** @description Body of every error response. */
        Error: {
            /** @description Description of the error. */
            error: components["schemas"]["ErrorInfo"];
        };
        /** @description An invalid field of the request. */
        ErrorDetail: {
            /**
             * @description Part of the request that contains the field.
             * @enum {string}
             */
            in: "path" | "query" | "header" | "body";
            /** @description Path of the field within that part: property names and array indexes, joined by dots. */
            path: string;
            /** @description Reason why the field is invalid. */
            message: string;
        };
        /** @description Description of an error: what happened and how to resolve it. */
        ErrorInfo: {
            /**
             * Format: int32
             * @description HTTP status code of the response.
             */
            code: number;
            /** @description Human-readable description: what happened, why, and how to resolve it. */
            message: string;
            /** @description Identifier of the request in the server log. */
            requestId: string;
            /** @description Every invalid field of the request. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /** @description Caller that caused an event. */
        EventCaller: {
            /** @description Identifier of the user. */
            userId?: string;
        };
        /** @description Visitor of a page. */
        EventVisitor: {
            /** @description Anonymous identifier that distinguishes visitors. */
            anonymousId?: string;
            /** @description Cookies of the site by name. */
            cookies?: {
                [key: string]: string;
            };
            /** @description User agent of the browser. */
            userAgent?: string;
            /** @description IP address. */
            ip?: string;
            /** @description Language requested by the browser. */
            language?: string;
        };
        /** @description Request to the public endpoint of the integration. */
        FetchEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fetch";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId?: string;
            /** @description Request. */
            request: components["schemas"]["FetchEventRequest"];
            /** @description Identifier of the space on whose behalf the request was sent. */
            spaceId?: string;
            /** @description Identifier of the site on whose behalf the request was sent. */
            siteId?: string;
            /** @description Caller. Omitted if not signed in. */
            auth?: components["schemas"]["EventCaller"];
        };
        /** @description Request to the public endpoint of an integration. */
        FetchEventRequest: {
            /** @description Method. */
            method: string;
            /** @description URL. */
            url: string;
            /** @description Headers by name. */
            headers: {
                [key: string]: string;
            };
        };
        /** @description Request for the script that the integration adds to the pages of a site or space. */
        FetchPublishedScriptEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fetch_published_script";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId?: string;
            /** @description Identifier of the site. */
            siteId?: string;
        };
        /** @description Request of a visitor for access. */
        FetchVisitorAuthenticationEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fetch_visitor_authentication";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId?: string;
            /** @description Identifier of the site. */
            siteId?: string;
            /** @description Path that the visitor requested. */
            location?: string;
        };
        /** @description File to fetch from a URL. */
        FetchedFile: {
            /** @description Name, with its extension. */
            name: components["schemas"]["FileName"];
            /** @description Reference name of the new file, for URLs (`/files/<ref>`) in the same request. */
            ref?: components["schemas"]["Identifier"];
            /** @description Media type. Default: derived from the name. */
            contentType?: components["schemas"]["MediaType"];
            /** @description URL of the file. */
            url: components["schemas"]["AbsoluteUrl"];
        };
        /** @description File of a space. */
        File: {
            /** @description Identifier. */
            id: string;
            /** @description Name. */
            name: string;
            /** @description Media type (RFC 6838). */
            contentType: string;
            /**
             * Format: uri
             * @description URL of the content of the file, accessible without an access token. It expires after 24 to 48 hours, and when the
             *     space is deleted. Every response contains a new URL.
             */
            downloadURL: string;
            /**
             * Format: int64
             * @description Size in bytes.
             */
            size: number;
            /** @description Dimensions of an image in pixels. */
            dimensions?: components["schemas"]["FileDimensions"];
            /** @description Git object of the file. Omitted with `metadata=false`. */
            git?: components["schemas"]["GitObject"];
        };
        /** @description Dimensions of an image in pixels. */
        FileDimensions: {
            /**
             * Format: double
             * @description Width.
             */
            width: number;
            /**
             * Format: double
             * @description Height.
             */
            height: number;
        };
        /** @description One page of a list. */
        FileList: {
            /** @description Items of this page. */
            items: components["schemas"]["File"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Location of a file. */
        FileLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "file";
            /** @description Organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description Space. */
            space: components["schemas"]["Space"];
            /** @description Version of the content of the space. */
            versionContext?: components["schemas"]["VersionContext"];
            /** @description File. */
            file: components["schemas"]["File"];
        };
        /** @description Name of a file. Must not consist of dots only, and must not contain folders or control characters. */
        FileName: string;
        /** @description Reference to a file of the same space. */
        FileRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "file";
            /** @description Identifier of the file. */
            file: components["schemas"]["Identifier"];
        };
        /**
         * Format: uri
         * @description URL of a Git repository. It can contain credentials, which are never returned or logged.
         */
        GitAddress: string;
        /** @description Git branch to export content to. */
        GitExport: {
            /** @description URL of the repository. */
            url: components["schemas"]["GitAddress"];
            /** @description Full name of the branch. */
            ref: components["schemas"]["GitRef"];
            /** @description Identifier of a cache of the repository to reuse. */
            repoCacheID?: components["schemas"]["ShortText"];
            /** @description Prefix of the URLs of files in the repository. */
            repoTreeURL?: components["schemas"]["ShortText"];
            /** @description Prefix of the URLs of commits in the repository. */
            repoCommitURL?: components["schemas"]["ShortText"];
            /** @description Folder of the repository that contains the content. Default: its root. */
            repoProjectDirectory?: components["schemas"]["ShortText"];
            /**
             * Format: date-time
             * @description Time of the event that triggered the operation. Of two operations, the one with the later time prevails, regardless
             *     of the order of the requests.
             */
            timestamp?: string;
            /** @description Whether to proceed even if nothing appears to have changed. */
            force?: boolean;
            /** @description Display information about the repository. */
            gitInfo?: components["schemas"]["GitRepositoryInfo"];
            /** @description Commit message. */
            commitMessage: components["schemas"]["LongText"];
        };
        /** @description Git branch to import content from. */
        GitImport: {
            /** @description URL of the repository. */
            url: components["schemas"]["GitAddress"];
            /** @description Full name of the branch. */
            ref: components["schemas"]["GitRef"];
            /** @description Identifier of a cache of the repository to reuse. */
            repoCacheID?: components["schemas"]["ShortText"];
            /** @description Prefix of the URLs of files in the repository. */
            repoTreeURL?: components["schemas"]["ShortText"];
            /** @description Prefix of the URLs of commits in the repository. */
            repoCommitURL?: components["schemas"]["ShortText"];
            /** @description Folder of the repository that contains the content. Default: its root. */
            repoProjectDirectory?: components["schemas"]["ShortText"];
            /**
             * Format: date-time
             * @description Time of the event that triggered the operation. Of two operations, the one with the later time prevails, regardless
             *     of the order of the requests.
             */
            timestamp?: string;
            /** @description Whether to proceed even if nothing appears to have changed. */
            force?: boolean;
            /** @description Display information about the repository. */
            gitInfo?: components["schemas"]["GitRepositoryInfo"];
            /** @description Whether to only create a revision, without updating the content that is visible to readers. */
            standalone?: boolean;
        };
        /** @description Git repository that a space is synchronized with. */
        GitInfo: {
            /** @description Name of the repository. */
            repoName?: string;
            /** @description Installation that provides access to the repository. */
            installationProvider?: components["schemas"]["GitInstallationProvider"];
            /** @description Name of the integration that synchronizes the space. */
            integration?: string;
            /** @description URL of the repository, without credentials. */
            url?: string;
            /**
             * Format: date-time
             * @description Time of the last synchronization.
             */
            updatedAt?: string;
        };
        /**
         * @description Installation that provides access to a Git repository.
         * @enum {string}
         */
        GitInstallationProvider: "github" | "gitlab" | "github-legacy";
        /** @description Git object in the repository that the content is synchronized with. */
        GitObject: {
            /** @description Identifier of the Git object. */
            oid: string;
            /** @description Path in the repository. */
            path: string;
        };
        /**
         * @description Hosting provider of a Git repository.
         * @enum {string}
         */
        GitProvider: "github" | "gitlab";
        /** @description Full name of a branch of a Git repository, such as `refs/heads/main`. */
        GitRef: string;
        /** @description Display information about a Git repository. */
        GitRepositoryInfo: {
            /** @description Hosting provider. */
            provider?: components["schemas"]["GitProvider"];
            /** @description URL of the web page of the repository. */
            url?: components["schemas"]["ShortText"];
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        GrantPatch: {
            /** @description Role to grant. */
            role?: components["schemas"]["Role"];
        };
        /** @description Users, teams, or both, and the role to grant to them. */
        GrantsCreate: {
            /** @description Role to grant. */
            role: components["schemas"]["Role"];
            /** @description Identifiers of members of the organization. */
            users?: components["schemas"]["Identifier"][];
            /** @description Identifiers of teams of the organization. */
            teams?: components["schemas"]["Identifier"][];
        };
        /** @description Heading in the page tree, with subpages and no body. */
        GroupPage: {
            /**
             * @description Type of the page.
             * @enum {string}
             */
            type: "group";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Emoji next to the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description Name of an icon next to the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description Time of creation. Omitted until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description Time of the last update. Omitted until the first edit.
             */
            updatedAt?: string;
            /** @description Last segment of the path. */
            slug: string;
            /** @description Path within the space. */
            path: string;
            /** @description Subpages, in order. */
            pages: components["schemas"]["Page"][];
            /** @description Whether the page is hidden from the table of contents. */
            hidden: boolean;
            /** @description Whether the page is excluded from every index. */
            noIndex: boolean;
            /** @description Whether search engines are asked not to index the page. */
            noRobotsIndex: boolean;
        };
        /** @description Name of an icon, or an emoji. */
        IconName: string;
        /** @description Opaque identifier. Compare it only for equality. */
        Identifier: string;
        /** @description Image. */
        ImageElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "image";
            /** @description Source of the image. */
            source: components["schemas"]["RenderUrl"];
            /**
             * Format: double
             * @description Ratio of width to height.
             */
            aspectRatio: number;
        };
        /**
         * @description Type of the source of an import.
         * @enum {string}
         */
        ImportSource: "website" | "docx" | "markdown" | "html" | "zip" | "confluence" | "github-wiki" | "notion" | "google-docs";
        /** @description Result of an import. */
        ImportedContent: {
            /** @description Identifier of the new revision. */
            revision: string;
            /**
             * Format: int32
             * @description Number of imported pages and files.
             */
            importedResources: number;
            /**
             * Format: int32
             * @description Number of pages and files in the source.
             */
            totalResources: number;
        };
        /** @description File included in the request. */
        InlineFile: {
            /** @description Name, with its extension. */
            name: components["schemas"]["FileName"];
            /** @description Reference name of the new file, for URLs (`/files/<ref>`) in the same request. */
            ref?: components["schemas"]["Identifier"];
            /** @description Media type. Default: derived from the name. */
            contentType?: components["schemas"]["MediaType"];
            /** @description Bytes of the file. */
            base64: components["schemas"]["Base64"];
        };
        /** @description Labeled input. */
        InputElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "input";
            /** @description Label. */
            label: string;
            /** @description Hint below the label. */
            hint?: string | components["schemas"]["TextElement"][];
            /** @description Input. */
            element: components["schemas"]["RenderInput"];
        };
        /** @description Change that adds files. */
        InsertFiles: {
            /**
             * @description Type of the change.
             * @enum {string}
             */
            operation: "insert_files";
            /** @description Files. */
            files: components["schemas"]["NewFile"][];
        };
        /** @description Change that adds a page with a body. */
        InsertPage: {
            /**
             * @description Type of the change.
             * @enum {string}
             */
            operation: "insert_page";
            /** @description Body. */
            document: components["schemas"]["DocumentInput"];
            /** @description Title. Default: `Untitled`. */
            title?: string;
            /** @description Last segment of the path. Default: derived from the title, and made unique among its siblings. */
            slug?: components["schemas"]["PageSlug"];
            /**
             * @description Identifier of the parent page or group, or the `ref` that an earlier change assigned to it. `null`, the default for
             *     a new page, is the root of the tree.
             */
            into?: components["schemas"]["Identifier"] | null;
            /**
             * Format: int32
             * @description Index among the pages of the parent, starting at 0. Default for a new or moved page: the end.
             */
            at?: number;
            /** @description Reference name of the new page, for `into`, `page` and URLs (`/pages/<ref>`) in the same request. */
            ref?: components["schemas"]["Identifier"];
        };
        /** @description Installation of an integration in an organization. */
        Installation: {
            /** @description Identifier. */
            id: string;
            /** @description Current status. */
            status: components["schemas"]["InstallationStatus"];
            /** @description Selection of the spaces that the installation applies to. */
            space_selection: components["schemas"]["InstallationSelection"];
            /** @description Selection of the sites that the installation applies to. */
            site_selection: components["schemas"]["InstallationSelection"];
            /**
             * Format: int32
             * @description Number of spaces that the installation applies to.
             */
            spaces: number;
            /** @description Values of the settings by name. */
            configuration: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last update.
             */
            updatedAt: string;
            /** @description URLs of the installation. */
            urls: components["schemas"]["InstallationUrls"];
            /** @description Identifiers that the integration uses for the installation. */
            externalIds: string[];
            /** @description Target of the installation. */
            target: components["schemas"]["InstallationTarget"];
        };
        /**
         * @description Installation to create.
         * @example {
         *       "organization": "org_acme"
         *     }
         */
        InstallationCreate: {
            /** @description Identifier of the organization. */
            organization: components["schemas"]["Identifier"];
        };
        /** @description Removal of an installation. */
        InstallationDeletedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "installation_deleted";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description State before the removal. */
            previous: components["schemas"]["DeletedInstallation"];
        };
        /** @description One page of a list. */
        InstallationList: {
            /** @description Items of this page. */
            items: components["schemas"]["Installation"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description URLs of an installation on a space or site. */
        InstallationPartUrls: {
            /**
             * Format: uri
             * @description URL of the installation in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the endpoint that accepts requests from anyone.
             */
            publicEndpoint: string;
        };
        /**
         * @description Selection of the spaces or sites that an installation applies to.
         * @enum {string}
         */
        InstallationSelection: "all" | "selected";
        /** @description Creation of an installation, or change of its settings. */
        InstallationSetupEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "installation_setup";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Status of the installation. */
            status: components["schemas"]["InstallationStatus"];
            /** @description State before the change. Omitted if the installation is new. */
            previous?: components["schemas"]["InstallationSnapshot"];
        };
        /** @description Earlier state of an installation. */
        InstallationSnapshot: {
            /** @description Status of the installation. */
            status: components["schemas"]["InstallationStatus"];
            /** @description Values of the settings by name. */
            configuration?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Status of an installation.
         * @enum {string}
         */
        InstallationStatus: "active" | "pending" | "paused";
        /** @description Target of an installation. */
        InstallationTarget: {
            /** @description Identifier of the organization. */
            organization: string;
        };
        /** @description URLs of an installation. */
        InstallationUrls: {
            /**
             * Format: uri
             * @description URL of the installation in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the page that manages the installation.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the endpoint that accepts requests from anyone.
             */
            publicEndpoint: string;
        };
        /** @description Integration: a third-party program that organizations can install. */
        Integration: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "integration";
            /** @description Name, unique within the service. */
            name: components["schemas"]["IntegrationName"];
            /**
             * Format: int32
             * @description Number of publications.
             */
            version: number;
            /** @description Title. */
            title: string;
            /** @description Short description, in one sentence. */
            description?: string;
            /** @description Detailed description, in Markdown. */
            summary?: string;
            /** @description URLs of images that show the integration in use. */
            previewImages: string[];
            /** @description Resources that the integration can be installed on. */
            target: components["schemas"]["IntegrationTarget"];
            /** @description Whether the operator of the service has verified the integration. */
            verified: boolean;
            /** @description Audience that can find the integration. */
            visibility: components["schemas"]["IntegrationVisibility"];
            /** @description Scopes of the integration where it is installed. */
            scopes: components["schemas"]["IntegrationScope"][];
            /** @description Categories. */
            categories: components["schemas"]["IntegrationCategory"][];
            /** @description Blocks that the integration adds to pages. */
            blocks?: components["schemas"]["IntegrationBlock"][];
            /** @description Content sources that the integration adds. */
            contentSources?: components["schemas"]["IntegrationContentSource"][];
            /** @description Settings that each installation can configure. */
            configurations?: components["schemas"]["IntegrationConfigurations"];
            /** @description Links to more information. */
            externalLinks: components["schemas"]["IntegrationLink"][];
            /** @description Organization that published the integration. */
            owner: components["schemas"]["Organization"];
            /** @description URLs of the integration. */
            urls: components["schemas"]["IntegrationUrls"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["IntegrationPermissions"];
            /** @description Content security policy of the scripts and blocks (CSP Level 3). */
            contentSecurityPolicy?: string;
        };
        /** @description Block that an integration adds to pages. */
        IntegrationBlock: {
            /** @description Identifier within the integration. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Description. */
            description?: string;
            /** @description URL of the icon. */
            icon?: string;
            /** @description URLs that turn into this block when they are pasted. */
            urlUnfurl?: string[];
            /** @description Markdown representation. */
            markdown?: components["schemas"]["IntegrationBlockMarkdown"];
        };
        /** @description Markdown representation of a block: a fenced code block. */
        IntegrationBlockMarkdown: {
            /** @description Language of the fenced code block. */
            codeblock: components["schemas"]["ShortText"];
            /** @description Property of the block that contains the text between the fences. */
            body: components["schemas"]["ShortText"];
        };
        /** @description Block that an integration adds to pages, as published. */
        IntegrationBlockWrite: {
            /** @description Identifier within the integration. */
            id: components["schemas"]["ShortText"];
            /** @description Title. */
            title: string;
            /** @description Description. */
            description?: string;
            /** @description Icon: an image in base64, or a URL. */
            icon?: components["schemas"]["LongText"];
            /** @description URLs that turn into this block when they are pasted. */
            urlUnfurl?: components["schemas"]["ShortText"][];
            /** @description Markdown representation. */
            markdown?: components["schemas"]["IntegrationBlockMarkdown"];
        };
        /** @description Setting whose value is a boolean. */
        IntegrationBooleanProperty: {
            /**
             * @description Type of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "boolean";
            /** @description Title. */
            title?: string;
            /** @description Description. */
            description?: string;
            /** @description Value until it is set. */
            default?: boolean;
        };
        /** @description Button among the settings that opens a URL, for example to sign in. */
        IntegrationButtonProperty: {
            /**
             * @description Type of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "button";
            /** @description Title. */
            title?: string;
            /** @description Description. */
            description?: string;
            /** @description URL to open. */
            callback_url: components["schemas"]["ShortText"];
            /** @description Label of the button. */
            button_text: components["schemas"]["ShortText"];
        };
        /**
         * @description Category of an integration.
         * @enum {string}
         */
        IntegrationCategory: "analytics" | "collaboration" | "content" | "gitsync" | "marketing" | "visitor-auth" | "other";
        /** @description Component of the integration that renders a form. */
        IntegrationComponent: {
            /** @description Identifier of the component within the integration. */
            componentId: components["schemas"]["ShortText"];
        };
        /** @description Settings at one level. */
        IntegrationConfiguration: {
            /** @description Settings by name. */
            properties: {
                [key: string]: components["schemas"]["IntegrationProperty"];
            };
            /** @description Names of the required settings. */
            required: string[];
        };
        /** @description Configuration at one level: settings, or a form of the integration. */
        IntegrationConfigurationWrite: components["schemas"]["IntegrationSettings"] | components["schemas"]["IntegrationComponent"];
        /** @description Settings that each installation can configure. */
        IntegrationConfigurations: {
            /** @description Settings of the whole organization. */
            account?: components["schemas"]["IntegrationConfiguration"];
            /** @description Settings of a space. */
            space?: components["schemas"]["IntegrationConfiguration"];
            /** @description Settings of a site. */
            site?: components["schemas"]["IntegrationConfiguration"];
        };
        /** @description Settings that each installation can configure, as published. */
        IntegrationConfigurationsWrite: {
            /** @description Settings of the whole organization. */
            account?: components["schemas"]["IntegrationConfigurationWrite"];
            /** @description Settings of a space. */
            space?: components["schemas"]["IntegrationConfigurationWrite"];
            /** @description Settings of a site. */
            site?: components["schemas"]["IntegrationConfigurationWrite"];
        };
        /** @description Content source that an integration adds. */
        IntegrationContentSource: {
            /** @description Identifier within the integration. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Description. */
            description?: string;
            /** @description URL of the icon. */
            icon?: string;
            /** @description Configuration form. */
            configuration: components["schemas"]["IntegrationComponent"];
        };
        /** @description Content source that an integration adds, as published. */
        IntegrationContentSourceWrite: {
            /** @description Identifier within the integration. */
            id: components["schemas"]["ShortText"];
            /** @description Title. */
            title: components["schemas"]["ShortText"];
            /** @description Description. */
            description?: components["schemas"]["ShortText"];
            /** @description Icon: an image in base64, or a URL. */
            icon?: components["schemas"]["LongText"];
            /** @description Configuration form. */
            configuration: components["schemas"]["IntegrationComponent"];
        };
        /** @description Event that an integration received. */
        IntegrationEvent: {
            /** @description Identifier. */
            id: string;
            /** @description Name of the integration. */
            integrationId: string;
            /** @description Identifier of the installation that the event concerns. */
            installationId?: string;
            /**
             * Format: date-time
             * @description Time of the event.
             */
            createdAt: string;
            /** @description Payload of the event. */
            payload: components["schemas"]["IntegrationEventPayload"];
            /** @description Result of handling the event. */
            status: components["schemas"]["IntegrationEventStatus"];
        };
        /** @description One page of a list. */
        IntegrationEventList: {
            /** @description Items of this page. */
            items: components["schemas"]["IntegrationEvent"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Payload of an integration event, by event type. */
        IntegrationEventPayload: components["schemas"]["InstallationSetupEvent"] | components["schemas"]["SpaceInstallationSetupEvent"] | components["schemas"]["SiteInstallationSetupEvent"] | components["schemas"]["InstallationDeletedEvent"] | components["schemas"]["SpaceInstallationDeletedEvent"] | components["schemas"]["SiteInstallationDeletedEvent"] | components["schemas"]["SpaceViewEvent"] | components["schemas"]["SiteViewEvent"] | components["schemas"]["SpaceContentUpdatedEvent"] | components["schemas"]["SpaceGitSyncStartedEvent"] | components["schemas"]["SpaceGitSyncCompletedEvent"] | components["schemas"]["SpaceVisibilityUpdatedEvent"] | components["schemas"]["FetchEvent"] | components["schemas"]["FetchPublishedScriptEvent"] | components["schemas"]["FetchVisitorAuthenticationEvent"] | components["schemas"]["RenderEvent"] | components["schemas"]["ComputeDocumentEvent"] | components["schemas"]["ComputeRevisionEvent"] | components["schemas"]["TaskEvent"] | components["schemas"]["PageFeedbackEvent"];
        /**
         * @description Result of handling an event.
         * @enum {string}
         */
        IntegrationEventStatus: "success" | "failed";
        /** @description Trace of the script that handled an event. */
        IntegrationEventTrace: {
            /** @description Log entries, in order. */
            logs: components["schemas"]["IntegrationLogEntry"][];
        };
        /** @description Event with the log of the script that handled it. */
        IntegrationEventWithTrace: {
            /** @description Event. */
            event: components["schemas"]["IntegrationEvent"];
            /** @description Trace of the script. */
            trace?: components["schemas"]["IntegrationEventTrace"];
        };
        /** @description Link to more information about an integration. */
        IntegrationLink: {
            /** @description URL. */
            url: components["schemas"]["AbsoluteUrl"];
            /** @description Label. */
            label: components["schemas"]["ShortText"];
        };
        /** @description One page of a list. */
        IntegrationList: {
            /** @description Items of this page. */
            items: components["schemas"]["Integration"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Entry in the log of a script. */
        IntegrationLogEntry: {
            /** @description Message. */
            message: string;
            /**
             * Format: date-time
             * @description Time of the entry.
             */
            timestamp: string;
            /** @description Level. */
            level: components["schemas"]["IntegrationLogLevel"];
        };
        /**
         * @description Level of a log entry.
         * @enum {string}
         */
        IntegrationLogLevel: "debug" | "info" | "warn" | "error";
        /** @description Name of an integration. */
        IntegrationName: string;
        /** @description Setting whose value is a number. */
        IntegrationNumberProperty: {
            /**
             * @description Type of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "number";
            /** @description Title. */
            title?: string;
            /** @description Description. */
            description?: string;
            /**
             * Format: double
             * @description Value until it is set.
             */
            default?: number;
        };
        /** @description Permissions of the caller on an integration. */
        IntegrationPermissions: {
            /** @description Whether the caller can publish the integration again, remove it and read its events. */
            admin: boolean;
        };
        /** @description Setting. */
        IntegrationProperty: components["schemas"]["IntegrationTextProperty"] | components["schemas"]["IntegrationNumberProperty"] | components["schemas"]["IntegrationBooleanProperty"] | components["schemas"]["IntegrationButtonProperty"];
        /**
         * @description Integration to publish. Omitted fields are unchanged since the previous publication.
         * @example {
         *       "title": "Greeter",
         *       "description": "Greets readers.",
         *       "organization": "org_acme",
         *       "visibility": "private",
         *       "scopes": [
         *         "space:content:read"
         *       ],
         *       "script": "addEventListener('fetch', (event) => event.respondWith(new Response('OK')));"
         *     }
         */
        IntegrationPublication: {
            /** @description Runtime of the script. Default: `v1`. */
            runtime?: components["schemas"]["IntegrationRuntime"];
            /** @description Icon, an image. */
            icon?: components["schemas"]["Base64"];
            /** @description Title. */
            title?: string;
            /** @description Short description, in one sentence. */
            description?: string;
            /** @description Detailed description, in Markdown. */
            summary?: string;
            /** @description Images that show the integration in use. */
            previewImages?: components["schemas"]["Base64"][];
            /** @description Audience that can find the integration. */
            visibility?: components["schemas"]["IntegrationVisibility"];
            /** @description Resources that the integration can be installed on. Default: `all`. */
            target?: components["schemas"]["IntegrationTarget"];
            /** @description Scopes of the integration where it is installed. */
            scopes?: components["schemas"]["IntegrationScope"][];
            /** @description Categories. */
            categories?: components["schemas"]["IntegrationCategory"][];
            /** @description Blocks that the integration adds to pages. */
            blocks?: components["schemas"]["IntegrationBlockWrite"][];
            /** @description Content sources that the integration adds. */
            contentSources?: components["schemas"]["IntegrationContentSourceWrite"][];
            /** @description Links to more information. */
            externalLinks?: components["schemas"]["IntegrationLink"][];
            /** @description Settings that each installation can configure. */
            configurations?: components["schemas"]["IntegrationConfigurationsWrite"];
            /** @description Source code of the script. */
            script?: components["schemas"]["LongText"];
            /** @description Organization that publishes the integration: its identifier, or its hostname in this service. */
            organization?: components["schemas"]["Identifier"];
            /** @description Secret values by name, visible only to the script. */
            secrets?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Content security policy of the scripts and blocks (CSP Level 3). */
            contentSecurityPolicy?: components["schemas"]["ContentSecurityPolicyWrite"];
        };
        /**
         * @description Runtime of the script of an integration.
         * @enum {string}
         */
        IntegrationRuntime: "v1" | "v2";
        /**
         * @description Scope: a permission of an integration where it is installed.
         * @enum {string}
         */
        IntegrationScope: "space:content:read" | "space:content:write" | "space:metadata:read" | "space:metadata:write" | "space:git:sync" | "space:views:read" | "space:script:inject" | "space:script:cookies" | "space:visitor:auth" | "site:metadata:read" | "site:views:read" | "site:script:inject" | "site:script:cookies" | "site:visitor:auth" | "site:visitor:claims" | "site:adaptive:read" | "site:adaptive:write" | "site:ai:ask" | "page:feedback:read" | "openapi:read" | "openapi:write" | "conversations:ingest";
        /** @description Settings, as published. */
        IntegrationSettings: {
            /** @description Settings by name. */
            properties: {
                [key: string]: components["schemas"]["IntegrationProperty"];
            };
            /** @description Names of the required settings. */
            required?: components["schemas"]["ShortText"][];
        };
        /** @description Content computed by an integration. */
        IntegrationSource: {
            /** @description Type of the source. */
            type: components["schemas"]["IntegrationSourceType"];
            /** @description Settings, as defined by the integration. */
            props: {
                [key: string]: unknown;
            };
            /** @description Dependencies of the content, by name. */
            dependencies?: {
                [key: string]: components["schemas"]["ComputedDependency"];
            };
        };
        /** @description Source of computed content that an integration provides: `integration:<name>:<source>`. */
        IntegrationSourceType: string;
        /**
         * @description Resources that an integration can be installed on.
         * @enum {string}
         */
        IntegrationTarget: "all" | "site" | "space" | "organization";
        /** @description Task that an integration scheduled for itself. */
        IntegrationTask: {
            /** @description Type of the task. */
            type: string;
            /** @description Data that the integration stored with the task. */
            payload?: {
                [key: string]: unknown;
            };
        };
        /** @description Setting whose value is a text, or one of several texts. */
        IntegrationTextProperty: {
            /**
             * @description Type of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "string";
            /** @description Title. */
            title?: string;
            /** @description Description. */
            description?: string;
            /** @description Value until it is set. */
            default?: components["schemas"]["ShortText"];
            /** @description URL that suggests values. */
            completion_url?: components["schemas"]["ShortText"];
            /** @description Allowed values. */
            enum?: components["schemas"]["ShortText"][];
        };
        /**
         * @description Destination of the events of an integration in development.
         * @example {
         *       "tunnelUrl": "https://quiet-fox.example.net"
         *     }
         */
        IntegrationTunnel: {
            /** @description URL that receives the events. */
            tunnelUrl: components["schemas"]["AbsoluteUrl"];
            /**
             * @description Whether to send the events of all organizations, not only those of the owner.
             * @default false
             */
            all?: boolean;
        };
        /** @description URLs of an integration. */
        IntegrationUrls: {
            /**
             * Format: uri
             * @description URL of the integration in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the icon.
             */
            icon?: string;
            /**
             * Format: uri
             * @description URL of the page that manages the integration.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the files.
             */
            assets: string;
            /**
             * Format: uri
             * @description URL of the endpoint that accepts requests from anyone.
             */
            publicEndpoint: string;
        };
        /**
         * @description Audience that can find an integration.
         * @enum {string}
         */
        IntegrationVisibility: "public" | "private" | "unlisted";
        /** @description Authentication of visitors by an integration. */
        IntegrationVisitorAuth: {
            /**
             * @description Authentication backend. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            backend: "integration";
            /** @description Name of the integration. */
            integration: string;
        };
        /** @description Position within a page. */
        InternalLocation: components["schemas"]["AnchorPosition"] | components["schemas"]["NodePosition"];
        /** @description Role of an invite link to a space or collection. */
        InviteLevel: {
            /** @description Role in the space or collection for users who join. */
            level: components["schemas"]["Role"];
        };
        /** @description Role of an invite link to the organization. */
        InviteRole: {
            /** @description Role of users who join. `null` makes them guests. */
            role: components["schemas"]["Role"] | null;
        };
        /** @description URLs of an invite link. */
        InviteUrls: {
            /**
             * Format: uri
             * @description URL of the invite link in this API.
             */
            location: string;
        };
        /** @description Users to invite by email address. */
        InviteUsers: {
            /** @description Email addresses to invite. If an address occurs more than once, its first occurrence applies. */
            emails: components["schemas"]["Invitee"][];
            /**
             * @description Role of users invited without a specific role. Default: the default role of the organization, or guest if it has
             *     none.
             */
            role?: components["schemas"]["Role"] | null;
            /**
             * @description Whether the invited users sign in through the SAML provider of the organization.
             * @default false
             */
            sso?: boolean;
        };
        /** @description Result of inviting users. */
        InvitedUsers: {
            /** @description Identifiers of the invited users who are now members, including those who already were. */
            users: string[];
            /**
             * Format: int32
             * @description Number of users who became members, or are waiting to become members, because of this request.
             */
            invited: number;
            /** @description Email addresses of existing members who remain without SSO. Omitted if there are none. */
            failedSSOEmails?: string[];
        };
        /** @description Email address to invite. */
        Invitee: components["schemas"]["EmailAddress"] | components["schemas"]["EmailInvite"];
        /** @description IPv4 or IPv6 address. */
        IpAddress: string;
        /**
         * @description Language of content, as a language code.
         * @enum {string}
         */
        Language: "en" | "fr" | "de" | "es" | "it" | "pt" | "pt-br" | "ru" | "ja" | "zh" | "yue" | "ko" | "ar" | "hi" | "nl" | "pl" | "tr" | "sv" | "no" | "da" | "fi" | "el" | "cs" | "hu" | "ro" | "th" | "vi" | "id" | "ms" | "he" | "uk" | "sk" | "bg" | "hr" | "lt" | "lv" | "et" | "sl";
        /** @description Link that anyone who has it can join through. */
        LinkInvite: components["schemas"]["OrganizationInvite"] | components["schemas"]["SpaceInvite"] | components["schemas"]["CollectionInvite"];
        /** @description Invite link to create. */
        LinkInviteCreate: components["schemas"]["InviteRole"] | components["schemas"]["SpaceInviteCreate"] | components["schemas"]["CollectionInviteCreate"];
        /** @description One page of a list. */
        LinkInviteList: {
            /** @description Items of this page. */
            items: components["schemas"]["LinkInvite"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Fields to update: `role` or `level`, whichever the invite link has. */
        LinkInvitePatch: components["schemas"]["InviteRole"] | components["schemas"]["InviteLevel"];
        /** @description One page of a list of links. */
        LinkList: {
            /** @description Items of this page. */
            items: components["schemas"]["ContentLink"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
            /** @description Statistics of all links, regardless of the filter. */
            stats: components["schemas"]["LinkStats"];
        };
        /** @description Link in the page tree. */
        LinkPage: {
            /**
             * @description Type of the page.
             * @enum {string}
             */
            type: "link";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Emoji next to the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description Name of an icon next to the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description Time of creation. Omitted until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description Time of the last update. Omitted until the first edit.
             */
            updatedAt?: string;
            /** @description Target of the link. */
            target: components["schemas"]["ContentRef"];
            /** @description URL of the target. Omitted if it has none. */
            href?: string;
            /** @description Whether the link is hidden from the table of contents. */
            hidden: boolean;
        };
        /**
         * @description Relation to the target of a link.
         * @enum {string}
         */
        LinkRelation: "reference" | "dependsOn";
        /** @description Statistics of links. */
        LinkStats: {
            /**
             * Format: int32
             * @description Number of links.
             */
            total: number;
            /** @description Broken links. */
            broken: components["schemas"]["BrokenLinkStats"];
        };
        /**
         * @description Status of a link.
         * @enum {string}
         */
        LinkStatus: "ok" | "broken" | "in-app";
        /** @description Target or source of a link. */
        Location: components["schemas"]["FileLocation"] | components["schemas"]["PageLocation"] | components["schemas"]["ReusableContentLocation"] | components["schemas"]["SpaceLocation"] | components["schemas"]["CollectionLocation"] | components["schemas"]["OpenAPILocation"] | components["schemas"]["UrlLocation"] | components["schemas"]["UserLocation"];
        /** @description One page of a list. */
        LocationList: {
            /** @description Items of this page. */
            items: components["schemas"]["Location"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Text of any length within the limit of a request body (16 MB). */
        LongText: string;
        /**
         * @description Text in markdown.
         * @example {
         *       "markdown": "Shouldn't this name the default?"
         *     }
         */
        MarkdownBody: {
            /** @description Markdown. */
            markdown: components["schemas"]["LongText"];
        };
        /** @description Markdown. */
        MarkdownElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "markdown";
            /** @description Markdown text. */
            content: string;
        };
        /** @description Media type (RFC 6838), optionally with parameters, such as `text/plain; charset=utf-8`. */
        MediaType: string;
        /** @description Member: a user within an organization. */
        Member: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "member";
            /** @description Identifier of the user. */
            id: string;
            /** @description Role in the organization. `null` is a guest. */
            role: components["schemas"]["Role"] | null;
            /** @description User. */
            user: components["schemas"]["User"];
            /** @description Whether the membership is disabled. */
            disabled: boolean;
            /**
             * Format: date-time
             * @description Time when the user joined the organization.
             */
            joinedAt: string;
            /**
             * Format: date-time
             * @description Time of the last activity. Omitted if the member was never active.
             */
            lastSeenAt?: string;
            /** @description Whether the member signs in through the SAML provider of the organization. */
            sso: boolean;
            /**
             * Format: int32
             * @description Number of spaces that the member has access to.
             */
            spaces: number;
            /**
             * Format: int32
             * @description Number of teams that the member belongs to.
             */
            teams: number;
        };
        /** @description One page of a list. */
        MemberList: {
            /** @description Items of this page. */
            items: components["schemas"]["Member"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        MemberPatch: {
            /** @description Role. `null` makes the member a guest. */
            role?: components["schemas"]["Role"] | null;
        };
        /** @description Prices per member. */
        MemberPricing: {
            /** @description Price on the Plus plan. */
            plus_2024: components["schemas"]["Price"];
            /** @description Price on the Pro plan. */
            pro_2024: components["schemas"]["Price"];
        };
        /**
         * @description Role to filter members by.
         * @enum {string}
         */
        MemberRoleFilter: "admin" | "create" | "review" | "edit" | "comment" | "read" | "guest";
        /**
         * @description Sort key of a member list.
         * @enum {string}
         */
        MemberSort: "joinedAt" | "lastSeenAt";
        /** @description Space that a member has access to. */
        MemberSpace: {
            /** @description Effective role of the member in the space. */
            permission: components["schemas"]["Role"];
            /** @description Space. */
            space: components["schemas"]["Space"];
        };
        /** @description One page of a list. */
        MemberSpaceList: {
            /** @description Items of this page. */
            items: components["schemas"]["MemberSpace"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Team that a member belongs to. */
        MemberTeam: {
            /** @description Team. */
            team: components["schemas"]["Team"];
            /** @description Membership in the team. */
            member: components["schemas"]["TeamMembership"];
        };
        /** @description One page of a list. */
        MemberTeamList: {
            /** @description Items of this page. */
            items: components["schemas"]["MemberTeam"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Revision created by merging a change request. */
        MergeRevision: {
            /**
             * @description Cause of the revision.
             * @enum {string}
             */
            type: "merge";
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "revision";
            /** @description Identifier. */
            id: string;
            /** @description Identifiers of the parent revisions. */
            parents: string[];
            /** @description Page tree, in order and without bodies. Its size is limited like that of a `PageTree`. */
            pages: components["schemas"]["Page"][];
            /** @description Files. A revision contains at most 100,000. */
            files: components["schemas"]["File"][];
            /** @description Reusable contents. */
            reusableContents: components["schemas"]["ReusableContent"][];
            /** @description Variables for expressions in any page, by name. */
            variables?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Git commit of the revision. Omitted with `metadata=false`. */
            git?: components["schemas"]["RevisionGit"];
            /** @description URLs of the revision. */
            urls: components["schemas"]["RevisionUrls"];
            /** @description Merged change request. */
            mergedFrom: components["schemas"]["ChangeRequest"];
        };
        /** @description Modal. */
        ModalElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "modal";
            /** @description Elements of the modal. */
            children: components["schemas"]["RenderElement"][];
            /** @description Title. */
            title?: string;
            /** @description Subtitle. */
            subtitle?: string;
            /**
             * @description Size.
             * @enum {string}
             */
            size?: "medium" | "xlarge" | "fullscreen";
            /** @description Value to return to the opener when the reader closes the modal. */
            returnValue?: {
                [key: string]: unknown;
            };
            /** @description Submit button. */
            submit?: components["schemas"]["ButtonElement"];
        };
        /** @description New location of a space or collection: another parent, another position, or both. */
        MoveContent: {
            /** @description Identifier of the new parent collection. `null` moves to the root of the organization. */
            parent?: components["schemas"]["Identifier"] | null;
            /** @description Position among the spaces and collections of the parent. */
            position?: components["schemas"]["ContentPointerPosition"];
        };
        /** @description File to add. */
        NewFile: components["schemas"]["FetchedFile"] | components["schemas"]["InlineFile"];
        /** @description Continuation of a list. */
        NextPage: {
            /** @description Cursor to send as `page`. */
            page: string;
        };
        /** @description Node within the document of a page. */
        NodePosition: {
            /**
             * @description Type of the position.
             * @enum {string}
             */
            type: "node";
            /** @description Key of the node. */
            node: string;
        };
        /** @description Dependencies of content computed from an OpenAPI specification. */
        OpenAPIDependencies: {
            /** @description Specification. */
            spec: components["schemas"]["OpenAPIDependency"];
        };
        /** @description Specification that content is computed from. */
        OpenAPIDependency: {
            /** @description Reference to the specification. */
            ref: components["schemas"]["OpenAPIRef"];
        };
        /** @description Location of an OpenAPI specification. */
        OpenAPILocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "openapi";
            /** @description Organization that owns the specification. */
            organization: components["schemas"]["Organization"];
            /** @description Specification. */
            openAPISpec: components["schemas"]["OpenAPISpec"];
        };
        /** @description Page with the data models of a specification. */
        OpenAPIModelsProps: {
            /**
             * @description Part of the specification that the page displays.
             * @enum {string}
             */
            doc: "models";
        };
        /** @description Part of an OpenAPI specification that a computed page displays. */
        OpenAPIPageProps: components["schemas"]["OpenAPIModelsProps"] | components["schemas"]["OpenAPIPartProps"];
        /** @description Page computed from an OpenAPI specification. */
        OpenAPIPageSource: {
            /**
             * @description Type of the source.
             * @enum {string}
             */
            type: "builtin:openapi";
            /** @description Part of the specification to display. */
            props: components["schemas"]["OpenAPIPageProps"];
            /** @description Dependencies of the content. */
            dependencies: components["schemas"]["OpenAPIDependencies"];
        };
        /** @description Page with one part of a specification. */
        OpenAPIPartProps: {
            /**
             * @description Part of the specification that the page displays.
             * @enum {string}
             */
            doc: "operations" | "info";
            /** @description Page of the specification: usually the slug of its tag. */
            page: components["schemas"]["ShortText"];
        };
        /** @description Permissions of the caller on a specification. */
        OpenAPIPermissions: {
            /** @description Whether the caller can view the specification. */
            view: boolean;
            /** @description Whether the caller can update and delete the specification. */
            edit: boolean;
        };
        /**
         * @description Reason why the processing of a source failed.
         * @enum {string}
         */
        OpenAPIProcessErrorCode: "FETCH_TIMEOUT" | "FETCH_ERROR" | "PARSE_ERROR";
        /**
         * @description Processing state of a source.
         * @enum {string}
         */
        OpenAPIProcessingState: "pending" | "progress" | "complete";
        /** @description Reference to an OpenAPI specification of the organization. */
        OpenAPIRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "openapi";
            /** @description Slug or identifier of the specification. */
            spec: components["schemas"]["Identifier"];
        };
        /** @description Options for pages computed from an OpenAPI specification. */
        OpenAPIRevisionProps: {
            /** @description Whether to include a page with the data models. */
            models?: boolean;
        };
        /**
         * @description Pages computed from an OpenAPI specification.
         * @example {
         *       "type": "builtin:openapi",
         *       "props": {
         *         "models": true
         *       },
         *       "dependencies": {
         *         "spec": {
         *           "ref": {
         *             "kind": "openapi",
         *             "spec": "petstore"
         *           }
         *         }
         *       }
         *     }
         */
        OpenAPIRevisionSource: {
            /**
             * @description Type of the source.
             * @enum {string}
             */
            type: "builtin:openapi";
            /** @description Options. */
            props: components["schemas"]["OpenAPIRevisionProps"];
            /** @description Dependencies of the content. */
            dependencies: components["schemas"]["OpenAPIDependencies"];
        };
        /** @description Slug of a specification in URLs: lowercase words joined by hyphens. */
        OpenAPISlug: string;
        /** @description Source of the text of a specification. */
        OpenAPISource: components["schemas"]["OpenAPISourceUrl"] | components["schemas"]["OpenAPISourceText"];
        /** @description Text of a specification. */
        OpenAPISourceText: {
            /** @description OpenAPI document in JSON or YAML. */
            text: components["schemas"]["LongText"];
        };
        /** @description URL to fetch a specification from. */
        OpenAPISourceUrl: {
            /** @description URL. */
            url: components["schemas"]["AbsoluteUrl"];
        };
        /** @description OpenAPI specification of an organization, with all its versions. */
        OpenAPISpec: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "openapi-spec";
            /** @description Identifier. */
            id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last update.
             */
            updatedAt: string;
            /** @description Slug that identifies the specification in URLs. */
            slug: components["schemas"]["OpenAPISlug"];
            /** @description URL to fetch the specification from. */
            sourceURL?: components["schemas"]["AbsoluteUrl"];
            /** @description Processing state of the source. */
            processingState: components["schemas"]["OpenAPIProcessingState"];
            /** @description Visibility. */
            visibility?: components["schemas"]["OpenAPIVisibility"];
            /** @description Identifier of the latest version. */
            lastVersion?: string;
            /**
             * Format: date-time
             * @description Time of the last processing of the source.
             */
            lastProcessedAt?: string;
            /** @description Reason why the last processing of the source failed. */
            lastProcessErrorCode?: components["schemas"]["OpenAPIProcessErrorCode"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["OpenAPIPermissions"];
            /** @description URLs of the specification. */
            urls: components["schemas"]["OpenAPIUrls"];
        };
        /**
         * @description Specification to create.
         * @example {
         *       "slug": "orders",
         *       "source": {
         *         "text": "openapi: 3.1.0\ninfo: {title: Orders, version: '1'}\npaths: {}\n"
         *       }
         *     }
         * @example {
         *       "slug": "petstore",
         *       "source": {
         *         "url": "https://petstore3.swagger.io/api/v3/openapi.json"
         *       }
         *     }
         */
        OpenAPISpecCreate: {
            /** @description Slug that identifies the specification in URLs. */
            slug: components["schemas"]["OpenAPISlug"];
            /** @description Source of the text. */
            source: components["schemas"]["OpenAPISource"];
        };
        /** @description One page of a list. */
        OpenAPISpecList: {
            /** @description Items of this page. */
            items: components["schemas"]["OpenAPISpec"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /**
         * @description Fields to update.
         * @example {
         *       "visibility": "public"
         *     }
         */
        OpenAPISpecPatch: {
            /** @description Visibility. */
            visibility: components["schemas"]["OpenAPIVisibility"];
        };
        /**
         * @description Specification to create or update.
         * @example {
         *       "source": {
         *         "url": "https://petstore3.swagger.io/api/v3/openapi.json"
         *       }
         *     }
         */
        OpenAPISpecUpdate: {
            /** @description Source of the text. */
            source: components["schemas"]["OpenAPISource"];
        };
        /** @description Version of a specification. */
        OpenAPISpecVersion: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "openapi-spec-version";
            /** @description Identifier. */
            id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt?: string;
            /**
             * @description URL of the text of the version. It works without an access token, and expires after 24 to 48 hours and when the
             *     specification is deleted. Each read returns a new URL.
             */
            url: components["schemas"]["AbsoluteUrl"];
            /** @description URLs of the version. */
            urls: components["schemas"]["OpenAPIVersionUrls"];
        };
        /** @description One page of a list. */
        OpenAPISpecVersionList: {
            /** @description Items of this page. */
            items: components["schemas"]["OpenAPISpecVersion"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description URLs of a specification. */
        OpenAPIUrls: {
            /**
             * Format: uri
             * @description URL of the specification in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the page in the app that manages the specification.
             */
            app: string;
            /**
             * Format: uri
             * @description Public URL of the latest version. Omitted unless the specification is public.
             */
            published?: string;
        };
        /** @description Content of a version of a specification. */
        OpenAPIVersionContent: {
            /** @description Parsed documents by file name. */
            filesystem: {
                [key: string]: unknown;
            };
            /**
             * @description URL of the text of the version. It works without an access token, and expires after 24 to 48 hours and when the
             *     specification is deleted. Each read returns a new URL.
             */
            url: components["schemas"]["AbsoluteUrl"];
        };
        /** @description URLs of a version of a specification. */
        OpenAPIVersionUrls: {
            /**
             * Format: uri
             * @description URL of the version in this API.
             */
            location: string;
        };
        /**
         * @description Visibility of a specification.
         * @enum {string}
         */
        OpenAPIVisibility: "private" | "public";
        /** @description Unresolved comment. */
        OpenComment: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "comment";
            /**
             * @description Current status.
             * @enum {string}
             */
            status: "open";
            /** @description Identifier. */
            id: string;
            /** @description Author. */
            postedBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            postedAt: string;
            /**
             * Format: date-time
             * @description Time of the last edit of the text. Omitted if the text has not been edited.
             */
            editedAt?: string;
            /** @description Reactions. */
            reactions: components["schemas"]["Reaction"][];
            /** @description Text. */
            body: components["schemas"]["CommentBody"];
            /** @description URLs. */
            urls: components["schemas"]["CommentUrls"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["CommentPermissions"];
            /**
             * Format: int32
             * @description Number of replies.
             */
            replies: number;
            /** @description Content that the comment refers to. */
            target: components["schemas"]["CommentTarget"];
        };
        /** @description Opens a modal. */
        OpenModalAction: {
            /**
             * @description Name of the action.
             * @enum {string}
             */
            action: "@ui.modal.open";
            /** @description Identifier of the component to render in the modal. */
            componentId: components["schemas"]["ShortText"];
            /** @description Props of the component. */
            props: {
                [key: string]: unknown;
            };
        };
        /** @description Opens a URL. */
        OpenUrlAction: {
            /**
             * @description Name of the action.
             * @enum {string}
             */
            action: "@ui.url.open";
            /** @description URL. */
            url: components["schemas"]["ShortText"];
        };
        /**
         * @description Sort direction.
         * @enum {string}
         */
        Order: "asc" | "desc";
        /** @description Organization: the tenant that owns members, content and sites. */
        Organization: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "organization";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: components["schemas"]["OrganizationTitle"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Email domains whose users can join without an invitation. */
            emailDomains: string[];
            /** @description Default host name of the public content. */
            hostname?: components["schemas"]["OrganizationHostname"];
            /** @description Type of the organization. */
            type: components["schemas"]["OrganizationType"];
            /** @description Primary use of the service. */
            useCase?: components["schemas"]["OrganizationUseCase"];
            /** @description Type of the community. Omitted if the organization is not a community. */
            communityType?: components["schemas"]["CommunityType"];
            /** @description Role of users who join without an invitation. `null` makes them guests. */
            defaultRole?: components["schemas"]["Role"] | null;
            /** @description Content shown to visitors who request no specific content. */
            defaultContent?: components["schemas"]["DefaultContent"];
            /** @description Whether all members must sign in through a SAML provider. */
            sso?: boolean;
            /** @description Whether AI features are enabled. */
            ai?: boolean;
            /** @description Whether users can join through invite links. */
            inviteLinks: boolean;
            /** @description Current plan. */
            plan: components["schemas"]["OrganizationPlan"];
            /** @description Custom host name of the public content. It replaces the default host name. */
            customHostname?: string;
            /**
             * @deprecated
             * @description Always `true`.
             * @enum {boolean}
             */
            internal_isOnNewTrial?: true;
            /** @description Billing of the organization. */
            billing?: components["schemas"]["OrganizationBilling"];
            /** @description URLs of the organization. */
            urls: components["schemas"]["OrganizationUrls"];
            /** @description Trial of a paid plan. */
            trial: components["schemas"]["OrganizationTrial"];
            /** @description Reason why the organization is blocked. Omitted if it is not blocked. */
            blocked?: components["schemas"]["OrganizationBlock"];
            /** @description Upcoming migration to current prices. Omitted if there is none. */
            internal_billingMigration?: components["schemas"]["BillingMigration"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["OrganizationPermissions"];
        };
        /** @description Billing of an organization. */
        OrganizationBilling: {
            /** @description Billing interval. */
            interval: components["schemas"]["BillingInterval"];
            /**
             * Format: date-time
             * @description End of the current billing period.
             */
            endDate: string;
            /** @description Whether the last payment failed. */
            hasPaymentFailed: boolean;
            /** @description Whether the plan ends with the current period. */
            isScheduledToCancel: boolean;
            /** @description Prices of the plans. */
            pricing: components["schemas"]["BillingPricing"];
            /** @description Add-ons billed by usage. */
            usageAddons: components["schemas"]["BillingAddons"];
        };
        /** @description Reason why an organization is blocked. */
        OrganizationBlock: {
            /**
             * @description Reason.
             * @enum {string}
             */
            reason: "security";
        };
        /** @description Organization to create. */
        OrganizationCreate: {
            /** @description Title. */
            title: components["schemas"]["OrganizationTitle"];
            /** @description Email domains whose users can join without an invitation. */
            emailDomains?: components["schemas"]["ShortText"][];
        };
        /** @description Host name of an organization, without a domain. */
        OrganizationHostname: string;
        /** @description Invite link to the organization. */
        OrganizationInvite: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "invite";
            /** @description Identifier. It is also the secret of the invite link. */
            id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description URLs of the invite link. */
            urls: components["schemas"]["InviteUrls"];
            /** @description Role of users who join. `null` makes them guests. */
            role: components["schemas"]["Role"] | null;
        };
        /** @description One page of a list. */
        OrganizationList: {
            /** @description Items of this page. */
            items: components["schemas"]["Organization"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        OrganizationPatch: {
            /** @description Title. */
            title?: components["schemas"]["OrganizationTitle"];
            /** @description Email domains whose users can join without an invitation. The list replaces the current one. */
            emailDomains?: components["schemas"]["ShortText"][];
            /** @description Default host name of the public content. */
            hostname?: components["schemas"]["OrganizationHostname"];
            /** @description Role of users who join without an invitation. `null` makes them guests. */
            defaultRole?: components["schemas"]["Role"] | null;
            /** @description Content shown to visitors who request no specific content. `null` removes it. */
            defaultContent?: components["schemas"]["DefaultContent"] | null;
            /** @description URL of the logo. `null` removes it. */
            logo?: components["schemas"]["AbsoluteUrl"] | null;
            /** @description Whether all members must sign in through a SAML provider. */
            sso?: boolean;
            /** @description Whether AI features are enabled. */
            ai?: boolean;
            /** @description Whether users can join through invite links. */
            inviteLinks?: boolean;
        };
        /** @description Permissions of the caller in an organization. */
        OrganizationPermissions: {
            /** @description Whether the caller can view the organization. */
            view: boolean;
            /** @description Whether the caller can manage the organization, its members and its settings. */
            admin: boolean;
            /** @description Whether the caller can own a team. */
            ownTeam: boolean;
            /** @description Whether the caller can create spaces, collections and sites. */
            createContent: boolean;
            /** @description Whether the caller can create OpenAPI specifications. */
            createOpenAPISpec: boolean;
            /** @description Whether the caller can ingest conversations. */
            ingestConversations: boolean;
            /** @description Whether the caller can view the billing. */
            viewBilling: boolean;
            /** @description Whether the caller can list the members. */
            listMembers: boolean;
            /** @description Whether the caller can list the teams. */
            listTeams: boolean;
            /** @description Whether the caller can list the integrations of the organization. */
            listIntegrations: boolean;
            /** @description Whether the caller can list the integrations that the organization has installed. */
            listInstallations: boolean;
            /** @description Whether the caller can install integrations. */
            installIntegration: boolean;
        };
        /**
         * @description Plan of an organization.
         * @enum {string}
         */
        OrganizationPlan: "free_2024" | "plus_2024" | "pro_2024" | "enterprise_2024" | "community_2024" | "free" | "plus" | "pro" | "internal";
        /** @description Title of an organization. */
        OrganizationTitle: string;
        /** @description Trial of a paid plan. */
        OrganizationTrial: {
            /** @description Current status. */
            status: components["schemas"]["TrialStatus"];
            /**
             * Format: date-time
             * @description Time when the trial ends or ended.
             */
            endDate?: string;
            /**
             * @description Action at the end of the trial.
             * @enum {string}
             */
            decision?: "downgrade";
        };
        /**
         * @description Type of an organization.
         * @enum {string}
         */
        OrganizationType: "business" | "community";
        /** @description URLs of an organization. */
        OrganizationUrls: {
            /**
             * Format: uri
             * @description URL of the organization in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the organization in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the logo.
             */
            logo?: string;
        };
        /**
         * @description Primary use of the service by an organization.
         * @enum {string}
         */
        OrganizationUseCase: "internalDocs" | "docsSite" | "audienceControlledSite" | "productDocs" | "teamKnowledgeBase" | "designSystem" | "openSourceDocs" | "notes" | "other";
        /** @description Entry in the page tree of a space. */
        Page: components["schemas"]["DocumentPage"] | components["schemas"]["GroupPage"] | components["schemas"]["LinkPage"] | components["schemas"]["ComputedPage"];
        /** @description Cover: the image above a page. */
        PageCover: {
            /** @description Image. */
            ref?: components["schemas"]["CoverRef"];
            /** @description Image for dark themes. */
            refDark?: components["schemas"]["CoverRef"];
            /**
             * Format: double
             * @description Vertical offset of the image. `0` does not shift it.
             */
            yPos: number;
        };
        /** @description Rating of a page. */
        PageFeedback: {
            /**
             * @description Rating.
             * @enum {string}
             */
            rating: "bad" | "ok" | "good";
            /** @description Comment of the visitor. */
            comment?: string;
        };
        /** @description Rating of a page by a visitor. */
        PageFeedbackEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "page_feedback";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the site. */
            siteId: string;
            /** @description Identifier of the space. */
            spaceId?: string;
            /** @description Identifier of the site space. */
            siteSpaceId?: string;
            /** @description Identifier of the page. */
            pageId?: string;
            /** @description Rating. */
            feedback: components["schemas"]["PageFeedback"];
            /** @description Visitor. */
            visitor?: components["schemas"]["EventVisitor"];
            /** @description URL of the page. */
            url?: string;
            /** @description Referring URL. */
            referrer?: string;
        };
        /** @description Visibility and size of the parts of a page. */
        PageLayout: {
            /** @description Width of the layout. */
            width: components["schemas"]["PageWidth"];
            /** @description Whether the cover is visible. */
            cover: boolean;
            /** @description Size of the cover. */
            coverSize: components["schemas"]["CoverSize"];
            /** @description Whether the title is visible. */
            title: boolean;
            /** @description Whether the description is visible. */
            description: boolean;
            /** @description Whether the table of contents of the space is visible. */
            tableOfContents: boolean;
            /** @description Whether the outline of the page is visible. */
            outline: boolean;
            /** @description Whether links to the previous and next page are visible. */
            pagination: boolean;
            /** @description Whether metadata, such as the time of the last update, is visible. */
            metadata: boolean;
        };
        /** @description Location of a page, or of a position within it. */
        PageLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "page";
            /** @description Organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description Space. */
            space: components["schemas"]["Space"];
            /** @description Version of the content of the space. */
            versionContext?: components["schemas"]["VersionContext"];
            /** @description Page, without its subpages: its `pages` are empty. */
            page: components["schemas"]["Page"];
            /**
             * @description Position within the page. For a link target: its anchor, if it has one. For a page that contains links, in lists
             *     about one page or file: the first block with such a link.
             */
            internalLocation?: components["schemas"]["InternalLocation"];
        };
        /** @description Reference to a page. */
        PageRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "page";
            /** @description Identifier of the page. */
            page: components["schemas"]["Identifier"];
            /** @description Identifier of the space. Omitted if it is the space that contains the reference. */
            space?: components["schemas"]["Identifier"];
        };
        /**
         * @description Last segment of the path of a page. Must not consist of dots only: those are relative path segments (RFC 3986,
         *     section 3.3).
         */
        PageSlug: string;
        /**
         * @description Complete page tree: at most 50 levels and 100,000 entries, where a page counts as one entry and a page with subpages
         *     as two. A change that would exceed either limit is rejected with 409.
         */
        PageTree: {
            /** @description Pages at the root, in order and without bodies. All other pages are nested in them. */
            pages: components["schemas"]["Page"][];
        };
        /** @description URLs of a page. */
        PageUrls: {
            /**
             * Format: uri
             * @description URL of the page in the app.
             */
            app: string;
        };
        /**
         * @description Width of the layout of a page.
         * @enum {string}
         */
        PageWidth: "default" | "wide";
        /** @description Segment of the path of a site, section or site space. */
        PathSegment: string;
        /** @description PDF that can be downloaded for a limited time. */
        PdfFile: {
            /**
             * Format: uri
             * @description URL of the PDF. It works without an access token, and expires after one hour and when the space is deleted. The
             *     URLs of files within the PDF expire after 30 to 60 days.
             */
            url: string;
        };
        /** @description Result of a ping. */
        Ping: {
            /** @description Signed JWT with claims about the user, for visits to published content. */
            serviceVisitorClaims?: string;
        };
        /** @description Revision created by any operation other than a merge. */
        PlainRevision: {
            /**
             * @description Cause of the revision: edits, a rollback to an earlier revision, new primary content, or a computation.
             * @enum {string}
             */
            type: "edits" | "rollback" | "update" | "computed";
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "revision";
            /** @description Identifier. */
            id: string;
            /** @description Identifiers of the parent revisions. */
            parents: string[];
            /** @description Page tree, in order and without bodies. Its size is limited like that of a `PageTree`. */
            pages: components["schemas"]["Page"][];
            /** @description Files. A revision contains at most 100,000. */
            files: components["schemas"]["File"][];
            /** @description Reusable contents. */
            reusableContents: components["schemas"]["ReusableContent"][];
            /** @description Variables for expressions in any page, by name. */
            variables?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Git commit of the revision. Omitted with `metadata=false`. */
            git?: components["schemas"]["RevisionGit"];
            /** @description URLs of the revision. */
            urls: components["schemas"]["RevisionUrls"];
        };
        /** @description Price by billing interval. */
        Price: {
            /**
             * Format: double
             * @description Price with monthly billing.
             */
            monthly: number;
            /**
             * Format: double
             * @description Price with yearly billing.
             */
            yearly: number;
        };
        /** @description Hostname and path, without a scheme. */
        ProxyOrigin: string;
        /** @description Customization of a published site and its site spaces. */
        PublishedCustomizations: {
            /** @description Customization of the site. */
            site: components["schemas"]["SiteCustomization"];
            /** @description Separate customizations of site spaces, by identifier of the site space. */
            siteSpaces: {
                [key: string]: components["schemas"]["SiteCustomization"];
            };
        };
        /** @description Script that an installed integration adds to each page. */
        PublishedScript: {
            /**
             * Format: uri
             * @description URL of the script.
             */
            script: string;
            /** @description Content security policy of the script (CSP Level 3). */
            contentSecurityPolicy?: string;
            /** @description Whether the script sets cookies. */
            cookies: boolean;
        };
        /** @description Section or section group. */
        PublishedSectionEntry: components["schemas"]["SiteSection"] | components["schemas"]["SiteSectionGroup"];
        /** @description Structure with sections. */
        PublishedSections: {
            /**
             * @description Type of the structure. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "sections";
            /** @description Sections and section groups, in order. */
            structure: components["schemas"]["PublishedSectionEntry"][];
        };
        /** @description Published site, as its visitors see it. */
        PublishedSite: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "published-content-site";
            /** @description Site. */
            site: components["schemas"]["Site"];
            /** @description Structure. */
            structure: components["schemas"]["PublishedStructure"];
            /** @description Customization of the site and its site spaces. */
            customizations: components["schemas"]["PublishedCustomizations"];
            /** @description Scripts that installed integrations add to each page. */
            scripts: components["schemas"]["PublishedScript"][];
        };
        /** @description Structure without sections. */
        PublishedSiteSpaces: {
            /**
             * @description Type of the structure. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "siteSpaces";
            /** @description Site spaces, in order. */
            structure: components["schemas"]["SiteSpace"][];
        };
        /** @description Structure of a published site. */
        PublishedStructure: components["schemas"]["PublishedSections"] | components["schemas"]["PublishedSiteSpaces"];
        /** @description URLs of a part of a site. */
        PublishedUrls: {
            /**
             * Format: uri
             * @description Published URL. Omitted if the site is not published.
             */
            published?: string;
        };
        /** @description Radio button. */
        RadioElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "radio";
            /** @description Key of the state entry that contains the selection. */
            state: string;
            /** @description Value of this radio button or checkbox. */
            value: string | number;
            /** @description Action when the element is pressed. */
            onValueChange?: components["schemas"]["RenderAction"];
        };
        /** @description Reactions with the same emoji. */
        Reaction: {
            /** @description Emoji. */
            emoji: components["schemas"]["IconName"];
            /**
             * Format: int32
             * @description Number of users who reacted with the emoji.
             */
            count: number;
            /** @description Users who reacted with the emoji. */
            users: components["schemas"]["ReactionUser"][];
        };
        /** @description Reaction of a user. */
        ReactionUser: {
            /** @description User. */
            user: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description Time of the reaction.
             */
            reactedAt: string;
        };
        /** @description Action that a reader triggers: a built-in action, or an action of the component. */
        RenderAction: components["schemas"]["OpenModalAction"] | components["schemas"]["CloseModalAction"] | components["schemas"]["OpenUrlAction"] | components["schemas"]["UnfurlLinkAction"] | components["schemas"]["UpdatePropsAction"] | components["schemas"]["ComponentAction"];
        /** @description Value bound to the component state. It updates while the reader types. */
        RenderBinding: {
            /** @description Key of the state entry. */
            $state: string;
        };
        /** @description Plain text, or an element. */
        RenderChild: string | components["schemas"]["RenderElement"];
        /** @description Confirmation required before an action. */
        RenderConfirmation: {
            /** @description Title. */
            title: string;
            /** @description Question. */
            text: string;
            /** @description Label of the confirm button. */
            confirm: string;
            /**
             * @description Visual style.
             * @enum {string}
             */
            style?: "primary" | "danger";
        };
        /** @description Context in which a component is displayed. */
        RenderContext: components["schemas"]["AccountConfigurationContext"] | components["schemas"]["SpaceConfigurationContext"] | components["schemas"]["SiteConfigurationContext"] | components["schemas"]["ContentSourceConfigurationContext"] | components["schemas"]["DocumentContext"];
        /** @description Element within a block, modal or form. */
        RenderElement: components["schemas"]["RowElement"] | components["schemas"]["ColumnElement"] | components["schemas"]["BoxElement"] | components["schemas"]["DividerElement"] | components["schemas"]["CardElement"] | components["schemas"]["RenderHintElement"] | components["schemas"]["TextElement"] | components["schemas"]["RenderLinkElement"] | components["schemas"]["ImageElement"] | components["schemas"]["MarkdownElement"] | components["schemas"]["CodeElement"] | components["schemas"]["WebframeElement"] | components["schemas"]["InputElement"] | components["schemas"]["TextInputElement"] | components["schemas"]["SelectElement"] | components["schemas"]["SwitchElement"] | components["schemas"]["RadioElement"] | components["schemas"]["CheckboxElement"] | components["schemas"]["ButtonElement"] | components["schemas"]["StepperElement"];
        /** @description Request to render a component. */
        RenderEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ui_render";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId?: string;
            /** @description Identifier of the component within the integration. */
            componentId: components["schemas"]["ShortText"];
            /** @description Properties passed to the component. */
            props: {
                [key: string]: unknown;
            };
            /** @description Context in which the component is displayed. */
            context: components["schemas"]["RenderContext"];
            /** @description State of the component after the previous rendering. */
            state?: {
                [key: string]: unknown;
            };
            /** @description Action of the reader. */
            action?: components["schemas"]["RenderAction"];
            /** @description Viewer of the component. Omitted if not signed in. */
            auth?: components["schemas"]["EventCaller"];
        };
        /** @description Hint: a highlighted note. */
        RenderHintElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hint";
            /** @description Elements of the hint. */
            children: components["schemas"]["RenderChild"][];
        };
        /** @description Plain text, or an element within text. */
        RenderInline: string | components["schemas"]["TextElement"] | components["schemas"]["RenderLinkElement"] | components["schemas"]["ImageElement"];
        /** @description Input that a reader sets a value with. */
        RenderInput: components["schemas"]["TextInputElement"] | components["schemas"]["SelectElement"] | components["schemas"]["SwitchElement"] | components["schemas"]["RadioElement"] | components["schemas"]["CheckboxElement"] | components["schemas"]["ButtonElement"] | components["schemas"]["CodeElement"];
        /** @description Link. */
        RenderLinkElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "link";
            /** @description Target of the link. */
            target: components["schemas"]["RenderUrl"];
            /** @description Text of the link. */
            children: components["schemas"]["RenderInline"][];
        };
        /** @description Result of a rendering. */
        RenderResult: components["schemas"]["RenderedElement"] | components["schemas"]["RenderingComplete"];
        /** @description Root element of a component. */
        RenderRoot: components["schemas"]["BlockElement"] | components["schemas"]["ModalElement"] | components["schemas"]["ConfigurationElement"];
        /** @description URL that an element refers to. */
        RenderUrl: {
            /** @description URL. */
            url: string;
        };
        /** @description Element to display. */
        RenderedElement: {
            /**
             * @description Type of the result. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "element";
            /** @description Element. */
            element: components["schemas"]["RenderRoot"];
            /** @description State of the component for the next rendering. */
            state: {
                [key: string]: unknown;
            };
            /** @description Properties passed to the component. */
            props: {
                [key: string]: unknown;
            };
        };
        /** @description End of a dialog. */
        RenderingComplete: {
            /**
             * @description Type of the result. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "complete";
            /** @description Value that the dialog returns to its opener. */
            returnValue?: {
                [key: string]: unknown;
            };
        };
        /** @description Resolved comment. */
        ResolvedComment: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "comment";
            /**
             * @description Current status.
             * @enum {string}
             */
            status: "resolved";
            /** @description Identifier. */
            id: string;
            /** @description Author. */
            postedBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            postedAt: string;
            /**
             * Format: date-time
             * @description Time of the last edit of the text. Omitted if the text has not been edited.
             */
            editedAt?: string;
            /** @description Reactions. */
            reactions: components["schemas"]["Reaction"][];
            /** @description Text. */
            body: components["schemas"]["CommentBody"];
            /** @description URLs. */
            urls: components["schemas"]["CommentUrls"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["CommentPermissions"];
            /**
             * Format: int32
             * @description Number of replies.
             */
            replies: number;
            /** @description Content that the comment refers to. */
            target: components["schemas"]["CommentTarget"];
            /**
             * Format: date-time
             * @description Time of resolution.
             */
            resolvedAt: string;
            /** @description User who resolved the comment. */
            resolvedBy: components["schemas"]["User"];
        };
        /** @description Reusable content: content that several pages can include. */
        ReusableContent: {
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Git object of the reusable content. Omitted with `metadata=false`. */
            git?: components["schemas"]["GitObject"];
        };
        /** @description Location of reusable content. */
        ReusableContentLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "reusable-content";
            /** @description Organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description Space. */
            space: components["schemas"]["Space"];
            /** @description Version of the content of the space. */
            versionContext?: components["schemas"]["VersionContext"];
            /** @description Reusable content. */
            reusableContent: components["schemas"]["ReusableContent"];
        };
        /** @description Reference to reusable content. */
        ReusableContentRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "reusable-content";
            /** @description Identifier of the reusable content. */
            reusableContent: components["schemas"]["Identifier"];
            /** @description Identifier of the space. Omitted if it is the space that contains the reference. */
            space?: components["schemas"]["Identifier"];
        };
        /** @description Change that restores a page to an earlier state. */
        RevertPage: {
            /**
             * @description Type of the change.
             * @enum {string}
             */
            operation: "revert_page";
            /** @description Identifier of the page. */
            page: components["schemas"]["Identifier"];
            /**
             * @description Identifier of the revision of the space with the earlier state. Default: the revision that the change request was
             *     last updated to.
             */
            revision?: components["schemas"]["Identifier"];
        };
        /** @description Immutable page tree with its files. */
        Revision: components["schemas"]["PlainRevision"] | components["schemas"]["MergeRevision"];
        /** @description Revision that contains the location. Its `pages`, `files` and `reusableContents` are empty. */
        RevisionContext: {
            /**
             * @description Type of the version.
             * @enum {string}
             */
            type: "revision";
            /** @description Revision. */
            revision: components["schemas"]["Revision"];
        };
        /** @description Git commit that a revision was imported from or exported to. */
        RevisionGit: {
            /** @description Identifier of the commit. */
            oid: string;
            /** @description Message of the commit. */
            message: string;
            /** @description Whether this service created the commit. */
            createdByService: boolean;
            /** @description URL of the commit. */
            url?: string;
            /** @description Git reference that contains the commit. */
            ref?: string;
        };
        /** @description URLs of a revision. */
        RevisionUrls: {
            /**
             * Format: uri
             * @description URL of the content in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the content in a published site.
             */
            published?: string;
            /**
             * Format: uri
             * @description Public URL of the content.
             */
            public?: string;
        };
        /**
         * @description Role of a member, from most to fewest permissions. Where a role can be `null`, `null` is a guest.
         * @enum {string}
         */
        Role: "admin" | "create" | "review" | "edit" | "comment" | "read";
        /** @description Horizontal stack of elements. */
        RowElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hstack";
            /** @description Elements of the stack. */
            children: components["schemas"]["RenderElement"][];
            /**
             * @description Alignment of the elements across the stack.
             * @enum {string}
             */
            align?: "start" | "center" | "end";
        };
        /** @description Display name of a SAML provider. */
        SamlLabel: string;
        /** @description SAML provider: an identity provider that members of an organization sign in with (SAML 2.0). */
        SamlProvider: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "saml-provider";
            /** @description Identifier. */
            id: string;
            /** @description Display name. */
            label: string;
            /** @description Sign-in URL of the identity provider. Empty until it is set. */
            ssoURL: components["schemas"]["AbsoluteUrl"] | "";
            /** @description Entity ID of the identity provider. Empty until it is set. */
            entityID: string;
            /** @description Signing certificate of the identity provider, in PEM format. Empty until it is set. */
            certificate: string;
            /** @description Team that users join when they first sign in. */
            defaultTeam?: components["schemas"]["Team"];
            /** @description Role of users who sign in for the first time. `null` makes them guests. */
            defaultRole: components["schemas"]["Role"] | null;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Current status. */
            status: components["schemas"]["SamlProviderStatus"];
            /** @description Settings to configure at the identity provider. */
            service: components["schemas"]["SamlService"];
            /** @description URLs of the SAML provider. */
            urls: components["schemas"]["SamlProviderUrls"];
        };
        /** @description SAML provider to create. */
        SamlProviderCreate: {
            /** @description Display name. */
            label: components["schemas"]["SamlLabel"];
            /** @description Entity ID of the identity provider. */
            entityID?: string;
            /** @description Signing certificate of the identity provider, in PEM format. */
            certificate?: string;
            /** @description Sign-in URL of the identity provider. */
            ssoURL?: components["schemas"]["AbsoluteUrl"];
            /** @description Identifier of the team that users join when they first sign in. */
            defaultTeam?: components["schemas"]["Identifier"];
            /** @description Role of users who sign in for the first time. `null`, the initial value, makes them guests. */
            defaultRole?: components["schemas"]["Role"] | null;
        };
        /** @description One page of a list. */
        SamlProviderList: {
            /** @description Items of this page. */
            items: components["schemas"]["SamlProvider"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        SamlProviderPatch: {
            /** @description Display name. */
            label?: components["schemas"]["SamlLabel"];
            /** @description Entity ID of the identity provider. */
            entityID?: string;
            /** @description Signing certificate of the identity provider, in PEM format. */
            certificate?: string;
            /** @description Sign-in URL of the identity provider. */
            ssoURL?: components["schemas"]["AbsoluteUrl"];
            /** @description Identifier of the team that users join when they first sign in. */
            defaultTeam?: components["schemas"]["Identifier"];
            /** @description Role of users who sign in for the first time. `null`, the initial value, makes them guests. */
            defaultRole?: components["schemas"]["Role"] | null;
        };
        /**
         * @description Status of a SAML provider.
         * @enum {string}
         */
        SamlProviderStatus: "active" | "pending";
        /** @description URLs of a SAML provider. */
        SamlProviderUrls: {
            /**
             * Format: uri
             * @description URL of the SAML provider in this API.
             */
            location: string;
        };
        /** @description Settings of this service to configure at an identity provider. */
        SamlService: {
            /**
             * Format: uri
             * @description URL that the identity provider sends its assertions to.
             */
            acsURL: string;
            /**
             * Format: uri
             * @description URL that starts the sign-in.
             */
            startURL: string;
            /** @description Entity ID of this service. */
            entityID: string;
        };
        /** @description Page that contains matches. */
        SearchedPage: {
            /** @description Identifier of the page. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Path of the page within its space. */
            path: string;
            /** @description Sections that contain matches, best match first. */
            sections: components["schemas"]["SearchedSection"][];
            /** @description URLs of the page. */
            urls: components["schemas"]["SearchedUrls"];
        };
        /** @description One page of a list. */
        SearchedPageList: {
            /** @description Items of this page. */
            items: components["schemas"]["SearchedPage"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Section of a page, from one heading to the next, that contains matches. */
        SearchedSection: {
            /** @description Identifier of the section. */
            id: string;
            /** @description Heading. */
            title: string;
            /** @description Path of the section: the path of its page and its anchor. */
            path: string;
            /** @description Text of the section. */
            body: string;
            /** @description URLs of the section. */
            urls: components["schemas"]["SearchedUrls"];
        };
        /** @description Space that contains matches. */
        SearchedSpace: {
            /** @description Identifier of the space. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Pages that contain matches, best match first. */
            pages: components["schemas"]["SearchedPage"][];
        };
        /** @description One page of a list. */
        SearchedSpaceList: {
            /** @description Items of this page. */
            items: components["schemas"]["SearchedSpace"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description URLs of a search result. */
        SearchedUrls: {
            /**
             * Format: uri
             * @description URL of the search result in the app.
             */
            app: string;
        };
        /** @description Description of a section. */
        SectionDescription: string;
        /** @description Title of a section group. */
        SectionGroupTitle: string;
        /** @description Selection from a list. */
        SelectElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "select";
            /** @description Key of the state entry that contains the selection. */
            state: string;
            /** @description Initial selection. */
            initialValue?: string | string[];
            /** @description Text displayed while nothing is selected. */
            placeholder?: string;
            /** @description Whether multiple options can be selected. */
            multiple?: boolean;
            /** @description Options, or the URL to retrieve them from. */
            options: components["schemas"]["SelectOption"][] | components["schemas"]["RenderUrl"];
            /** @description Action when the selection changes. */
            onValueChange?: components["schemas"]["RenderAction"];
        };
        /** @description Option of a selection. */
        SelectOption: {
            /** @description Identifier of the option. */
            id: string;
            /** @description Label. */
            label: string;
            /** @description Name of the icon, or an image. */
            icon?: string | components["schemas"]["ImageElement"];
        };
        /** @description Text of at most 2,048 characters. */
        ShortText: string;
        /** @description Site: spaces of an organization, published together at one URL. */
        Site: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "site";
            /** @description Identifier. */
            id: string;
            /** @description Plan. */
            type: components["schemas"]["SiteType"];
            /** @description Title. */
            title: components["schemas"]["SiteTitle"];
            /** @description Icon. */
            icon?: components["schemas"]["SiteIcon"] | null;
            /** @description Custom hostname. */
            hostname?: string;
            /** @description Path segment that identifies the site on a shared hostname. */
            basename?: components["schemas"]["PathSegment"];
            /** @description Reverse proxy in front of the site. */
            proxy?: components["schemas"]["SiteProxy"];
            /** @description Audience of the site once it is published. */
            visibility: components["schemas"]["SiteVisibility"];
            /** @description Whether the audience set by `visibility` can reach the site. */
            published: boolean;
            /**
             * Format: int32
             * @description Number of spaces on the site.
             */
            siteSpaces: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Adaptive content settings. */
            adaptiveContent?: components["schemas"]["SiteAdaptiveContent"];
            /** @description Advertising status. */
            ads?: components["schemas"]["SiteAds"];
            /** @description Access of the agent to the site. */
            agentsContext: components["schemas"]["SiteAgentsContext"];
            /** @description Features and their availability in the plan of the site. */
            features: components["schemas"]["SiteFeature"][];
            /** @description URLs of the site. */
            urls: components["schemas"]["SiteUrls"];
        };
        /** @description Adaptive content settings of a site. */
        SiteAdaptiveContent: {
            /** @description Whether the content adapts to the claims about the visitor. */
            enabled: boolean;
        };
        /** @description Adaptive schema of a site: the claims that it can use about its visitors. */
        SiteAdaptiveSchema: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "site-adaptive-schema";
            /** @description Claims, as a JSON Schema (draft 07). */
            jsonSchema: components["schemas"]["AdaptiveJsonSchema"];
            /**
             * Format: date-time
             * @description Time of the last update.
             */
            updatedAt: string;
        };
        /**
         * @description Adaptive schema to set.
         * @example {
         *       "jsonSchema": {
         *         "type": "object",
         *         "properties": {
         *           "unsigned": {
         *             "type": "object",
         *             "description": "Unsigned claims of the site visitor.",
         *             "properties": {
         *               "returning": {
         *                 "type": "boolean",
         *                 "description": "Has visited the site before."
         *               }
         *             },
         *             "additionalProperties": false
         *           }
         *         },
         *         "additionalProperties": false
         *       }
         *     }
         */
        SiteAdaptiveSchemaUpdate: {
            /** @description Claims, as a JSON Schema (draft 07). */
            jsonSchema: components["schemas"]["AdaptiveJsonSchema"];
        };
        /** @description Advertising status of a site. */
        SiteAds: components["schemas"]["SiteAdsPending"] | components["schemas"]["SiteAdsInReview"] | components["schemas"]["SiteAdsRejected"] | components["schemas"]["SiteAdsLive"] | components["schemas"]["SiteAdsDisabled"];
        /** @description Granted advertising that is disabled. */
        SiteAdsDisabled: {
            /**
             * @description Current status. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "disabled";
            /** @description Topic of the site. */
            topic: components["schemas"]["SiteAdsTopic"];
            /** @description Identifier of the advertising zone at the agency. */
            zoneId: string;
        };
        /** @description Requested advertising. */
        SiteAdsInReview: {
            /**
             * @description Current status. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "in-review";
            /** @description Topic of the site. */
            topic: components["schemas"]["SiteAdsTopic"];
        };
        /** @description Advertising that is shown. */
        SiteAdsLive: {
            /**
             * @description Current status. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "live";
            /** @description Topic of the site. */
            topic: components["schemas"]["SiteAdsTopic"];
            /** @description Identifier of the advertising zone at the agency. */
            zoneId: string;
        };
        /** @description Advertising that is not yet requested. */
        SiteAdsPending: {
            /**
             * @description Current status. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "pending";
            /** @description Whether the site meets the requirements for a request. */
            submittable: boolean;
        };
        /** @description Rejected advertising. */
        SiteAdsRejected: {
            /**
             * @description Current status. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "rejected";
            /** @description Reason for the rejection. */
            reason?: string;
        };
        /**
         * @description Topic of a site with advertising.
         * @enum {string}
         */
        SiteAdsTopic: "webdev" | "crypto";
        /**
         * @description Access of the agent to a site.
         * @enum {string}
         */
        SiteAgentsContext: "excluded" | "included";
        /** @description AI features for questions of readers. */
        SiteAi: {
            /**
             * @description No answers, answers in search, or an assistant.
             * @enum {string}
             */
            mode: "none" | "search" | "assistant";
        };
        /** @description Announcement above everything else. */
        SiteAnnouncement: {
            /** @description Whether the announcement is shown. */
            enabled: boolean;
            /** @description Message. */
            message: string;
            /**
             * @description Visual severity.
             * @enum {string}
             */
            style: "info" | "warning" | "danger" | "success";
            /** @description Link. */
            link?: components["schemas"]["SiteLink"];
        };
        /** @description Component in the settings of an installation on a site. */
        SiteConfigurationContext: {
            /**
             * @description Type of the context. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_site";
            /**
             * @description Color theme around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description Identifier of the site. */
            siteId: components["schemas"]["Identifier"];
        };
        /**
         * @description Site to create.
         * @example {
         *       "title": "Developer handbook",
         *       "visibility": "public",
         *       "spaces": [
         *         "spc_handbook"
         *       ]
         *     }
         */
        SiteCreate: {
            /**
             * @description Plan.
             * @default basic
             */
            type?: components["schemas"]["SiteType"];
            /** @description Title. */
            title?: components["schemas"]["SiteTitle"];
            /** @description Audience of the site once it is published. */
            visibility?: components["schemas"]["SiteVisibility"];
            /** @description Identifiers of the spaces to show, or the initial content of a space created for the site. */
            spaces?: components["schemas"]["SiteInitialSpaces"];
        };
        /** @description Customization of a site: its appearance and the features for its readers. */
        SiteCustomization: {
            /** @description Title shown instead of the title of the site. */
            title?: string;
            /** @description Colors, font and shapes. */
            styling: components["schemas"]["SiteStyling"];
            /** @description Language of everything except the content. */
            internationalization: components["schemas"]["SiteInternationalization"];
            /** @description Icon in the browser tab. */
            favicon: components["schemas"]["SiteIcon"];
            /** @description Header above each page. */
            header: components["schemas"]["SiteHeader"];
            /** @description Footer below each page. */
            footer: components["schemas"]["SiteFooter"];
            /** @description Announcement above everything else. */
            announcement?: components["schemas"]["SiteAnnouncement"];
            /** @description Light and dark themes. */
            themes: components["schemas"]["SiteThemes"];
            /** @description Export of pages as PDF. */
            pdf: components["schemas"]["SiteToggle"];
            /** @description Ratings of pages by readers. */
            feedback: components["schemas"]["SiteToggle"];
            /** @description AI features for questions of readers. */
            ai: components["schemas"]["SiteAi"];
            /** @description Activation of the customization beyond the basic options. */
            advancedCustomization: components["schemas"]["SiteToggle"];
            /** @description Actions of readers on a whole page. */
            pageActions: components["schemas"]["SitePageActions"];
            /** @description Behavior of links to other sites. */
            externalLinks: components["schemas"]["SiteExternalLinks"];
            /** @description Links to the previous and the next page. */
            pagination: components["schemas"]["SiteToggle"];
            /** @description Line that names the platform. */
            trademark: components["schemas"]["SiteToggle"];
            /** @description Privacy policy. */
            privacyPolicy: components["schemas"]["SiteUrlSetting"];
            /** @description Image that other services show next to a link to the site. */
            socialPreview: components["schemas"]["SiteUrlSetting"];
            /** @description Measurement of visits. */
            insights: components["schemas"]["SiteInsights"];
            /** @description Links to the source of pages in Git. */
            git: components["schemas"]["SiteGit"];
        };
        /** @description Icon that consists of an emoji. */
        SiteEmojiIcon: {
            /** @description Emoji. */
            emoji: components["schemas"]["IconName"];
        };
        /** @description Behavior of links to other sites. */
        SiteExternalLinks: {
            /**
             * @description Whether links open in the same tab or in a new one.
             * @enum {string}
             */
            target: "self" | "blank";
        };
        /** @description Feature of sites, and its availability on this site. */
        SiteFeature: {
            /** @description Identifier. */
            id: components["schemas"]["SiteFeatureId"];
            /** @description Lowest-priced plan that includes the feature. */
            plan: components["schemas"]["SiteType"];
            /** @description Whether the plan of the site prevents the use of the feature. */
            frozen: boolean;
            /** @description Parts of the customization that the feature enables. */
            customizations?: components["schemas"]["SiteFeatureCustomization"][];
        };
        /**
         * @description Part of the customization of a site that a feature enables.
         * @enum {string}
         */
        SiteFeatureCustomization: "header-logo" | "theme-preset" | "premium-fonts" | "custom-icons" | "footer-logo" | "footer-links" | "footer-copyright" | "semantic-colors";
        /**
         * @description Feature of a site.
         * @enum {string}
         */
        SiteFeatureId: "sites-adaptive-content" | "sites-advanced-customization" | "sites-advanced-insights" | "sites-ads" | "sites-ai-search" | "sites-ai-assistant" | "sites-api-playground" | "sites-basic-customization" | "sites-custom-domain" | "sites-custom-fonts" | "sites-custom-subdirectory" | "sites-full-text-search" | "sites-multivariant-site" | "sites-no-custom-domain" | "sites-page-feedback" | "sites-page-traffic-insights" | "sites-pdf-export" | "sites-preview-deployments" | "sites-public-visibility" | "sites-redirects" | "sites-search-insights" | "sites-sections" | "sites-seo" | "sites-share-links" | "sites-unlisted-visibility" | "sites-user-contribution" | "sites-visitor-authentication" | "sites-visitors";
        /** @description Footer below each page. */
        SiteFooter: {
            /** @description Logo. */
            logo?: components["schemas"]["ThemedImage"];
            /** @description Groups of links, in order. */
            groups: components["schemas"]["SiteFooterGroup"][];
            /** @description Copyright notice. */
            copyright?: string;
        };
        /** @description Group of links under a heading. */
        SiteFooterGroup: {
            /** @description Heading. */
            title: string;
            /** @description Links, in order. */
            links: components["schemas"]["SiteLink"][];
        };
        /** @description Links to the source of pages in Git. */
        SiteGit: {
            /** @description Whether each page links to its source. */
            showEditLink: boolean;
        };
        /** @description Header above each page. */
        SiteHeader: {
            /**
             * @description Style of the header.
             * @enum {string}
             */
            preset: "default" | "bold" | "contrast" | "custom" | "none";
            /** @description Logo. */
            logo?: components["schemas"]["ThemedImage"];
            /** @description Background color. Applies if `preset` is `custom`. */
            backgroundColor?: components["schemas"]["ThemedColor"];
            /** @description Color of the links. Applies if `preset` is `custom`. */
            linkColor?: components["schemas"]["ThemedColor"];
            /** @description Links, in order. */
            links: components["schemas"]["SiteHeaderLink"][];
        };
        /** @description Link in the header, with or without nested links. */
        SiteHeaderLink: {
            /** @description Label. */
            title: string;
            /** @description Target of the link. */
            to: components["schemas"]["ContentRef"] | null;
            /**
             * @description Style of the link.
             * @enum {string}
             */
            style?: "link" | "button-primary" | "button-secondary";
            /** @description Nested links. */
            links?: components["schemas"]["SiteLink"][];
        };
        /** @description Icon of a site: a pair of images, an emoji, or none. */
        SiteIcon: components["schemas"]["SiteImageIcon"] | components["schemas"]["SiteEmojiIcon"] | components["schemas"]["SiteNoIcon"];
        /** @description Icon that consists of an image for each color theme. */
        SiteImageIcon: {
            /** @description Images. */
            icon: components["schemas"]["ThemedImage"];
        };
        /**
         * @description Initial content of a space created for a new site.
         * @enum {string}
         */
        SiteInitialSpaceContent: "sample" | "empty";
        /** @description Initial spaces of a new site. */
        SiteInitialSpaces: components["schemas"]["Identifier"][] | components["schemas"]["SiteInitialSpaceContent"];
        /** @description Measurement of visits. */
        SiteInsights: {
            /** @description Whether a cookie distinguishes returning visitors from new ones. */
            trackingCookie: boolean;
        };
        /** @description Installation on a site. */
        SiteInstallation: {
            /** @description Name of the integration. */
            integration: string;
            /** @description Identifier of the installation. */
            installation: string;
            /** @description Current status on the space or site. */
            status: components["schemas"]["InstallationStatus"];
            /** @description Values of the settings on the space or site, by name. */
            configuration: {
                [key: string]: unknown;
            };
            /** @description Identifiers that the integration uses for the installation. */
            externalIds: string[];
            /** @description URLs of the installation on the space or site. */
            urls: components["schemas"]["InstallationPartUrls"];
            /** @description Identifier of the site, or the complete site. */
            site: string | components["schemas"]["Site"];
        };
        /** @description Removal of an installation from a site. */
        SiteInstallationDeletedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "site_installation_deleted";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the site. */
            siteId: string;
            /** @description State before the removal. */
            previous: components["schemas"]["DeletedInstallation"];
        };
        /** @description One page of a list. */
        SiteInstallationList: {
            /** @description Items of this page. */
            items: components["schemas"]["SiteInstallation"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Creation of an installation on a site, or change of its settings. */
        SiteInstallationSetupEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "site_installation_setup";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the site. */
            siteId: string;
            /** @description Status of the installation. */
            status: components["schemas"]["InstallationStatus"];
            /** @description State before the change. Omitted if the installation is new. */
            previous?: components["schemas"]["InstallationSnapshot"];
        };
        /** @description Language of everything except the content. */
        SiteInternationalization: {
            /** @description Language. */
            locale: components["schemas"]["Language"];
        };
        /** @description Link with a label. */
        SiteLink: {
            /** @description Label. */
            title: string;
            /** @description Target of the link. */
            to: components["schemas"]["ContentRef"] | null;
        };
        /** @description One page of a list. */
        SiteList: {
            /** @description Items of this page. */
            items: components["schemas"]["Site"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Empty object: no icon is chosen. */
        SiteNoIcon: Record<string, never>;
        /** @description Actions of readers on a whole page. */
        SitePageActions: {
            /** @description Whether readers can send the page to an external assistant. */
            externalAI: boolean;
            /** @description Whether readers can get the page as Markdown. */
            markdown: boolean;
        };
        /**
         * @description Fields to update. Omitted fields are unchanged.
         * @example {
         *       "title": "Developer handbook",
         *       "visibility": "unlisted"
         *     }
         */
        SitePatch: {
            /** @description Title. */
            title?: components["schemas"]["SiteTitle"];
            /** @description Audience of the site once it is published. */
            visibility?: components["schemas"]["SiteVisibility"];
            /** @description Path segment that identifies the site on a shared hostname. */
            basename?: components["schemas"]["PathSegment"];
            /** @description Access of the agent to the site. */
            agentsContext?: components["schemas"]["SiteAgentsContext"];
            /** @description Adaptive content settings. */
            adaptiveContent?: components["schemas"]["SiteAdaptiveContent"];
            /** @description Identifier of the site space to show first, at the root or in the default section. */
            defaultSiteSpace?: components["schemas"]["Identifier"];
            /** @description Identifier of the section to show first. */
            defaultSiteSection?: components["schemas"]["Identifier"];
            /** @description Hostname and path at which another server proxies the site. `null` removes the proxy. */
            proxy?: components["schemas"]["ProxyOrigin"] | null;
        };
        /** @description Prices per site. */
        SitePricing: {
            /** @description Price of a premium site. */
            premium: components["schemas"]["Price"];
            /** @description Price of an ultimate site. */
            ultimate: components["schemas"]["Price"];
        };
        /** @description Reverse proxy in front of a site. */
        SiteProxy: {
            /** @description Hostname and path that visitors use. */
            origin: string;
            /** @description URL that the proxy requests. */
            target: string;
        };
        /** @description Section: a part of a site, shown in one or more variants. */
        SiteSection: {
            /**
             * @description Object type. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "site-section";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: components["schemas"]["SiteTitle"];
            /** @description Description. */
            description?: components["schemas"]["SectionDescription"];
            /** @description Whether the section is shown first. */
            default?: boolean;
            /** @description Path on the site. */
            path: components["schemas"]["PathSegment"];
            /** @description Condition under which a visitor sees the section. */
            condition?: components["schemas"]["VisitorCondition"];
            /** @description Identifier of the section group that contains the section. */
            sectionGroup?: string;
            /** @description Name of the icon. */
            icon?: components["schemas"]["IconName"];
            /** @description Variants. */
            siteSpaces: components["schemas"]["SiteSpace"][];
            /** @description URLs of the section. */
            urls: components["schemas"]["PublishedUrls"];
        };
        /**
         * @description Section to create.
         * @example {
         *       "spaceId": "spc_handbook",
         *       "title": "Handbook",
         *       "icon": "book"
         *     }
         */
        SiteSectionCreate: {
            /** @description Identifier of the space that becomes the first variant. */
            spaceId: components["schemas"]["Identifier"];
            /** @description Title. Default: the title of the space. */
            title?: components["schemas"]["SiteTitle"] | null;
            /** @description Name of the icon. */
            icon?: components["schemas"]["IconName"] | null;
        };
        /** @description Section group: several sections of a site under one heading. */
        SiteSectionGroup: {
            /**
             * @description Object type. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "site-section-group";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: components["schemas"]["SectionGroupTitle"];
            /** @description Sections, in order. */
            sections: components["schemas"]["SiteSection"][];
            /** @description Name of the icon. */
            icon?: components["schemas"]["IconName"];
        };
        /** @description Section to add to a section group. */
        SiteSectionGroupAddition: {
            /** @description Identifier of the section. */
            sectionId: components["schemas"]["Identifier"];
        };
        /**
         * @description Section group to create.
         * @example {
         *       "title": "Products",
         *       "icon": "box",
         *       "sections": [
         *         "sec_app",
         *         "sec_api"
         *       ]
         *     }
         */
        SiteSectionGroupCreate: {
            /** @description Title. */
            title: components["schemas"]["SectionGroupTitle"];
            /** @description Name of the icon. */
            icon?: components["schemas"]["IconName"] | null;
            /** @description Identifiers of the sections to move into the group. */
            sections?: components["schemas"]["Identifier"][];
        };
        /** @description One page of a list. */
        SiteSectionGroupList: {
            /** @description Items of this page. */
            items: components["schemas"]["SiteSectionGroup"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description New position of a section group. */
        SiteSectionGroupMove: {
            /** @description New position. Default: the last position. */
            position?: components["schemas"]["SiteSectionGroupPosition"];
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        SiteSectionGroupPatch: {
            /** @description Title. */
            title?: components["schemas"]["SectionGroupTitle"];
            /** @description Name of the icon. `null` removes the icon. */
            icon?: components["schemas"]["IconName"] | null;
        };
        /** @description Reference to a section group or an ungrouped section. */
        SiteSectionGroupPointer: {
            /**
             * @description Type of the sibling.
             * @enum {string}
             */
            type: "site-section" | "site-section-group";
            /** @description Identifier of the section or section group. */
            id: components["schemas"]["Identifier"];
        };
        /** @description Position among section groups and ungrouped sections, relative to a sibling. */
        SiteSectionGroupPosition: {
            /** @description Sibling to insert before. */
            before?: components["schemas"]["SiteSectionGroupPointer"];
            /** @description Sibling to insert after. */
            after?: components["schemas"]["SiteSectionGroupPointer"];
        };
        /** @description One page of a list. */
        SiteSectionList: {
            /** @description Items of this page. */
            items: components["schemas"]["SiteSection"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description New position of a section. */
        SiteSectionMove: {
            /** @description New position. Default: the last position. */
            position?: components["schemas"]["SiteSectionPosition"];
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        SiteSectionPatch: {
            /** @description Title. */
            title?: components["schemas"]["SiteTitle"];
            /** @description Path on the site. */
            path?: components["schemas"]["PathSegment"];
            /** @description Identifier of the variant to show first. */
            defaultSiteSpace?: components["schemas"]["Identifier"];
            /** @description Condition under which a visitor sees the section. `null` shows it to every visitor. */
            condition?: components["schemas"]["VisitorCondition"] | null;
            /** @description Name of the icon. `null` removes the icon. */
            icon?: components["schemas"]["IconName"] | null;
            /** @description Description. `null` removes the description. */
            description?: components["schemas"]["SectionDescription"] | null;
        };
        /** @description Reference to a sibling section. */
        SiteSectionPointer: {
            /**
             * @description Type of the sibling.
             * @enum {string}
             */
            type: "site-section";
            /** @description Identifier of the section. */
            siteSection: components["schemas"]["Identifier"];
        };
        /** @description Position among sections, relative to a sibling. */
        SiteSectionPosition: {
            /** @description Sibling to insert before. */
            before?: components["schemas"]["SiteSectionPointer"];
            /** @description Sibling to insert after. */
            after?: components["schemas"]["SiteSectionPointer"];
        };
        /** @description Sidebar with the list of pages. */
        SiteSidebar: {
            /**
             * @description Background.
             * @enum {string}
             */
            background: "default" | "filled";
            /**
             * @description Style of the selected page.
             * @enum {string}
             */
            list: "default" | "pill" | "line";
        };
        /** @description Site space: a space as shown on a site, at the root or as a variant of a section. */
        SiteSpace: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "site-space";
            /** @description Identifier. */
            id: string;
            /** @description Path on the site. */
            path: components["schemas"]["PathSegment"];
            /** @description Identifier of the section that contains this variant. */
            section?: string;
            /** @description Space that is shown. */
            space: components["schemas"]["Space"];
            /** @description Title on the site. */
            title: string;
            /** @description Whether the site space is shown first. */
            default?: boolean;
            /** @description Condition under which a visitor sees the site space. */
            condition?: components["schemas"]["VisitorCondition"];
            /** @description Whether the site space can have its own customization. */
            hasAdvancedCustomizationFeature?: boolean;
            /** @description URLs of the site space. */
            urls: components["schemas"]["PublishedUrls"];
        };
        /**
         * @description Space to add to a site.
         * @example {
         *       "spaceId": "spc_handbook"
         *     }
         */
        SiteSpaceCreate: {
            /** @description Identifier of the space. */
            spaceId: components["schemas"]["Identifier"];
            /** @description Identifier of the section. Default: the default section, or the root of a site without sections. */
            sectionId?: components["schemas"]["Identifier"];
        };
        /** @description One page of a list. */
        SiteSpaceList: {
            /** @description Items of this page. */
            items: components["schemas"]["SiteSpace"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description New position of a site space. */
        SiteSpaceMove: {
            /** @description New position. Default: the last position. */
            position?: components["schemas"]["SiteSpacePosition"];
        };
        /** @description Fields to update. Omitted fields are unchanged. */
        SiteSpacePatch: {
            /** @description Path on the site. */
            path?: components["schemas"]["PathSegment"];
            /** @description Condition under which a visitor sees the site space. `null` shows it to every visitor. */
            condition?: components["schemas"]["VisitorCondition"] | null;
            /** @description Identifier of the space to show. */
            spaceId?: components["schemas"]["Identifier"];
        };
        /** @description Reference to a sibling site space. */
        SiteSpacePointer: {
            /**
             * @description Type of the sibling.
             * @enum {string}
             */
            type: "site-space";
            /** @description Identifier of the site space. */
            siteSpace: components["schemas"]["Identifier"];
        };
        /** @description Position among site spaces, relative to a sibling. */
        SiteSpacePosition: {
            /** @description Sibling to insert before. */
            before?: components["schemas"]["SiteSpacePointer"];
            /** @description Sibling to insert after. */
            after?: components["schemas"]["SiteSpacePointer"];
        };
        /** @description Colors, font and shapes of a site. */
        SiteStyling: {
            /**
             * @description Overall theme.
             * @enum {string}
             */
            theme: "clean" | "muted" | "bold" | "gradient";
            /** @description Color of links and of selected items. */
            primaryColor: components["schemas"]["ThemedColor"];
            /** @description Color of informational hints. */
            infoColor: components["schemas"]["ThemedColor"];
            /** @description Color of success hints. */
            successColor: components["schemas"]["ThemedColor"];
            /** @description Color of warning hints. */
            warningColor: components["schemas"]["ThemedColor"];
            /** @description Color of danger hints. */
            dangerColor: components["schemas"]["ThemedColor"];
            /** @description Color that tints all backgrounds. */
            tint?: components["schemas"]["SiteTint"];
            /**
             * @description Shape of corners.
             * @enum {string}
             */
            corners: "straight" | "rounded" | "circular";
            /**
             * @description Subtle shadows, or none.
             * @enum {string}
             */
            depth: "subtle" | "flat";
            /**
             * @description Style of links in text.
             * @enum {string}
             */
            links: "default" | "accent";
            /** @description Name of the font. */
            font: string;
            /** @description Name of the font for code. */
            monospaceFont: string;
            /**
             * @description Background of pages.
             * @enum {string}
             */
            background: "plain" | "match";
            /**
             * @description Style of icons.
             * @enum {string}
             */
            icons: "regular" | "solid" | "duotone" | "thin" | "light";
            /** @description Sidebar with the list of pages. */
            sidebar: components["schemas"]["SiteSidebar"];
            /**
             * @description Prominence of the search field.
             * @enum {string}
             */
            search: "prominent" | "subtle";
        };
        /** @description Initial theme, and whether readers can switch it. */
        SiteThemes: {
            /**
             * @description Theme on the first visit.
             * @enum {string}
             */
            default: "light" | "dark" | "system";
            /** @description Whether readers can switch the theme. */
            toggeable: boolean;
        };
        /** @description Color that tints all backgrounds. */
        SiteTint: {
            /** @description Color. */
            color: components["schemas"]["ThemedColor"];
        };
        /** @description Title of a site or section. */
        SiteTitle: string;
        /** @description Feature that can be enabled or disabled. */
        SiteToggle: {
            /** @description Whether the feature is enabled. */
            enabled: boolean;
        };
        /**
         * @description Plan of a site.
         * @enum {string}
         */
        SiteType: "basic" | "premium" | "ultimate" | "sponsored" | "legacy-basic" | "legacy-premium";
        /** @description Optional URL. */
        SiteUrlSetting: {
            /**
             * Format: uri
             * @description URL. Omitted if it is not set.
             */
            url?: string;
        };
        /** @description URLs of a site. */
        SiteUrls: {
            /**
             * Format: uri
             * @description URL of the site in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the page that manages the site.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the published site. Omitted if the site is not published.
             */
            published?: string;
        };
        /** @description View of a page of a site. */
        SiteViewEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "site_view";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the site. */
            siteId: string;
            /** @description Identifier of the space. */
            spaceId?: string;
            /** @description Identifier of the site space. */
            siteSpaceId?: string;
            /** @description Identifier of the page. */
            pageId?: string;
            /** @description Visitor. */
            visitor: components["schemas"]["EventVisitor"];
            /** @description URL of the page. */
            url: string;
            /** @description Referring URL. */
            referrer: string;
        };
        /**
         * @description Audience of a published site.
         * @enum {string}
         */
        SiteVisibility: "public" | "unlisted" | "share-link" | "visitor-auth";
        /** @description Space: a set of pages with a history. */
        Space: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "space";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /** @description Emoji displayed next to the title. Empty if there is none. */
            emoji: string;
            /** @description Visibility. */
            visibility: components["schemas"]["SpaceVisibility"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last update of the space or its content.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description Time of deletion. The space can be restored for 7 days.
             */
            deletedAt?: string;
            /** @description Edit mode. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description URLs of the space. */
            urls: components["schemas"]["SpaceUrls"];
            /** @description Identifier of the organization that owns the space. */
            organization: string;
            /** @description Identifier of the parent collection. Omitted at the root. */
            parent?: string;
            /** @description Language of the content. */
            language?: components["schemas"]["Language"];
            /** @description Git repository that the space is synchronized with. */
            gitSync?: components["schemas"]["GitInfo"];
            /** @description Authentication of visitors. */
            visitorAuth?: components["schemas"]["VisitorAuth"];
            /** @description Identifier of the revision that is visible to readers. */
            revision: string;
            /** @description Role of every member in the space: the level set on the space, or the inherited one. */
            defaultLevel: components["schemas"]["Role"];
            /**
             * Format: int32
             * @description Number of open comments.
             */
            comments: number;
            /**
             * Format: int32
             * @description Number of change requests.
             */
            changeRequests: number;
            /**
             * Format: int32
             * @description Number of open change requests.
             */
            changeRequestsOpen: number;
            /**
             * Format: int32
             * @description Number of draft change requests.
             */
            changeRequestsDraft: number;
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["SpacePermissions"];
        };
        /** @description Component in the settings of an installation on a space. */
        SpaceConfigurationContext: {
            /**
             * @description Type of the context. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_space";
            /**
             * @description Color theme around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description Identifier of the space. */
            spaceId: components["schemas"]["Identifier"];
        };
        /** @description Change of the content of a space. */
        SpaceContentUpdatedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_content_updated";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description Identifier of the new revision. */
            revisionId: string;
        };
        /** @description Space to create. It is initially empty, or filled from a template or a computed source, but not both. */
        SpaceCreate: {
            /** @description Title. Default: `Untitled`. */
            title?: components["schemas"]["ContentTitle"];
            /** @description Emoji to display next to the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description Identifier of the parent collection. Default: the root of the organization. */
            parent?: components["schemas"]["Identifier"];
            /** @description Language of the content. */
            language?: components["schemas"]["Language"];
            /** @description Edit mode. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description Template for the initial content. */
            template?: components["schemas"]["TemplateChoice"];
            /** @description Source to compute the content from. */
            computedSource?: components["schemas"]["ComputedRevisionSource"];
        };
        /**
         * @description Edit mode of a space.
         * @enum {string}
         */
        SpaceEditMode: "live" | "locked";
        /** @description Fields to update in a space that displays an emoji, or nothing, next to its title. */
        SpaceEmojiPatch: {
            /** @description Title. */
            title?: components["schemas"]["ContentTitle"];
            /** @description Role of every member in the space. `null` and `inherit` inherit the role from the parent. */
            defaultLevel?: components["schemas"]["DefaultLevel"] | null;
            /** @description Language of the content. */
            language?: components["schemas"]["Language"];
            /** @description Edit mode. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description Emoji to display next to the title, instead of an icon. `null` removes the emoji. */
            emoji?: components["schemas"]["IconName"] | null;
            /** @description URL of the icon. Must be `null`, which removes the icon. */
            icon?: null;
        };
        /** @description End of a synchronization of a space with Git. */
        SpaceGitSyncCompletedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_gitsync_completed";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description Identifier of the revision. */
            revisionId: string;
            /** @description Identifier of the commit. */
            commitId: string;
            /**
             * @description Result of the synchronization.
             * @enum {string}
             */
            state: "success" | "failure";
        };
        /** @description Start of a synchronization of a space with Git. */
        SpaceGitSyncStartedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_gitsync_started";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description Identifier of the revision. */
            revisionId: string;
            /** @description Identifier of the commit. */
            commitId: string;
        };
        /** @description Fields to update in a space that displays an icon, or nothing, next to its title. */
        SpaceIconPatch: {
            /** @description Title. */
            title?: components["schemas"]["ContentTitle"];
            /** @description Role of every member in the space. `null` and `inherit` inherit the role from the parent. */
            defaultLevel?: components["schemas"]["DefaultLevel"] | null;
            /** @description Language of the content. */
            language?: components["schemas"]["Language"];
            /** @description Edit mode. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description Emoji. Must be `null`, which removes the emoji. */
            emoji?: null;
            /** @description URL of the icon to display next to the title, instead of an emoji. `null` removes the icon. */
            icon?: components["schemas"]["AbsoluteUrl"] | null;
        };
        /** @description Installation on a space. */
        SpaceInstallation: {
            /** @description Name of the integration. */
            integration: string;
            /** @description Identifier of the installation. */
            installation: string;
            /** @description Current status on the space or site. */
            status: components["schemas"]["InstallationStatus"];
            /** @description Values of the settings on the space or site, by name. */
            configuration: {
                [key: string]: unknown;
            };
            /** @description Identifiers that the integration uses for the installation. */
            externalIds: string[];
            /** @description URLs of the installation on the space or site. */
            urls: components["schemas"]["InstallationPartUrls"];
            /** @description Identifier of the space, or the complete space. */
            space: string | components["schemas"]["Space"];
        };
        /** @description Removal of an installation from a space. */
        SpaceInstallationDeletedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_installation_deleted";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description State before the removal. */
            previous: components["schemas"]["DeletedInstallation"];
        };
        /** @description One page of a list. */
        SpaceInstallationList: {
            /** @description Items of this page. */
            items: components["schemas"]["SpaceInstallation"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Creation of an installation on a space, or change of its settings. */
        SpaceInstallationSetupEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_installation_setup";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description Status of the installation. */
            status: components["schemas"]["InstallationStatus"];
            /** @description State before the change. Omitted if the installation is new. */
            previous?: components["schemas"]["InstallationSnapshot"];
        };
        /** @description Invite link to a space, as a guest. */
        SpaceInvite: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "invite";
            /** @description Identifier. It is also the secret of the invite link. */
            id: string;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description URLs of the invite link. */
            urls: components["schemas"]["InviteUrls"];
            /** @description Role in the space for users who join. */
            level: components["schemas"]["Role"];
            /** @description Identifier of the space. */
            space: string;
        };
        /** @description Invite link to a space to create. */
        SpaceInviteCreate: {
            /** @description Role in the space for users who join. */
            level: components["schemas"]["Role"];
            /** @description Identifier of the space. */
            space: components["schemas"]["Identifier"];
        };
        /** @description One page of a list. */
        SpaceList: {
            /** @description Items of this page. */
            items: components["schemas"]["Space"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Location of a space. */
        SpaceLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "space";
            /** @description Organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description Space. */
            space: components["schemas"]["Space"];
        };
        /** @description Fields to update. Omitted fields are unchanged. A space has an emoji or an icon, but not both. */
        SpacePatch: components["schemas"]["SpaceEmojiPatch"] | components["schemas"]["SpaceIconPatch"];
        /** @description Permissions of the caller on a space. */
        SpacePermissions: {
            /** @description Whether the caller can view the space. */
            view: boolean;
            /** @description Whether the caller can open the space in the app. */
            access: boolean;
            /** @description Whether the caller can update, move, delete and restore the space, and grant access to it. */
            admin: boolean;
            /** @description Whether the caller can view the invite links of the space. */
            viewInviteLinks: boolean;
            /** @description Whether the caller can edit the content. */
            edit: boolean;
            /** @description Whether the caller can start a Git import. */
            triggerGitSync: boolean;
            /** @description Whether the caller can comment. */
            comment: boolean;
            /** @description Whether the caller can merge change requests. */
            merge: boolean;
            /** @description Whether the caller can review change requests. */
            review: boolean;
            /** @description Whether the caller can install integrations in the space. */
            installIntegration: boolean;
        };
        /** @description Reference to a sibling space. */
        SpacePointer: {
            /**
             * @description Type of the sibling. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space";
            /** @description Identifier of the space. */
            space: components["schemas"]["Identifier"];
        };
        /** @description Reference to a space. */
        SpaceRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "space";
            /** @description Identifier of the space. */
            space: components["schemas"]["Identifier"];
        };
        /** @description URLs of a space. */
        SpaceUrls: {
            /**
             * Format: uri
             * @description URL of the space in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description URL of the space in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description URL of the space for its audience.
             */
            published?: string;
            /**
             * Format: uri
             * @description URL of the space for the public.
             */
            public?: string;
            /**
             * Format: uri
             * @description URL of the icon.
             */
            icon?: string;
        };
        /** @description View of a page of a space. */
        SpaceViewEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_view";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description Identifier of the page. */
            pageId?: string;
            /** @description Visitor. */
            visitor: components["schemas"]["EventVisitor"];
            /** @description URL of the page. */
            url: string;
            /** @description Referring URL. */
            referrer: string;
        };
        /**
         * @description Visibility of a space, determined by the sites that include it.
         * @enum {string}
         */
        SpaceVisibility: "public" | "unlisted" | "share-link" | "visitor-auth" | "in-collection" | "private";
        /** @description Change of the visibility of a space. */
        SpaceVisibilityUpdatedEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_visibility_updated";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId: string;
            /** @description Identifier of the space. */
            spaceId: string;
            /** @description Previous visibility. */
            previousVisibility: components["schemas"]["SpaceVisibility"];
            /** @description New visibility. */
            visibility: components["schemas"]["SpaceVisibility"];
        };
        /** @description Option to sign in to an organization. */
        SsoLogin: {
            /** @description Identifier of the SAML provider. */
            id: string;
            /** @description Display name of the SAML provider. */
            label: string;
            /**
             * Format: uri
             * @description URL that starts the sign-in.
             */
            startURL: string;
        };
        /** @description Options to sign in to an organization. */
        SsoLogins: {
            /** @description Sign-in options, one for each active provider. */
            items: components["schemas"]["SsoLogin"][];
        };
        /** @description Step of a form. */
        StepElement: {
            /**
             * @description Type of the element.
             * @enum {string}
             */
            type: "step";
            /** @description Identifier of the step. */
            id: string;
            /** @description Title. */
            title?: string;
            /** @description Elements of the step. */
            children: components["schemas"]["RenderElement"][];
            /** @description Button that continues to the next step. */
            next?: components["schemas"]["ButtonElement"];
        };
        /** @description Form with steps. */
        StepperElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "stepper";
            /** @description Identifier of the current step. */
            activeStep: string;
            /** @description Action when the reader selects another step. */
            onStepChange: components["schemas"]["RenderAction"];
            /** @description Action after the last step. */
            onComplete: components["schemas"]["RenderAction"];
            /** @description Steps, in order. */
            children: components["schemas"]["StepElement"][];
        };
        /** @description Switch. */
        SwitchElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "switch";
            /** @description Key of the state entry that contains whether the switch is on. */
            state: string;
            /** @description Whether the switch is initially on. */
            initialValue?: boolean;
            /** @description Action when the switch is toggled. */
            onValueChange?: components["schemas"]["RenderAction"];
            /** @description Confirmation required before the action. */
            confirm?: components["schemas"]["RenderConfirmation"];
        };
        /** @description Cell of a table. */
        TableCell: {
            /** @description Identifier of the row. */
            record: components["schemas"]["ShortText"];
            /** @description Identifier of the column. */
            definition: components["schemas"]["ShortText"];
        };
        /** @description Due task that the integration scheduled for itself. */
        TaskEvent: {
            /**
             * @description Type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "task";
            /** @description Identifier of the event. */
            eventId: string;
            /** @description Identifier of the installation. */
            installationId?: string;
            /** @description Task. */
            task: components["schemas"]["IntegrationTask"];
        };
        /** @description Team: a named group of members that can be granted access together. */
        Team: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "team";
            /** @description Identifier. */
            id: string;
            /** @description Title. */
            title: string;
            /**
             * Format: int32
             * @description Number of members.
             */
            members: number;
            /**
             * Format: int32
             * @description Number of spaces that the team has access to.
             */
            spaces: number;
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["TeamPermissions"];
        };
        /** @description Team to create. */
        TeamCreate: {
            /** @description Title. */
            title: components["schemas"]["TeamTitle"];
            /** @description Identifiers of the initial members. The caller becomes the owner, whether listed or not. */
            members?: components["schemas"]["Identifier"][];
        };
        /** @description Role granted to the members of a team. */
        TeamGrant: {
            /** @description Granted role. */
            permission: components["schemas"]["Role"];
            /** @description Team. */
            team: components["schemas"]["Team"];
        };
        /** @description One page of a list. */
        TeamGrantList: {
            /** @description Items of this page. */
            items: components["schemas"]["TeamGrant"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description One page of a list. */
        TeamList: {
            /** @description Items of this page. */
            items: components["schemas"]["Team"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Member of a team. */
        TeamMember: {
            /** @description Membership in the organization. */
            organization: components["schemas"]["Member"];
            /** @description Membership in the team. */
            team: components["schemas"]["TeamMembership"];
        };
        /** @description One page of a list. */
        TeamMemberList: {
            /** @description Items of this page. */
            items: components["schemas"]["TeamMember"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Membership to set. */
        TeamMemberSet: {
            /** @description Role in the team. If omitted, a current member keeps the role, and a new member gets the role `member`. */
            role?: components["schemas"]["TeamRole"];
        };
        /** @description Members to add to and remove from a team. A member in both lists is removed. */
        TeamMembersUpdate: {
            /** @description Identifiers or email addresses of the members to add. Current members of the team keep their role. */
            add?: components["schemas"]["ShortText"][];
            /** @description Identifiers or email addresses of the members to remove. Members who are not in the team are ignored. */
            remove?: components["schemas"]["ShortText"][];
            /** @description Memberships by user identifier. Members who are not in the team are added. */
            memberships?: {
                [key: string]: components["schemas"]["TeamMembership"];
            };
        };
        /** @description Membership of a user in a team. */
        TeamMembership: {
            /** @description Role in the team. */
            role: components["schemas"]["TeamRole"];
        };
        /** @description Fields to update. */
        TeamPatch: {
            /** @description Title. */
            title: components["schemas"]["TeamTitle"];
        };
        /** @description Permissions of the caller on a team. */
        TeamPermissions: {
            /** @description Whether the caller can manage the team and its members. */
            admin: boolean;
            /** @description Whether the caller can view the team and its members. */
            view: boolean;
        };
        /**
         * @description Role of a member in a team.
         * @enum {string}
         */
        TeamRole: "owner" | "member";
        /** @description Title of a team. */
        TeamTitle: string;
        /**
         * @description Template for the initial content:
         *
         *     - `tpl_product_guide`: getting started with a product, its concepts and tasks. Its parameter `logo` is a `file` or a `url` reference.
         *     - `tpl_api_reference`: an introduction to an API, and pages computed from its specification. Its parameter `specification` is an `openapi` reference.
         *     - `tpl_handbook`: a team handbook, without parameters.
         *     - `tpl_release_notes`: changes in each release and upgrade instructions, without parameters.
         * @example {
         *       "id": "tpl_handbook"
         *     }
         */
        TemplateChoice: {
            /** @description Identifier of the template. */
            id: components["schemas"]["Identifier"];
            /** @description Values of the parameters of the template. */
            params?: components["schemas"]["TemplateParams"];
        };
        /** @description Values of the parameters of a template. */
        TemplateParams: {
            /** @description References by parameter name, one for each parameter of the template. */
            contentRefs?: {
                [key: string]: components["schemas"]["ContentRef"];
            };
        };
        /** @description Text. */
        TextElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "text";
            /** @description Plain text, and elements within it. */
            children: components["schemas"]["RenderInline"][];
            /**
             * @description Text style.
             * @enum {string}
             */
            style?: "bold" | "italic" | "code" | "strikethrough";
        };
        /**
         * @description Format of a text in a response.
         * @enum {string}
         */
        TextFormat: "document" | "markdown";
        /** @description Text input. */
        TextInputElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "textinput";
            /** @description Key of the state entry that contains the text. */
            state: string;
            /** @description Initial text. */
            initialValue?: string;
            /** @description Text displayed while the input is empty. */
            placeholder?: string;
            /**
             * @description Type of the input.
             * @enum {string}
             */
            inputType?: "text" | "password" | "email";
            /** @description Whether the input has multiple lines. */
            multiline?: boolean;
            /** @description Whether the input is disabled. */
            disabled?: boolean;
        };
        /** @description Color for each theme. */
        ThemedColor: {
            /** @description Color for the light theme. */
            light: components["schemas"]["Color"];
            /** @description Color for the dark theme. */
            dark: components["schemas"]["Color"];
        };
        /** @description Image for each color theme. */
        ThemedImage: {
            /**
             * Format: uri
             * @description URL of the image for the light theme.
             */
            light: string;
            /**
             * Format: uri
             * @description URL of the image for the dark theme.
             */
            dark: string;
        };
        /** @description Organization to transfer a space or collection to. */
        TransferContent: {
            /** @description Identifier of the organization that becomes the owner. The space or collection moves to its root. */
            organization: components["schemas"]["Identifier"];
        };
        /** @description Translation: a space maintained in another language than its source. */
        Translation: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "translation";
            /** @description Identifier. */
            id: string;
            /** @description Status of the last run. */
            status: components["schemas"]["TranslationStatus"];
            /** @description Source of the translation. */
            source: components["schemas"]["TranslationSource"];
            /** @description Target language. */
            language: components["schemas"]["Language"];
            /** @description Instructions for the translator. An empty document if there are none. */
            instructions: components["schemas"]["Document"];
            /** @description Location of the translated pages. Omitted before the first run. */
            result?: components["schemas"]["TranslationResult"];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last update.
             */
            updatedAt: string;
            /** @description Statistics of the runs. */
            stats: components["schemas"]["TranslationStats"];
            /** @description Permissions of the caller. */
            permissions: components["schemas"]["TranslationPermissions"];
            /** @description URLs of the translation. */
            urls: components["schemas"]["TranslationUrls"];
        };
        /**
         * @description Translation to create.
         * @example {
         *       "source": {
         *         "space": "spc_handbook",
         *         "language": "en"
         *       },
         *       "language": "fr"
         *     }
         */
        TranslationCreate: {
            /** @description Target language. */
            language: components["schemas"]["Language"];
            /** @description Source of the translation. */
            source?: components["schemas"]["TranslationSource"];
            /** @description Instructions for the translator. */
            instructions?: components["schemas"]["Document"];
        };
        /** @description Translation that content is computed from. */
        TranslationDependency: {
            /** @description Reference to the translation. */
            ref: components["schemas"]["TranslationRef"];
        };
        /** @description One page of a list. */
        TranslationList: {
            /** @description Items of this page. */
            items: components["schemas"]["Translation"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Original of a translated page. */
        TranslationPageProps: {
            /** @description Identifier of the original space. */
            space: components["schemas"]["Identifier"];
            /** @description Identifier of the original document. */
            document: components["schemas"]["Identifier"];
        };
        /** @description Page computed by a translation. */
        TranslationPageSource: {
            /**
             * @description Type of the source.
             * @enum {string}
             */
            type: "builtin:translation";
            /** @description Original of the page. */
            props: components["schemas"]["TranslationPageProps"];
            /** @description Dependencies of the content, by name. */
            dependencies: {
                [key: string]: components["schemas"]["TranslationDependency"];
            };
        };
        /** @description Permissions of the caller on a translation. */
        TranslationPermissions: {
            /** @description Whether the caller can view the translation. */
            view: boolean;
            /** @description Whether the caller can update, run and delete the translation. */
            edit: boolean;
        };
        /** @description Reference to a translation of the organization. */
        TranslationRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "translation";
            /** @description Identifier of the translation. */
            translation: components["schemas"]["Identifier"];
        };
        /** @description Location of the translated pages. */
        TranslationResult: {
            /** @description Identifier of the translated space. */
            space: string;
            /** @description Identifier of the revision that the last run created. */
            revision: string;
        };
        /** @description Pages computed by a translation. */
        TranslationRevisionSource: {
            /**
             * @description Type of the source.
             * @enum {string}
             */
            type: "builtin:translation";
            /** @description Settings. A translation defines none. */
            props?: {
                [key: string]: unknown;
            };
            /** @description Dependencies of the content, by name. */
            dependencies: {
                [key: string]: components["schemas"]["TranslationDependency"];
            };
        };
        /** @description Source of a translation. */
        TranslationSource: {
            /** @description Identifier of the space. */
            space: components["schemas"]["Identifier"];
            /** @description Language of the space. */
            language: components["schemas"]["Language"];
        };
        /** @description Statistics of the runs of a translation. */
        TranslationStats: {
            /**
             * Format: int32
             * @description Number of runs.
             */
            runs: number;
            /**
             * Format: int32
             * @description Number of words that all runs translated.
             */
            totalWords: number;
            /**
             * Format: int32
             * @description Number of pages that all runs translated.
             */
            totalPages: number;
            /**
             * Format: double
             * @description Duration of all runs, in seconds.
             */
            totalDuration: number;
            /**
             * Format: double
             * @description Duration of the last run, in seconds.
             */
            latestRunDuration: number;
            /**
             * Format: int32
             * @description Number of pages that the last run translated.
             */
            latestPages: number;
            /**
             * Format: int32
             * @description Number of words that the last run translated.
             */
            latestWords: number;
        };
        /**
         * @description Status of a run of a translation.
         * @enum {string}
         */
        TranslationStatus: "pending" | "running" | "completed";
        /** @description Fields to update. */
        TranslationUpdate: {
            /** @description Instructions for the translator. */
            instructions: components["schemas"]["Document"];
        };
        /** @description URLs of a translation. */
        TranslationUrls: {
            /**
             * Format: uri
             * @description URL of the translation in this API.
             */
            location: string;
        };
        /**
         * @description Status of a trial.
         * @enum {string}
         */
        TrialStatus: "notapplicable" | "none" | "active" | "ended" | "expired";
        /** @description Submits a pasted URL. */
        UnfurlLinkAction: {
            /**
             * @description Name of the action.
             * @enum {string}
             */
            action: "@link.unfurl";
            /** @description URL. */
            url: components["schemas"]["ShortText"];
        };
        /** @description Change that updates or moves a page. Omitted fields are unchanged. */
        UpdatePage: {
            /**
             * @description Type of the change.
             * @enum {string}
             */
            operation: "update_page";
            /** @description Identifier of the page, or the `ref` that an earlier change assigned to it. */
            page: components["schemas"]["Identifier"];
            /** @description Body. */
            document?: components["schemas"]["DocumentInput"];
            /** @description Title. */
            title?: string;
            /** @description Last segment of the path. */
            slug?: components["schemas"]["PageSlug"];
            /**
             * @description Identifier of the parent page or group, or the `ref` that an earlier change assigned to it. `null`, the default for
             *     a new page, is the root of the tree.
             */
            into?: components["schemas"]["Identifier"] | null;
            /**
             * Format: int32
             * @description Index among the pages of the parent, starting at 0. Default for a new or moved page: the end.
             */
            at?: number;
        };
        /** @description Updates the props of the block in the page. */
        UpdatePropsAction: {
            /**
             * @description Name of the action.
             * @enum {string}
             */
            action: "@editor.node.updateProps";
            /** @description New props of the block. */
            props: {
                [key: string]: unknown;
            };
        };
        /** @description External URL. */
        UrlLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "url";
            /** @description URL. */
            url: string;
        };
        /** @description Reference to an external URL. */
        UrlRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "url";
            /** @description URL, as the author wrote it. */
            url: components["schemas"]["ShortText"];
        };
        /** @description User: a person or a service account. */
        User: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "user";
            /** @description Identifier. */
            id: string;
            /** @description Display name. */
            displayName: string;
            /** @description Email address. Omitted if it is not visible to the caller. */
            email?: string;
            /** @description URL of the profile picture. */
            photoURL?: string;
            /** @description URLs of the user. */
            urls: components["schemas"]["UserUrls"];
        };
        /** @description Access token of a user, without its secret. It acts for the user in all of their organizations. */
        UserAccessToken: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "access-token";
            /** @description Identifier. The secret cannot be derived from it. */
            id: string;
            /** @description Purpose of the token, as described by its creator. */
            label: string;
            /** @description Scopes that limit the token. Omitted for a token with all permissions of its user. */
            scopes?: components["schemas"]["AccessTokenScope"][];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last use, with a precision of one minute. Omitted if the token was never used.
             */
            lastUsedAt?: string;
            /**
             * Format: date-time
             * @description Time of expiration. Omitted if the token does not expire.
             */
            expiresAt?: string;
        };
        /** @description Access token to create. */
        UserAccessTokenCreate: {
            /** @description Purpose of the token, for later reviews of tokens. */
            label: string;
            /** @description Scopes that limit the token. If omitted, the token has all permissions of its user. */
            scopes?: components["schemas"]["AccessTokenScope"][];
            /**
             * Format: date-time
             * @description Time of expiration. It must be in the future. If omitted, the token does not expire.
             */
            expiresAt?: string;
        };
        /** @description One page of a list. */
        UserAccessTokenList: {
            /** @description Items of this page. */
            items: components["schemas"]["UserAccessToken"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Access token with its secret. */
        UserAccessTokenWithSecret: {
            /**
             * @description Object type.
             * @enum {string}
             */
            object: "access-token";
            /** @description Identifier. The secret cannot be derived from it. */
            id: string;
            /** @description Purpose of the token, as described by its creator. */
            label: string;
            /** @description Scopes that limit the token. Omitted for a token with all permissions of its user. */
            scopes?: components["schemas"]["AccessTokenScope"][];
            /**
             * Format: date-time
             * @description Time of creation.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last use, with a precision of one minute. Omitted if the token was never used.
             */
            lastUsedAt?: string;
            /**
             * Format: date-time
             * @description Time of expiration. Omitted if the token does not expire.
             */
            expiresAt?: string;
            /**
             * @description Secret, to send as `Authorization: Bearer …`. It is returned only here and cannot be retrieved later. It matches
             *     `^colophon_[0-9A-Za-z]{49}$`, and its last 6 characters are a checksum of the 43 before them.
             */
            token: string;
        };
        /** @description Role granted to a user. */
        UserGrant: {
            /** @description Granted role. */
            permission: components["schemas"]["Role"];
            /** @description User. */
            user: components["schemas"]["User"];
        };
        /** @description One page of a list. */
        UserGrantList: {
            /** @description Items of this page. */
            items: components["schemas"]["UserGrant"][];
            /** @description Continuation of the list. Omitted on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description Number of items in the whole filtered list.
             */
            count?: number;
        };
        /** @description Location of a user. */
        UserLocation: {
            /**
             * @description Kind of the location.
             * @enum {string}
             */
            kind: "user";
            /** @description User. */
            user: components["schemas"]["User"];
        };
        /** @description Reference to a user. */
        UserRef: {
            /**
             * @description Kind of the reference.
             * @enum {string}
             */
            kind: "user";
            /** @description Identifier of the user. */
            user: components["schemas"]["Identifier"];
        };
        /** @description URLs of a user. */
        UserUrls: {
            /**
             * Format: uri
             * @description URL of the user in this API.
             */
            location: string;
        };
        /** @description Version of a space's content that contains the location. */
        VersionContext: components["schemas"]["RevisionContext"] | components["schemas"]["ChangeRequestContext"];
        /** @description Authentication of visitors. */
        VisitorAuth: components["schemas"]["CustomVisitorAuth"] | components["schemas"]["IntegrationVisitorAuth"];
        /** @description Expression over `visitor.claims` that determines whether a visitor sees the resource. */
        VisitorCondition: string;
        /** @description Embedded web page. */
        WebframeElement: {
            /**
             * @description Type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webframe";
            /** @description Source of the web page. */
            source: components["schemas"]["RenderUrl"];
            /**
             * Format: double
             * @description Ratio of width to height.
             */
            aspectRatio?: number;
            /** @description Buttons. */
            buttons?: components["schemas"]["ButtonElement"][];
            /** @description Data posted to the web page, by name. */
            data?: {
                [key: string]: string | components["schemas"]["RenderBinding"];
            };
        };
    };
    responses: {
        /** @description Any other error, including server errors. */
        UnexpectedError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /** @description Identifier of the access token. */
        AccessTokenPath: components["schemas"]["Identifier"];
        /** @description Return only events with this action. */
        "AuditEventListQuery.action": components["schemas"]["AuditAction"];
        /** @description Return only events with this actor: the identifier of a user, `operator` or `system`. */
        "AuditEventListQuery.actor": components["schemas"]["Identifier"];
        /** @description Return only events of requests from this IP address. */
        "AuditEventListQuery.address": components["schemas"]["IpAddress"];
        /** @description Return only events at or after this time. */
        "AuditEventListQuery.from": string;
        /** @description Return only events of the request with this identifier. */
        "AuditEventListQuery.requestId": components["schemas"]["Identifier"];
        /** @description Return only events with the resource of this identifier. */
        "AuditEventListQuery.resource": components["schemas"]["Identifier"];
        /** @description Return only events with a resource of this type. */
        "AuditEventListQuery.resourceType": components["schemas"]["AuditResourceType"];
        /** @description Return only events before this time. */
        "AuditEventListQuery.until": string;
        /** @description Return only change requests that contain a revision by the user with this identifier. */
        "ChangeRequestListQuery.contributor": components["schemas"]["Identifier"];
        /** @description Return only change requests with this status. */
        "ChangeRequestListQuery.status": components["schemas"]["ChangeRequestStatus"];
        /** @description Identifier of the change request, or its number within the space. */
        "ChangeRequestPath.changeRequestId": components["schemas"]["Identifier"];
        /** @description Whether to include collections within collections. */
        "CollectionListQuery.nested": boolean;
        /** @description Identifier of the collection. */
        CollectionPath: components["schemas"]["Identifier"];
        /** @description Format of the bodies. Default: `markdown`. */
        CommentFormatQuery: components["schemas"]["TextFormat"];
        /** @description Return only comments by the users with these identifiers. */
        "CommentListQuery.authors": components["schemas"]["Identifier"][];
        /** @description Return only comments with this status. */
        "CommentListQuery.status": components["schemas"]["CommentStatusFilter"];
        /** @description Return only comments on the page with this identifier. */
        "CommentListQuery.targetPage": components["schemas"]["Identifier"];
        /** @description Identifier of the comment. */
        CommentPath: components["schemas"]["Identifier"];
        /** @description Identifier of the reply. */
        "CommentReplyPath.commentReplyId": components["schemas"]["Identifier"];
        /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
        "ContentQuery.computed": boolean;
        /** @description Whether to include Git metadata, which can change while the content does not. */
        "ContentQuery.metadata": boolean;
        /** @description Return only installations with this external identifier. */
        ExternalIdQuery: components["schemas"]["ShortText"];
        /** @description Identifier of the file. */
        FilePath: components["schemas"]["Identifier"];
        /** @description Whether to return complete spaces and sites instead of their identifiers. */
        "InstallationPartListQuery.extended": boolean;
        /** @description Identifier of the event. */
        "IntegrationEventPath.eventId": components["schemas"]["Identifier"];
        /** @description Return only integrations with a block that accepts links to this hostname. */
        "IntegrationListQuery.blockDomain": string;
        /** @description Return only integrations with blocks (`true`) or without blocks (`false`). */
        "IntegrationListQuery.blocks": boolean;
        /** @description Return only integrations in this category. */
        "IntegrationListQuery.category": components["schemas"]["IntegrationCategory"];
        /** @description Return only integrations with content sources (`true`) or without content sources (`false`). */
        "IntegrationListQuery.contentSources": boolean;
        /** @description Return only integrations of the organization with this identifier. */
        "IntegrationListQuery.owner": components["schemas"]["Identifier"];
        /** @description Return only integrations with this scope. */
        "IntegrationListQuery.scope": components["schemas"]["IntegrationScope"];
        /** @description Return only integrations whose name or title contains this text. */
        "IntegrationListQuery.search": components["schemas"]["ShortText"];
        /** @description Return only integrations that can be installed on this target. */
        "IntegrationListQuery.target": components["schemas"]["IntegrationTarget"];
        /** @description Name of the integration. */
        IntegrationPath: components["schemas"]["IntegrationName"];
        /** @description Identifier of the invitation. */
        "InvitePath.inviteId": components["schemas"]["Identifier"];
        /** @description Return only links with this status. */
        LinkStatusQuery: components["schemas"]["LinkStatus"];
        /**
         * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
         *     texts of its items exceed 4 MB in total, and `next` continues the list.
         */
        "ListQuery.limit": number;
        /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
        "ListQuery.page": components["schemas"]["ShortText"];
        /** @description Return only members with this role. */
        "MemberListQuery.role": components["schemas"]["MemberRoleFilter"];
        /** @description Return only members whose name or email address contains this text (case-insensitive). */
        "MemberListQuery.search": components["schemas"]["ShortText"];
        /** @description Sort key. */
        "MemberListQuery.sort": components["schemas"]["MemberSort"];
        /** @description Identifier of the user. */
        "MemberPath.userId": components["schemas"]["Identifier"];
        /** @description Slug of the specification. */
        "OpenAPISpecPath.specSlug": components["schemas"]["OpenAPISlug"];
        /** @description Identifier of the version. */
        "OpenAPIVersionPath.versionId": components["schemas"]["Identifier"];
        /** @description Sort direction. */
        OrderQuery: components["schemas"]["Order"];
        /** @description Identifier of the organization. */
        OrganizationPath: components["schemas"]["Identifier"];
        /** @description Identifier of the page. */
        PagePath: components["schemas"]["Identifier"];
        /** @description Whether to replace expressions with their values. */
        "PageQuery.evaluated": boolean;
        /** @description Format of the body. */
        "PageQuery.format": components["schemas"]["TextFormat"];
        /** @description Print only this page, without its subpages. Ignored unless `page` is set. */
        "PdfQuery.only": boolean;
        /** @description Identifier of the page to start at. */
        "PdfQuery.page": components["schemas"]["Identifier"];
        /** @description Identifier of the revision. */
        "RevisionPath.revisionId": components["schemas"]["Identifier"];
        /** @description Identifier of the SAML provider. */
        "SamlProviderPath.samlProviderId": components["schemas"]["Identifier"];
        /** @description Terms to search for. */
        "SearchQuery.query": string;
        /** @description Secret of a share link of the site. */
        ShareKeyQuery: components["schemas"]["ShortText"];
        /** @description Return only sites that are published (`true`) or unpublished (`false`). */
        "SiteListQuery.published": boolean;
        /** @description Return only sites that show the space with this identifier. */
        "SiteListQuery.space": components["schemas"]["Identifier"];
        /** @description Return only sites whose title contains this text. */
        "SiteListQuery.title": components["schemas"]["ShortText"];
        /** @description Return only sites on one of these plans. */
        "SiteListQuery.type": components["schemas"]["SiteType"][];
        /** @description Identifier of the site. */
        "SitePath.siteId": components["schemas"]["Identifier"];
        /** @description Identifier of the section group. */
        "SiteSectionGroupPath.siteSectionGroupId": components["schemas"]["Identifier"];
        /** @description Identifier of the section. */
        "SiteSectionPath.siteSectionId": components["schemas"]["Identifier"];
        /** @description Return only the site space that is shown first (`true`), or only the others (`false`). */
        "SiteSpaceListQuery.default": boolean;
        /** @description Identifier of the site space. */
        "SiteSpacePath.siteSpaceId": components["schemas"]["Identifier"];
        /** @description Identifier of the space. */
        SpacePath: components["schemas"]["Identifier"];
        /** @description Identifier of the user. */
        "TeamMemberPath.userId": components["schemas"]["Identifier"];
        /** @description Identifier of the team. */
        "TeamPath.teamId": components["schemas"]["Identifier"];
        /** @description Identifier of the translation. */
        "TranslationPath.translationId": components["schemas"]["Identifier"];
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "One space for each product"
                 *     }
                 */
                "application/json": components["schemas"]["CollectionPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    moveCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parent": null,
                 *       "position": {
                 *         "before": {
                 *           "type": "collection",
                 *           "collection": "col_team"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MoveContent"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createCollectionGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "edit",
                 *       "users": [
                 *         "usr_ada"
                 *       ],
                 *       "teams": [
                 *         "team_writers"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GrantsCreate"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listCollectionTeamGrants: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamGrantList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteCollectionTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description Identifier of the team. */
                teamId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateCollectionTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description Identifier of the team. */
                teamId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantPatch"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listCollectionUserGrants: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserGrantList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteCollectionUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description Identifier of the user. */
                userId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateCollectionUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description Identifier of the user. */
                userId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantPatch"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listCollectionSpaces: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpaceList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    transferCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferContent"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getEmailDomainOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Part of an email address after the `@`. */
                emailDomain: components["schemas"]["ShortText"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailDomainOrganizations"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only integrations whose name or title contains this text. */
                search?: components["parameters"]["IntegrationListQuery.search"];
                /** @description Return only integrations in this category. */
                category?: components["parameters"]["IntegrationListQuery.category"];
                /** @description Return only integrations with a block that accepts links to this hostname. */
                blockDomain?: components["parameters"]["IntegrationListQuery.blockDomain"];
                /** @description Return only integrations with blocks (`true`) or without blocks (`false`). */
                blocks?: components["parameters"]["IntegrationListQuery.blocks"];
                /** @description Return only integrations with content sources (`true`) or without content sources (`false`). */
                contentSources?: components["parameters"]["IntegrationListQuery.contentSources"];
                /** @description Return only integrations of the organization with this identifier. */
                owner?: components["parameters"]["IntegrationListQuery.owner"];
                /** @description Return only integrations with this scope. */
                scope?: components["parameters"]["IntegrationListQuery.scope"];
                /** @description Return only integrations that can be installed on this target. */
                target?: components["parameters"]["IntegrationListQuery.target"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    publishIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationPublication"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    unpublishIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    startIntegrationDevelopment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationTunnel"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    stopIntegrationDevelopment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listIntegrationEvents: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationEventList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getIntegrationEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
                /** @description Identifier of the event. */
                eventId: components["parameters"]["IntegrationEventPath.eventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationEventWithTrace"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listInstallations: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only installations with this external identifier. */
                externalId?: components["parameters"]["ExternalIdQuery"];
            };
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstallationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InstallationCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    renderIntegration: {
        parameters: {
            query: {
                /** @description `RenderRequest` in JSON, compressed by LZ-string for URLs. */
                request: string;
            };
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Result of the rendering, and its cache directives. */
            200: {
                headers: {
                    /** @description Cache directives of the response (RFC 9111, section 5.2). */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderResult"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSiteInstallations: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only installations with this external identifier. */
                externalId?: components["parameters"]["ExternalIdQuery"];
                /** @description Whether to return complete spaces and sites instead of their identifiers. */
                extended?: components["parameters"]["InstallationPartListQuery.extended"];
            };
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteInstallationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceInstallations: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only installations with this external identifier. */
                externalId?: components["parameters"]["ExternalIdQuery"];
                /** @description Whether to return complete spaces and sites instead of their identifiers. */
                extended?: components["parameters"]["InstallationPartListQuery.extended"];
            };
            header?: never;
            path: {
                /** @description Name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpaceInstallationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Acme",
                 *       "emailDomains": [
                 *         "acme.example"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OrganizationCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Acme Docs",
                 *       "inviteLinks": false,
                 *       "defaultRole": "read"
                 *     }
                 */
                "application/json": components["schemas"]["OrganizationPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only events with this actor: the identifier of a user, `operator` or `system`. */
                actor?: components["parameters"]["AuditEventListQuery.actor"];
                /** @description Return only events with this action. */
                action?: components["parameters"]["AuditEventListQuery.action"];
                /** @description Return only events with a resource of this type. */
                resourceType?: components["parameters"]["AuditEventListQuery.resourceType"];
                /** @description Return only events with the resource of this identifier. */
                resource?: components["parameters"]["AuditEventListQuery.resource"];
                /** @description Return only events at or after this time. */
                from?: components["parameters"]["AuditEventListQuery.from"];
                /** @description Return only events before this time. */
                until?: components["parameters"]["AuditEventListQuery.until"];
                /** @description Return only events of the request with this identifier. */
                requestId?: components["parameters"]["AuditEventListQuery.requestId"];
                /** @description Return only events of requests from this IP address. */
                address?: components["parameters"]["AuditEventListQuery.address"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEventList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to include collections within collections. */
                nested?: components["parameters"]["CollectionListQuery.nested"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "title": "Products"
                 *     }
                 */
                "application/json": components["schemas"]["CollectionCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    inviteUsers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "emails": [
                 *         "ada@example.com",
                 *         "grace@example.com"
                 *       ],
                 *       "role": "edit"
                 *     }
                 */
                "application/json": components["schemas"]["InviteUsers"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitedUsers"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the invitation. */
                inviteId: components["parameters"]["InvitePath.inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listLinkInvites: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkInviteList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "edit"
                 *     }
                 */
                "application/json": components["schemas"]["LinkInviteCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkInvite"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the invitation. */
                inviteId: components["parameters"]["InvitePath.inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkInvite"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the invitation. */
                inviteId: components["parameters"]["InvitePath.inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the invitation. */
                inviteId: components["parameters"]["InvitePath.inviteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkInvitePatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkInvite"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Sort direction. */
                order?: components["parameters"]["OrderQuery"];
                /** @description Return only members with this role. */
                role?: components["parameters"]["MemberListQuery.role"];
                /** @description Return only members whose name or email address contains this text (case-insensitive). */
                search?: components["parameters"]["MemberListQuery.search"];
                /** @description Sort key. */
                sort?: components["parameters"]["MemberListQuery.sort"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "edit"
                 *     }
                 */
                "application/json": components["schemas"]["MemberPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listMemberSpaces: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Sort direction. */
                order?: components["parameters"]["OrderQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberSpaceList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    enableMemberSso: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listMemberTeams: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only teams whose title contains this text (case-insensitive). */
                title?: components["schemas"]["ShortText"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberTeamList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listMemberAccessTokens: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserAccessTokenList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    revokeMemberAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["MemberPath.userId"];
                /** @description Identifier of the access token. */
                tokenId: components["parameters"]["AccessTokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listOpenAPISpecs: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpecList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenAPISpecCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpec"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpec"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    putOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenAPISpecUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpec"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenAPISpecPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpec"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listOpenAPISpecVersions: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpecVersionList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getLatestOpenAPISpecVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpecVersion"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getLatestOpenAPISpecVersionContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPIVersionContent"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getOpenAPISpecVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
                /** @description Identifier of the version. */
                versionId: components["parameters"]["OpenAPIVersionPath.versionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpecVersion"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getOpenAPISpecVersionContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Slug of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
                /** @description Identifier of the version. */
                versionId: components["parameters"]["OpenAPIVersionPath.versionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPIVersionContent"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    pingOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ping"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSamlProviders: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SamlProviderList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Acme accounts",
                 *       "entityID": "https://accounts.example.com/saml",
                 *       "ssoURL": "https://accounts.example.com/saml/login",
                 *       "defaultRole": "read"
                 *     }
                 */
                "application/json": components["schemas"]["SamlProviderCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SamlProvider"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the SAML provider. */
                samlProviderId: components["parameters"]["SamlProviderPath.samlProviderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SamlProvider"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the SAML provider. */
                samlProviderId: components["parameters"]["SamlProviderPath.samlProviderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the SAML provider. */
                samlProviderId: components["parameters"]["SamlProviderPath.samlProviderId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SamlProviderPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SamlProvider"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    searchOrganization: {
        parameters: {
            query: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Terms to search for. */
                query: components["parameters"]["SearchQuery.query"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchedSpaceList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSites: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only sites that show the space with this identifier. */
                space?: components["parameters"]["SiteListQuery.space"];
                /** @description Return only sites whose title contains this text. */
                title?: components["parameters"]["SiteListQuery.title"];
                /** @description Return only sites that are published (`true`) or unpublished (`false`). */
                published?: components["parameters"]["SiteListQuery.published"];
                /** @description Return only sites on one of these plans. */
                type?: components["parameters"]["SiteListQuery.type"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SiteCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SitePatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSiteAdaptiveSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteAdaptiveSchema"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    replaceSiteAdaptiveSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteAdaptiveSchemaUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteAdaptiveSchema"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSiteAdaptiveConditionTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdaptiveConditionTemplates"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getPublishedSite: {
        parameters: {
            query?: {
                /** @description Secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublishedSite"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSiteSectionGroups: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroupList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSectionGroupCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroup"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSectionGroupPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroup"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    moveSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SiteSectionGroupMove"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroup"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    addSiteSectionToGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSectionGroupAddition"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroup"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    removeSiteSectionFromGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
                /** @description Identifier of the section. */
                siteSectionId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSiteSections: {
        parameters: {
            query?: {
                /** @description Secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSectionCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section. */
                siteSectionId: components["parameters"]["SiteSectionPath.siteSectionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section. */
                siteSectionId: components["parameters"]["SiteSectionPath.siteSectionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSectionPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    moveSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the section. */
                siteSectionId: components["parameters"]["SiteSectionPath.siteSectionId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SiteSectionMove"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSection"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSiteSpaces: {
        parameters: {
            query?: {
                /** @description Secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only the site space that is shown first (`true`), or only the others (`false`). */
                default?: components["parameters"]["SiteSpaceListQuery.default"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSpaceList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSpaceCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSpace"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the site space. */
                siteSpaceId: components["parameters"]["SiteSpacePath.siteSpaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the site space. */
                siteSpaceId: components["parameters"]["SiteSpacePath.siteSpaceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteSpacePatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSpace"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    moveSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description Identifier of the site space. */
                siteSpaceId: components["parameters"]["SiteSpacePath.siteSpaceId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SiteSpaceMove"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSpace"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaces: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpaceList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "title": "User guide",
                 *       "emoji": "📘",
                 *       "parent": "col_products",
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["SpaceCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSsoLogins: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SsoLogins"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listTeams: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only teams that the member with this identifier can manage. */
                owner?: components["schemas"]["Identifier"];
                /** @description Return only teams whose title contains this text (case-insensitive). */
                title?: components["schemas"]["ShortText"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Writers",
                 *       "members": [
                 *         "usr_ada",
                 *         "usr_grace"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TeamCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listTeamMembers: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamMemberList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateTeamMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "add": [
                 *         "usr_ada"
                 *       ],
                 *       "remove": [
                 *         "grace@example.com"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TeamMembersUpdate"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    setTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["TeamMemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TeamMemberSet"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
                /** @description Identifier of the user. */
                userId: components["parameters"]["TeamMemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listTranslations: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranslationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TranslationCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Translation"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the translation. */
                translationId: components["parameters"]["TranslationPath.translationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Translation"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the translation. */
                translationId: components["parameters"]["TranslationPath.translationId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TranslationUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Translation"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the translation. */
                translationId: components["parameters"]["TranslationPath.translationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    runTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description Identifier of the translation. */
                translationId: components["parameters"]["TranslationPath.translationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpace: {
        parameters: {
            query?: {
                /** @description Secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Handbook",
                 *       "emoji": "📗"
                 *     }
                 */
                "application/json": components["schemas"]["SpacePatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequests: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only change requests with this status. */
                status?: components["parameters"]["ChangeRequestListQuery.status"];
                /** @description Return only change requests that contain a revision by the user with this identifier. */
                contributor?: components["parameters"]["ChangeRequestListQuery.contributor"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRequestCreate"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRequestPatch"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestCommenters: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestComments: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Sort direction. */
                order?: components["parameters"]["OrderQuery"];
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
                /** @description Return only comments with this status. */
                status?: components["parameters"]["CommentListQuery.status"];
                /** @description Return only comments on the page with this identifier. */
                targetPage?: components["parameters"]["CommentListQuery.targetPage"];
                /** @description Return only comments by the users with these identifiers. */
                authors?: components["parameters"]["CommentListQuery.authors"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createChangeRequestComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestComment: {
        parameters: {
            query?: {
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateChangeRequestComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteChangeRequestComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestCommentReplies: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReplyList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createChangeRequestCommentReply: {
        parameters: {
            query?: {
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentReplyCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestCommentReply: {
        parameters: {
            query?: {
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description Identifier of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateChangeRequestCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description Identifier of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRequestCommentReplyUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteChangeRequestCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description Identifier of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestContent: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateChangeRequestContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentChanges"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestFiles: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestFile: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the file. */
                fileId: components["parameters"]["FilePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestFileBacklinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the file. */
                fileId: components["parameters"]["FilePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    importChangeRequestContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentImport"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedContent"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestPage: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
                /** @description Format of the body. */
                format?: components["parameters"]["PageQuery.format"];
                /** @description Whether to replace expressions with their values. */
                evaluated?: components["parameters"]["PageQuery.evaluated"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestPageBacklinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestPageLinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestPageTree: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageTree"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listChangeRequestLinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only links with this status. */
                status?: components["parameters"]["LinkStatusQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    mergeChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestMergeResult"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getChangeRequestPdf: {
        parameters: {
            query?: {
                /** @description Identifier of the page to start at. */
                page?: components["parameters"]["PdfQuery.page"];
                /** @description Print only this page, without its subpages. Ignored unless `page` is set. */
                only?: components["parameters"]["PdfQuery.only"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PdfFile"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    syncChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequestUpdateResult"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceCommenters: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceComments: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Sort direction. */
                order?: components["parameters"]["OrderQuery"];
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
                /** @description Return only comments with this status. */
                status?: components["parameters"]["CommentListQuery.status"];
                /** @description Return only comments on the page with this identifier. */
                targetPage?: components["parameters"]["CommentListQuery.targetPage"];
                /** @description Return only comments by the users with these identifiers. */
                authors?: components["parameters"]["CommentListQuery.authors"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSpaceComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpaceComment: {
        parameters: {
            query?: {
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSpaceComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSpaceComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceCommentReplies: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReplyList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSpaceCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentReplyCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpaceCommentReply: {
        parameters: {
            query?: {
                /** @description Format of the bodies. Default: `markdown`. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description Identifier of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSpaceCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description Identifier of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentReplyUpdate"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSpaceCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description Identifier of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpaceContent: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceFiles: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpaceFile: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the file. */
                fileId: components["parameters"]["FilePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["File"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceFileBacklinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the file. */
                fileId: components["parameters"]["FilePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    importSpaceContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentImport"];
            };
        };
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedContent"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpacePage: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
                /** @description Format of the body. */
                format?: components["parameters"]["PageQuery.format"];
                /** @description Whether to replace expressions with their values. */
                evaluated?: components["parameters"]["PageQuery.evaluated"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpacePageBacklinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpacePageLinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only links with this status. */
                status?: components["parameters"]["LinkStatusQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpacePageTree: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageTree"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getSpacePageByPath: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
                /** @description Format of the body. */
                format?: components["parameters"]["PageQuery.format"];
                /** @description Whether to replace expressions with their values. */
                evaluated?: components["parameters"]["PageQuery.evaluated"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Path of the page within the space, with slashes encoded as `%2F`. */
                pagePath: components["schemas"]["ShortText"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    applySpaceTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateChoice"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    duplicateSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource was created. */
            201: {
                headers: {
                    /** @description Absolute URL of the created resource: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    exportGitRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://ada:secret@github.com/acme/docs.git",
                 *       "ref": "refs/heads/main",
                 *       "commitMessage": "Publish the user guide"
                 *     }
                 */
                "application/json": components["schemas"]["GitExport"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    importGitRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://github.com/acme/docs.git",
                 *       "ref": "refs/heads/main",
                 *       "repoTreeURL": "https://github.com/acme/docs/blob/main",
                 *       "repoCommitURL": "https://github.com/acme/docs/commit"
                 *     }
                 */
                "application/json": components["schemas"]["GitImport"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getGitInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GitInfo"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteLegacyGitInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceLinks: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Return only links with this status. */
                status?: components["parameters"]["LinkStatusQuery"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    moveSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parent": "col_products",
                 *       "position": {
                 *         "after": {
                 *           "type": "space",
                 *           "space": "spc_reference"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MoveContent"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createSpaceGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "edit",
                 *       "users": [
                 *         "usr_ada"
                 *       ],
                 *       "teams": [
                 *         "team_writers"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GrantsCreate"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceTeamGrants: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamGrantList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSpaceTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the team. */
                teamId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSpaceTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the team. */
                teamId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantPatch"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listSpaceUserGrants: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserGrantList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    deleteSpaceUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the user. */
                userId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    updateSpaceUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the user. */
                userId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantPatch"];
            };
        };
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    restoreSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getRevision: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the revision. */
                revisionId: components["parameters"]["RevisionPath.revisionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listRevisionFiles: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the revision. */
                revisionId: components["parameters"]["RevisionPath.revisionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getRevisionPage: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
                /** @description Format of the body. */
                format?: components["parameters"]["PageQuery.format"];
                /** @description Whether to replace expressions with their values. */
                evaluated?: components["parameters"]["PageQuery.evaluated"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the revision. */
                revisionId: components["parameters"]["RevisionPath.revisionId"];
                /** @description Identifier of the page. */
                pageId: components["parameters"]["PagePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getRevisionPageTree: {
        parameters: {
            query?: {
                /** @description Whether to include Git metadata, which can change while the content does not. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute the content that integrations, translations and OpenAPI specifications contribute. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description Identifier of the revision. */
                revisionId: components["parameters"]["RevisionPath.revisionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageTree"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    searchSpace: {
        parameters: {
            query: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Terms to search for. */
                query: components["parameters"]["SearchQuery.query"];
            };
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchedPageList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    transferSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferContent"];
            };
        };
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    listAccessTokens: {
        parameters: {
            query?: {
                /** @description Cursor of the page to return: `next.page` of the previous response. Omit it for the first page. */
                page?: components["parameters"]["ListQuery.page"];
                /**
                 * @description Maximum number of items to return. `0` returns only `count`. A page may contain fewer items: it ends before the
                 *     texts of its items exceed 4 MB in total, and `next` continues the list.
                 */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserAccessTokenList"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    createAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Nightly export",
                 *       "scopes": [
                 *         "read"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UserAccessTokenCreate"];
            };
        };
        responses: {
            /** @description The resource was created. It has no URL of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserAccessTokenWithSecret"];
                };
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
    revokeAccessToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the access token. */
                tokenId: components["parameters"]["AccessTokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["UnexpectedError"];
        };
    };
}
