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
         * @description Answers one collection.
         */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        /**
         * Delete a collection
         * @description Deletes a collection. What it holds moves to its parent.
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        /**
         * Update a collection
         * @description Changes a collection. What the request leaves out stays as it is.
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
         * @description Moves a collection within its organization. A move into itself or below itself, and one
         *     that changes nothing, is a 409.
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
         * @description Grants users and teams a role in a collection, instead of what each was granted before.
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
         * List what teams were granted in a collection
         * @description Answers what teams were granted in a collection.
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
         * Take back what a team was granted in a collection
         * @description Takes back what a team was granted in a collection.
         */
        delete: operations["deleteCollectionTeamGrant"];
        options?: never;
        head?: never;
        /**
         * Update what a team was granted in a collection
         * @description Changes what a team was granted in a collection.
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
         * List what users were granted in a collection
         * @description Answers what users were granted in a collection.
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
         * Take back what a user was granted in a collection
         * @description Takes back what a user was granted in a collection.
         */
        delete: operations["deleteCollectionUserGrant"];
        options?: never;
        head?: never;
        /**
         * Update what a user was granted in a collection
         * @description Changes what a user was granted in a collection.
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
         * @description Answers the spaces right in a collection, in their order.
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
         * @description Gives a collection, with all it holds, to another organization of the caller.
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
         * Find organizations by mail domain
         * @description Answers the organizations that let users of a mail domain join, where the caller sees them.
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
         * @description Answers the integrations that the caller can find, oldest first.
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
         * @description Answers one integration.
         */
        get: operations["getIntegration"];
        put?: never;
        /**
         * Publish an integration
         * @description Publishes an integration, new or anew. A name that another organization has is a conflict.
         */
        post: operations["publishIntegration"];
        /**
         * Unpublish an integration
         * @description Withdraws an integration and all its installations.
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
         * @description Sends the events of an integration to an address of its developer.
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
         * List events of an integration
         * @description Answers what an integration was told of, oldest first.
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
         * @description Answers one event, with what the script of the integration wrote to its log.
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
         * List installations of an integration
         * @description Answers the installations of an integration that the caller may see, oldest first.
         */
        get: operations["listInstallations"];
        put?: never;
        /**
         * Install an integration
         * @description Installs an integration in an organization. It is pending while a setting it needs has no value.
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
         * @description Renders a component of an integration, from a request small enough for an address.
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
         * List sites of an integration
         * @description Answers the sites that an integration works on.
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
         * List spaces of an integration
         * @description Answers the spaces that an integration works on.
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
         * @description Answers the organizations that the caller is a member of.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description Creates an organization, with the caller as its admin.
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
         * @description Answers one organization.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an organization
         * @description Changes an organization. What the request leaves out stays as it is.
         */
        patch: operations["updateOrganization"];
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
         * @description Answers the collections of an organization that the caller may see.
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Create a collection
         * @description Creates a collection, at the end of its parent.
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
         * Invite people by mail address
         * @description Makes people members by their mail addresses. Those who are members stay as they are; an
         *     address without a user waits, and its user is a member from the start.
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
         * @description Makes the caller a member by an invite link, or by an invitation to their mail address. Who is
         *     a member already keeps the higher of both roles or levels; who is disabled stays out: 403. While
         *     the organization has invite links turned off, they are not taken: 409.
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
         * @description Answers the invite links of an organization: all of them to its admins, to others those to the
         *     spaces and collections whose `viewInviteLinks` permission they have.
         */
        get: operations["listLinkInvites"];
        put?: never;
        /**
         * Create an invite link
         * @description Creates an invite link to the organization, or to one space or collection.
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
         * @description Answers one invite link.
         */
        get: operations["getLinkInvite"];
        put?: never;
        post?: never;
        /**
         * Delete an invite link
         * @description Deletes an invite link; nobody can join by it any more.
         */
        delete: operations["deleteLinkInvite"];
        options?: never;
        head?: never;
        /**
         * Update an invite link
         * @description Changes what those get who join by an invite link.
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
         * @description Answers the members of an organization, guests included.
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
         * @description Answers one member.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member from the organization, with all grants and team memberships there.
         *     Members may remove themselves. The last admin who is not disabled stays: 409.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /**
         * Update a member
         * @description Gives a member another role. The last admin who is not disabled stays an admin: 409.
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
         * @description Answers the spaces that a member has access to and the caller sees, with the member's level there.
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
         * Make a member an SSO member
         * @description Makes a member sign in through the organization's SAML provider from now on.
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
         * @description Answers the teams that a member belongs to, with what the member is there.
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
    "/v1/orgs/{organizationId}/openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List OpenAPI specifications
         * @description Answers the OpenAPI specifications of an organization, oldest first.
         */
        get: operations["listOpenAPISpecs"];
        put?: never;
        /**
         * Create an OpenAPI specification
         * @description Creates a specification and starts reading its source. A slug that is taken is a conflict.
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
         * @description Answers one specification, with how far the reading of its source is.
         */
        get: operations["getOpenAPISpec"];
        /**
         * Create or update an OpenAPI specification
         * @description Creates the specification, or gives it a new source; either way reading starts.
         */
        put: operations["putOpenAPISpec"];
        post?: never;
        /**
         * Delete an OpenAPI specification
         * @description Deletes a specification with all its versions.
         */
        delete: operations["deleteOpenAPISpec"];
        options?: never;
        head?: never;
        /**
         * Update an OpenAPI specification
         * @description Changes who may read a specification.
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
         * List versions of an OpenAPI specification
         * @description Answers the versions of a specification, oldest first.
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
         * Get the newest version of an OpenAPI specification
         * @description Answers the newest version of a specification. Not found before its source was read once.
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
         * Get the content of the newest version of an OpenAPI specification
         * @description Answers what the newest version of a specification says.
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
         * @description Answers one version of a specification.
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
         * @description Answers what one version of a specification says.
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
         * Mark the caller as seen
         * @description Marks the caller as seen now in the organization.
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
         * @description Answers the SAML providers of an organization, to its admins.
         */
        get: operations["listSamlProviders"];
        put?: never;
        /**
         * Create a SAML provider
         * @description Creates a SAML provider. It is pending until its entity id, certificate and sign-in
         *     address are all set.
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
         * @description Answers one SAML provider.
         */
        get: operations["getSamlProvider"];
        put?: never;
        post?: never;
        /**
         * Delete a SAML provider
         * @description Deletes a SAML provider; nobody signs in with it any more.
         */
        delete: operations["deleteSamlProvider"];
        options?: never;
        head?: never;
        /**
         * Update a SAML provider
         * @description Changes a SAML provider. What the request leaves out stays as it is.
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
         * @description Searches all content of an organization that the caller may read. The best space comes
         *     first, and the best page in each space.
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
         * @description Answers the sites of an organization that the caller sees, oldest first.
         */
        get: operations["listSites"];
        put?: never;
        /**
         * Create a site
         * @description Creates a site. It starts unpublished; without a body it is empty and untitled.
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
         * @description Answers one site.
         */
        get: operations["getSite"];
        put?: never;
        post?: never;
        /**
         * Delete a site
         * @description Deletes a site. Its spaces stay.
         */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        /**
         * Update a site
         * @description Changes the settings of a site. A base name that another site has is a conflict.
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
         * @description Answers the claims that conditions on a site may use. Not found when none were ever set.
         */
        get: operations["getSiteAdaptiveSchema"];
        /**
         * Replace the adaptive schema of a site
         * @description Sets the claims that conditions on a site may use, in place of all earlier ones.
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
         * List template conditions of a site
         * @description Answers conditions that the claims of a site allow, ready to be put to use.
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
         * @description Answers what visitors of a published site see: its structure, its looks and its scripts.
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
         * @description Answers the groups of sections of a site, in the order of its structure.
         */
        get: operations["listSiteSectionGroups"];
        put?: never;
        /**
         * Create a site section group
         * @description Adds a group to a site and moves the named sections into it.
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
         * @description Dissolves a group. Its sections stay in its place.
         */
        delete: operations["deleteSiteSectionGroup"];
        options?: never;
        head?: never;
        /**
         * Update a site section group
         * @description Changes title or icon of a group.
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
         * @description Gives a group another place in the structure.
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
         * @description Moves a section of the site into a group, at its end.
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
         * @description Takes a section out of a group. It stays in the site, beside the group.
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
         * @description Answers the sections of a site, in the order of its structure.
         */
        get: operations["listSiteSections"];
        put?: never;
        /**
         * Create a site section
         * @description Adds a section to a site, with one space as its first variant.
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
         * @description Removes a section with its variants from a site. The spaces stay.
         */
        delete: operations["deleteSiteSection"];
        options?: never;
        head?: never;
        /**
         * Update a site section
         * @description Changes a section. A path that another part of the site has is a conflict.
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
         * @description Gives a section another place in the structure; `sortSiteStructure` takes over from this.
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
         * @description Answers the spaces that a site shows, in the order of its structure.
         */
        get: operations["listSiteSpaces"];
        put?: never;
        /**
         * Add a space to a site
         * @description Shows a space on a site.
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
         * @description Takes a space off a site. The space itself stays.
         */
        delete: operations["deleteSiteSpace"];
        options?: never;
        head?: never;
        /**
         * Update a site space
         * @description Changes how a site shows a space. A path that another part of the site has is a conflict.
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
         * @description Gives a site space another place among those beside it.
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
         * @description Answers the spaces of an organization that the caller may see.
         */
        get: operations["listSpaces"];
        put?: never;
        /**
         * Create a space
         * @description Creates a space, at the end of its parent.
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
         * Get the ways to sign in
         * @description Answers the ways to sign in to an organization, all at once.
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
         * @description Answers the teams of an organization.
         */
        get: operations["listTeams"];
        /**
         * Create a team
         * @description Creates a team, which the caller owns.
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
         * @description Answers one team.
         */
        get: operations["getTeam"];
        put?: never;
        post?: never;
        /**
         * Delete a team
         * @description Deletes a team, its grants, and its place as the default team of a SAML provider.
         */
        delete: operations["deleteTeam"];
        options?: never;
        head?: never;
        /**
         * Update a team
         * @description Gives a team another title.
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
         * @description Answers the members of a team, with what each of them is there.
         */
        get: operations["listTeamMembers"];
        /**
         * Add and remove members of a team
         * @description Adds and removes members of a team, all at once.
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
         * @description Adds a member to a team, or changes what the member is there.
         */
        put: operations["setTeamMember"];
        post?: never;
        /**
         * Remove a member from a team
         * @description Takes a member out of a team. Members may take themselves out.
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
         * @description Answers the translations of an organization, oldest first.
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
         * @description Answers one translation, with how far its last run is.
         */
        get: operations["getTranslation"];
        /**
         * Update a translation
         * @description Changes what the translator should keep to. The next run follows it.
         */
        put: operations["updateTranslation"];
        post?: never;
        /**
         * Delete a translation
         * @description Deletes a translation. The translated space stays.
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
         * @description Starts another run, which translates the pages that changed since the last one.
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
         * @description Answers one space. Its admins still read it, with `deletedAt`, while it can be restored.
         */
        get: operations["getSpace"];
        put?: never;
        post?: never;
        /**
         * Delete a space
         * @description Deletes a space, and takes it off its sites. It can be restored for 7 days.
         */
        delete: operations["deleteSpace"];
        options?: never;
        head?: never;
        /**
         * Update a space
         * @description Changes a space. What the request leaves out stays as it is.
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
         * @description Answers the change requests of a space: the open ones, unless asked for others.
         */
        get: operations["listChangeRequests"];
        put?: never;
        /**
         * Create a change request
         * @description Starts a change request from the current content of the space, as a draft.
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
         * @description Answers one change request.
         */
        get: operations["getChangeRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a change request
         * @description Changes the subject or the status. A merged change request stays as it is: 409.
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
         * List who commented on a change request
         * @description Answers the members who have commented.
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
         * @description Answers the comments: the newest first and settled or not, unless asked otherwise.
         */
        get: operations["listChangeRequestComments"];
        put?: never;
        /**
         * Comment on a change request
         * @description Writes a comment on the whole content, a page, a node of it, or a table cell.
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
         * @description Answers one comment.
         */
        get: operations["getChangeRequestComment"];
        /**
         * Update a comment on a change request
         * @description Changes the text of a comment, settles it or opens it again, and adds or takes back reactions.
         */
        put: operations["updateChangeRequestComment"];
        post?: never;
        /**
         * Delete a comment on a change request
         * @description Deletes a comment with its replies.
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
         * @description Answers the replies to a comment, oldest first.
         */
        get: operations["listChangeRequestCommentReplies"];
        put?: never;
        /**
         * Reply to a comment on a change request
         * @description Replies to a comment.
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
         * @description Answers one reply.
         */
        get: operations["getChangeRequestCommentReply"];
        /**
         * Update a reply to a comment on a change request
         * @description Changes the text of a reply, and adds or takes back reactions.
         */
        put: operations["updateChangeRequestCommentReply"];
        post?: never;
        /**
         * Delete a reply to a comment on a change request
         * @description Deletes a reply.
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
         * @description Answers the current revision whole: page tree, files, reusable contents and variables.
         */
        get: operations["getChangeRequestContent"];
        put?: never;
        post?: never;
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
         * @description Answers the files.
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
         * @description Answers one file: its facts, and where its bytes are.
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
         * List the places that link to a file of a change request
         * @description Answers the places whose links lead to a file.
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
         * @description Fetches an address, turns what is there into pages and files, and makes a new revision with them.
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
         * @description Answers one page with its body and the tree below it.
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
    "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the links on a page of a change request
         * @description Answers the links on a page, and whether they lead anywhere.
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
         * @description Answers the page tree alone.
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
         * @description Merges the change request into the space, page by page and line by line. Where both
         *     changed the same lines, nothing goes to the space: both sides are put into the change
         *     request's text between conflict markers.
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
         * @description Prints the content of a change request, or a part of it, and answers where the PDF is.
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
         * Bring a change request up to date
         * @description Brings what the space gained since into the change request, with the same merge.
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
         * List who commented on a space
         * @description Answers the members who have commented.
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
         * @description Answers the comments: the newest first and settled or not, unless asked otherwise.
         */
        get: operations["listSpaceComments"];
        put?: never;
        /**
         * Comment on a space
         * @description Writes a comment on the whole content, a page, a node of it, or a table cell.
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
         * @description Answers one comment.
         */
        get: operations["getSpaceComment"];
        /**
         * Update a comment on a space
         * @description Changes the text of a comment, settles it or opens it again, and adds or takes back reactions.
         */
        put: operations["updateSpaceComment"];
        post?: never;
        /**
         * Delete a comment on a space
         * @description Deletes a comment with its replies.
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
         * @description Answers the replies to a comment, oldest first.
         */
        get: operations["listSpaceCommentReplies"];
        put?: never;
        /**
         * Reply to a comment on a space
         * @description Replies to a comment.
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
         * @description Answers one reply.
         */
        get: operations["getSpaceCommentReply"];
        /**
         * Update a reply to a comment on a space
         * @description Changes the text of a reply, and adds or takes back reactions.
         */
        put: operations["updateSpaceCommentReply"];
        post?: never;
        /**
         * Delete a reply to a comment on a space
         * @description Deletes a reply.
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
         * @description Answers the current revision whole: page tree, files, reusable contents and variables.
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
         * @description Answers the files.
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
         * @description Answers one file: its facts, and where its bytes are.
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
         * List the places that link to a file of a space
         * @description Answers the places whose links lead to a file.
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
         * @description Fetches an address, turns what is there into pages and files, and makes a new revision with them.
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
         * @description Answers one page with its body and the tree below it.
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
         * List the places that link to a page of a space
         * @description Answers the places whose links lead to a page.
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
         * @description Answers the links on a page, and whether they lead anywhere.
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
         * @description Answers the page tree alone.
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
         * @description Fills the space with the pages and files of a template, in a new revision.
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
         * @description Creates a space with the same content beside a space, without its history.
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
         * @description Starts to write the content of a space to a Git branch, as one commit.
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
         * @description Starts to read the content of a space from a Git branch. The answer comes at once; pages
         *     keep their ids from one import of a path to the next.
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
         * @description Answers which repository a space is kept in step with; 404 when there is none.
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
         * @description Removes a Git installation from before the integrations, to make way for one of them.
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
         * @description Answers what the content of a space links to, and whether it is there.
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
         * @description Moves a space within its organization. A move that changes nothing is a 409.
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
         * @description Grants users and teams a role in a space, instead of what each was granted before.
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
         * List what teams were granted in a space
         * @description Answers what teams were granted in a space.
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
         * Take back what a team was granted in a space
         * @description Takes back what a team was granted in a space.
         */
        delete: operations["deleteSpaceTeamGrant"];
        options?: never;
        head?: never;
        /**
         * Update what a team was granted in a space
         * @description Changes what a team was granted in a space.
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
         * List what users were granted in a space
         * @description Answers what users were granted in a space.
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
         * Take back what a user was granted in a space
         * @description Takes back what a user was granted in a space.
         */
        delete: operations["deleteSpaceUserGrant"];
        options?: never;
        head?: never;
        /**
         * Update what a user was granted in a space
         * @description Changes what a user was granted in a space.
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
         * @description Brings back a space that was deleted less than 7 days ago.
         */
        post: operations["restoreSpace"];
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
         * @description Answers the pages that hold the words, best first, with the sections that match.
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
         * @description Gives a space to another organization of the caller.
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
         * Get the caller
         * @description Answers the user that the access token belongs to.
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A component in the settings of an installation. */
        AccountConfigurationContext: {
            /**
             * @description Where the component shows. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_account";
            /**
             * @description The colours around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description The id of the organization. */
            organizationId: components["schemas"]["Identifier"];
        };
        /** @description A claim that is true or false. */
        AdaptiveClaim: {
            /**
             * @description The type of the claim.
             * @enum {string}
             */
            type: "boolean";
            /** @description What it says of the visitor. */
            description: components["schemas"]["Line"];
        };
        /** @description Claims by name; `unsigned` is kept for those that nobody vouches for. */
        AdaptiveClaims: {
            /** @description Claims that the visitor's browser states about itself. */
            unsigned?: components["schemas"]["AdaptiveUnsignedClaims"];
        } & {
            [key: string]: components["schemas"]["AdaptiveClaim"] | components["schemas"]["AdaptiveUnsignedClaims"];
        };
        /** @description A condition to start from. */
        AdaptiveConditionTemplate: {
            /** @description Whom it picks. */
            description: string;
            /** @description The expression. */
            condition: string;
        };
        /** @description Conditions to start from. */
        AdaptiveConditionTemplates: {
            /** @description The conditions. */
            items: components["schemas"]["AdaptiveConditionTemplate"][];
        };
        /** @description The claims of a visitor as a JSON Schema (draft 07): an object that knows no other property. */
        AdaptiveJsonSchema: {
            /** @description The draft of JSON Schema. */
            $schema?: components["schemas"]["Line"];
            /**
             * @description The type of the whole.
             * @enum {string}
             */
            type: "object";
            /** @description The claims by name. */
            properties: components["schemas"]["AdaptiveClaims"];
            /**
             * @description Claims that are not listed do not exist.
             * @enum {boolean}
             */
            additionalProperties: false;
        };
        /** @description The claims that nobody vouches for. */
        AdaptiveUnsignedClaims: {
            /**
             * @description The type of the whole.
             * @enum {string}
             */
            type: "object";
            /**
             * @description Always the same words.
             * @enum {string}
             */
            description: "Unsigned claims of the site visitor.";
            /** @description The claims by name. */
            properties: {
                [key: string]: components["schemas"]["AdaptiveClaim"];
            };
            /**
             * @description Claims that are not listed do not exist.
             * @enum {boolean}
             */
            additionalProperties?: false;
        };
        /** @description An anchor within a page. */
        AnchorPosition: {
            /**
             * @description How the place is named.
             * @enum {string}
             */
            type: "anchor";
            /** @description The name of the anchor. */
            anchor: string;
        };
        /** @description Points at a place within a page. */
        AnchorRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "anchor";
            /** @description The name of the anchor. */
            anchor: components["schemas"]["Line"];
            /** @description The id of its space; left out for the space that holds the reference. */
            space?: components["schemas"]["Identifier"];
            /** @description The id of its page; left out for the page that holds the reference. */
            page?: components["schemas"]["Identifier"];
        };
        /**
         * Format: byte
         * @description Bytes in base64 (RFC 4648, section 4).
         */
        Base64: string;
        /** @description One addon that is paid by use. */
        BillingAddon: {
            /** @description Whether it is on. */
            enabled: boolean;
        };
        /** @description Addons that are paid by use. */
        BillingAddons: {
            /** @description Answers by AI to readers. */
            ai_responses?: components["schemas"]["BillingAddon"];
            /** @description Answers by an AI agent. */
            ai_agent_responses?: components["schemas"]["BillingAddon"];
            /** @description Words translated. */
            translation_words?: components["schemas"]["BillingAddon"];
        };
        /**
         * @description How often an organization pays.
         * @enum {string}
         */
        BillingInterval: "monthly" | "yearly";
        /** @description A move from old prices to current ones. */
        BillingMigration: {
            /**
             * Format: date-time
             * @description When the move happens at the latest.
             */
            deadline?: string;
            /**
             * Format: double
             * @description What is taken off the current price, in percent.
             */
            discountPercent?: number;
            /**
             * Format: date-time
             * @description When the discount ends.
             */
            discountEndDate?: string;
        };
        /** @description What plans cost. */
        BillingPricing: {
            /** @description Prices for each member, by plan. */
            members: components["schemas"]["MemberPricing"];
            /** @description Prices for each site, by plan. */
            sites: components["schemas"]["SitePricing"];
        };
        /** @description An entry of the menu of a block. */
        BlockControl: {
            /** @description The name of its icon. */
            icon?: string;
            /** @description Its words. */
            label: string;
            /** @description What it does. */
            onPress: components["schemas"]["RenderAction"];
            /** @description A question asked before. */
            confirm?: components["schemas"]["RenderConfirmation"];
        };
        /** @description A block in a page. */
        BlockElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "block";
            /** @description What it holds. */
            children: components["schemas"]["RenderElement"][];
            /** @description The entries of its menu. */
            controls?: components["schemas"]["BlockControl"][];
        };
        /** @description Elements as one within a stack. */
        BoxElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "box";
            /** @description What it holds. */
            children: components["schemas"]["RenderChild"][];
            /**
             * Format: double
             * @description Its share of the space that is left.
             */
            grow?: number;
            /**
             * @description How it looks.
             * @enum {string}
             */
            style?: "default" | "card" | "secondary";
        };
        /** @description How many links lead nowhere. */
        BrokenLinkStats: {
            /**
             * Format: int32
             * @description All broken links.
             */
            total: number;
            /**
             * Format: int32
             * @description Those that a change request brings, where one is read.
             */
            changeRequest?: number;
        };
        /** @description A button. */
        ButtonElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "button";
            /** @description What pressing it does. */
            onPress: components["schemas"]["RenderAction"];
            /** @description Its words. */
            label?: string;
            /**
             * @description How it stands out.
             * @enum {string}
             */
            style?: "primary" | "secondary" | "danger";
            /** @description The name of its icon. */
            icon?: string;
            /** @description What shows while the pointer is on it. */
            tooltip?: string;
            /** @description A question asked before. */
            confirm?: components["schemas"]["RenderConfirmation"];
            /** @description Whether it is switched off. */
            disabled?: boolean;
        };
        /** @description A card. */
        CardElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "card";
            /** @description Its title. */
            title?: string;
            /** @description A line below the title: text, or text elements. */
            hint?: string | components["schemas"]["TextElement"][];
            /** @description The name of its icon, or an image. */
            icon?: string | components["schemas"]["ImageElement"];
            /** @description What pressing it does. */
            onPress?: components["schemas"]["RenderAction"];
            /** @description What it holds. */
            children?: components["schemas"]["RenderChild"][];
            /** @description Its buttons. */
            buttons?: components["schemas"]["ButtonElement"][];
        };
        /** @description A branch of a space's content, to be reviewed and merged. */
        ChangeRequest: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "change-request";
            /** @description The id of the change request. */
            id: string;
            /**
             * Format: int32
             * @description Counts the change requests of the space from 1; serves as id in paths.
             */
            number: number;
            /** @description How far it has come. */
            status: components["schemas"]["ChangeRequestStatus"];
            /** @description What it is about; may be empty. */
            subject: string;
            /** @description Who started it. */
            createdBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description When it was started.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /** @description The id of its current revision. */
            revision: string;
            /** @description The id of the space's revision that it started from. */
            revisionInitial: string;
            /** @description The id of the space's revision that it was last updated to. */
            revisionMergedAncestor?: string;
            /** @description The id of the revision that its merge made. */
            revisionMerged?: string;
            /**
             * Format: int32
             * @description How many of its comments are open.
             */
            comments: number;
            /** @description Whether the primary content has moved on since. */
            outdated: boolean;
            /** @description Its addresses. */
            urls: components["schemas"]["ChangeRequestUrls"];
        };
        /**
         * @description What to change of a reply to a comment on a change request.
         * @example {
         *       "addedReactions": [
         *         "👍"
         *       ]
         *     }
         */
        ChangeRequestCommentReplyUpdate: {
            /** @description Whether the comment replied to is settled. */
            resolved?: boolean;
            /** @description The new text. */
            body?: components["schemas"]["MarkdownBody"];
            /** @description Emoji to react with. */
            addedReactions?: components["schemas"]["IconName"][];
            /** @description Emoji to take back. */
            removedReactions?: components["schemas"]["IconName"][];
        };
        /** @description The change request that a location was found in. */
        ChangeRequestContext: {
            /**
             * @description What kind of version it is.
             * @enum {string}
             */
            type: "changeRequest";
            /** @description The change request. */
            changeRequest: components["schemas"]["ChangeRequest"];
        };
        /**
         * @description A change request to start.
         * @example {
         *       "subject": "Explain how tokens expire"
         *     }
         */
        ChangeRequestCreate: {
            /** @description What it is about; empty when left out. */
            subject?: components["schemas"]["Line"];
            /** @description The task that an agent should carry out. It is kept, and starts nothing. */
            agentTaskId?: components["schemas"]["Line"];
        };
        /** @description One page of a list. */
        ChangeRequestList: {
            /** @description The items of this page. */
            items: components["schemas"]["ChangeRequest"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description How a merge went. */
        ChangeRequestMergeResult: {
            /** @description The id of the revision made: the space's, or with conflicts the change request's own. */
            revision: string;
            /**
             * @description `merge` when merged; `conflicts` when both sides were left in the text to be chosen from.
             * @enum {string}
             */
            result: "merge" | "conflicts";
        };
        /**
         * @description What to change of a change request.
         * @example {
         *       "status": "open"
         *     }
         */
        ChangeRequestPatch: {
            /** @description What it is about. */
            subject?: string;
            /**
             * @description How far it has come. Only a merge makes it `merged`.
             * @enum {string}
             */
            status?: "draft" | "open" | "archived";
        };
        /**
         * @description How far a change request has come.
         * @enum {string}
         */
        ChangeRequestStatus: "draft" | "open" | "archived" | "merged";
        /** @description How an update went. */
        ChangeRequestUpdateResult: {
            /** @description The id of the change request's new revision. */
            revision: string;
            /**
             * @description `update` when up to date; `conflicts` when both sides were left in the text to be chosen from.
             * @enum {string}
             */
            result: "update" | "conflicts";
        };
        /** @description Addresses of a change request. */
        ChangeRequestUrls: {
            /**
             * Format: uri
             * @description The change request in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description The change request in this API.
             */
            location: string;
        };
        /** @description A box to tick. */
        CheckboxElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "checkbox";
            /** @description The entry of the state that holds what is chosen. */
            state: string;
            /** @description What this one stands for. */
            value: string | number;
            /** @description What happens when it is pressed. */
            onValueChange?: components["schemas"]["RenderAction"];
            /** @description A question asked before. */
            confirm?: components["schemas"]["RenderConfirmation"];
        };
        /** @description Closes the dialogue. */
        CloseModalAction: {
            /**
             * @description Names the action.
             * @enum {string}
             */
            action: "@ui.modal.close";
            /** @description What the dialogue hands to what opened it. */
            returnValue?: {
                [key: string]: unknown;
            };
        };
        /** @description Code, to read or to write. */
        CodeElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "codeblock";
            /** @description The text. */
            content: string | components["schemas"]["RenderBinding"];
            /** @description The language of the code. */
            syntax?: string;
            /** @description Whether lines are numbered, or the number of the first one. */
            lineNumbers?: boolean | number;
            /** @description Its buttons. */
            buttons?: components["schemas"]["ButtonElement"][];
            /** @description The entry of the state that holds what the reader wrote. */
            state?: string;
            /** @description What happens when the reader changes the text. */
            onContentChange?: components["schemas"]["RenderAction"];
            /** @description What stands above the code. */
            header?: components["schemas"]["RenderElement"][];
            /** @description What stands below the code. */
            footer?: components["schemas"]["RenderElement"][];
        };
        /** @description A folder of spaces and of other collections. */
        Collection: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "collection";
            /** @description The id of the collection. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description What it holds. */
            description?: string;
            /** @description The id of the organization that owns it. */
            organization: string;
            /** @description The id of the collection that it is in; left out at the root. */
            parent?: string;
            /** @description What every member may do with what it holds: its own level, or the inherited one. */
            defaultLevel: components["schemas"]["Role"];
            /** @description Where the collection is found. */
            urls: components["schemas"]["CollectionUrls"];
            /** @description What the caller may do with it. */
            permissions: components["schemas"]["CollectionPermissions"];
        };
        /** @description A collection to create. */
        CollectionCreate: {
            /** @description Its title; `Untitled` when left out. */
            title?: components["schemas"]["ContentTitle"];
            /** @description The id of the collection to create it in; the root when left out. */
            parent?: components["schemas"]["Identifier"];
        };
        /** @description An invitation to one collection, as a guest. */
        CollectionInvite: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "invite";
            /** @description The id of the invitation, which is also its secret. */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Where the invitation is found. */
            urls: components["schemas"]["InviteUrls"];
            /** @description What those who join may do in the collection. */
            level: components["schemas"]["Role"];
            /** @description The id of the collection. */
            collection: string;
        };
        /** @description An invitation to a collection to create. */
        CollectionInviteCreate: {
            /** @description What those who join may do in the collection. */
            level: components["schemas"]["Role"];
            /** @description The id of the collection. */
            collection: components["schemas"]["Identifier"];
        };
        /** @description One page of a list. */
        CollectionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Collection"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A collection. */
        CollectionLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "collection";
            /** @description The organization that owns the collection. */
            organization: components["schemas"]["Organization"];
            /** @description The collection. */
            collection: components["schemas"]["Collection"];
        };
        /** @description What to change about a collection. */
        CollectionPatch: {
            /** @description The new title. */
            title?: components["schemas"]["ContentTitle"];
            /** @description What it holds. */
            description?: string;
            /** @description What every member may do with what it holds; null, like `inherit`, leaves it to the parent. */
            defaultLevel?: components["schemas"]["DefaultLevel"] | null;
        };
        /** @description What the caller may do with a collection. */
        CollectionPermissions: {
            /** @description See it. */
            view: boolean;
            /** @description Change, move and delete it, and grant access to it. */
            admin: boolean;
            /** @description See its invite links. */
            viewInviteLinks: boolean;
            /** @description Create spaces and collections in it. */
            create: boolean;
        };
        /** @description Names a collection among the spaces and collections of a parent. */
        CollectionPointer: {
            /**
             * @description What is named. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "collection";
            /** @description The id of the collection. */
            collection: components["schemas"]["Identifier"];
        };
        /** @description Points at a collection. */
        CollectionRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "collection";
            /** @description The id of the collection. */
            collection: components["schemas"]["Identifier"];
        };
        /** @description The addresses of a collection. */
        CollectionUrls: {
            /**
             * Format: uri
             * @description The collection in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The collection in the app.
             */
            app: string;
        };
        /** @description A colour as `#rrggbb`. */
        Color: string;
        /** @description Elements one below the other. */
        ColumnElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "vstack";
            /** @description What it holds. */
            children: components["schemas"]["RenderElement"][];
            /**
             * @description Where its elements stand across the stack.
             * @enum {string}
             */
            align?: "start" | "center" | "end";
        };
        /** @description A remark on a space, a change request, or a place in either. */
        Comment: components["schemas"]["OpenComment"] | components["schemas"]["ResolvedComment"];
        /** @description The text of a comment, in the form that was asked for. */
        CommentBody: components["schemas"]["MarkdownBody"] | components["schemas"]["DocumentBody"];
        /**
         * @description A comment to write.
         * @example {
         *       "page": "pag_7Hq2",
         *       "body": {
         *         "markdown": "Shouldn't this name the default?"
         *       }
         *     }
         */
        CommentCreate: {
            /** @description The key of the node to comment on, within the page. */
            node?: components["schemas"]["Line"];
            /** @description The id of the page to comment on; left out for the whole content. */
            page?: components["schemas"]["Identifier"];
            /** @description The text. */
            body: components["schemas"]["MarkdownBody"];
            /** @description The cell to comment on, within a table. */
            tableCell?: components["schemas"]["TableCell"];
        };
        /** @description One page of a list. */
        CommentList: {
            /** @description The items of this page. */
            items: components["schemas"]["Comment"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What the caller may do with a comment. */
        CommentPermissions: {
            /** @description Read it. */
            view: boolean;
            /** @description Change it. */
            edit: boolean;
            /** @description Reply to it. */
            reply?: boolean;
            /** @description Delete it. */
            delete: boolean;
        };
        /** @description A reply to a comment. */
        CommentReply: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "comment-reply";
            /** @description The id. */
            id: string;
            /** @description Who wrote it. */
            postedBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description When it was written.
             */
            postedAt: string;
            /**
             * Format: date-time
             * @description When its text last changed, if ever.
             */
            editedAt?: string;
            /** @description The reactions to it. */
            reactions: components["schemas"]["Reaction"][];
            /** @description Its text. */
            body: components["schemas"]["CommentBody"];
            /** @description Its addresses. */
            urls: components["schemas"]["CommentUrls"];
            /** @description What the caller may do with it. */
            permissions: components["schemas"]["CommentPermissions"];
        };
        /**
         * @description A reply to write.
         * @example {
         *       "body": {
         *         "markdown": "It does now."
         *       }
         *     }
         */
        CommentReplyCreate: {
            /** @description The text. */
            body: components["schemas"]["MarkdownBody"];
        };
        /** @description One page of a list. */
        CommentReplyList: {
            /** @description The items of this page. */
            items: components["schemas"]["CommentReply"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /**
         * @description What to change of a reply to a comment on a space.
         * @example {
         *       "addedReactions": [
         *         "👍"
         *       ]
         *     }
         */
        CommentReplyUpdate: {
            /** @description The new text. */
            body?: components["schemas"]["MarkdownBody"];
            /** @description Emoji to react with. */
            addedReactions?: components["schemas"]["IconName"][];
            /** @description Emoji to take back. */
            removedReactions?: components["schemas"]["IconName"][];
        };
        /**
         * @description Which comments to list.
         * @enum {string}
         */
        CommentStatusFilter: "all" | "open" | "resolved";
        /** @description What a comment is about. */
        CommentTarget: {
            /** @description The node within the page. */
            node?: components["schemas"]["CommentedNode"];
            /** @description The cell within the table. */
            tableCell?: components["schemas"]["TableCell"];
            /** @description The id of the change request. */
            changeRequest?: string;
            /** @description The id of the review of the change request. */
            review?: string;
            /** @description The page. */
            page?: components["schemas"]["CommentedPage"];
            /** @description The id of the space. */
            space: string;
            /** @description The id of the revision that was current. */
            revision: string;
        };
        /**
         * @description What to change of a comment.
         * @example {
         *       "resolved": true
         *     }
         */
        CommentUpdate: {
            /** @description Whether it is settled. */
            resolved?: boolean;
            /** @description The new text. */
            body?: components["schemas"]["MarkdownBody"];
            /** @description Emoji to react with. */
            addedReactions?: components["schemas"]["IconName"][];
            /** @description Emoji to take back. */
            removedReactions?: components["schemas"]["IconName"][];
        };
        /** @description Addresses of a comment. */
        CommentUrls: {
            /**
             * Format: uri
             * @description The comment in this API.
             */
            location: string;
        };
        /** @description A node that was commented on. */
        CommentedNode: {
            /** @description The key of the node in its document. */
            id: string;
            /** @description The text it had when it was commented on. */
            preview: string;
        };
        /** @description A page that was commented on. */
        CommentedPage: {
            /** @description The id of the page. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description An emoji beside the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description The name of an icon beside the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description When it was created; left out until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description When it last changed; left out until the first edit.
             */
            updatedAt?: string;
            /** @description Its path within the space. */
            path: string;
            /** @description Whether it has changed since the comment. */
            outdated: boolean;
        };
        /**
         * @description Which kind of community an organization is.
         * @enum {string}
         */
        CommunityType: "nonProfit" | "openSource" | "education";
        /** @description A page shall be computed. */
        ComputeDocumentEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "content_compute_document";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The source of content within the integration. */
            sourceId: string;
            /** @description What the source is given. */
            props: {
                [key: string]: unknown;
            };
            /** @description What the result depends on, by name. */
            dependencies: {
                [key: string]: components["schemas"]["ComputedDependency"];
            };
        };
        /** @description The pages of a space shall be computed. */
        ComputeRevisionEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "content_compute_revision";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The source of content within the integration. */
            sourceId: string;
            /** @description What the source is given. */
            props: {
                [key: string]: unknown;
            };
            /** @description What the result depends on, by name. */
            dependencies: {
                [key: string]: components["schemas"]["ComputedDependency"];
            };
        };
        /** @description Something that content computed by an integration depends on. */
        ComputedDependency: {
            /** @description Points at it. */
            ref: components["schemas"]["ComputedDependencyRef"];
        };
        /** @description Points at anything that computed content can depend on. */
        ComputedDependencyRef: components["schemas"]["ContentRef"] | components["schemas"]["TranslationRef"];
        /** @description An entry of the tree in whose place computed pages come. */
        ComputedPage: {
            /**
             * @description The type of the page.
             * @enum {string}
             */
            type: "computed";
            /** @description The id of the page. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description An emoji beside the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description The name of an icon beside the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description When it was created; left out until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description When it last changed; left out until the first edit.
             */
            updatedAt?: string;
            /** @description Where the pages are computed from. */
            computed: components["schemas"]["ComputedRevisionSource"];
        };
        /** @description Where the body of one page is computed from. */
        ComputedPageSource: components["schemas"]["OpenAPIPageSource"] | components["schemas"]["TranslationPageSource"] | components["schemas"]["IntegrationSource"];
        /** @description Where a whole tree of pages is computed from. */
        ComputedRevisionSource: components["schemas"]["OpenAPIRevisionSource"] | components["schemas"]["TranslationRevisionSource"] | components["schemas"]["IntegrationSource"];
        /** @description A form of settings. */
        ConfigurationElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration";
            /** @description What it holds: one stepper, or elements. */
            children: components["schemas"]["RenderElement"][];
        };
        /**
         * @description What to import.
         * @example {
         *       "url": "https://docs.example.com/guide.md",
         *       "source": "markdown"
         *     }
         */
        ContentImport: {
            /** @description Where it is. */
            url: components["schemas"]["WebAddress"];
            /** @description What is there. */
            source: components["schemas"]["ImportSource"];
        };
        /** @description A target, with all the places that link to it. */
        ContentLink: {
            /** @description Whether the target is there. */
            status: components["schemas"]["LinkStatus"];
            /** @description How it is linked to. */
            relation: components["schemas"]["LinkRelation"];
            /** @description The target; left out where there is nothing to show of it. */
            targetReference?: components["schemas"]["Location"];
            /** @description The places that link to it. */
            locationReferences: components["schemas"]["Location"][];
        };
        /** @description Names a space or a collection among its siblings. */
        ContentPointer: components["schemas"]["SpacePointer"] | components["schemas"]["CollectionPointer"];
        /** @description A place among siblings. Without either neighbour, the place is the end. */
        ContentPointerPosition: {
            /** @description The sibling that comes right after the place. */
            before?: components["schemas"]["ContentPointer"];
            /** @description The sibling that comes right before the place. */
            after?: components["schemas"]["ContentPointer"];
        };
        /** @description Points at anything that content can refer to. */
        ContentRef: components["schemas"]["FileRef"] | components["schemas"]["UrlRef"] | components["schemas"]["PageRef"] | components["schemas"]["AnchorRef"] | components["schemas"]["UserRef"] | components["schemas"]["CollectionRef"] | components["schemas"]["SpaceRef"] | components["schemas"]["ReusableContentRef"] | components["schemas"]["OpenAPIRef"];
        /** @description A policy for browsers: as text, or as directives with their values. */
        ContentSecurityPolicyWrite: components["schemas"]["LongText"] | {
            [key: string]: components["schemas"]["Line"];
        };
        /** @description A component in the settings of a source of content. */
        ContentSourceConfigurationContext: {
            /**
             * @description Where the component shows. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_contentsource";
            /**
             * @description The colours around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description The id of the organization. */
            organizationId: components["schemas"]["Identifier"];
            /** @description The id of the space. */
            spaceId?: components["schemas"]["Identifier"];
        };
        /** @description The title of a space or a collection to write. */
        ContentTitle: string;
        /** @description Points at the image of a cover. */
        CoverRef: components["schemas"]["FileRef"] | components["schemas"]["UrlRef"];
        /**
         * @description How large the cover of a page is.
         * @enum {string}
         */
        CoverSize: "hero" | "full";
        /** @description Visitors whom a service of the organization authenticates. */
        CustomVisitorAuth: {
            /**
             * @description Who authenticates. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            backend: "custom";
        };
        /** @description A site that stands for an organization. */
        DefaultContent: {
            /**
             * @description What kind of content it is.
             * @enum {string}
             */
            type: "site";
            /** @description The id of the site. */
            site: components["schemas"]["Identifier"];
        };
        /**
         * @description A level that content gives every member: a role, or `inherit` for what its parent gives.
         * @enum {string}
         */
        DefaultLevel: "admin" | "create" | "review" | "edit" | "comment" | "read" | "inherit";
        /** @description Space or a line between elements. */
        DividerElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "divider";
            /**
             * @description How much space it takes.
             * @enum {string}
             */
            size?: "small" | "medium" | "large";
            /**
             * @description Whether a line shows.
             * @enum {string}
             */
            style?: "default" | "line";
        };
        /**
         * @description A text as a tree of blocks. Where a page is read as a document, it is this; the same page
         *     written as markdown says the same.
         */
        Document: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "document";
            /** @description What holds for the whole document. */
            data: components["schemas"]["DocumentData"];
            /** @description The blocks, from top to bottom. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /**
         * @description Where a text stands between the margins.
         * @enum {string}
         */
        DocumentAlignment: "start" | "center" | "end";
        /** @description A text with a note. */
        DocumentAnnotation: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "annotation";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentAnnotationData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an annotated text. */
        DocumentAnnotationData: {
            /** @description The note. */
            body: components["schemas"]["DocumentBlock"][];
        };
        /** @description A block that may stand at the top of a document, or inside another block. */
        DocumentBlock: components["schemas"]["DocumentParagraph"] | components["schemas"]["DocumentHeading"] | components["schemas"]["DocumentList"] | components["schemas"]["DocumentDivider"] | components["schemas"]["DocumentBlockquote"] | components["schemas"]["DocumentHint"] | components["schemas"]["DocumentImages"] | components["schemas"]["DocumentFile"] | components["schemas"]["DocumentDrawing"] | components["schemas"]["DocumentEmbed"] | components["schemas"]["DocumentCode"] | components["schemas"]["DocumentMath"] | components["schemas"]["DocumentExpandable"] | components["schemas"]["DocumentTabs"] | components["schemas"]["DocumentTable"] | components["schemas"]["DocumentSwagger"] | components["schemas"]["DocumentOpenAPIOperation"] | components["schemas"]["DocumentOpenAPISchemas"] | components["schemas"]["DocumentOpenAPIWebhook"] | components["schemas"]["DocumentContentRef"] | components["schemas"]["DocumentIntegration"] | components["schemas"]["DocumentReusableContent"] | components["schemas"]["DocumentStepper"] | components["schemas"]["DocumentPrompt"] | components["schemas"]["DocumentCondition"] | components["schemas"]["DocumentColumns"] | components["schemas"]["DocumentUpdates"];
        /** @description A quotation. */
        DocumentBlockquote: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "blockquote";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentNoData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description A text as a tree of blocks. */
        DocumentBody: {
            /** @description The text. */
            document: components["schemas"]["Document"];
        };
        /** @description A button. */
        DocumentButton: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "button";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentButtonData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a button. */
        DocumentButtonData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Where it leads; left out for a button that does something else, which its attributes say. */
            ref?: components["schemas"]["ContentRef"];
            /**
             * @description How it shows.
             * @enum {string}
             */
            kind: "primary" | "secondary";
            /** @description The icon on it. */
            icon?: components["schemas"]["Line"];
            /** @description What is written on it. */
            label: components["schemas"]["LongText"];
        };
        /** @description A block of code. */
        DocumentCode: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "code";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentCodeData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentCodeLine"][];
        };
        /** @description Data of a block of code. */
        DocumentCodeData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The language, as a fence names it. */
            syntax?: components["schemas"]["LongText"];
            /** @description The title above, often a file name. */
            title?: components["schemas"]["LongText"];
            /**
             * @description What happens to long lines.
             * @enum {string}
             */
            overflow?: "wrap" | "scroll";
            /** @description Whether lines are numbered. */
            lineNumbers?: boolean;
            /** @description Whether the block takes the whole width of the page. */
            fullWidth?: boolean;
        };
        /** @description A line of a block of code, without its end. */
        DocumentCodeLine: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "code-line";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentNoData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Colours of a text, as CSS or the site's theme name them. */
        DocumentColorData: {
            /** @description The colour of the letters. */
            text?: components["schemas"]["Line"];
            /** @description The colour behind them. */
            background?: components["schemas"]["Line"];
        };
        /** @description Colour of a text. */
        DocumentColorMark: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "mark";
            /**
             * @description The mark.
             * @enum {string}
             */
            type: "color";
            /** @description The colours. */
            data: components["schemas"]["DocumentColorData"];
        };
        /** @description A column. */
        DocumentColumn: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "column";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentColumnData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a column. */
        DocumentColumnData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Its width, as written. */
            width?: components["schemas"]["LongText"];
        };
        /** @description Columns side by side. */
        DocumentColumns: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "columns";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentTagData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentColumn"][];
        };
        /** @description Blocks that only some visitors see. */
        DocumentCondition: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "if";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentConditionData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of blocks shown on a condition. */
        DocumentConditionData: {
            /** @description The expression that decides whether they show. */
            expression: components["schemas"]["LongText"];
        };
        /** @description A link that takes a block. */
        DocumentContentRef: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "content-ref";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentContentRefData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a link that takes a block. */
        DocumentContentRefData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Where it leads. */
            ref: components["schemas"]["ContentRef"];
            /** @description The text shown; the title of the target where left out. */
            title?: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description A component in a page. */
        DocumentContext: {
            /**
             * @description Where the component shows. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "document";
            /**
             * @description The colours around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description The id of the space. */
            spaceId: components["schemas"]["Identifier"];
            /** @description Whether the reader can change the page. */
            editable: boolean;
        };
        /** @description What holds for a whole document. Further entries are free. */
        DocumentData: {
            /**
             * Format: int32
             * @description The version of the vocabulary of blocks; 1 in every answer.
             */
            schemaVersion?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A line across the page. */
        DocumentDivider: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "divider";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentNoData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description A drawing made in the app. */
        DocumentDrawing: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "drawing";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentFileData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description A page, video or the like from elsewhere. */
        DocumentEmbed: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "embed";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentEmbedData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an embedded page. */
        DocumentEmbedData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The address to embed. */
            url: components["schemas"]["LongText"];
            /** @description What stands below it. */
            caption?: components["schemas"]["DocumentInlineNode"][];
            /** @description Whether it takes the whole width of the page. */
            fullWidth?: boolean;
        };
        /** @description An emoji written by its name; one written as itself is text. */
        DocumentEmoji: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "emoji";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentEmojiData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an emoji. */
        DocumentEmojiData: {
            /** @description Its short name, without colons. */
            code: components["schemas"]["Line"];
        };
        /** @description A title that expands to blocks. */
        DocumentExpandable: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "expandable";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentExpandableData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an expandable block. */
        DocumentExpandableData: {
            /** @description What always shows. */
            title: components["schemas"]["DocumentInlineNode"][];
            /** @description What shows once it is expanded. */
            body: components["schemas"]["DocumentBlock"][];
            /** @description Whether it is expanded from the start. */
            open?: boolean;
        };
        /** @description An expression whose value shows. */
        DocumentExpression: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "expression";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentExpressionData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an expression. */
        DocumentExpressionData: {
            /** @description The expression, such as `space.vars.version`. */
            expression: components["schemas"]["LongText"];
        };
        /** @description A file to download. */
        DocumentFile: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "file";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentFileData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a file or a drawing. */
        DocumentFileData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The file. */
            ref: components["schemas"]["ContentRef"];
            /** @description What stands below it. */
            caption?: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a formula. */
        DocumentFormulaData: {
            /** @description The formula in TeX. */
            formula: components["schemas"]["LongText"];
        };
        /** @description A heading of one of three levels; the page's own title is above them. */
        DocumentHeading: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "heading-1" | "heading-2" | "heading-3";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentHeadingData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a heading. */
        DocumentHeadingData: {
            /** @description Its anchor, where the page sets one; else it follows from the title. */
            id?: components["schemas"]["LongText"];
            /** @description Start where left out. */
            align?: components["schemas"]["DocumentAlignment"];
        };
        /** @description A box that draws attention to what it holds. */
        DocumentHint: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "hint";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentHintData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a hint. */
        DocumentHintData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /**
             * @description What the hint is for.
             * @enum {string}
             */
            style: "info" | "success" | "warning" | "danger";
            /** @description The icon to show instead of the style's own. */
            icon?: components["schemas"]["LongText"];
        };
        /** @description An icon. */
        DocumentIcon: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "icon";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentIconData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an icon. */
        DocumentIconData: {
            /** @description Its name. */
            icon: components["schemas"]["Line"];
            /** @description Its colour. */
            color?: components["schemas"]["Line"];
        };
        /** @description An image of a row of images. */
        DocumentImage: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "image";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentImageData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an image. */
        DocumentImageData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The image. */
            ref: components["schemas"]["ContentRef"];
            /** @description The image for dark themes. */
            refDark?: components["schemas"]["ContentRef"];
            /** @description What the image shows, for those who do not see it. */
            alt?: components["schemas"]["LongText"];
            /** @description What stands below the image. */
            caption?: components["schemas"]["DocumentInlineNode"][];
            /** @description Its width, in pixels or per cent, as written. */
            width?: components["schemas"]["LongText"];
            /** @description Its height, in pixels, as written. */
            height?: components["schemas"]["LongText"];
        };
        /** @description One image, or several side by side. */
        DocumentImages: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "images";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentImagesData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentImage"][];
        };
        /** @description Data of a row of images. */
        DocumentImagesData: {
            /** @description Where the images stand. */
            align?: components["schemas"]["DocumentAlignment"];
            /** @description Whether they take the whole width of the page. */
            fullWidth?: boolean;
            /** @description Whether they are framed. */
            withFrame?: boolean;
        };
        /** @description What stands in a line of text besides text. */
        DocumentInline: components["schemas"]["DocumentLink"] | components["schemas"]["DocumentEmoji"] | components["schemas"]["DocumentIcon"] | components["schemas"]["DocumentExpression"] | components["schemas"]["DocumentInlineMath"] | components["schemas"]["DocumentInlineImage"] | components["schemas"]["DocumentAnnotation"] | components["schemas"]["DocumentMention"] | components["schemas"]["DocumentButton"];
        /** @description An image in a line of text. */
        DocumentInlineImage: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "inline-image";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentInlineImageData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of an image in a line of text. */
        DocumentInlineImageData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The image. */
            ref: components["schemas"]["ContentRef"];
            /** @description The image for dark themes. */
            refDark?: components["schemas"]["ContentRef"];
            /** @description What the image shows, for those who do not see it. */
            alt?: components["schemas"]["LongText"];
            /** @description What shows when the pointer rests on it. */
            title?: components["schemas"]["LongText"];
            /**
             * @description As high as the line, or its own size.
             * @enum {string}
             */
            size?: "line" | "original";
        };
        /** @description A formula in a line of text. */
        DocumentInlineMath: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "inline-math";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentFormulaData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description What a line of text is made of. */
        DocumentInlineNode: components["schemas"]["DocumentText"] | components["schemas"]["DocumentInline"];
        /** @description A block that an integration renders. */
        DocumentIntegration: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "integration";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentIntegrationData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a block of an integration. */
        DocumentIntegrationData: {
            /** @description The name of the integration. */
            integration: components["schemas"]["LongText"];
            /** @description The id of the block in the integration. */
            block: components["schemas"]["LongText"];
            /** @description What the block was given, by name. */
            props: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description A piece of text under the same marks. */
        DocumentLeaf: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "leaf";
            /** @description The text; a line feed is a line break. */
            text: components["schemas"]["LongText"];
            /** @description How it shows. */
            marks: components["schemas"]["DocumentMark"][];
            /**
             * @description True for markup that this contract does not know, kept as it was written; else left out.
             * @enum {boolean}
             */
            raw?: true;
        };
        /** @description A link. */
        DocumentLink: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "link";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentLinkData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a link. */
        DocumentLinkData: {
            /** @description Where it leads. */
            ref: components["schemas"]["ContentRef"];
            /** @description What shows when the pointer rests on it. */
            title?: components["schemas"]["LongText"];
        };
        /** @description A list: numbered, with bullets, or of tasks. */
        DocumentList: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "list-ordered" | "list-unordered" | "list-tasks";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentListData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentListItem"][];
        };
        /** @description Data of a list. */
        DocumentListData: {
            /**
             * Format: int32
             * @description The number of the first item of an ordered list; 1 where left out.
             */
            start?: number;
        };
        /** @description An item of a list. */
        DocumentListItem: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "list-item";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentListItemData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of an item of a list. */
        DocumentListItemData: {
            /** @description Whether the task is done; left out for what is not a task. */
            checked?: boolean;
        };
        /** @description How a piece of text shows. */
        DocumentMark: components["schemas"]["DocumentPlainMark"] | components["schemas"]["DocumentColorMark"];
        /** @description A formula on lines of its own. */
        DocumentMath: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "math";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentFormulaData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description A page, user or other thing, shown by its own title. */
        DocumentMention: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "inline";
            /**
             * @description The kind of inline.
             * @enum {string}
             */
            type: "mention";
            /**
             * @description Whether inlines of this kind hold no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description What the inline carries besides its nodes. */
            data: components["schemas"]["DocumentMentionData"];
            /** @description What the inline holds, in order; empty for a kind that holds no nodes. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a mention. */
        DocumentMentionData: {
            /** @description What is mentioned. */
            ref: components["schemas"]["ContentRef"];
        };
        /** @description No data. */
        DocumentNoData: Record<string, never>;
        /** @description An operation of an OpenAPI specification. */
        DocumentOpenAPIOperation: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "openapi-operation";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentOpenAPIOperationData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an operation of an OpenAPI specification. */
        DocumentOpenAPIOperationData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The slug of the specification in the organization. */
            spec?: components["schemas"]["LongText"];
            /** @description Where the specification comes from. */
            ref?: components["schemas"]["ContentRef"];
            /** @description The path of the operation. */
            path?: components["schemas"]["LongText"];
            /** @description Its method. */
            method?: components["schemas"]["LongText"];
        };
        /** @description Schemas of an OpenAPI specification. */
        DocumentOpenAPISchemas: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "openapi-schemas";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentOpenAPISchemasData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of schemas of an OpenAPI specification. */
        DocumentOpenAPISchemasData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The slug of the specification in the organization. */
            spec?: components["schemas"]["LongText"];
            /** @description Where the specification comes from. */
            ref?: components["schemas"]["ContentRef"];
            /** @description The names of the schemas; all of them where left out. */
            schemas?: components["schemas"]["LongText"][];
            /** @description Whether they show grouped. */
            grouped?: boolean;
        };
        /** @description A webhook of an OpenAPI specification. */
        DocumentOpenAPIWebhook: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "openapi-webhook";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentOpenAPIWebhookData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a webhook of an OpenAPI specification. */
        DocumentOpenAPIWebhookData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The slug of the specification in the organization. */
            spec?: components["schemas"]["LongText"];
            /** @description Where the specification comes from. */
            ref?: components["schemas"]["ContentRef"];
            /** @description The name of the webhook. */
            name?: components["schemas"]["LongText"];
            /** @description Its method. */
            method?: components["schemas"]["LongText"];
        };
        /** @description A page with a text of its own. */
        DocumentPage: {
            /**
             * @description The type of the page.
             * @enum {string}
             */
            type: "document";
            /** @description The id of the page. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description An emoji beside the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description The name of an icon beside the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description When it was created; left out until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description When it last changed; left out until the first edit.
             */
            updatedAt?: string;
            /** @description The last part of its path. */
            slug: string;
            /** @description Its path within the space. */
            path: string;
            /** @description The pages below it, in order. */
            pages: components["schemas"]["Page"][];
            /** @description Whether it is kept out of the table of contents. */
            hidden: boolean;
            /** @description Whether it is kept out of every index. */
            noIndex: boolean;
            /** @description Whether search engines are asked not to index it. */
            noRobotsIndex: boolean;
            /** @description What the page is about, in a sentence or two. */
            description?: string;
            /** @description The body as markdown: when a single page is read in that format. */
            markdown?: string;
            /** @description The body as a document: when a single page is read in that format. */
            document?: components["schemas"]["Document"];
            /** @description The id of the body; left out where the body is computed. */
            documentId?: string;
            /** @description Where the body is computed from; left out where it was written. */
            computed?: components["schemas"]["ComputedPageSource"];
            /** @description Changes whenever a computed body does; goes with `computed`. */
            computedSeed?: string;
            /** @description Which parts are shown. */
            layout: components["schemas"]["PageLayout"];
            /** @description The image above the page. */
            cover?: components["schemas"]["PageCover"];
            /** @description Values that expressions in the page may use, by name. */
            variables?: {
                [key: string]: string;
            };
            /** @description Where it stands in the Git repository; left out with `metadata=false`. */
            git?: components["schemas"]["GitObject"];
            /** @description Its addresses. */
            urls: components["schemas"]["PageUrls"];
        };
        /** @description A paragraph. Markup that this contract does not know stands in a paragraph of its own, as raw leaves. */
        DocumentParagraph: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "paragraph";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentParagraphData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentInlineNode"][];
        };
        /** @description Data of a paragraph. */
        DocumentParagraphData: {
            /** @description Start where left out. */
            align?: components["schemas"]["DocumentAlignment"];
        };
        /** @description A mark that its name says all about. */
        DocumentPlainMark: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "mark";
            /**
             * @description The mark.
             * @enum {string}
             */
            type: "bold" | "italic" | "code" | "keyboard" | "strikethrough" | "superscript" | "subscript";
        };
        /** @description A prompt that readers may take to an assistant. */
        DocumentPrompt: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "prompt";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentPromptData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a prompt. */
        DocumentPromptData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description What the prompt is for. */
            description?: components["schemas"]["LongText"];
            /** @description The icon beside the description. */
            icon?: components["schemas"]["LongText"];
        };
        /** @description A place where reusable content shows. */
        DocumentReusableContent: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "reusable-content";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentReusableContentData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of a place where reusable content shows. */
        DocumentReusableContentData: {
            /** @description The reusable content. */
            ref: components["schemas"]["ContentRef"];
        };
        /** @description A step of a procedure; its first heading is its title. */
        DocumentStep: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "stepper-step";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentTagData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description A procedure step by step. */
        DocumentStepper: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "stepper";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentTagData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentStep"][];
        };
        /** @description An operation that a file describes. */
        DocumentSwagger: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "swagger";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentSwaggerData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description Data of an operation that a file describes. */
        DocumentSwaggerData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The file that describes the operation. */
            ref?: components["schemas"]["ContentRef"];
            /** @description The path of the operation. */
            path?: components["schemas"]["LongText"];
            /** @description Its method. */
            method?: components["schemas"]["LongText"];
        };
        /** @description A table. */
        DocumentTable: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "table";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentTableData"];
            /**
             * @description A block of this kind holds no nodes.
             * @enum {boolean}
             */
            isVoid: true;
            /** @description Always empty. */
            nodes: components["schemas"]["DocumentText"][];
        };
        /** @description A column of a table. */
        DocumentTableColumn: {
            /** @description Its id: what a comment on a cell names as `definition`. */
            id: components["schemas"]["LongText"];
            /** @description Its title. */
            title: components["schemas"]["DocumentInlineNode"][];
            /** @description What its cells hold, such as text, number, checkbox, select, files, image, rating, users or content-ref. */
            type: components["schemas"]["LongText"];
            /** @description Where the text of its cells stands. */
            align?: components["schemas"]["DocumentAlignment"];
            /** @description Its width, as written. */
            width?: components["schemas"]["LongText"];
            /** @description Whether it is hidden. */
            hidden?: boolean;
            /**
             * @description What it gives to a card: where it leads, or its cover for light or dark themes.
             * @enum {string}
             */
            card?: "target" | "cover" | "cover-dark";
            /** @description Further attributes of the column, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description Data of a table. */
        DocumentTableData: {
            /** @description How it shows. */
            view: components["schemas"]["DocumentTableView"];
            /** @description Its columns by id. */
            definition: {
                [key: string]: components["schemas"]["DocumentTableColumn"];
            };
            /** @description Its rows by id. */
            records: {
                [key: string]: components["schemas"]["DocumentTableRecord"];
            };
            /** @description Whether it takes the whole width of the page. */
            fullWidth?: boolean;
            /** @description Further attributes of the table, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description A row of a table. */
        DocumentTableRecord: {
            /** @description Its place: rows show in the order of these as texts. What a comment on a cell names as `record` is the row's id. */
            orderIndex: components["schemas"]["Line"];
            /** @description Its cells by the id of the column; an empty cell is left out. */
            values: {
                [key: string]: components["schemas"]["DocumentBlock"][];
            };
        };
        /** @description How a table shows. */
        DocumentTableView: {
            /**
             * @description As rows and columns, or a card for each row.
             * @enum {string}
             */
            type: "grid" | "cards";
            /** @description The ids of all columns in their order. */
            columns: components["schemas"]["LongText"][];
            /**
             * @description How large cards are.
             * @enum {string}
             */
            cardSize?: "medium" | "large";
            /** @description Whether the titles of the columns are hidden. */
            hideHeader?: boolean;
        };
        /** @description A set of tabs, of which one shows. */
        DocumentTabs: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "tabs";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentTabsData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentTabsItem"][];
        };
        /** @description Data of a set of tabs. */
        DocumentTabsData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Whether they take the whole width of the page. */
            fullWidth?: boolean;
        };
        /** @description A tab. */
        DocumentTabsItem: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "tabs-item";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentTabsItemData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of a tab. */
        DocumentTabsItemData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description The title of the tab. */
            title: components["schemas"]["LongText"];
            /** @description The icon beside the title. */
            icon?: components["schemas"]["LongText"];
        };
        /** @description Data that any block written as a tag may have. */
        DocumentTagData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
        };
        /** @description A run of text. */
        DocumentText: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "text";
            /** @description Its pieces, each with marks of its own. */
            leaves: components["schemas"]["DocumentLeaf"][];
        };
        /** @description An entry of a log of changes. */
        DocumentUpdate: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "update";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentUpdateData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentBlock"][];
        };
        /** @description Data of an entry of a log of changes. */
        DocumentUpdateData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description Its day, as written. */
            date?: components["schemas"]["LongText"];
            /** @description What it is about. */
            tags?: components["schemas"]["LongText"][];
        };
        /** @description A log of changes. */
        DocumentUpdates: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "block";
            /**
             * @description The kind of block.
             * @enum {string}
             */
            type: "updates";
            /** @description Tells the block from the others of its document; in every answer. It follows from what the block says, so that it outlives edits elsewhere. */
            key?: components["schemas"]["Line"];
            /** @description What the block carries besides its nodes. */
            data: components["schemas"]["DocumentUpdatesData"];
            /**
             * @description A block of this kind holds nodes.
             * @enum {boolean}
             */
            isVoid: false;
            /** @description What the block holds, in order. */
            nodes: components["schemas"]["DocumentUpdate"][];
        };
        /** @description Data of a log of changes. */
        DocumentUpdatesData: {
            /** @description Attributes of the tag that this contract does not know, as they were written. */
            attributes?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description How its dates show. */
            format?: components["schemas"]["LongText"];
        };
        /**
         * Format: email
         * @description A mail address (RFC 5321, section 4.5.3.1.3 bounds its length).
         */
        EmailAddress: string;
        /** @description Organizations that a mail domain leads to. */
        EmailDomainOrganizations: {
            /** @description The organizations, all at once. */
            organizations: components["schemas"]["Organization"][];
        };
        /** @description A mail address to invite, with a role of its own. */
        EmailInvite: {
            /** @description The mail address. */
            email: components["schemas"]["EmailAddress"];
            /** @description The role; null makes a guest. */
            role: components["schemas"]["Role"] | null;
        };
        /** @description Why a request was not served. Every failure has this body. */
        Error: {
            /** @description The failure. */
            error: components["schemas"]["ErrorInfo"];
        };
        /** @description One field at fault. */
        ErrorDetail: {
            /**
             * @description The part of the request that holds the field.
             * @enum {string}
             */
            in: "path" | "query" | "header" | "body";
            /** @description Where the field stands in its part: a name, or names and indexes joined by dots. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
        /** @description What happened, and what the caller can do about it. */
        ErrorInfo: {
            /**
             * Format: int32
             * @description The HTTP status of the response, again.
             */
            code: number;
            /** @description What happened, why, and how to mend it. */
            message: string;
            /** @description Names the request in the server's log. */
            requestId: string;
            /** @description The fields at fault, all of them at once. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /** @description Who is behind an event. */
        EventCaller: {
            /** @description The id of the user. */
            userId?: string;
        };
        /** @description What is known of a visitor. */
        EventVisitor: {
            /** @description Tells visitors apart without saying who they are. */
            anonymousId?: string;
            /** @description The cookies of the site by name. */
            cookies?: {
                [key: string]: string;
            };
            /** @description What the browser calls itself. */
            userAgent?: string;
            /** @description The address of the visitor's machine. */
            ip?: string;
            /** @description The language that the browser asks for. */
            language?: string;
        };
        /** @description Someone asked the public endpoint of the integration. */
        FetchEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fetch";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId?: string;
            /** @description What was asked. */
            request: components["schemas"]["FetchEventRequest"];
            /** @description The id of the space in whose name it was asked. */
            spaceId?: string;
            /** @description The id of the site in whose name it was asked. */
            siteId?: string;
            /** @description Who asked, if signed in. */
            auth?: components["schemas"]["EventCaller"];
        };
        /** @description A request to the public endpoint of an integration. */
        FetchEventRequest: {
            /** @description Its method. */
            method: string;
            /** @description Its address. */
            url: string;
            /** @description Its headers by name. */
            headers: {
                [key: string]: string;
            };
        };
        /** @description A site or space asks for the script that the integration adds to its pages. */
        FetchPublishedScriptEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fetch_published_script";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId?: string;
            /** @description The id of the site. */
            siteId?: string;
        };
        /** @description A visitor asks to be let in. */
        FetchVisitorAuthenticationEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "fetch_visitor_authentication";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId?: string;
            /** @description The id of the site. */
            siteId?: string;
            /** @description The path that the visitor wants to see. */
            location?: string;
        };
        /** @description A file of a space. */
        File: {
            /** @description The id of the file. */
            id: string;
            /** @description Its name. */
            name: string;
            /** @description Its media type (RFC 6838). */
            contentType: string;
            /**
             * Format: uri
             * @description Where its bytes are.
             */
            downloadURL: string;
            /**
             * Format: int64
             * @description Its size in bytes.
             */
            size: number;
            /** @description The size of an image in pixels. */
            dimensions?: components["schemas"]["FileDimensions"];
            /** @description Where it stands in the Git repository; left out with `metadata=false`. */
            git?: components["schemas"]["GitObject"];
        };
        /** @description The size of an image in pixels. */
        FileDimensions: {
            /**
             * Format: double
             * @description Pixels from left to right.
             */
            width: number;
            /**
             * Format: double
             * @description Pixels from top to bottom.
             */
            height: number;
        };
        /** @description One page of a list. */
        FileList: {
            /** @description The items of this page. */
            items: components["schemas"]["File"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A file. */
        FileLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "file";
            /** @description The organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description The space. */
            space: components["schemas"]["Space"];
            /** @description The version of the space's content. */
            versionContext?: components["schemas"]["VersionContext"];
            /** @description The file. */
            file: components["schemas"]["File"];
        };
        /** @description Points at a file of the same space. */
        FileRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "file";
            /** @description The id of the file. */
            file: components["schemas"]["Identifier"];
        };
        /** @description A page of another site. */
        FrameElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "webframe";
            /** @description Where the page is. */
            source: components["schemas"]["RenderAddress"];
            /**
             * Format: double
             * @description Its width by its height.
             */
            aspectRatio?: number;
            /** @description Its buttons. */
            buttons?: components["schemas"]["ButtonElement"][];
            /** @description What is posted to the page, by name. */
            data?: {
                [key: string]: string | components["schemas"]["RenderBinding"];
            };
        };
        /**
         * Format: uri
         * @description The address of a Git repository. It may hold credentials, which are never answered or logged.
         */
        GitAddress: string;
        /** @description A Git branch to write content to. */
        GitExport: {
            /** @description The repository. */
            url: components["schemas"]["GitAddress"];
            /** @description The branch. */
            ref: components["schemas"]["GitRef"];
            /** @description Names a cache of the repository to use again. */
            repoCacheID?: components["schemas"]["Line"];
            /** @description What the address of a file in the repository starts with. */
            repoTreeURL?: components["schemas"]["Line"];
            /** @description What the address of a commit in the repository starts with. */
            repoCommitURL?: components["schemas"]["Line"];
            /** @description The folder of the repository that holds the content; its root when left out. */
            repoProjectDirectory?: components["schemas"]["Line"];
            /**
             * Format: date-time
             * @description When that happened which this answers. Of two, the later one counts, whichever comes first.
             */
            timestamp?: string;
            /** @description Whether to go on though nothing seems to have changed. */
            force?: boolean;
            /** @description What the repository looks like to people. */
            gitInfo?: components["schemas"]["GitRepositoryInfo"];
            /** @description The message of the commit. */
            commitMessage: components["schemas"]["LongText"];
        };
        /** @description A Git branch to read content from. */
        GitImport: {
            /** @description The repository. */
            url: components["schemas"]["GitAddress"];
            /** @description The branch. */
            ref: components["schemas"]["GitRef"];
            /** @description Names a cache of the repository to use again. */
            repoCacheID?: components["schemas"]["Line"];
            /** @description What the address of a file in the repository starts with. */
            repoTreeURL?: components["schemas"]["Line"];
            /** @description What the address of a commit in the repository starts with. */
            repoCommitURL?: components["schemas"]["Line"];
            /** @description The folder of the repository that holds the content; its root when left out. */
            repoProjectDirectory?: components["schemas"]["Line"];
            /**
             * Format: date-time
             * @description When that happened which this answers. Of two, the later one counts, whichever comes first.
             */
            timestamp?: string;
            /** @description Whether to go on though nothing seems to have changed. */
            force?: boolean;
            /** @description What the repository looks like to people. */
            gitInfo?: components["schemas"]["GitRepositoryInfo"];
            /** @description Whether to make a revision alone, and leave what readers see as it is. */
            standalone?: boolean;
        };
        /** @description The Git repository that a space is kept in step with. */
        GitInfo: {
            /** @description The name of the repository. */
            repoName?: string;
            /** @description How the service came to the repository. */
            installationProvider?: components["schemas"]["GitInstallationProvider"];
            /** @description The name of the integration that keeps them in step. */
            integration?: string;
            /** @description The address of the repository, without credentials. */
            url?: string;
            /**
             * Format: date-time
             * @description When the two were last in step.
             */
            updatedAt?: string;
        };
        /**
         * @description How the service came to a Git repository.
         * @enum {string}
         */
        GitInstallationProvider: "github" | "gitlab" | "github-legacy";
        /** @description Where a thing stands in the Git repository that the content is synchronised with. */
        GitObject: {
            /** @description The id of its Git object. */
            oid: string;
            /** @description Its path in the repository. */
            path: string;
        };
        /**
         * @description Who hosts a Git repository.
         * @enum {string}
         */
        GitProvider: "github" | "gitlab";
        /** @description A branch of a Git repository, by its full name. */
        GitRef: string;
        /** @description What a Git repository looks like to people. */
        GitRepositoryInfo: {
            /** @description Who hosts it. */
            provider?: components["schemas"]["GitProvider"];
            /** @description Where people find it. */
            url?: components["schemas"]["Line"];
        };
        /** @description What to change about a grant. */
        GrantPatch: {
            /** @description What the user or team may do from now on. */
            role?: components["schemas"]["Role"];
        };
        /** @description Whom to grant what. It names users, teams or both. */
        GrantsCreate: {
            /** @description What they may do. */
            role: components["schemas"]["Role"];
            /** @description The ids of members of the organization. */
            users?: components["schemas"]["Identifier"][];
            /** @description The ids of teams of the organization. */
            teams?: components["schemas"]["Identifier"][];
        };
        /** @description A heading in the tree, with pages below it and no text. */
        GroupPage: {
            /**
             * @description The type of the page.
             * @enum {string}
             */
            type: "group";
            /** @description The id of the page. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description An emoji beside the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description The name of an icon beside the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description When it was created; left out until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description When it last changed; left out until the first edit.
             */
            updatedAt?: string;
            /** @description The last part of its path. */
            slug: string;
            /** @description Its path within the space. */
            path: string;
            /** @description The pages below it, in order. */
            pages: components["schemas"]["Page"][];
            /** @description Whether it is kept out of the table of contents. */
            hidden: boolean;
            /** @description Whether it is kept out of every index. */
            noIndex: boolean;
            /** @description Whether search engines are asked not to index it. */
            noRobotsIndex: boolean;
        };
        /** @description The name of an icon, or an emoji, as the app shows it. */
        IconName: string;
        /** @description An opaque identifier. It never has meaning beyond equality. */
        Identifier: string;
        /** @description An image. */
        ImageElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "image";
            /** @description Where it is. */
            source: components["schemas"]["RenderAddress"];
            /**
             * Format: double
             * @description Its width by its height.
             */
            aspectRatio: number;
        };
        /**
         * @description The kind of thing that content is imported from.
         * @enum {string}
         */
        ImportSource: "website" | "docx" | "markdown" | "html" | "zip" | "confluence" | "github-wiki" | "notion" | "google-docs";
        /** @description What an import brought. */
        ImportedContent: {
            /** @description The id of the new revision. */
            revision: string;
            /**
             * Format: int32
             * @description How many pages and files came in.
             */
            importedResources: number;
            /**
             * Format: int32
             * @description How many pages and files there were.
             */
            totalResources: number;
        };
        /** @description A labelled input. */
        InputElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "input";
            /** @description The label. */
            label: string;
            /** @description A remark below the label. */
            hint?: string | components["schemas"]["TextElement"][];
            /** @description The input itself. */
            element: components["schemas"]["RenderInput"];
        };
        /** @description An integration as one organization has installed it. */
        Installation: {
            /** @description The id of the installation. */
            id: string;
            /** @description Whether it works. */
            status: components["schemas"]["InstallationStatus"];
            /** @description Which spaces it works on. */
            space_selection: components["schemas"]["InstallationSelection"];
            /** @description Which sites it works on. */
            site_selection: components["schemas"]["InstallationSelection"];
            /**
             * Format: int32
             * @description How many spaces it works on.
             */
            spaces: number;
            /** @description The values of its settings by name. */
            configuration: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When it was installed.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /** @description Where to find it. */
            urls: components["schemas"]["InstallationUrls"];
            /** @description Names that the integration knows it by. */
            externalIds: string[];
            /** @description What it is installed on. */
            target: components["schemas"]["InstallationTarget"];
        };
        /**
         * @description A new installation.
         * @example {
         *       "organization": "org_acme"
         *     }
         */
        InstallationCreate: {
            /** @description The id of the organization. */
            organization: components["schemas"]["Identifier"];
        };
        /** @description An installation was removed. */
        InstallationDeletedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "installation_deleted";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description How it stood. */
            previous: components["schemas"]["InstallationRemains"];
        };
        /** @description One page of a list. */
        InstallationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Installation"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description Where to find an installation on one space or site. */
        InstallationPartUrls: {
            /**
             * Format: uri
             * @description The installation in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The address that it answers requests of anyone at.
             */
            publicEndpoint: string;
        };
        /** @description What is left of a removed installation. */
        InstallationRemains: {
            /** @description The values of its settings by name. */
            configuration?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description What an installation works on.
         * @enum {string}
         */
        InstallationSelection: "all" | "selected";
        /** @description An installation was made, or its settings changed. */
        InstallationSetupEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "installation_setup";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description Whether the installation works. */
            status: components["schemas"]["InstallationStatus"];
            /** @description How it stood before, unless it is new. */
            previous?: components["schemas"]["InstallationSnapshot"];
        };
        /** @description How an installation stood. */
        InstallationSnapshot: {
            /** @description Whether it worked. */
            status: components["schemas"]["InstallationStatus"];
            /** @description The values of its settings by name. */
            configuration?: {
                [key: string]: unknown;
            };
        };
        /**
         * @description Whether an installation works.
         * @enum {string}
         */
        InstallationStatus: "active" | "pending" | "paused";
        /** @description What an integration is installed on. */
        InstallationTarget: {
            /** @description The id of the organization. */
            organization: string;
        };
        /** @description Where to find an installation. */
        InstallationUrls: {
            /**
             * Format: uri
             * @description The installation in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The page that manages it.
             */
            app: string;
            /**
             * Format: uri
             * @description The address that it answers requests of anyone at.
             */
            publicEndpoint: string;
        };
        /** @description An integration: a program by a third party that organizations install. */
        Integration: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "integration";
            /** @description Its name, unique in the service. */
            name: components["schemas"]["IntegrationName"];
            /**
             * Format: int32
             * @description How often it was published.
             */
            version: number;
            /** @description Its title. */
            title: string;
            /** @description What it does, in a sentence. */
            description?: string;
            /** @description What it does, at length, in markdown. */
            summary?: string;
            /** @description Addresses of images that show it at work. */
            previewImages: string[];
            /** @description What it can be installed on. */
            target: components["schemas"]["IntegrationTarget"];
            /** @description Whether the operator of the service vouches for it. */
            verified: boolean;
            /** @description Who finds it. */
            visibility: components["schemas"]["IntegrationVisibility"];
            /** @description What it may do where it is installed. */
            scopes: components["schemas"]["IntegrationScope"][];
            /** @description What it is about. */
            categories: components["schemas"]["IntegrationCategory"][];
            /** @description The blocks that it adds to pages. */
            blocks?: components["schemas"]["IntegrationBlock"][];
            /** @description The sources of content that it adds. */
            contentSources?: components["schemas"]["IntegrationContentSource"][];
            /** @description What can be set where it is installed. */
            configurations?: components["schemas"]["IntegrationConfigurations"];
            /** @description Links to more about it. */
            externalLinks: components["schemas"]["IntegrationLink"][];
            /** @description The organization that published it. */
            owner: components["schemas"]["Organization"];
            /** @description Where to find it. */
            urls: components["schemas"]["IntegrationUrls"];
            /** @description What the caller may do. */
            permissions: components["schemas"]["IntegrationPermissions"];
            /** @description What its scripts and blocks may load, as a policy for browsers (CSP level 3). */
            contentSecurityPolicy?: string;
        };
        /** @description A block that an integration adds to pages. */
        IntegrationBlock: {
            /** @description Names the block within the integration. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description What it shows. */
            description?: string;
            /** @description The address of its icon. */
            icon?: string;
            /** @description Addresses that turn into this block when they are pasted. */
            urlUnfurl?: string[];
            /** @description How the block is written in markdown. */
            markdown?: components["schemas"]["IntegrationBlockMarkdown"];
        };
        /** @description How a block is written in markdown: as a fenced code block. */
        IntegrationBlockMarkdown: {
            /** @description The language named at the fence. */
            codeblock: components["schemas"]["Line"];
            /** @description The property of the block that the text between the fences fills. */
            body: components["schemas"]["Line"];
        };
        /** @description A block that an integration adds to pages, as it is published. */
        IntegrationBlockWrite: {
            /** @description Names the block within the integration. */
            id: components["schemas"]["Line"];
            /** @description Its title. */
            title: string;
            /** @description What it shows. */
            description?: string;
            /** @description Its icon: an image in base64, or an address. */
            icon?: components["schemas"]["LongText"];
            /** @description Addresses that turn into this block when they are pasted. */
            urlUnfurl?: components["schemas"]["Line"][];
            /** @description How the block is written in markdown. */
            markdown?: components["schemas"]["IntegrationBlockMarkdown"];
        };
        /** @description A setting that is yes or no. */
        IntegrationBooleanProperty: {
            /**
             * @description The kind of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "boolean";
            /** @description Its title. */
            title?: string;
            /** @description What it does. */
            description?: string;
            /** @description Its value until it is set. */
            default?: boolean;
        };
        /** @description A button among the settings, which leads elsewhere, for instance to sign in. */
        IntegrationButtonProperty: {
            /**
             * @description The kind of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "button";
            /** @description Its title. */
            title?: string;
            /** @description What it does. */
            description?: string;
            /** @description The address that it opens. */
            callback_url: components["schemas"]["Line"];
            /** @description Its words. */
            button_text: components["schemas"]["Line"];
        };
        /**
         * @description What an integration is about.
         * @enum {string}
         */
        IntegrationCategory: "analytics" | "collaboration" | "content" | "gitsync" | "marketing" | "visitor-auth" | "other";
        /** @description A component of the integration that renders a form. */
        IntegrationComponent: {
            /** @description Names the component within the integration. */
            componentId: components["schemas"]["Line"];
        };
        /** @description What can be set at one level. */
        IntegrationConfiguration: {
            /** @description The settings by name. */
            properties: {
                [key: string]: components["schemas"]["IntegrationProperty"];
            };
            /** @description The names of settings that must have a value. */
            required: string[];
        };
        /** @description What can be set at one level: settings, or a form of the integration's own. */
        IntegrationConfigurationWrite: components["schemas"]["IntegrationSettings"] | components["schemas"]["IntegrationComponent"];
        /** @description What can be set where an integration is installed. */
        IntegrationConfigurations: {
            /** @description For the whole organization. */
            account?: components["schemas"]["IntegrationConfiguration"];
            /** @description For one space. */
            space?: components["schemas"]["IntegrationConfiguration"];
            /** @description For one site. */
            site?: components["schemas"]["IntegrationConfiguration"];
        };
        /** @description What can be set where an integration is installed, as it is published. */
        IntegrationConfigurationsWrite: {
            /** @description For the whole organization. */
            account?: components["schemas"]["IntegrationConfigurationWrite"];
            /** @description For one space. */
            space?: components["schemas"]["IntegrationConfigurationWrite"];
            /** @description For one site. */
            site?: components["schemas"]["IntegrationConfigurationWrite"];
        };
        /** @description A source of content that an integration adds. */
        IntegrationContentSource: {
            /** @description Names the source within the integration. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description What it brings. */
            description?: string;
            /** @description The address of its icon. */
            icon?: string;
            /** @description How it is set up. */
            configuration: components["schemas"]["IntegrationComponent"];
        };
        /** @description A source of content that an integration adds, as it is published. */
        IntegrationContentSourceWrite: {
            /** @description Names the source within the integration. */
            id: components["schemas"]["Line"];
            /** @description Its title. */
            title: components["schemas"]["Line"];
            /** @description What it brings. */
            description?: components["schemas"]["Line"];
            /** @description Its icon: an image in base64, or an address. */
            icon?: components["schemas"]["LongText"];
            /** @description How it is set up. */
            configuration: components["schemas"]["IntegrationComponent"];
        };
        /** @description Something that an integration was told of. */
        IntegrationEvent: {
            /** @description The id of the event. */
            id: string;
            /** @description The name of the integration. */
            integrationId: string;
            /** @description The id of the installation that it concerns. */
            installationId?: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            createdAt: string;
            /** @description What happened. */
            payload: components["schemas"]["IntegrationEventPayload"];
            /** @description How the integration took it. */
            status: components["schemas"]["IntegrationEventStatus"];
        };
        /** @description One page of a list. */
        IntegrationEventList: {
            /** @description The items of this page. */
            items: components["schemas"]["IntegrationEvent"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What an integration is told, by type of event. */
        IntegrationEventPayload: components["schemas"]["InstallationSetupEvent"] | components["schemas"]["SpaceInstallationSetupEvent"] | components["schemas"]["SiteInstallationSetupEvent"] | components["schemas"]["InstallationDeletedEvent"] | components["schemas"]["SpaceInstallationDeletedEvent"] | components["schemas"]["SiteInstallationDeletedEvent"] | components["schemas"]["SpaceViewEvent"] | components["schemas"]["SiteViewEvent"] | components["schemas"]["SpaceContentUpdatedEvent"] | components["schemas"]["SpaceGitSyncStartedEvent"] | components["schemas"]["SpaceGitSyncCompletedEvent"] | components["schemas"]["SpaceVisibilityUpdatedEvent"] | components["schemas"]["FetchEvent"] | components["schemas"]["FetchPublishedScriptEvent"] | components["schemas"]["FetchVisitorAuthenticationEvent"] | components["schemas"]["RenderEvent"] | components["schemas"]["ComputeDocumentEvent"] | components["schemas"]["ComputeRevisionEvent"] | components["schemas"]["TaskEvent"] | components["schemas"]["PageFeedbackEvent"];
        /**
         * @description How an integration took an event.
         * @enum {string}
         */
        IntegrationEventStatus: "success" | "failed";
        /** @description What the script of an integration did about an event. */
        IntegrationEventTrace: {
            /** @description The lines of its log, in order. */
            logs: components["schemas"]["IntegrationLogLine"][];
        };
        /** @description An event, with what the script of the integration wrote to its log. */
        IntegrationEventWithTrace: {
            /** @description The event. */
            event: components["schemas"]["IntegrationEvent"];
            /** @description What the script did. */
            trace?: components["schemas"]["IntegrationEventTrace"];
        };
        /** @description A link to more about an integration. */
        IntegrationLink: {
            /** @description The address. */
            url: components["schemas"]["WebAddress"];
            /** @description The words. */
            label: components["schemas"]["Line"];
        };
        /** @description One page of a list. */
        IntegrationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Integration"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /**
         * @description How urgent a line of a log is.
         * @enum {string}
         */
        IntegrationLogLevel: "debug" | "info" | "warn" | "error";
        /** @description A line of the log of a script. */
        IntegrationLogLine: {
            /** @description The text. */
            message: string;
            /**
             * Format: date-time
             * @description When it was written.
             */
            timestamp: string;
            /** @description How urgent it is. */
            level: components["schemas"]["IntegrationLogLevel"];
        };
        /** @description The name of an integration. */
        IntegrationName: string;
        /** @description A setting that is a number. */
        IntegrationNumberProperty: {
            /**
             * @description The kind of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "number";
            /** @description Its title. */
            title?: string;
            /** @description What it does. */
            description?: string;
            /**
             * Format: double
             * @description Its value until it is set.
             */
            default?: number;
        };
        /** @description What the caller may do with an integration. */
        IntegrationPermissions: {
            /** @description Publish it anew, remove it, read its events. */
            admin: boolean;
        };
        /** @description One setting. */
        IntegrationProperty: components["schemas"]["IntegrationTextProperty"] | components["schemas"]["IntegrationNumberProperty"] | components["schemas"]["IntegrationBooleanProperty"] | components["schemas"]["IntegrationButtonProperty"];
        /**
         * @description What is published of an integration; what is left out stays as it was published before.
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
            /** @description What runs its script; `v1` unless said otherwise. */
            runtime?: components["schemas"]["IntegrationRuntime"];
            /** @description Its icon, an image. */
            icon?: components["schemas"]["Base64"];
            /** @description Its title. */
            title?: string;
            /** @description What it does, in a sentence. */
            description?: string;
            /** @description What it does, at length, in markdown. */
            summary?: string;
            /** @description Images that show it at work. */
            previewImages?: components["schemas"]["Base64"][];
            /** @description Who finds it. */
            visibility?: components["schemas"]["IntegrationVisibility"];
            /** @description What it can be installed on; everything unless said otherwise. */
            target?: components["schemas"]["IntegrationTarget"];
            /** @description What it may do where it is installed. */
            scopes?: components["schemas"]["IntegrationScope"][];
            /** @description What it is about. */
            categories?: components["schemas"]["IntegrationCategory"][];
            /** @description The blocks that it adds to pages. */
            blocks?: components["schemas"]["IntegrationBlockWrite"][];
            /** @description The sources of content that it adds. */
            contentSources?: components["schemas"]["IntegrationContentSourceWrite"][];
            /** @description Links to more about it. */
            externalLinks?: components["schemas"]["IntegrationLink"][];
            /** @description What can be set where it is installed. */
            configurations?: components["schemas"]["IntegrationConfigurationsWrite"];
            /** @description The text of its script. */
            script?: components["schemas"]["LongText"];
            /** @description The organization that publishes it: its id or its host name in this service. */
            organization?: components["schemas"]["Identifier"];
            /** @description Values that only its script gets to see, by name. */
            secrets?: {
                [key: string]: components["schemas"]["LongText"];
            };
            /** @description What its scripts and blocks may load, as a policy for browsers (CSP level 3). */
            contentSecurityPolicy?: components["schemas"]["ContentSecurityPolicyWrite"];
        };
        /**
         * @description What runs the script of an integration.
         * @enum {string}
         */
        IntegrationRuntime: "v1" | "v2";
        /**
         * @description What an integration may do where it is installed.
         * @enum {string}
         */
        IntegrationScope: "space:content:read" | "space:content:write" | "space:metadata:read" | "space:metadata:write" | "space:git:sync" | "space:views:read" | "space:script:inject" | "space:script:cookies" | "space:visitor:auth" | "site:metadata:read" | "site:views:read" | "site:script:inject" | "site:script:cookies" | "site:visitor:auth" | "site:visitor:claims" | "site:adaptive:read" | "site:adaptive:write" | "site:ai:ask" | "page:feedback:read" | "openapi:read" | "openapi:write" | "conversations:ingest";
        /** @description Settings, as they are published. */
        IntegrationSettings: {
            /** @description The settings by name. */
            properties: {
                [key: string]: components["schemas"]["IntegrationProperty"];
            };
            /** @description The names of settings that must have a value. */
            required?: components["schemas"]["Line"][];
        };
        /** @description Content computed by an integration. */
        IntegrationSource: {
            /** @description Who computes the content. */
            type: components["schemas"]["IntegrationSourceType"];
            /** @description Settings, in the terms of the integration. */
            props: {
                [key: string]: unknown;
            };
            /** @description What the content depends on, by name. */
            dependencies?: {
                [key: string]: components["schemas"]["ComputedDependency"];
            };
        };
        /** @description A source of computed content that an integration offers: `integration:<name>:<source>`. */
        IntegrationSourceType: string;
        /**
         * @description What an integration can be installed on.
         * @enum {string}
         */
        IntegrationTarget: "all" | "site" | "space" | "organization";
        /** @description A task that an integration set itself. */
        IntegrationTask: {
            /** @description Names the kind of task. */
            type: string;
            /** @description What the integration wrote down for itself. */
            payload?: {
                [key: string]: unknown;
            };
        };
        /** @description A setting that is text, or one of several texts. */
        IntegrationTextProperty: {
            /**
             * @description The kind of the setting. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "string";
            /** @description Its title. */
            title?: string;
            /** @description What it does. */
            description?: string;
            /** @description Its value until it is set. */
            default?: components["schemas"]["Line"];
            /** @description An address that proposes values. */
            completion_url?: components["schemas"]["Line"];
            /** @description The values to choose from. */
            enum?: components["schemas"]["Line"][];
        };
        /**
         * @description Where the events of an integration under development go.
         * @example {
         *       "tunnelUrl": "https://quiet-fox.example.net"
         *     }
         */
        IntegrationTunnel: {
            /** @description The address that takes them. */
            tunnelUrl: components["schemas"]["WebAddress"];
            /**
             * @description Whether the events of all organizations go there, not only those of the owner.
             * @default false
             */
            all?: boolean;
        };
        /** @description Where to find an integration. */
        IntegrationUrls: {
            /**
             * Format: uri
             * @description The integration in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description Its icon.
             */
            icon?: string;
            /**
             * Format: uri
             * @description The page that manages it.
             */
            app: string;
            /**
             * Format: uri
             * @description Where its files are.
             */
            assets: string;
            /**
             * Format: uri
             * @description The address that it answers requests of anyone at.
             */
            publicEndpoint: string;
        };
        /**
         * @description Who finds an integration.
         * @enum {string}
         */
        IntegrationVisibility: "public" | "private" | "unlisted";
        /** @description Visitors whom an integration authenticates. */
        IntegrationVisitorAuth: {
            /**
             * @description Who authenticates. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            backend: "integration";
            /** @description The name of the integration. */
            integration: string;
        };
        /** @description A place within a page. */
        InternalLocation: components["schemas"]["AnchorPosition"] | components["schemas"]["NodePosition"];
        /** @description What to change about an invitation to a space or a collection. */
        InviteLevel: {
            /** @description What those who join may do there. */
            level: components["schemas"]["Role"];
        };
        /** @description An invitation to the organization to create; or what to change about one. */
        InviteRole: {
            /** @description The role of those who join; null makes guests. */
            role: components["schemas"]["Role"] | null;
        };
        /** @description The addresses of an invitation. */
        InviteUrls: {
            /**
             * Format: uri
             * @description The invitation in this API.
             */
            location: string;
        };
        /** @description People to invite by their mail addresses. */
        InviteUsers: {
            /** @description Whom to invite. An address that comes twice counts as it came first. */
            emails: components["schemas"]["Invitee"][];
            /**
             * @description The role of those who come without one. Left out, it is the organization's default role;
             *     without such a default they are guests.
             */
            role?: components["schemas"]["Role"] | null;
            /**
             * @description Whether they sign in through the organization's SAML provider.
             * @default false
             */
            sso?: boolean;
        };
        /** @description What became of inviting people. */
        InvitedUsers: {
            /** @description The ids of the invited users who are members now, those who were before included. */
            users: string[];
            /**
             * Format: int32
             * @description How many people became members or wait to become one by this request.
             */
            invited: number;
            /** @description Mail addresses of members who stay as they are, without SSO; left out when there are none. */
            failedSSOEmails?: string[];
        };
        /** @description Someone to invite. */
        Invitee: components["schemas"]["EmailAddress"] | components["schemas"]["EmailInvite"];
        /**
         * @description A language that content is written in, by its code.
         * @enum {string}
         */
        Language: "en" | "fr" | "de" | "es" | "it" | "pt" | "pt-br" | "ru" | "ja" | "zh" | "yue" | "ko" | "ar" | "hi" | "nl" | "pl" | "tr" | "sv" | "no" | "da" | "fi" | "el" | "cs" | "hu" | "ro" | "th" | "vi" | "id" | "ms" | "he" | "uk" | "sk" | "bg" | "hr" | "lt" | "lv" | "et" | "sl";
        /** @description One line of text that nothing else bounds: at most 2,048 characters. */
        Line: string;
        /** @description A link that whoever has it can join by. */
        LinkInvite: components["schemas"]["OrganizationInvite"] | components["schemas"]["SpaceInvite"] | components["schemas"]["CollectionInvite"];
        /** @description An invite link to create. */
        LinkInviteCreate: components["schemas"]["InviteRole"] | components["schemas"]["SpaceInviteCreate"] | components["schemas"]["CollectionInviteCreate"];
        /** @description One page of a list. */
        LinkInviteList: {
            /** @description The items of this page. */
            items: components["schemas"]["LinkInvite"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What to change about an invite link: its role or its level, whichever it has. */
        LinkInvitePatch: components["schemas"]["InviteRole"] | components["schemas"]["InviteLevel"];
        /** @description One page of a list of links. */
        LinkList: {
            /** @description The items of this page. */
            items: components["schemas"]["ContentLink"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
            /** @description How many links there are, whatever the filter. */
            stats: components["schemas"]["LinkStats"];
        };
        /** @description An entry of the tree that leads elsewhere. */
        LinkPage: {
            /**
             * @description The type of the page.
             * @enum {string}
             */
            type: "link";
            /** @description The id of the page. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description An emoji beside the title. */
            emoji?: components["schemas"]["IconName"];
            /** @description The name of an icon beside the title. */
            icon?: components["schemas"]["IconName"];
            /**
             * Format: date-time
             * @description When it was created; left out until the first edit.
             */
            createdAt?: string;
            /**
             * Format: date-time
             * @description When it last changed; left out until the first edit.
             */
            updatedAt?: string;
            /** @description Where it leads. */
            target: components["schemas"]["ContentRef"];
            /** @description The address it leads to, where there is one. */
            href?: string;
            /** @description Whether it is kept out of the table of contents. */
            hidden: boolean;
        };
        /**
         * @description How a target is linked to.
         * @enum {string}
         */
        LinkRelation: "reference" | "dependsOn";
        /** @description How many links there are. */
        LinkStats: {
            /**
             * Format: int32
             * @description All links.
             */
            total: number;
            /** @description Those that lead nowhere. */
            broken: components["schemas"]["BrokenLinkStats"];
        };
        /**
         * @description Whether a link leads anywhere.
         * @enum {string}
         */
        LinkStatus: "ok" | "broken" | "in-app";
        /** @description Where a link leads, or where it stands. */
        Location: components["schemas"]["FileLocation"] | components["schemas"]["PageLocation"] | components["schemas"]["ReusableContentLocation"] | components["schemas"]["SpaceLocation"] | components["schemas"]["CollectionLocation"] | components["schemas"]["OpenAPILocation"] | components["schemas"]["UrlLocation"] | components["schemas"]["UserLocation"];
        /** @description One page of a list. */
        LocationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Location"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description Text of any length up to what the body limit lets through (16 MB). */
        LongText: string;
        /**
         * @description A text in markdown.
         * @example {
         *       "markdown": "Shouldn't this name the default?"
         *     }
         */
        MarkdownBody: {
            /** @description The text. */
            markdown: components["schemas"]["LongText"];
        };
        /** @description Markdown. */
        MarkdownElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "markdown";
            /** @description The text. */
            content: string;
        };
        /** @description A user as a member of an organization. */
        Member: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "member";
            /** @description The id of the user. */
            id: string;
            /** @description What the member may do in the organization; null is a guest. */
            role: components["schemas"]["Role"] | null;
            /** @description The user. */
            user: components["schemas"]["User"];
            /** @description Whether the member is kept out for now. */
            disabled: boolean;
            /**
             * Format: date-time
             * @description When the user joined the organization.
             */
            joinedAt: string;
            /**
             * Format: date-time
             * @description When the member was last active; left out for one who never was.
             */
            lastSeenAt?: string;
            /** @description Whether the member signs in through the organization's SAML provider. */
            sso: boolean;
            /**
             * Format: int32
             * @description How many spaces the member has access to.
             */
            spaces: number;
            /**
             * Format: int32
             * @description How many teams the member belongs to.
             */
            teams: number;
        };
        /** @description One page of a list. */
        MemberList: {
            /** @description The items of this page. */
            items: components["schemas"]["Member"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What to change about a member. */
        MemberPatch: {
            /** @description The new role; null makes a guest. */
            role?: components["schemas"]["Role"] | null;
        };
        /** @description Prices for each member. */
        MemberPricing: {
            /** @description On the plan Plus. */
            plus_2024: components["schemas"]["Price"];
            /** @description On the plan Pro. */
            pro_2024: components["schemas"]["Price"];
        };
        /**
         * @description A role, or a guest: which members to list.
         * @enum {string}
         */
        MemberRoleFilter: "admin" | "create" | "review" | "edit" | "comment" | "read" | "guest";
        /**
         * @description What members are listed by.
         * @enum {string}
         */
        MemberSort: "joinedAt" | "lastSeenAt";
        /** @description A space, with what a member may do in it. */
        MemberSpace: {
            /** @description The level that applies to the member. */
            permission: components["schemas"]["Role"];
            /** @description The space. */
            space: components["schemas"]["Space"];
        };
        /** @description One page of a list. */
        MemberSpaceList: {
            /** @description The items of this page. */
            items: components["schemas"]["MemberSpace"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A team, with what a member is in it. */
        MemberTeam: {
            /** @description The team. */
            team: components["schemas"]["Team"];
            /** @description The member in the team. */
            member: components["schemas"]["TeamMembership"];
        };
        /** @description One page of a list. */
        MemberTeamList: {
            /** @description The items of this page. */
            items: components["schemas"]["MemberTeam"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A revision made by merging a change request. */
        MergeRevision: {
            /**
             * @description What made it.
             * @enum {string}
             */
            type: "merge";
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "revision";
            /** @description The id of the revision. */
            id: string;
            /** @description The ids of the revisions that it follows. */
            parents: string[];
            /** @description The page tree, in order and without bodies. */
            pages: components["schemas"]["Page"][];
            /** @description The files. */
            files: components["schemas"]["File"][];
            /** @description The pieces that several pages include. */
            reusableContents: components["schemas"]["ReusableContent"][];
            /** @description Values that expressions in any page may use, by name. */
            variables?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description Its Git commit; left out with `metadata=false`. */
            git?: components["schemas"]["RevisionGit"];
            /** @description Its addresses. */
            urls: components["schemas"]["RevisionUrls"];
            /** @description The change request that was merged. */
            mergedFrom: components["schemas"]["ChangeRequest"];
        };
        /** @description A dialogue. */
        ModalElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "modal";
            /** @description What it holds. */
            children: components["schemas"]["RenderElement"][];
            /** @description Its title. */
            title?: string;
            /** @description A line below the title. */
            subtitle?: string;
            /**
             * @description How large it is.
             * @enum {string}
             */
            size?: "medium" | "xlarge" | "fullscreen";
            /** @description What it hands to what opened it when the reader closes it. */
            returnValue?: {
                [key: string]: unknown;
            };
            /** @description The button that ends it. */
            submit?: components["schemas"]["ButtonElement"];
        };
        /** @description Where a space or a collection goes: to another parent, to another place, or both. */
        MoveContent: {
            /** @description The collection to move into; null is the root of the organization. */
            parent?: components["schemas"]["Identifier"] | null;
            /** @description The place among the spaces and collections of the parent. */
            position?: components["schemas"]["ContentPointerPosition"];
        };
        /** @description Where a list goes on. */
        NextPage: {
            /** @description The cursor to send as `page`. */
            page: string;
        };
        /** @description A node within the document of a page. */
        NodePosition: {
            /**
             * @description How the place is named.
             * @enum {string}
             */
            type: "node";
            /** @description The key of the node. */
            node: string;
        };
        /** @description What content computed from an OpenAPI specification depends on. */
        OpenAPIDependencies: {
            /** @description The specification. */
            spec: components["schemas"]["OpenAPIDependency"];
        };
        /** @description The specification that pages are computed from. */
        OpenAPIDependency: {
            /** @description Points at the specification. */
            ref: components["schemas"]["OpenAPIRef"];
        };
        /** @description An OpenAPI specification. */
        OpenAPILocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "openapi";
            /** @description The organization that owns the specification. */
            organization: components["schemas"]["Organization"];
            /** @description The specification. */
            openAPISpec: components["schemas"]["OpenAPISpec"];
        };
        /** @description Shows the data models of a specification. */
        OpenAPIModelsProps: {
            /**
             * @description What the page shows.
             * @enum {string}
             */
            doc: "models";
        };
        /** @description What a page computed from an OpenAPI specification shows. */
        OpenAPIPageProps: components["schemas"]["OpenAPIModelsProps"] | components["schemas"]["OpenAPIPartProps"];
        /** @description A page computed from an OpenAPI specification. */
        OpenAPIPageSource: {
            /**
             * @description Who computes the content.
             * @enum {string}
             */
            type: "builtin:openapi";
            /** @description What to show. */
            props: components["schemas"]["OpenAPIPageProps"];
            /** @description What the content depends on. */
            dependencies: components["schemas"]["OpenAPIDependencies"];
        };
        /** @description Shows one part of a specification. */
        OpenAPIPartProps: {
            /**
             * @description What the page shows.
             * @enum {string}
             */
            doc: "operations" | "info";
            /** @description Which page of the specification it is: the slug of its tag, as a rule. */
            page: components["schemas"]["Line"];
        };
        /** @description What the caller may do with a specification. */
        OpenAPIPermissions: {
            /** @description Read it. */
            view: boolean;
            /** @description Change and delete it. */
            edit: boolean;
        };
        /**
         * @description Why a source could not be read.
         * @enum {string}
         */
        OpenAPIProcessErrorCode: "FETCH_TIMEOUT" | "FETCH_ERROR" | "PARSE_ERROR";
        /**
         * @description How far the reading of a source is.
         * @enum {string}
         */
        OpenAPIProcessingState: "pending" | "progress" | "complete";
        /** @description Points at an OpenAPI specification of the organization. */
        OpenAPIRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "openapi";
            /** @description The slug or the id of the specification. */
            spec: components["schemas"]["Identifier"];
        };
        /** @description What to compute from an OpenAPI specification. */
        OpenAPIRevisionProps: {
            /** @description Whether the data models get a page too. */
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
             * @description Who computes the content.
             * @enum {string}
             */
            type: "builtin:openapi";
            /** @description What to compute. */
            props: components["schemas"]["OpenAPIRevisionProps"];
            /** @description What the content depends on. */
            dependencies: components["schemas"]["OpenAPIDependencies"];
        };
        /** @description The name of a specification in addresses: lower-case words joined by hyphens. */
        OpenAPISlug: string;
        /** @description Where the text of a specification comes from. */
        OpenAPISource: components["schemas"]["OpenAPISourceAddress"] | components["schemas"]["OpenAPISourceText"];
        /** @description An address that a specification is fetched from. */
        OpenAPISourceAddress: {
            /** @description The address. */
            url: components["schemas"]["WebAddress"];
        };
        /** @description The text of a specification. */
        OpenAPISourceText: {
            /** @description An OpenAPI document in JSON or YAML. */
            text: components["schemas"]["LongText"];
        };
        /** @description An OpenAPI specification that an organization keeps, with all its versions. */
        OpenAPISpec: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "openapi-spec";
            /** @description The id of the specification. */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /** @description Its name in addresses. */
            slug: components["schemas"]["OpenAPISlug"];
            /** @description The address that it is fetched from. */
            sourceURL?: components["schemas"]["WebAddress"];
            /** @description How far the reading of its source is. */
            processingState: components["schemas"]["OpenAPIProcessingState"];
            /** @description Who may read it. */
            visibility?: components["schemas"]["OpenAPIVisibility"];
            /** @description The id of its newest version. */
            lastVersion?: string;
            /**
             * Format: date-time
             * @description When its source was last read.
             */
            lastProcessedAt?: string;
            /** @description Why its source could not be read the last time. */
            lastProcessErrorCode?: components["schemas"]["OpenAPIProcessErrorCode"];
            /** @description What the caller may do. */
            permissions: components["schemas"]["OpenAPIPermissions"];
            /** @description Where to find it. */
            urls: components["schemas"]["OpenAPIUrls"];
        };
        /**
         * @description A new specification.
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
            /** @description Its name in addresses. */
            slug: components["schemas"]["OpenAPISlug"];
            /** @description Where its text comes from. */
            source: components["schemas"]["OpenAPISource"];
        };
        /** @description One page of a list. */
        OpenAPISpecList: {
            /** @description The items of this page. */
            items: components["schemas"]["OpenAPISpec"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /**
         * @description What of a specification changes.
         * @example {
         *       "visibility": "public"
         *     }
         */
        OpenAPISpecPatch: {
            /** @description Who may read it. */
            visibility: components["schemas"]["OpenAPIVisibility"];
        };
        /**
         * @description The text of a specification, new or anew.
         * @example {
         *       "source": {
         *         "url": "https://petstore3.swagger.io/api/v3/openapi.json"
         *       }
         *     }
         */
        OpenAPISpecUpdate: {
            /** @description Where its text comes from. */
            source: components["schemas"]["OpenAPISource"];
        };
        /** @description One version of a specification. */
        OpenAPISpecVersion: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "openapi-spec-version";
            /** @description The id of the version. */
            id: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt?: string;
            /** @description The address of its text. */
            url: components["schemas"]["WebAddress"];
            /** @description Where to find the version. */
            urls: components["schemas"]["OpenAPIVersionUrls"];
        };
        /** @description One page of a list. */
        OpenAPISpecVersionList: {
            /** @description The items of this page. */
            items: components["schemas"]["OpenAPISpecVersion"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description Where to find a specification. */
        OpenAPIUrls: {
            /**
             * Format: uri
             * @description The specification in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The page that manages it.
             */
            app: string;
            /**
             * Format: uri
             * @description Its newest version, for everyone, once it is public.
             */
            published?: string;
        };
        /** @description What a version of a specification says. */
        OpenAPIVersionContent: {
            /** @description The parsed documents by file name. */
            filesystem: {
                [key: string]: unknown;
            };
            /** @description The address of its text. */
            url: components["schemas"]["WebAddress"];
        };
        /** @description Where to find a version of a specification. */
        OpenAPIVersionUrls: {
            /**
             * Format: uri
             * @description The version in this API.
             */
            location: string;
        };
        /**
         * @description Who may read a specification.
         * @enum {string}
         */
        OpenAPIVisibility: "private" | "public";
        /** @description A comment that is not settled. */
        OpenComment: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "comment";
            /**
             * @description That it is not settled.
             * @enum {string}
             */
            status: "open";
            /** @description The id. */
            id: string;
            /** @description Who wrote it. */
            postedBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description When it was written.
             */
            postedAt: string;
            /**
             * Format: date-time
             * @description When its text last changed, if ever.
             */
            editedAt?: string;
            /** @description The reactions to it. */
            reactions: components["schemas"]["Reaction"][];
            /** @description Its text. */
            body: components["schemas"]["CommentBody"];
            /** @description Its addresses. */
            urls: components["schemas"]["CommentUrls"];
            /** @description What the caller may do with it. */
            permissions: components["schemas"]["CommentPermissions"];
            /**
             * Format: int32
             * @description How many replies it has.
             */
            replies: number;
            /** @description What it is about. */
            target: components["schemas"]["CommentTarget"];
        };
        /** @description Opens a dialogue. */
        OpenModalAction: {
            /**
             * @description Names the action.
             * @enum {string}
             */
            action: "@ui.modal.open";
            /** @description The component that the dialogue shows. */
            componentId: components["schemas"]["Line"];
            /** @description What the component is given. */
            props: {
                [key: string]: unknown;
            };
        };
        /** @description Opens an address. */
        OpenUrlAction: {
            /**
             * @description Names the action.
             * @enum {string}
             */
            action: "@ui.url.open";
            /** @description The address. */
            url: components["schemas"]["Line"];
        };
        /**
         * @description Oldest first or newest first.
         * @enum {string}
         */
        Order: "asc" | "desc";
        /** @description An organization: the tenant that owns members, content and sites. */
        Organization: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "organization";
            /** @description The id of the organization. */
            id: string;
            /** @description Its title. */
            title: components["schemas"]["OrganizationTitle"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Mail domains whose users may join by themselves. */
            emailDomains: string[];
            /** @description The default host name of its public content. */
            hostname?: components["schemas"]["OrganizationHostname"];
            /** @description What the organization is. */
            type: components["schemas"]["OrganizationType"];
            /** @description What it uses the service for. */
            useCase?: components["schemas"]["OrganizationUseCase"];
            /** @description Which kind of community it is, if it is one. */
            communityType?: components["schemas"]["CommunityType"];
            /** @description The role of those who join by themselves; null makes guests. */
            defaultRole?: components["schemas"]["Role"] | null;
            /** @description What the organization shows to visitors who name nothing else. */
            defaultContent?: components["schemas"]["DefaultContent"];
            /** @description Whether all members have to sign in through a SAML provider. */
            sso?: boolean;
            /** @description Whether AI features are on. */
            ai?: boolean;
            /** @description Whether people can join by invite links. */
            inviteLinks: boolean;
            /** @description The plan that the organization is on. */
            plan: components["schemas"]["OrganizationPlan"];
            /** @description A host name of its own for its public content, instead of the default one. */
            customHostname?: string;
            /**
             * @deprecated
             * @description Always true.
             * @enum {boolean}
             */
            internal_isOnNewTrial?: true;
            /** @description What it pays, and how. */
            billing?: components["schemas"]["OrganizationBilling"];
            /** @description Where the organization is found. */
            urls: components["schemas"]["OrganizationUrls"];
            /** @description The trial of a paid plan. */
            trial: components["schemas"]["OrganizationTrial"];
            /** @description Why the organization is closed, if it is. */
            blocked?: components["schemas"]["OrganizationBlock"];
            /** @description The move to current prices, if one is ahead. */
            internal_billingMigration?: components["schemas"]["BillingMigration"];
            /** @description What the caller may do in the organization. */
            permissions: components["schemas"]["OrganizationPermissions"];
        };
        /** @description What an organization pays, and how. */
        OrganizationBilling: {
            /** @description How often it pays. */
            interval: components["schemas"]["BillingInterval"];
            /**
             * Format: date-time
             * @description When the paid time ends.
             */
            endDate: string;
            /** @description Whether the last payment failed. */
            hasPaymentFailed: boolean;
            /** @description Whether the plan ends with the paid time. */
            isScheduledToCancel: boolean;
            /** @description What the plans cost. */
            pricing: components["schemas"]["BillingPricing"];
            /** @description Addons that are paid by use. */
            usageAddons: components["schemas"]["BillingAddons"];
        };
        /** @description Why an organization is closed. */
        OrganizationBlock: {
            /**
             * @description The reason.
             * @enum {string}
             */
            reason: "security";
        };
        /** @description An organization to create. */
        OrganizationCreate: {
            /** @description Its title. */
            title: components["schemas"]["OrganizationTitle"];
            /** @description Mail domains whose users may join by themselves. */
            emailDomains?: components["schemas"]["Line"][];
        };
        /** @description A host name that an organization chooses, without a domain. */
        OrganizationHostname: string;
        /** @description An invitation to be a member of the organization. */
        OrganizationInvite: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "invite";
            /** @description The id of the invitation, which is also its secret. */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Where the invitation is found. */
            urls: components["schemas"]["InviteUrls"];
            /** @description The role of those who join; null makes guests. */
            role: components["schemas"]["Role"] | null;
        };
        /** @description One page of a list. */
        OrganizationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Organization"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What to change about an organization. */
        OrganizationPatch: {
            /** @description The new title. */
            title?: components["schemas"]["OrganizationTitle"];
            /** @description Mail domains whose users may join by themselves, instead of all that are set. */
            emailDomains?: components["schemas"]["Line"][];
            /** @description The default host name of its public content. */
            hostname?: components["schemas"]["OrganizationHostname"];
            /** @description The role of those who join by themselves; null makes guests. */
            defaultRole?: components["schemas"]["Role"] | null;
            /** @description What to show to visitors who name nothing else; null removes it. */
            defaultContent?: components["schemas"]["DefaultContent"] | null;
            /** @description The address of a logo; null removes it. */
            logo?: components["schemas"]["WebAddress"] | null;
            /** @description Whether all members have to sign in through a SAML provider. */
            sso?: boolean;
            /** @description Whether AI features are on. */
            ai?: boolean;
            /** @description Whether people can join by invite links. */
            inviteLinks?: boolean;
        };
        /** @description What the caller may do in an organization. */
        OrganizationPermissions: {
            /** @description See the organization. */
            view: boolean;
            /** @description Change the organization, its members and its settings. */
            admin: boolean;
            /** @description Own a team. */
            ownTeam: boolean;
            /** @description Create spaces, collections and sites. */
            createContent: boolean;
            /** @description Create OpenAPI specifications. */
            createOpenAPISpec: boolean;
            /** @description Send conversations in. */
            ingestConversations: boolean;
            /** @description See what it pays. */
            viewBilling: boolean;
            /** @description List its members. */
            listMembers: boolean;
            /** @description List its teams. */
            listTeams: boolean;
            /** @description List its integrations. */
            listIntegrations: boolean;
            /** @description List what integrations it installed. */
            listInstallations: boolean;
            /** @description Install integrations. */
            installIntegration: boolean;
        };
        /**
         * @description The plan that an organization is on.
         * @enum {string}
         */
        OrganizationPlan: "free_2024" | "plus_2024" | "pro_2024" | "enterprise_2024" | "community_2024" | "free" | "plus" | "pro" | "internal";
        /** @description The title of an organization. */
        OrganizationTitle: string;
        /** @description The trial of a paid plan. */
        OrganizationTrial: {
            /** @description How far the trial is. */
            status: components["schemas"]["TrialStatus"];
            /**
             * Format: date-time
             * @description When it ends or ended.
             */
            endDate?: string;
            /**
             * @description What happens at its end.
             * @enum {string}
             */
            decision?: "downgrade";
        };
        /**
         * @description What an organization is.
         * @enum {string}
         */
        OrganizationType: "business" | "community";
        /** @description The addresses of an organization. */
        OrganizationUrls: {
            /**
             * Format: uri
             * @description The organization in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The organization in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description Its logo.
             */
            logo?: string;
        };
        /**
         * @description What an organization uses the service for.
         * @enum {string}
         */
        OrganizationUseCase: "internalDocs" | "docsSite" | "audienceControlledSite" | "productDocs" | "teamKnowledgeBase" | "designSystem" | "openSourceDocs" | "notes" | "other";
        /** @description An action that the component itself handles. */
        OwnAction: {
            /** @description Names the action; names that begin with `@` are the service's own. */
            action: components["schemas"]["Line"];
        } & {
            [key: string]: unknown;
        };
        /** @description An entry in the page tree of a space. */
        Page: components["schemas"]["DocumentPage"] | components["schemas"]["GroupPage"] | components["schemas"]["LinkPage"] | components["schemas"]["ComputedPage"];
        /** @description The image above a page. */
        PageCover: {
            /** @description The image. */
            ref?: components["schemas"]["CoverRef"];
            /** @description The image on a dark background. */
            refDark?: components["schemas"]["CoverRef"];
            /**
             * Format: double
             * @description How far the image is shifted up or down; 0 leaves it where it is.
             */
            yPos: number;
        };
        /** @description The rating of a page. */
        PageFeedback: {
            /**
             * @description The verdict.
             * @enum {string}
             */
            rating: "bad" | "ok" | "good";
            /** @description What the visitor had to say. */
            comment?: string;
        };
        /** @description A visitor rated a page. */
        PageFeedbackEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "page_feedback";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the site. */
            siteId: string;
            /** @description The id of the space. */
            spaceId?: string;
            /** @description The id of the site space. */
            siteSpaceId?: string;
            /** @description The id of the page. */
            pageId?: string;
            /** @description The rating. */
            feedback: components["schemas"]["PageFeedback"];
            /** @description The visitor. */
            visitor?: components["schemas"]["EventVisitor"];
            /** @description The address of the page. */
            url?: string;
            /** @description Where the visitor came from. */
            referrer?: string;
        };
        /** @description Which parts of a page are shown, and how large. */
        PageLayout: {
            /** @description How wide it is laid out. */
            width: components["schemas"]["PageWidth"];
            /** @description Whether the cover is shown. */
            cover: boolean;
            /** @description How large the cover is. */
            coverSize: components["schemas"]["CoverSize"];
            /** @description Whether the title is shown. */
            title: boolean;
            /** @description Whether the description is shown. */
            description: boolean;
            /** @description Whether the table of contents of the space is shown. */
            tableOfContents: boolean;
            /** @description Whether the outline of the page is shown. */
            outline: boolean;
            /** @description Whether links to the page before and after are shown. */
            pagination: boolean;
            /** @description Whether facts such as the last change are shown. */
            metadata: boolean;
        };
        /** @description A page, or a place in it. */
        PageLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "page";
            /** @description The organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description The space. */
            space: components["schemas"]["Space"];
            /** @description The version of the space's content. */
            versionContext?: components["schemas"]["VersionContext"];
            /** @description The page. */
            page: components["schemas"]["Page"];
            /** @description The place within the page. */
            internalLocation?: components["schemas"]["InternalLocation"];
        };
        /** @description Points at a page. */
        PageRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "page";
            /** @description The id of the page. */
            page: components["schemas"]["Identifier"];
            /** @description The id of its space; left out for the space that holds the reference. */
            space?: components["schemas"]["Identifier"];
        };
        /** @description A whole page tree. */
        PageTree: {
            /** @description The pages at the root, in order and without bodies; the others stand below them. */
            pages: components["schemas"]["Page"][];
        };
        /** @description Addresses of a page. */
        PageUrls: {
            /**
             * Format: uri
             * @description The page in the app.
             */
            app: string;
        };
        /**
         * @description How wide a page is laid out.
         * @enum {string}
         */
        PageWidth: "default" | "wide";
        /** @description One part of the path of a site, section or site space. */
        PathSegment: string;
        /** @description A PDF that can be fetched for a while. */
        PdfFile: {
            /**
             * Format: uri
             * @description Where it is, for an hour.
             */
            url: string;
        };
        /** @description What the caller's visit told the organization. */
        Ping: {
            /** @description A signed JWT with claims about the user, for visits of published content. */
            serviceVisitorClaims?: string;
        };
        /** @description A revision made by anything but a merge. */
        PlainRevision: {
            /**
             * @description What made it: edits, a return to an earlier revision, new main content, or a computation.
             * @enum {string}
             */
            type: "edits" | "rollback" | "update" | "computed";
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "revision";
            /** @description The id of the revision. */
            id: string;
            /** @description The ids of the revisions that it follows. */
            parents: string[];
            /** @description The page tree, in order and without bodies. */
            pages: components["schemas"]["Page"][];
            /** @description The files. */
            files: components["schemas"]["File"][];
            /** @description The pieces that several pages include. */
            reusableContents: components["schemas"]["ReusableContent"][];
            /** @description Values that expressions in any page may use, by name. */
            variables?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description Its Git commit; left out with `metadata=false`. */
            git?: components["schemas"]["RevisionGit"];
            /** @description Its addresses. */
            urls: components["schemas"]["RevisionUrls"];
        };
        /** @description One price in two ways to pay. */
        Price: {
            /**
             * Format: double
             * @description Paid every month.
             */
            monthly: number;
            /**
             * Format: double
             * @description Paid every year.
             */
            yearly: number;
        };
        /** @description A host name and a path on it, without a scheme. */
        ProxyOrigin: string;
        /** @description How a published site looks, as a whole and in its parts. */
        PublishedCustomizations: {
            /** @description The looks of the site. */
            site: components["schemas"]["SiteCustomization"];
            /** @description The looks of site spaces that have their own, by site space id. */
            siteSpaces: {
                [key: string]: components["schemas"]["SiteCustomization"];
            };
        };
        /** @description A script that an installed integration adds to each page. */
        PublishedScript: {
            /**
             * Format: uri
             * @description The address of the script.
             */
            script: string;
            /** @description What the script may load, as a policy for browsers (CSP level 3). */
            contentSecurityPolicy?: string;
            /** @description Whether the script sets cookies. */
            cookies: boolean;
        };
        /** @description A section, or a group of them. */
        PublishedSectionEntry: components["schemas"]["SiteSection"] | components["schemas"]["SiteSectionGroup"];
        /** @description A site made of sections. */
        PublishedSections: {
            /**
             * @description What the site is made of. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "sections";
            /** @description Its sections and groups, in order. */
            structure: components["schemas"]["PublishedSectionEntry"][];
        };
        /** @description What visitors of a published site see. */
        PublishedSite: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "published-content-site";
            /** @description The site. */
            site: components["schemas"]["Site"];
            /** @description What the site is made of. */
            structure: components["schemas"]["PublishedStructure"];
            /** @description How it looks. */
            customizations: components["schemas"]["PublishedCustomizations"];
            /** @description Scripts that installed integrations add to each page. */
            scripts: components["schemas"]["PublishedScript"][];
        };
        /** @description A site made of spaces without sections. */
        PublishedSiteSpaces: {
            /**
             * @description What the site is made of. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "siteSpaces";
            /** @description Its spaces, in order. */
            structure: components["schemas"]["SiteSpace"][];
        };
        /** @description What a published site is made of. */
        PublishedStructure: components["schemas"]["PublishedSections"] | components["schemas"]["PublishedSiteSpaces"];
        /** @description Where visitors find a part of a site. */
        PublishedUrls: {
            /**
             * Format: uri
             * @description Its address, once the site is published.
             */
            published?: string;
        };
        /** @description One button of several of which one is pressed. */
        RadioElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "radio";
            /** @description The entry of the state that holds what is chosen. */
            state: string;
            /** @description What this one stands for. */
            value: string | number;
            /** @description What happens when it is pressed. */
            onValueChange?: components["schemas"]["RenderAction"];
        };
        /** @description All reactions with one emoji. */
        Reaction: {
            /** @description The emoji. */
            emoji: components["schemas"]["IconName"];
            /**
             * Format: int32
             * @description How many users reacted with it.
             */
            count: number;
            /** @description Who they are. */
            users: components["schemas"]["ReactionUser"][];
        };
        /** @description One user's reaction. */
        ReactionUser: {
            /** @description Who reacted. */
            user: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description When.
             */
            reactedAt: string;
        };
        /** @description What happens when a reader does something: one of the service's own actions, or the component's. */
        RenderAction: components["schemas"]["OpenModalAction"] | components["schemas"]["CloseModalAction"] | components["schemas"]["OpenUrlAction"] | components["schemas"]["UnfurlLinkAction"] | components["schemas"]["UpdatePropsAction"] | components["schemas"]["OwnAction"];
        /** @description An address. */
        RenderAddress: {
            /** @description The address. */
            url: string;
        };
        /** @description A value that follows the state of the component while the reader types. */
        RenderBinding: {
            /** @description Names the entry of the state. */
            $state: string;
        };
        /** @description Plain text, or an element. */
        RenderChild: string | components["schemas"]["RenderElement"];
        /** @description A question asked before an action. */
        RenderConfirmation: {
            /** @description Its title. */
            title: string;
            /** @description The question. */
            text: string;
            /** @description The words on the button that says yes. */
            confirm: string;
            /**
             * @description How urgent it looks.
             * @enum {string}
             */
            style?: "primary" | "danger";
        };
        /** @description Where a component shows. */
        RenderContext: components["schemas"]["AccountConfigurationContext"] | components["schemas"]["SpaceConfigurationContext"] | components["schemas"]["SiteConfigurationContext"] | components["schemas"]["ContentSourceConfigurationContext"] | components["schemas"]["DocumentContext"];
        /** @description Anything that stands within a block, a dialogue or a form. */
        RenderElement: components["schemas"]["RowElement"] | components["schemas"]["ColumnElement"] | components["schemas"]["BoxElement"] | components["schemas"]["DividerElement"] | components["schemas"]["CardElement"] | components["schemas"]["RenderHintElement"] | components["schemas"]["TextElement"] | components["schemas"]["RenderLinkElement"] | components["schemas"]["ImageElement"] | components["schemas"]["MarkdownElement"] | components["schemas"]["CodeElement"] | components["schemas"]["FrameElement"] | components["schemas"]["InputElement"] | components["schemas"]["TextInputElement"] | components["schemas"]["SelectElement"] | components["schemas"]["SwitchElement"] | components["schemas"]["RadioElement"] | components["schemas"]["CheckboxElement"] | components["schemas"]["ButtonElement"] | components["schemas"]["StepperElement"];
        /** @description A component shall be rendered. */
        RenderEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "ui_render";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId?: string;
            /** @description Names the component within the integration. */
            componentId: components["schemas"]["Line"];
            /** @description What the component is given. */
            props: {
                [key: string]: unknown;
            };
            /** @description Where the component shows. */
            context: components["schemas"]["RenderContext"];
            /** @description What the component remembered since the last time. */
            state?: {
                [key: string]: unknown;
            };
            /** @description What the reader did. */
            action?: components["schemas"]["RenderAction"];
            /** @description Who looks at it, if signed in. */
            auth?: components["schemas"]["EventCaller"];
        };
        /** @description A framed remark. */
        RenderHintElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hint";
            /** @description What it holds. */
            children: components["schemas"]["RenderChild"][];
        };
        /** @description Plain text, or an element within text. */
        RenderInline: string | components["schemas"]["TextElement"] | components["schemas"]["RenderLinkElement"] | components["schemas"]["ImageElement"];
        /** @description What a reader sets something with. */
        RenderInput: components["schemas"]["TextInputElement"] | components["schemas"]["SelectElement"] | components["schemas"]["SwitchElement"] | components["schemas"]["RadioElement"] | components["schemas"]["CheckboxElement"] | components["schemas"]["ButtonElement"] | components["schemas"]["CodeElement"];
        /** @description A link. */
        RenderLinkElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "link";
            /** @description Where it leads. */
            target: components["schemas"]["RenderAddress"];
            /** @description Its words. */
            children: components["schemas"]["RenderInline"][];
        };
        /** @description What came of rendering. */
        RenderResult: components["schemas"]["RenderedElement"] | components["schemas"]["RenderingComplete"];
        /** @description What a component shows as a whole. */
        RenderRoot: components["schemas"]["BlockElement"] | components["schemas"]["ModalElement"] | components["schemas"]["ConfigurationElement"];
        /** @description Something to show. */
        RenderedElement: {
            /**
             * @description What came of it. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "element";
            /** @description What to show. */
            element: components["schemas"]["RenderRoot"];
            /** @description What the component remembers until the next time. */
            state: {
                [key: string]: unknown;
            };
            /** @description What the component was given. */
            props: {
                [key: string]: unknown;
            };
        };
        /** @description The end of a dialogue. */
        RenderingComplete: {
            /**
             * @description What came of it. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "complete";
            /** @description What the dialogue hands to what opened it. */
            returnValue?: {
                [key: string]: unknown;
            };
        };
        /** @description A comment that is settled. */
        ResolvedComment: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "comment";
            /**
             * @description That it is settled.
             * @enum {string}
             */
            status: "resolved";
            /** @description The id. */
            id: string;
            /** @description Who wrote it. */
            postedBy: components["schemas"]["User"];
            /**
             * Format: date-time
             * @description When it was written.
             */
            postedAt: string;
            /**
             * Format: date-time
             * @description When its text last changed, if ever.
             */
            editedAt?: string;
            /** @description The reactions to it. */
            reactions: components["schemas"]["Reaction"][];
            /** @description Its text. */
            body: components["schemas"]["CommentBody"];
            /** @description Its addresses. */
            urls: components["schemas"]["CommentUrls"];
            /** @description What the caller may do with it. */
            permissions: components["schemas"]["CommentPermissions"];
            /**
             * Format: int32
             * @description How many replies it has.
             */
            replies: number;
            /** @description What it is about. */
            target: components["schemas"]["CommentTarget"];
            /**
             * Format: date-time
             * @description When it was settled.
             */
            resolvedAt: string;
            /** @description Who settled it. */
            resolvedBy: components["schemas"]["User"];
        };
        /** @description A piece of content that several pages include. */
        ReusableContent: {
            /** @description The id of the reusable content. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description Where it stands in the Git repository; left out with `metadata=false`. */
            git?: components["schemas"]["GitObject"];
        };
        /** @description A reusable content. */
        ReusableContentLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "reusable-content";
            /** @description The organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description The space. */
            space: components["schemas"]["Space"];
            /** @description The version of the space's content. */
            versionContext?: components["schemas"]["VersionContext"];
            /** @description The reusable content. */
            reusableContent: components["schemas"]["ReusableContent"];
        };
        /** @description Points at a reusable content. */
        ReusableContentRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "reusable-content";
            /** @description The id of the reusable content. */
            reusableContent: components["schemas"]["Identifier"];
            /** @description The id of its space; left out for the space that holds the reference. */
            space?: components["schemas"]["Identifier"];
        };
        /** @description An immutable page tree with its files. */
        Revision: components["schemas"]["PlainRevision"] | components["schemas"]["MergeRevision"];
        /** @description The revision that a location was found in. */
        RevisionContext: {
            /**
             * @description What kind of version it is.
             * @enum {string}
             */
            type: "revision";
            /** @description The revision. */
            revision: components["schemas"]["Revision"];
        };
        /** @description The Git commit that a revision came from or went to. */
        RevisionGit: {
            /** @description The id of the commit. */
            oid: string;
            /** @description The message of the commit. */
            message: string;
            /** @description Whether this service made the commit. */
            createdByService: boolean;
            /** @description The address of the commit. */
            url?: string;
            /** @description The Git reference that the commit is on. */
            ref?: string;
        };
        /** @description Addresses of a revision. */
        RevisionUrls: {
            /**
             * Format: uri
             * @description The content in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description The content on a published site.
             */
            published?: string;
            /**
             * Format: uri
             * @description The content on its public address.
             */
            public?: string;
        };
        /**
         * @description What a member may do, from most to least. Where a role may be null, null means a guest.
         * @enum {string}
         */
        Role: "admin" | "create" | "review" | "edit" | "comment" | "read";
        /** @description Elements side by side. */
        RowElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "hstack";
            /** @description What it holds. */
            children: components["schemas"]["RenderElement"][];
            /**
             * @description Where its elements stand across the stack.
             * @enum {string}
             */
            align?: "start" | "center" | "end";
        };
        /** @description The name of a SAML provider to write. */
        SamlLabel: string;
        /** @description An identity provider that members of an organization sign in with (SAML 2.0). */
        SamlProvider: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "saml-provider";
            /** @description The id of the provider. */
            id: string;
            /** @description The name that members choose it by. */
            label: string;
            /** @description Where the provider signs people in; empty until it is set. */
            ssoURL: components["schemas"]["WebAddress"] | "";
            /** @description How the provider names itself; empty until it is set. */
            entityID: string;
            /** @description What the provider signs with, in PEM; empty until it is set. */
            certificate: string;
            /** @description The team that people join with their first sign-in. */
            defaultTeam?: components["schemas"]["Team"];
            /** @description The role that people get with their first sign-in; null makes guests. */
            defaultRole: components["schemas"]["Role"] | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Whether people can sign in with it. */
            status: components["schemas"]["SamlProviderStatus"];
            /** @description What the provider has to know about this service. */
            service: components["schemas"]["SamlService"];
            /** @description Where the provider is found. */
            urls: components["schemas"]["SamlProviderUrls"];
        };
        /** @description A SAML provider to create. */
        SamlProviderCreate: {
            /** @description The name that members choose it by. */
            label: components["schemas"]["SamlLabel"];
            /** @description How the provider names itself. */
            entityID?: string;
            /** @description What the provider signs with, in PEM. */
            certificate?: string;
            /** @description Where the provider signs people in. */
            ssoURL?: components["schemas"]["WebAddress"];
            /** @description The id of the team that people join with their first sign-in. */
            defaultTeam?: components["schemas"]["Identifier"];
            /** @description The role that people get with their first sign-in; null, as when it is never set, makes guests. */
            defaultRole?: components["schemas"]["Role"] | null;
        };
        /** @description One page of a list. */
        SamlProviderList: {
            /** @description The items of this page. */
            items: components["schemas"]["SamlProvider"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What to change about a SAML provider. */
        SamlProviderPatch: {
            /** @description The name that members choose it by. */
            label?: components["schemas"]["SamlLabel"];
            /** @description How the provider names itself. */
            entityID?: string;
            /** @description What the provider signs with, in PEM. */
            certificate?: string;
            /** @description Where the provider signs people in. */
            ssoURL?: components["schemas"]["WebAddress"];
            /** @description The id of the team that people join with their first sign-in. */
            defaultTeam?: components["schemas"]["Identifier"];
            /** @description The role that people get with their first sign-in; null, as when it is never set, makes guests. */
            defaultRole?: components["schemas"]["Role"] | null;
        };
        /**
         * @description Whether people can sign in with a SAML provider.
         * @enum {string}
         */
        SamlProviderStatus: "active" | "pending";
        /** @description The addresses of a SAML provider. */
        SamlProviderUrls: {
            /**
             * Format: uri
             * @description The provider in this API.
             */
            location: string;
        };
        /** @description This service, as a SAML provider sees it. */
        SamlService: {
            /**
             * Format: uri
             * @description Where the provider sends its assertions.
             */
            acsURL: string;
            /**
             * Format: uri
             * @description Where signing in starts.
             */
            startURL: string;
            /** @description How this service names itself. */
            entityID: string;
        };
        /** @description A page that search found something in. */
        SearchedPage: {
            /** @description The id of the page. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description The path of the page in its space. */
            path: string;
            /** @description The sections with something to find, the best first. */
            sections: components["schemas"]["SearchedSection"][];
            /** @description Where the page is found. */
            urls: components["schemas"]["SearchedUrls"];
        };
        /** @description One page of a list. */
        SearchedPageList: {
            /** @description The items of this page. */
            items: components["schemas"]["SearchedPage"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A section of a page, from one heading to the next, that search found something in. */
        SearchedSection: {
            /** @description The id of the section. */
            id: string;
            /** @description Its heading. */
            title: string;
            /** @description The path of the section: that of its page, and its anchor. */
            path: string;
            /** @description The text of the section. */
            body: string;
            /** @description Where the section is found. */
            urls: components["schemas"]["SearchedUrls"];
        };
        /** @description A space that search found something in. */
        SearchedSpace: {
            /** @description The id of the space. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description The pages with something to find, the best first. */
            pages: components["schemas"]["SearchedPage"][];
        };
        /** @description One page of a list. */
        SearchedSpaceList: {
            /** @description The items of this page. */
            items: components["schemas"]["SearchedSpace"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description The addresses of what search found. */
        SearchedUrls: {
            /**
             * Format: uri
             * @description It in the app.
             */
            app: string;
        };
        /** @description What a section is about. */
        SectionDescription: string;
        /** @description The title of a group of sections. */
        SectionGroupTitle: string;
        /** @description A choice from a list. */
        SelectElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "select";
            /** @description The entry of the state that holds what is chosen. */
            state: string;
            /** @description What is chosen at first. */
            initialValue?: string | string[];
            /** @description What shows while nothing is chosen. */
            placeholder?: string;
            /** @description Whether more than one can be chosen. */
            multiple?: boolean;
            /** @description What there is to choose from: the options, or where to fetch them. */
            options: components["schemas"]["SelectOption"][] | components["schemas"]["RenderAddress"];
            /** @description What happens when something else is chosen. */
            onValueChange?: components["schemas"]["RenderAction"];
        };
        /** @description Something to choose. */
        SelectOption: {
            /** @description Names it. */
            id: string;
            /** @description Its words. */
            label: string;
            /** @description The name of its icon, or an image. */
            icon?: string | components["schemas"]["ImageElement"];
        };
        /** @description A site: spaces of an organization, published together at one address. */
        Site: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "site";
            /** @description The id of the site. */
            id: string;
            /** @description The plan that the site is on. */
            type: components["schemas"]["SiteType"];
            /** @description Its title. */
            title: components["schemas"]["SiteTitle"];
            /** @description Its icon. */
            icon?: components["schemas"]["SiteIcon"] | null;
            /** @description The host name of its own that the site answers at. */
            hostname?: string;
            /** @description The part of the address that stands for the site on a shared host name. */
            basename?: components["schemas"]["PathSegment"];
            /** @description The address behind which another server shows the site. */
            proxy?: components["schemas"]["SiteProxy"];
            /** @description Who the site is for, once published. */
            visibility: components["schemas"]["SiteVisibility"];
            /** @description Whether the audience set by `visibility` can reach the site. */
            published: boolean;
            /**
             * Format: int32
             * @description How many spaces the site shows.
             */
            siteSpaces: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Whether the content follows what is known of the visitor. */
            adaptiveContent?: components["schemas"]["SiteAdaptiveContent"];
            /** @description Where the site stands with advertising. */
            ads?: components["schemas"]["SiteAds"];
            /** @description Whether the agent reads the site. */
            agentsContext: components["schemas"]["SiteAgentsContext"];
            /** @description What the plan of the site lets it use. */
            features: components["schemas"]["SiteFeature"][];
            /** @description Where to find the site. */
            urls: components["schemas"]["SiteUrls"];
        };
        /** @description Whether the content of a site follows what is known of the visitor. */
        SiteAdaptiveContent: {
            /** @description Whether it does. */
            enabled: boolean;
        };
        /** @description What a site may know of its visitors. */
        SiteAdaptiveSchema: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "site-adaptive-schema";
            /** @description The claims, as a JSON Schema (draft 07). */
            jsonSchema: components["schemas"]["AdaptiveJsonSchema"];
            /**
             * Format: date-time
             * @description When it was last written.
             */
            updatedAt: string;
        };
        /**
         * @description The adaptive schema that a site shall have.
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
         *                 "description": "Has been here before."
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
            /** @description The claims, as a JSON Schema (draft 07). */
            jsonSchema: components["schemas"]["AdaptiveJsonSchema"];
        };
        /** @description Where a site stands with advertising. */
        SiteAds: components["schemas"]["SiteAdsPending"] | components["schemas"]["SiteAdsInReview"] | components["schemas"]["SiteAdsRejected"] | components["schemas"]["SiteAdsLive"] | components["schemas"]["SiteAdsDisabled"];
        /** @description Advertising that was granted and is switched off. */
        SiteAdsDisabled: {
            /**
             * @description Where it stands. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "disabled";
            /** @description What the site is about. */
            topic: components["schemas"]["SiteAdsTopic"];
            /** @description The place of the advertisements at the agency. */
            zoneId: string;
        };
        /** @description Advertising that was asked for. */
        SiteAdsInReview: {
            /**
             * @description Where it stands. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "in-review";
            /** @description What the site is about. */
            topic: components["schemas"]["SiteAdsTopic"];
        };
        /** @description Advertising that is shown. */
        SiteAdsLive: {
            /**
             * @description Where it stands. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "live";
            /** @description What the site is about. */
            topic: components["schemas"]["SiteAdsTopic"];
            /** @description The place of the advertisements at the agency. */
            zoneId: string;
        };
        /** @description Advertising that was not asked for yet. */
        SiteAdsPending: {
            /**
             * @description Where it stands. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "pending";
            /** @description Whether the site has what it takes to ask. */
            submittable: boolean;
        };
        /** @description Advertising that was refused. */
        SiteAdsRejected: {
            /**
             * @description Where it stands. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "rejected";
            /** @description Why it was refused. */
            reason?: string;
        };
        /**
         * @description What a site with advertising is about.
         * @enum {string}
         */
        SiteAdsTopic: "webdev" | "crypto";
        /**
         * @description Whether the agent reads a site.
         * @enum {string}
         */
        SiteAgentsContext: "excluded" | "included";
        /** @description How readers may ask questions. */
        SiteAi: {
            /**
             * @description Nothing, answers in search, or an assistant.
             * @enum {string}
             */
            mode: "none" | "search" | "assistant";
        };
        /** @description A notice above everything. */
        SiteAnnouncement: {
            /** @description Whether it shows. */
            enabled: boolean;
            /** @description What it says. */
            message: string;
            /**
             * @description How urgent it looks.
             * @enum {string}
             */
            style: "info" | "warning" | "danger" | "success";
            /** @description Where it leads. */
            link?: components["schemas"]["SiteLink"];
        };
        /** @description A component in the settings of an installation on a site. */
        SiteConfigurationContext: {
            /**
             * @description Where the component shows. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_site";
            /**
             * @description The colours around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description The id of the site. */
            siteId: components["schemas"]["Identifier"];
        };
        /**
         * @description What a new site may start with.
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
             * @description The plan of the site.
             * @default basic
             */
            type?: components["schemas"]["SiteType"];
            /** @description Its title. */
            title?: components["schemas"]["SiteTitle"];
            /** @description Who the site is for, once published. */
            visibility?: components["schemas"]["SiteVisibility"];
            /** @description The spaces that the site shows, or what a space made for it holds. */
            spaces?: components["schemas"]["SiteStartingSpaces"];
        };
        /** @description How a site looks and what it offers its readers. */
        SiteCustomization: {
            /** @description The title shown in place of the site's own. */
            title?: string;
            /** @description Colours, font and shapes. */
            styling: components["schemas"]["SiteStyling"];
            /** @description The language of everything that is not content. */
            internationalization: components["schemas"]["SiteInternationalization"];
            /** @description The icon in the browser's tab. */
            favicon: components["schemas"]["SiteIcon"];
            /** @description What stands above each page. */
            header: components["schemas"]["SiteHeader"];
            /** @description What stands below each page. */
            footer: components["schemas"]["SiteFooter"];
            /** @description A notice above everything. */
            announcement?: components["schemas"]["SiteAnnouncement"];
            /** @description Light and dark. */
            themes: components["schemas"]["SiteThemes"];
            /** @description The export of pages as PDF. */
            pdf: components["schemas"]["SiteToggle"];
            /** @description Ratings of pages by readers. */
            feedback: components["schemas"]["SiteToggle"];
            /** @description How readers may ask questions. */
            ai: components["schemas"]["SiteAi"];
            /** @description Whether looks beyond the basic ones take effect. */
            advancedCustomization: components["schemas"]["SiteToggle"];
            /** @description What a reader can do with a page as a whole. */
            pageActions: components["schemas"]["SitePageActions"];
            /** @description How links to other sites open. */
            externalLinks: components["schemas"]["SiteExternalLinks"];
            /** @description Links to the page before and after. */
            pagination: components["schemas"]["SiteToggle"];
            /** @description A line that names the platform. */
            trademark: components["schemas"]["SiteToggle"];
            /** @description The privacy policy. */
            privacyPolicy: components["schemas"]["SiteLinkedPage"];
            /** @description The image that other services show beside a link to the site. */
            socialPreview: components["schemas"]["SiteLinkedPage"];
            /** @description What is measured of visits. */
            insights: components["schemas"]["SiteInsights"];
            /** @description Links to the source of pages kept in Git. */
            git: components["schemas"]["SiteGit"];
        };
        /** @description An emoji as icon. */
        SiteEmojiIcon: {
            /** @description The emoji. */
            emoji: components["schemas"]["IconName"];
        };
        /** @description How links to other sites open. */
        SiteExternalLinks: {
            /**
             * @description In the same tab, or in a new one.
             * @enum {string}
             */
            target: "self" | "blank";
        };
        /** @description Something that sites can use, and how this site stands to it. */
        SiteFeature: {
            /** @description Names the feature. */
            id: components["schemas"]["SiteFeatureId"];
            /** @description The cheapest plan that has it. */
            plan: components["schemas"]["SiteType"];
            /** @description Whether the plan of the site holds it back. */
            frozen: boolean;
            /** @description The parts of the site's looks that it opens. */
            customizations?: components["schemas"]["SiteFeatureCustomization"][];
        };
        /**
         * @description A part of a site's looks that a feature opens.
         * @enum {string}
         */
        SiteFeatureCustomization: "header-logo" | "theme-preset" | "premium-fonts" | "custom-icons" | "footer-logo" | "footer-links" | "footer-copyright" | "semantic-colors";
        /**
         * @description Features of sites.
         * @enum {string}
         */
        SiteFeatureId: "sites-adaptive-content" | "sites-advanced-customization" | "sites-advanced-insights" | "sites-ads" | "sites-ai-search" | "sites-ai-assistant" | "sites-api-playground" | "sites-basic-customization" | "sites-custom-domain" | "sites-custom-fonts" | "sites-custom-subdirectory" | "sites-full-text-search" | "sites-multivariant-site" | "sites-no-custom-domain" | "sites-page-feedback" | "sites-page-traffic-insights" | "sites-pdf-export" | "sites-preview-deployments" | "sites-public-visibility" | "sites-redirects" | "sites-search-insights" | "sites-sections" | "sites-seo" | "sites-share-links" | "sites-unlisted-visibility" | "sites-user-contribution" | "sites-visitor-authentication" | "sites-visitors";
        /** @description What stands below each page. */
        SiteFooter: {
            /** @description The logo. */
            logo?: components["schemas"]["ThemedAddress"];
            /** @description Links under headings, in order. */
            groups: components["schemas"]["SiteFooterGroup"][];
            /** @description The copyright line. */
            copyright?: string;
        };
        /** @description Links under one heading. */
        SiteFooterGroup: {
            /** @description The heading. */
            title: string;
            /** @description The links, in order. */
            links: components["schemas"]["SiteLink"][];
        };
        /** @description Links to the source of pages kept in Git. */
        SiteGit: {
            /** @description Whether each page links to its source. */
            showEditLink: boolean;
        };
        /** @description What stands above each page. */
        SiteHeader: {
            /**
             * @description The look of the header.
             * @enum {string}
             */
            preset: "default" | "bold" | "contrast" | "custom" | "none";
            /** @description The logo. */
            logo?: components["schemas"]["ThemedAddress"];
            /** @description The ground, where the preset is `custom`. */
            backgroundColor?: components["schemas"]["ThemedColor"];
            /** @description The links, where the preset is `custom`. */
            linkColor?: components["schemas"]["ThemedColor"];
            /** @description The links, in order. */
            links: components["schemas"]["SiteHeaderLink"][];
        };
        /** @description A link in the header, alone or with more below it. */
        SiteHeaderLink: {
            /** @description The words. */
            title: string;
            /** @description Where it leads. */
            to: components["schemas"]["ContentRef"] | null;
            /**
             * @description The look of the link.
             * @enum {string}
             */
            style?: "link" | "button-primary" | "button-secondary";
            /** @description The links below it. */
            links?: components["schemas"]["SiteLink"][];
        };
        /** @description The icon of a site: two images, an emoji, or nothing chosen. */
        SiteIcon: components["schemas"]["SiteImageIcon"] | components["schemas"]["SiteEmojiIcon"] | components["schemas"]["SiteNoIcon"];
        /** @description An icon in two images. */
        SiteImageIcon: {
            /** @description The images. */
            icon: components["schemas"]["ThemedAddress"];
        };
        /** @description What is measured of visits. */
        SiteInsights: {
            /** @description Whether a cookie tells returning visitors from new ones. */
            trackingCookie: boolean;
        };
        /** @description An installation on one site. */
        SiteInstallation: {
            /** @description The name of the integration. */
            integration: string;
            /** @description The id of the installation. */
            installation: string;
            /** @description Whether it works there. */
            status: components["schemas"]["InstallationStatus"];
            /** @description The values of its settings there, by name. */
            configuration: {
                [key: string]: unknown;
            };
            /** @description Names that the integration knows it by. */
            externalIds: string[];
            /** @description Where to find it. */
            urls: components["schemas"]["InstallationPartUrls"];
            /** @description The id of the site, or all of it. */
            site: string | components["schemas"]["Site"];
        };
        /** @description An installation was removed from a site. */
        SiteInstallationDeletedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "site_installation_deleted";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the site. */
            siteId: string;
            /** @description How it stood. */
            previous: components["schemas"]["InstallationRemains"];
        };
        /** @description One page of a list. */
        SiteInstallationList: {
            /** @description The items of this page. */
            items: components["schemas"]["SiteInstallation"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description An installation on a site was made, or its settings changed. */
        SiteInstallationSetupEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "site_installation_setup";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the site. */
            siteId: string;
            /** @description Whether the installation works. */
            status: components["schemas"]["InstallationStatus"];
            /** @description How it stood before, unless it is new. */
            previous?: components["schemas"]["InstallationSnapshot"];
        };
        /** @description The language of everything that is not content. */
        SiteInternationalization: {
            /** @description The language. */
            locale: components["schemas"]["Language"];
        };
        /** @description A link with its words. */
        SiteLink: {
            /** @description The words. */
            title: string;
            /** @description Where it leads. */
            to: components["schemas"]["ContentRef"] | null;
        };
        /** @description An address that is set or not. */
        SiteLinkedPage: {
            /**
             * Format: uri
             * @description The address.
             */
            url?: string;
        };
        /** @description One page of a list. */
        SiteList: {
            /** @description The items of this page. */
            items: components["schemas"]["Site"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description No icon chosen. */
        SiteNoIcon: Record<string, never>;
        /** @description What a reader can do with a page as a whole. */
        SitePageActions: {
            /** @description Hand it to an outside assistant. */
            externalAI: boolean;
            /** @description Take it as markdown. */
            markdown: boolean;
        };
        /**
         * @description What of a site changes; what is left out stays.
         * @example {
         *       "title": "Developer handbook",
         *       "visibility": "unlisted"
         *     }
         */
        SitePatch: {
            /** @description Its title. */
            title?: components["schemas"]["SiteTitle"];
            /** @description Who the site is for, once published. */
            visibility?: components["schemas"]["SiteVisibility"];
            /** @description The part of the address that stands for the site on a shared host name. */
            basename?: components["schemas"]["PathSegment"];
            /** @description Whether the agent reads the site. */
            agentsContext?: components["schemas"]["SiteAgentsContext"];
            /** @description Whether the content follows what is known of the visitor. */
            adaptiveContent?: components["schemas"]["SiteAdaptiveContent"];
            /** @description The id of the site space shown first: at the root, or in the default section. */
            defaultSiteSpace?: components["schemas"]["Identifier"];
            /** @description The id of the section shown first. */
            defaultSiteSection?: components["schemas"]["Identifier"];
            /** @description The address behind which another server shows the site; null takes it away. */
            proxy?: components["schemas"]["ProxyOrigin"] | null;
        };
        /** @description Prices for each site. */
        SitePricing: {
            /** @description Of a premium site. */
            premium: components["schemas"]["Price"];
            /** @description Of an ultimate site. */
            ultimate: components["schemas"]["Price"];
        };
        /** @description The address behind which another server shows a site. */
        SiteProxy: {
            /** @description The host name and path that visitors use. */
            origin: string;
            /** @description The address that the other server asks. */
            target: string;
        };
        /** @description A section of a site: one part of it, shown in one or more variants. */
        SiteSection: {
            /**
             * @description The type of this record. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "site-section";
            /** @description The id of the section. */
            id: string;
            /** @description Its title. */
            title: components["schemas"]["SiteTitle"];
            /** @description What the section is about. */
            description?: components["schemas"]["SectionDescription"];
            /** @description Whether it is the section shown first. */
            default?: boolean;
            /** @description Its path on the site. */
            path: components["schemas"]["PathSegment"];
            /** @description Decides which visitors see it. */
            condition?: components["schemas"]["VisitorCondition"];
            /** @description The id of the group that holds it. */
            sectionGroup?: string;
            /** @description The name of its icon. */
            icon?: components["schemas"]["IconName"];
            /** @description Its variants. */
            siteSpaces: components["schemas"]["SiteSpace"][];
            /** @description Where to find it. */
            urls: components["schemas"]["PublishedUrls"];
        };
        /**
         * @description A new section.
         * @example {
         *       "spaceId": "spc_handbook",
         *       "title": "Handbook",
         *       "icon": "book"
         *     }
         */
        SiteSectionCreate: {
            /** @description The id of the space that becomes the first variant. */
            spaceId: components["schemas"]["Identifier"];
            /** @description Its title; without one, the title of the space. */
            title?: components["schemas"]["SiteTitle"] | null;
            /** @description The name of its icon. */
            icon?: components["schemas"]["IconName"] | null;
        };
        /** @description A group of sections: one heading that several sections stand under. */
        SiteSectionGroup: {
            /**
             * @description The type of this record. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            object: "site-section-group";
            /** @description The id of the group. */
            id: string;
            /** @description Its title. */
            title: components["schemas"]["SectionGroupTitle"];
            /** @description Its sections, in order. */
            sections: components["schemas"]["SiteSection"][];
            /** @description The name of its icon. */
            icon?: components["schemas"]["IconName"];
        };
        /** @description A section that a group takes in. */
        SiteSectionGroupAddition: {
            /** @description The id of the section. */
            sectionId: components["schemas"]["Identifier"];
        };
        /**
         * @description A new group of sections.
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
            /** @description Its title. */
            title: components["schemas"]["SectionGroupTitle"];
            /** @description The name of its icon. */
            icon?: components["schemas"]["IconName"] | null;
            /** @description Ids of the sections that it takes in. */
            sections?: components["schemas"]["Identifier"][];
        };
        /** @description One page of a list. */
        SiteSectionGroupList: {
            /** @description The items of this page. */
            items: components["schemas"]["SiteSectionGroup"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description Where a group goes. */
        SiteSectionGroupMove: {
            /** @description The new place; without one, the end. */
            position?: components["schemas"]["SiteSectionGroupPosition"];
        };
        /** @description What of a group changes; what is left out stays. */
        SiteSectionGroupPatch: {
            /** @description Its title. */
            title?: components["schemas"]["SectionGroupTitle"];
            /** @description The name of its icon; null takes it away. */
            icon?: components["schemas"]["IconName"] | null;
        };
        /** @description Points at a group, or at a section that stands beside groups. */
        SiteSectionGroupPointer: {
            /**
             * @description What it points at.
             * @enum {string}
             */
            type: "site-section" | "site-section-group";
            /** @description The id of the section or group. */
            id: components["schemas"]["Identifier"];
        };
        /** @description A place among groups and the sections beside them, named by its neighbour. */
        SiteSectionGroupPosition: {
            /** @description What comes next. */
            before?: components["schemas"]["SiteSectionGroupPointer"];
            /** @description What came last. */
            after?: components["schemas"]["SiteSectionGroupPointer"];
        };
        /** @description One page of a list. */
        SiteSectionList: {
            /** @description The items of this page. */
            items: components["schemas"]["SiteSection"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description Where a section goes. */
        SiteSectionMove: {
            /** @description The new place; without one, the end. */
            position?: components["schemas"]["SiteSectionPosition"];
        };
        /** @description What of a section changes; what is left out stays. */
        SiteSectionPatch: {
            /** @description Its title. */
            title?: components["schemas"]["SiteTitle"];
            /** @description Its path on the site. */
            path?: components["schemas"]["PathSegment"];
            /** @description The id of the variant shown first. */
            defaultSiteSpace?: components["schemas"]["Identifier"];
            /** @description Decides which visitors see it; null shows it to all. */
            condition?: components["schemas"]["VisitorCondition"] | null;
            /** @description The name of its icon; null takes it away. */
            icon?: components["schemas"]["IconName"] | null;
            /** @description What the section is about; null takes it away. */
            description?: components["schemas"]["SectionDescription"] | null;
        };
        /** @description Points at a section. */
        SiteSectionPointer: {
            /**
             * @description What it points at.
             * @enum {string}
             */
            type: "site-section";
            /** @description The id of the section. */
            siteSection: components["schemas"]["Identifier"];
        };
        /** @description A place among sections, named by its neighbour. */
        SiteSectionPosition: {
            /** @description The section that comes next. */
            before?: components["schemas"]["SiteSectionPointer"];
            /** @description The section that came last. */
            after?: components["schemas"]["SiteSectionPointer"];
        };
        /** @description The list of pages. */
        SiteSidebar: {
            /**
             * @description Its ground.
             * @enum {string}
             */
            background: "default" | "filled";
            /**
             * @description How the chosen page stands out.
             * @enum {string}
             */
            list: "default" | "pill" | "line";
        };
        /** @description A space as a site shows it: at the root of the site, or as a variant of a section. */
        SiteSpace: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "site-space";
            /** @description The id of the site space. */
            id: string;
            /** @description Its path on the site. */
            path: components["schemas"]["PathSegment"];
            /** @description The id of the section that it is a variant of. */
            section?: string;
            /** @description The space that it shows. */
            space: components["schemas"]["Space"];
            /** @description The title that it goes by on the site. */
            title: string;
            /** @description Whether it is the one shown first. */
            default?: boolean;
            /** @description Decides which visitors see it. */
            condition?: components["schemas"]["VisitorCondition"];
            /** @description Whether looks of its own are open to it. */
            hasAdvancedCustomizationFeature?: boolean;
            /** @description Where to find it. */
            urls: components["schemas"]["PublishedUrls"];
        };
        /**
         * @description A space to show on a site.
         * @example {
         *       "spaceId": "spc_handbook"
         *     }
         */
        SiteSpaceCreate: {
            /** @description The id of the space. */
            spaceId: components["schemas"]["Identifier"];
            /** @description The id of the section; without one, the default section, or the root of a site without sections. */
            sectionId?: components["schemas"]["Identifier"];
        };
        /** @description One page of a list. */
        SiteSpaceList: {
            /** @description The items of this page. */
            items: components["schemas"]["SiteSpace"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description Where a site space goes. */
        SiteSpaceMove: {
            /** @description The new place; without one, the end. */
            position?: components["schemas"]["SiteSpacePosition"];
        };
        /** @description What of a site space changes; what is left out stays. */
        SiteSpacePatch: {
            /** @description Its path on the site. */
            path?: components["schemas"]["PathSegment"];
            /** @description Decides which visitors see it; null shows it to all. */
            condition?: components["schemas"]["VisitorCondition"] | null;
            /** @description The id of the space to show from now on. */
            spaceId?: components["schemas"]["Identifier"];
        };
        /** @description Points at a site space. */
        SiteSpacePointer: {
            /**
             * @description What it points at.
             * @enum {string}
             */
            type: "site-space";
            /** @description The id of the site space. */
            siteSpace: components["schemas"]["Identifier"];
        };
        /** @description A place among site spaces, named by its neighbour. */
        SiteSpacePosition: {
            /** @description The site space that comes next. */
            before?: components["schemas"]["SiteSpacePointer"];
            /** @description The site space that came last. */
            after?: components["schemas"]["SiteSpacePointer"];
        };
        /**
         * @description What a space made for a new site holds.
         * @enum {string}
         */
        SiteStartingSpace: "sample" | "empty";
        /** @description The spaces of a new site. */
        SiteStartingSpaces: components["schemas"]["Identifier"][] | components["schemas"]["SiteStartingSpace"];
        /** @description Colours, font and shapes of a site. */
        SiteStyling: {
            /**
             * @description The look of the whole.
             * @enum {string}
             */
            theme: "clean" | "muted" | "bold" | "gradient";
            /** @description The colour of links and of what is chosen. */
            primaryColor: components["schemas"]["ThemedColor"];
            /** @description The colour of hints that inform. */
            infoColor: components["schemas"]["ThemedColor"];
            /** @description The colour of hints that confirm. */
            successColor: components["schemas"]["ThemedColor"];
            /** @description The colour of hints that warn. */
            warningColor: components["schemas"]["ThemedColor"];
            /** @description The colour of hints that alarm. */
            dangerColor: components["schemas"]["ThemedColor"];
            /** @description A colour that all grounds take on a little. */
            tint?: components["schemas"]["SiteTint"];
            /**
             * @description The shape of corners.
             * @enum {string}
             */
            corners: "straight" | "rounded" | "circular";
            /**
             * @description Shadows, or none.
             * @enum {string}
             */
            depth: "subtle" | "flat";
            /**
             * @description How links stand out in text.
             * @enum {string}
             */
            links: "default" | "accent";
            /** @description The name of the font. */
            font: string;
            /** @description The name of the font of code. */
            monospaceFont: string;
            /**
             * @description The ground of pages.
             * @enum {string}
             */
            background: "plain" | "match";
            /**
             * @description The style of icons.
             * @enum {string}
             */
            icons: "regular" | "solid" | "duotone" | "thin" | "light";
            /** @description The list of pages. */
            sidebar: components["schemas"]["SiteSidebar"];
            /**
             * @description How much the search field stands out.
             * @enum {string}
             */
            search: "prominent" | "subtle";
        };
        /** @description The start with light or dark, and whether readers may switch. */
        SiteThemes: {
            /**
             * @description What a first visit shows.
             * @enum {string}
             */
            default: "light" | "dark" | "system";
            /** @description Whether readers may switch. */
            toggeable: boolean;
        };
        /** @description A colour that all grounds take on a little. */
        SiteTint: {
            /** @description The colour. */
            color: components["schemas"]["ThemedColor"];
        };
        /** @description The title of a site or of a section. */
        SiteTitle: string;
        /** @description Something that is on or off. */
        SiteToggle: {
            /** @description Whether it is on. */
            enabled: boolean;
        };
        /**
         * @description The plan of a site.
         * @enum {string}
         */
        SiteType: "basic" | "premium" | "ultimate" | "sponsored" | "legacy-basic" | "legacy-premium";
        /** @description Where to find a site. */
        SiteUrls: {
            /**
             * Format: uri
             * @description The site in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The page that manages the site.
             */
            app: string;
            /**
             * Format: uri
             * @description The site itself, once published.
             */
            published?: string;
        };
        /** @description A visitor looked at a page of a site. */
        SiteViewEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "site_view";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the site. */
            siteId: string;
            /** @description The id of the space. */
            spaceId?: string;
            /** @description The id of the site space. */
            siteSpaceId?: string;
            /** @description The id of the page. */
            pageId?: string;
            /** @description The visitor. */
            visitor: components["schemas"]["EventVisitor"];
            /** @description The address of the page. */
            url: string;
            /** @description Where the visitor came from. */
            referrer: string;
        };
        /**
         * @description Who a published site is for.
         * @enum {string}
         */
        SiteVisibility: "public" | "unlisted" | "share-link" | "visitor-auth";
        /** @description A body of pages with a history. */
        Space: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "space";
            /** @description The id of the space. */
            id: string;
            /** @description Its title. */
            title: string;
            /** @description The emoji shown with its title; empty when there is none. */
            emoji: string;
            /** @description Who can read it. */
            visibility: components["schemas"]["SpaceVisibility"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it or its content last changed.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When it was deleted. It can be restored for 7 days.
             */
            deletedAt?: string;
            /** @description Whether it can be edited. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description Where the space is found. */
            urls: components["schemas"]["SpaceUrls"];
            /** @description The id of the organization that owns it. */
            organization: string;
            /** @description The id of the collection that it is in; left out at the root. */
            parent?: string;
            /** @description The language that it is written in. */
            language?: components["schemas"]["Language"];
            /** @description The Git repository that it is kept in step with. */
            gitSync?: components["schemas"]["GitInfo"];
            /** @description Who authenticates its visitors. */
            visitorAuth?: components["schemas"]["VisitorAuth"];
            /** @description The id of the revision that readers see. */
            revision: string;
            /** @description What every member may do with it: its own level, or the inherited one. */
            defaultLevel: components["schemas"]["Role"];
            /**
             * Format: int32
             * @description How many comments are open.
             */
            comments: number;
            /**
             * Format: int32
             * @description How many change requests there are.
             */
            changeRequests: number;
            /**
             * Format: int32
             * @description How many change requests are open.
             */
            changeRequestsOpen: number;
            /**
             * Format: int32
             * @description How many change requests are drafts.
             */
            changeRequestsDraft: number;
            /** @description What the caller may do with it. */
            permissions: components["schemas"]["SpacePermissions"];
        };
        /** @description A component in the settings of an installation on a space. */
        SpaceConfigurationContext: {
            /**
             * @description Where the component shows. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "configuration_space";
            /**
             * @description The colours around the component.
             * @enum {string}
             */
            theme: "dark" | "light";
            /** @description The id of the space. */
            spaceId: components["schemas"]["Identifier"];
        };
        /** @description The content of a space changed. */
        SpaceContentUpdatedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_content_updated";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description The id of the new revision. */
            revisionId: string;
        };
        /** @description A space to create. It starts empty, or from a template or a computed source, not both. */
        SpaceCreate: {
            /** @description Its title; `Untitled` when left out. */
            title?: components["schemas"]["ContentTitle"];
            /** @description The emoji to show with its title. */
            emoji?: components["schemas"]["IconName"];
            /** @description The id of the collection to create it in; the root when left out. */
            parent?: components["schemas"]["Identifier"];
            /** @description The language that it is written in. */
            language?: components["schemas"]["Language"];
            /** @description Whether it can be edited. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description The template to fill it from. */
            template?: components["schemas"]["TemplateChoice"];
            /** @description The source to compute its content from. */
            computedSource?: components["schemas"]["ComputedRevisionSource"];
        };
        /**
         * @description Whether a space can be edited.
         * @enum {string}
         */
        SpaceEditMode: "live" | "locked";
        /** @description What to change about a space that shows an emoji with its title, or nothing. */
        SpaceEmojiPatch: {
            /** @description The new title. */
            title?: components["schemas"]["ContentTitle"];
            /** @description What every member may do with it; null, like `inherit`, leaves it to the parent. */
            defaultLevel?: components["schemas"]["DefaultLevel"] | null;
            /** @description The language that it is written in. */
            language?: components["schemas"]["Language"];
            /** @description Whether it can be edited. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description The emoji to show with its title, in place of an icon; null removes it. */
            emoji?: components["schemas"]["IconName"] | null;
            /** @description The address of an icon: only null, which removes it. */
            icon?: null;
        };
        /** @description A synchronisation of a space with Git ended. */
        SpaceGitSyncCompletedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_gitsync_completed";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description The id of the revision. */
            revisionId: string;
            /** @description The id of the commit. */
            commitId: string;
            /**
             * @description How it ended.
             * @enum {string}
             */
            state: "success" | "failure";
        };
        /** @description A synchronisation of a space with Git began. */
        SpaceGitSyncStartedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_gitsync_started";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description The id of the revision. */
            revisionId: string;
            /** @description The id of the commit. */
            commitId: string;
        };
        /** @description What to change about a space that shows an icon with its title, or nothing. */
        SpaceIconPatch: {
            /** @description The new title. */
            title?: components["schemas"]["ContentTitle"];
            /** @description What every member may do with it; null, like `inherit`, leaves it to the parent. */
            defaultLevel?: components["schemas"]["DefaultLevel"] | null;
            /** @description The language that it is written in. */
            language?: components["schemas"]["Language"];
            /** @description Whether it can be edited. */
            editMode?: components["schemas"]["SpaceEditMode"];
            /** @description The emoji: only null, which removes it. */
            emoji?: null;
            /** @description The address of an icon to show with its title, in place of an emoji; null removes it. */
            icon?: components["schemas"]["WebAddress"] | null;
        };
        /** @description An installation on one space. */
        SpaceInstallation: {
            /** @description The name of the integration. */
            integration: string;
            /** @description The id of the installation. */
            installation: string;
            /** @description Whether it works there. */
            status: components["schemas"]["InstallationStatus"];
            /** @description The values of its settings there, by name. */
            configuration: {
                [key: string]: unknown;
            };
            /** @description Names that the integration knows it by. */
            externalIds: string[];
            /** @description Where to find it. */
            urls: components["schemas"]["InstallationPartUrls"];
            /** @description The id of the space, or all of it. */
            space: string | components["schemas"]["Space"];
        };
        /** @description An installation was removed from a space. */
        SpaceInstallationDeletedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_installation_deleted";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description How it stood. */
            previous: components["schemas"]["InstallationRemains"];
        };
        /** @description One page of a list. */
        SpaceInstallationList: {
            /** @description The items of this page. */
            items: components["schemas"]["SpaceInstallation"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description An installation on a space was made, or its settings changed. */
        SpaceInstallationSetupEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_installation_setup";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description Whether the installation works. */
            status: components["schemas"]["InstallationStatus"];
            /** @description How it stood before, unless it is new. */
            previous?: components["schemas"]["InstallationSnapshot"];
        };
        /** @description An invitation to one space, as a guest. */
        SpaceInvite: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "invite";
            /** @description The id of the invitation, which is also its secret. */
            id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description Where the invitation is found. */
            urls: components["schemas"]["InviteUrls"];
            /** @description What those who join may do in the space. */
            level: components["schemas"]["Role"];
            /** @description The id of the space. */
            space: string;
        };
        /** @description An invitation to a space to create. */
        SpaceInviteCreate: {
            /** @description What those who join may do in the space. */
            level: components["schemas"]["Role"];
            /** @description The id of the space. */
            space: components["schemas"]["Identifier"];
        };
        /** @description One page of a list. */
        SpaceList: {
            /** @description The items of this page. */
            items: components["schemas"]["Space"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A space. */
        SpaceLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "space";
            /** @description The organization that owns the space. */
            organization: components["schemas"]["Organization"];
            /** @description The space. */
            space: components["schemas"]["Space"];
        };
        /** @description What to change about a space. It has an emoji or an icon, not both. */
        SpacePatch: components["schemas"]["SpaceEmojiPatch"] | components["schemas"]["SpaceIconPatch"];
        /** @description What the caller may do with a space. */
        SpacePermissions: {
            /** @description See it. */
            view: boolean;
            /** @description Open it in the app. */
            access: boolean;
            /** @description Change, move, delete and restore it, and grant access to it. */
            admin: boolean;
            /** @description See its invite links. */
            viewInviteLinks: boolean;
            /** @description Edit its content. */
            edit: boolean;
            /** @description Start a Git import. */
            triggerGitSync: boolean;
            /** @description Comment on it. */
            comment: boolean;
            /** @description Merge its change requests. */
            merge: boolean;
            /** @description Review its change requests. */
            review: boolean;
            /** @description Install integrations in it. */
            installIntegration: boolean;
        };
        /** @description Names a space among the spaces and collections of a parent. */
        SpacePointer: {
            /**
             * @description What is named. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space";
            /** @description The id of the space. */
            space: components["schemas"]["Identifier"];
        };
        /** @description Points at a space. */
        SpaceRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "space";
            /** @description The id of the space. */
            space: components["schemas"]["Identifier"];
        };
        /** @description The addresses of a space. */
        SpaceUrls: {
            /**
             * Format: uri
             * @description The space in this API.
             */
            location: string;
            /**
             * Format: uri
             * @description The space in the app.
             */
            app: string;
            /**
             * Format: uri
             * @description The space as its audience reads it.
             */
            published?: string;
            /**
             * Format: uri
             * @description The space as the public reads it.
             */
            public?: string;
            /**
             * Format: uri
             * @description Its icon.
             */
            icon?: string;
        };
        /** @description A visitor looked at a page of a space. */
        SpaceViewEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_view";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description The id of the page. */
            pageId?: string;
            /** @description The visitor. */
            visitor: components["schemas"]["EventVisitor"];
            /** @description The address of the page. */
            url: string;
            /** @description Where the visitor came from. */
            referrer: string;
        };
        /**
         * @description Who can read a space, by the sites that carry it.
         * @enum {string}
         */
        SpaceVisibility: "public" | "unlisted" | "share-link" | "visitor-auth" | "in-collection" | "private";
        /** @description Another audience can read a space. */
        SpaceVisibilityUpdatedEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "space_visibility_updated";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId: string;
            /** @description The id of the space. */
            spaceId: string;
            /** @description Who could read it before. */
            previousVisibility: components["schemas"]["SpaceVisibility"];
            /** @description Who can read it now. */
            visibility: components["schemas"]["SpaceVisibility"];
        };
        /** @description A way to sign in to an organization. */
        SsoLogin: {
            /** @description The id of the SAML provider. */
            id: string;
            /** @description The name that members choose it by. */
            label: string;
            /**
             * Format: uri
             * @description Where signing in starts.
             */
            startURL: string;
        };
        /** @description All ways to sign in to an organization. */
        SsoLogins: {
            /** @description One for each active provider. */
            items: components["schemas"]["SsoLogin"][];
        };
        /** @description One step of a form. */
        StepElement: {
            /**
             * @description The type of the element.
             * @enum {string}
             */
            type: "step";
            /** @description Names the step. */
            id: string;
            /** @description Its title. */
            title?: string;
            /** @description What it holds. */
            children: components["schemas"]["RenderElement"][];
            /** @description The button that leads on. */
            next?: components["schemas"]["ButtonElement"];
        };
        /** @description A form in steps. */
        StepperElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "stepper";
            /** @description The id of the step that shows. */
            activeStep: string;
            /** @description What happens when the reader goes to another step. */
            onStepChange: components["schemas"]["RenderAction"];
            /** @description What happens after the last step. */
            onComplete: components["schemas"]["RenderAction"];
            /** @description The steps, in order. */
            children: components["schemas"]["StepElement"][];
        };
        /** @description A switch. */
        SwitchElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "switch";
            /** @description The entry of the state that holds whether it is on. */
            state: string;
            /** @description Whether it is on at first. */
            initialValue?: boolean;
            /** @description What happens when it is switched. */
            onValueChange?: components["schemas"]["RenderAction"];
            /** @description A question asked before. */
            confirm?: components["schemas"]["RenderConfirmation"];
        };
        /** @description A cell of a table. */
        TableCell: {
            /** @description Names the row. */
            record: components["schemas"]["Line"];
            /** @description Names the column. */
            definition: components["schemas"]["Line"];
        };
        /** @description A task that the integration set itself is due. */
        TaskEvent: {
            /**
             * @description The type of the event. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "task";
            /** @description The id of the event. */
            eventId: string;
            /** @description The id of the installation. */
            installationId?: string;
            /** @description The task. */
            task: components["schemas"]["IntegrationTask"];
        };
        /** @description A named set of members, to grant access to together. */
        Team: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "team";
            /** @description The id of the team. */
            id: string;
            /** @description Its title. */
            title: string;
            /**
             * Format: int32
             * @description How many members it has.
             */
            members: number;
            /**
             * Format: int32
             * @description How many spaces it has access to.
             */
            spaces: number;
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /** @description What the caller may do with it. */
            permissions: components["schemas"]["TeamPermissions"];
        };
        /** @description A team to create. */
        TeamCreate: {
            /** @description Its title. */
            title: components["schemas"]["TeamTitle"];
            /** @description The ids of its first members. The caller owns the team, listed or not. */
            members?: components["schemas"]["Identifier"][];
        };
        /** @description What a team was granted. */
        TeamGrant: {
            /** @description What the members of the team may do. */
            permission: components["schemas"]["Role"];
            /** @description The team. */
            team: components["schemas"]["Team"];
        };
        /** @description One page of a list. */
        TeamGrantList: {
            /** @description The items of this page. */
            items: components["schemas"]["TeamGrant"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description One page of a list. */
        TeamList: {
            /** @description The items of this page. */
            items: components["schemas"]["Team"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A member of a team. */
        TeamMember: {
            /** @description The member in the organization. */
            organization: components["schemas"]["Member"];
            /** @description The member in the team. */
            team: components["schemas"]["TeamMembership"];
        };
        /** @description One page of a list. */
        TeamMemberList: {
            /** @description The items of this page. */
            items: components["schemas"]["TeamMember"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What a member is to be in a team. */
        TeamMemberSet: {
            /** @description The role in the team. Left out, who is in the team keeps theirs, and newcomers are plain members. */
            role?: components["schemas"]["TeamRole"];
        };
        /** @description Whom to put into a team and whom to take out. Who is in both lists is taken out. */
        TeamMembersUpdate: {
            /** @description Ids or mail addresses of members to add; those who are in the team keep their role. */
            add?: components["schemas"]["Line"][];
            /** @description Ids or mail addresses of members to remove; those who are not in the team are passed over. */
            remove?: components["schemas"]["Line"][];
            /** @description The role in the team of each member named, by the user's id; whoever is not in the team joins it. */
            memberships?: {
                [key: string]: components["schemas"]["TeamMembership"];
            };
        };
        /** @description What a user is in a team. */
        TeamMembership: {
            /** @description The role in the team. */
            role: components["schemas"]["TeamRole"];
        };
        /** @description What to change about a team. */
        TeamPatch: {
            /** @description The new title. */
            title: components["schemas"]["TeamTitle"];
        };
        /** @description What the caller may do with a team. */
        TeamPermissions: {
            /** @description Manage the team and its members. */
            admin: boolean;
            /** @description See the team and its members. */
            view: boolean;
        };
        /**
         * @description What a user is in a team.
         * @enum {string}
         */
        TeamRole: "owner" | "member";
        /** @description The title of a team to write. */
        TeamTitle: string;
        /**
         * @description A template to start content from.
         * @example {
         *       "id": "tpl_handbook"
         *     }
         */
        TemplateChoice: {
            /** @description The id of the template. */
            id: components["schemas"]["Identifier"];
            /** @description What to put into its places. */
            params?: components["schemas"]["TemplateParams"];
        };
        /** @description What to put into the places of a template. */
        TemplateParams: {
            /** @description References by the name of the place that takes them. */
            contentRefs?: {
                [key: string]: components["schemas"]["ContentRef"];
            };
        };
        /** @description Text. */
        TextElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "text";
            /** @description Plain text, and elements within it. */
            children: components["schemas"]["RenderInline"][];
            /**
             * @description How it looks.
             * @enum {string}
             */
            style?: "bold" | "italic" | "code" | "strikethrough";
        };
        /**
         * @description The form of a text in an answer.
         * @enum {string}
         */
        TextFormat: "document" | "markdown";
        /** @description A text field. */
        TextInputElement: {
            /**
             * @description The type of the element. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "textinput";
            /** @description The entry of the state that holds its text. */
            state: string;
            /** @description Its text at first. */
            initialValue?: string;
            /** @description What shows while it is empty. */
            placeholder?: string;
            /**
             * @description What is written in it.
             * @enum {string}
             */
            inputType?: "text" | "password" | "email";
            /** @description Whether it has more than one line. */
            multiline?: boolean;
            /** @description Whether it is switched off. */
            disabled?: boolean;
        };
        /** @description One image for each colour theme. */
        ThemedAddress: {
            /**
             * Format: uri
             * @description The address of the image on light ground.
             */
            light: string;
            /**
             * Format: uri
             * @description The address of the image on dark ground.
             */
            dark: string;
        };
        /** @description One colour for each theme. */
        ThemedColor: {
            /** @description On light ground. */
            light: components["schemas"]["Color"];
            /** @description On dark ground. */
            dark: components["schemas"]["Color"];
        };
        /** @description Where a space or a collection goes for good. */
        TransferContent: {
            /** @description The organization to own it; it lands at the root there. */
            organization: components["schemas"]["Identifier"];
        };
        /** @description A space kept in another language than the space it was translated from. */
        Translation: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "translation";
            /** @description The id of the translation. */
            id: string;
            /** @description How far its last run is. */
            status: components["schemas"]["TranslationStatus"];
            /** @description What is translated. */
            source: components["schemas"]["TranslationSource"];
            /** @description The language that it is translated into. */
            language: components["schemas"]["Language"];
            /** @description What the translator should keep to; an empty document when nothing was asked. */
            instructions: components["schemas"]["Document"];
            /** @description Where the translated pages are, after the first run. */
            result?: components["schemas"]["TranslationResult"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updatedAt: string;
            /** @description What its runs did. */
            stats: components["schemas"]["TranslationStats"];
            /** @description What the caller may do. */
            permissions: components["schemas"]["TranslationPermissions"];
            /** @description Where to find it. */
            urls: components["schemas"]["TranslationUrls"];
        };
        /**
         * @description A new translation.
         * @example {
         *       "source": {
         *         "space": "spc_handbook",
         *         "language": "en"
         *       },
         *       "language": "fr"
         *     }
         */
        TranslationCreate: {
            /** @description The language to translate into. */
            language: components["schemas"]["Language"];
            /** @description What to translate. */
            source?: components["schemas"]["TranslationSource"];
            /** @description What the translator should keep to. */
            instructions?: components["schemas"]["Document"];
        };
        /** @description The translation that content is computed from. */
        TranslationDependency: {
            /** @description Points at the translation. */
            ref: components["schemas"]["TranslationRef"];
        };
        /** @description One page of a list. */
        TranslationList: {
            /** @description The items of this page. */
            items: components["schemas"]["Translation"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description What a translated page was translated from. */
        TranslationPageProps: {
            /** @description The id of the space that was translated. */
            space: components["schemas"]["Identifier"];
            /** @description The id of the document that was translated. */
            document: components["schemas"]["Identifier"];
        };
        /** @description A page computed by a translation. */
        TranslationPageSource: {
            /**
             * @description Who computes the content.
             * @enum {string}
             */
            type: "builtin:translation";
            /** @description What was translated. */
            props: components["schemas"]["TranslationPageProps"];
            /** @description What the content depends on, by name. */
            dependencies: {
                [key: string]: components["schemas"]["TranslationDependency"];
            };
        };
        /** @description What the caller may do with a translation. */
        TranslationPermissions: {
            /** @description Read it. */
            view: boolean;
            /** @description Change, run and delete it. */
            edit: boolean;
        };
        /** @description Points at a translation of the organization. */
        TranslationRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "translation";
            /** @description The id of the translation. */
            translation: components["schemas"]["Identifier"];
        };
        /** @description Where the translated pages are. */
        TranslationResult: {
            /** @description The id of the translated space. */
            space: string;
            /** @description The id of the revision that the last run made. */
            revision: string;
        };
        /** @description Pages computed by a translation. */
        TranslationRevisionSource: {
            /**
             * @description Who computes the content.
             * @enum {string}
             */
            type: "builtin:translation";
            /** @description Settings; a translation has none of its own here. */
            props?: {
                [key: string]: unknown;
            };
            /** @description What the content depends on, by name. */
            dependencies: {
                [key: string]: components["schemas"]["TranslationDependency"];
            };
        };
        /** @description What is translated. */
        TranslationSource: {
            /** @description The id of the space. */
            space: components["schemas"]["Identifier"];
            /** @description The language that it is written in. */
            language: components["schemas"]["Language"];
        };
        /** @description What the runs of a translation did. */
        TranslationStats: {
            /**
             * Format: int32
             * @description How many runs there were.
             */
            runs: number;
            /**
             * Format: int32
             * @description How many words all runs translated.
             */
            totalWords: number;
            /**
             * Format: int32
             * @description How many pages all runs translated.
             */
            totalPages: number;
            /**
             * Format: double
             * @description How many seconds all runs took.
             */
            totalDuration: number;
            /**
             * Format: double
             * @description How many seconds the last run took.
             */
            latestRunDuration: number;
            /**
             * Format: int32
             * @description How many pages the last run translated.
             */
            latestPages: number;
            /**
             * Format: int32
             * @description How many words the last run translated.
             */
            latestWords: number;
        };
        /**
         * @description How far a run of a translation is.
         * @enum {string}
         */
        TranslationStatus: "pending" | "running" | "completed";
        /** @description What a translator should keep to from now on. */
        TranslationUpdate: {
            /** @description What the translator should keep to. */
            instructions: components["schemas"]["Document"];
        };
        /** @description Where to find a translation. */
        TranslationUrls: {
            /**
             * Format: uri
             * @description The translation in this API.
             */
            location: string;
        };
        /**
         * @description How far a trial is.
         * @enum {string}
         */
        TrialStatus: "notapplicable" | "none" | "active" | "ended" | "expired";
        /** @description Hands in an address that was pasted. */
        UnfurlLinkAction: {
            /**
             * @description Names the action.
             * @enum {string}
             */
            action: "@link.unfurl";
            /** @description The address. */
            url: components["schemas"]["Line"];
        };
        /** @description Changes what the block in the page is given. */
        UpdatePropsAction: {
            /**
             * @description Names the action.
             * @enum {string}
             */
            action: "@editor.node.updateProps";
            /** @description What the block is given from now on. */
            props: {
                [key: string]: unknown;
            };
        };
        /** @description An address outside. */
        UrlLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "url";
            /** @description The address. */
            url: string;
        };
        /** @description Points at an address outside. */
        UrlRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "url";
            /** @description The address, as its author wrote it. */
            url: components["schemas"]["Line"];
        };
        /** @description A person, or a machine that acts as one. */
        User: {
            /**
             * @description The type of this record.
             * @enum {string}
             */
            object: "user";
            /** @description The id of the user. */
            id: string;
            /** @description The name to show. */
            displayName: string;
            /** @description The mail address, where the caller may see it. */
            email?: string;
            /** @description The address of a picture of the user. */
            photoURL?: string;
            /** @description Where the user is found. */
            urls: components["schemas"]["UserUrls"];
        };
        /** @description What a user was granted. */
        UserGrant: {
            /** @description What the user may do. */
            permission: components["schemas"]["Role"];
            /** @description The user. */
            user: components["schemas"]["User"];
        };
        /** @description One page of a list. */
        UserGrantList: {
            /** @description The items of this page. */
            items: components["schemas"]["UserGrant"][];
            /** @description Left out on the last page. */
            next?: components["schemas"]["NextPage"];
            /**
             * Format: int32
             * @description How many items the whole filtered list has.
             */
            count?: number;
        };
        /** @description A user. */
        UserLocation: {
            /**
             * @description What stands there.
             * @enum {string}
             */
            kind: "user";
            /** @description The user. */
            user: components["schemas"]["User"];
        };
        /** @description Points at a user. */
        UserRef: {
            /**
             * @description What is pointed at.
             * @enum {string}
             */
            kind: "user";
            /** @description The id of the user. */
            user: components["schemas"]["Identifier"];
        };
        /** @description The addresses of a user. */
        UserUrls: {
            /**
             * Format: uri
             * @description The user in this API.
             */
            location: string;
        };
        /** @description The version of a space's content that a location was found in. */
        VersionContext: components["schemas"]["RevisionContext"] | components["schemas"]["ChangeRequestContext"];
        /** @description Who authenticates visitors. */
        VisitorAuth: components["schemas"]["CustomVisitorAuth"] | components["schemas"]["IntegrationVisitorAuth"];
        /** @description An expression over `visitor.claims` that decides whether a visitor sees the thing. */
        VisitorCondition: string;
        /**
         * Format: uri
         * @description An absolute address (RFC 3986), at most 2,048 characters.
         */
        WebAddress: string;
    };
    responses: never;
    parameters: {
        /** @description Only change requests that this user has written a revision of. */
        "ChangeRequestListQuery.contributor": components["schemas"]["Identifier"];
        /** @description Only change requests with this status. */
        "ChangeRequestListQuery.status": components["schemas"]["ChangeRequestStatus"];
        /** @description The id of the change request, or its number within the space. */
        "ChangeRequestPath.changeRequestId": components["schemas"]["Identifier"];
        /** @description Whether to list collections in collections, too. */
        "CollectionListQuery.nested": boolean;
        /** @description The id of the collection. */
        CollectionPath: components["schemas"]["Identifier"];
        /** @description The form of the bodies; markdown when left out. */
        CommentFormatQuery: components["schemas"]["TextFormat"];
        /** @description Only comments by these users. */
        "CommentListQuery.authors": components["schemas"]["Identifier"][];
        /** @description Only comments with this status. */
        "CommentListQuery.status": components["schemas"]["CommentStatusFilter"];
        /** @description Only comments on this page. */
        "CommentListQuery.targetPage": components["schemas"]["Identifier"];
        /** @description The id of the comment. */
        CommentPath: components["schemas"]["Identifier"];
        /** @description The id of the reply. */
        "CommentReplyPath.commentReplyId": components["schemas"]["Identifier"];
        /** @description Whether to compute what integrations, translations and specifications put in. */
        "ContentQuery.computed": boolean;
        /** @description Whether to tell Git facts, which change without the content changing. */
        "ContentQuery.metadata": boolean;
        /** @description Only what has this among its external ids. */
        ExternalIdQuery: components["schemas"]["Line"];
        /** @description The id of the file. */
        FilePath: components["schemas"]["Identifier"];
        /** @description Whether to answer spaces and sites in full in place of their ids. */
        "InstallationPartListQuery.extended": boolean;
        /** @description The id of the event. */
        "IntegrationEventPath.eventId": components["schemas"]["Identifier"];
        /** @description Only integrations with a block that takes in links to this host name. */
        "IntegrationListQuery.blockDomain": string;
        /** @description Only integrations that add blocks, or only those that do not. */
        "IntegrationListQuery.blocks": boolean;
        /** @description Only integrations of this category. */
        "IntegrationListQuery.category": components["schemas"]["IntegrationCategory"];
        /** @description Only integrations that add sources of content, or only those that do not. */
        "IntegrationListQuery.contentSources": boolean;
        /** @description Only integrations of this organization. */
        "IntegrationListQuery.owner": components["schemas"]["Identifier"];
        /** @description Only integrations with this scope. */
        "IntegrationListQuery.scope": components["schemas"]["IntegrationScope"];
        /** @description Only integrations whose name or title holds this text. */
        "IntegrationListQuery.search": components["schemas"]["Line"];
        /** @description Only integrations that can be installed on this. */
        "IntegrationListQuery.target": components["schemas"]["IntegrationTarget"];
        /** @description The name of the integration. */
        IntegrationPath: components["schemas"]["IntegrationName"];
        /** @description The id of the invitation. */
        "InvitePath.inviteId": components["schemas"]["Identifier"];
        /** @description Only links with this status. */
        LinkStatusQuery: components["schemas"]["LinkStatus"];
        /** @description The most items to answer; 0 answers the count alone. */
        "ListQuery.limit": number;
        /** @description Continues a list: `next.page` of the answer before. */
        "ListQuery.page": components["schemas"]["Line"];
        /** @description Lists only members with this role. */
        "MemberListQuery.role": components["schemas"]["MemberRoleFilter"];
        /** @description Lists only members whose name or mail address holds this text, whatever its case. */
        "MemberListQuery.search": components["schemas"]["Line"];
        /** @description What to list by. */
        "MemberListQuery.sort": components["schemas"]["MemberSort"];
        /** @description The id of the user. */
        "MemberPath.userId": components["schemas"]["Identifier"];
        /** @description The name of the specification. */
        "OpenAPISpecPath.specSlug": components["schemas"]["OpenAPISlug"];
        /** @description The id of the version. */
        "OpenAPIVersionPath.versionId": components["schemas"]["Identifier"];
        /** @description The direction of the list. */
        OrderQuery: components["schemas"]["Order"];
        /** @description The id of the organization. */
        OrganizationPath: components["schemas"]["Identifier"];
        /** @description The id of the page. */
        PagePath: components["schemas"]["Identifier"];
        /** @description Whether to put values in the place of expressions. */
        "PageQuery.evaluated": boolean;
        /** @description The form of the body. */
        "PageQuery.format": components["schemas"]["TextFormat"];
        /** @description Whether to print that page alone, without those below it. */
        "PdfQuery.only": boolean;
        /** @description The id of the page to start at. */
        "PdfQuery.page": components["schemas"]["Identifier"];
        /** @description The id of the SAML provider. */
        "SamlProviderPath.samlProviderId": components["schemas"]["Identifier"];
        /** @description The words to find. */
        "SearchQuery.query": string;
        /** @description The secret of a share link of the site. */
        ShareKeyQuery: components["schemas"]["Line"];
        /** @description Only sites that are published, or only those that are not. */
        "SiteListQuery.published": boolean;
        /** @description Only sites that show this space. */
        "SiteListQuery.space": components["schemas"]["Identifier"];
        /** @description Only sites whose title holds this text. */
        "SiteListQuery.title": components["schemas"]["Line"];
        /** @description Only sites on one of these plans. */
        "SiteListQuery.type": components["schemas"]["SiteType"][];
        /** @description The id of the site. */
        "SitePath.siteId": components["schemas"]["Identifier"];
        /** @description The id of the group. */
        "SiteSectionGroupPath.siteSectionGroupId": components["schemas"]["Identifier"];
        /** @description The id of the section. */
        "SiteSectionPath.siteSectionId": components["schemas"]["Identifier"];
        /** @description True answers the site space shown first, false all others. */
        "SiteSpaceListQuery.default": boolean;
        /** @description The id of the site space. */
        "SiteSpacePath.siteSpaceId": components["schemas"]["Identifier"];
        /** @description The id of the space. */
        SpacePath: components["schemas"]["Identifier"];
        /** @description The id of the user. */
        "TeamMemberPath.userId": components["schemas"]["Identifier"];
        /** @description The id of the team. */
        "TeamPath.teamId": components["schemas"]["Identifier"];
        /** @description The id of the translation. */
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
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCollectionGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCollectionTeamGrants: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCollectionTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description The id of the team. */
                teamId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCollectionTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description The id of the team. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCollectionUserGrants: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCollectionUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description The id of the user. */
                userId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateCollectionUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
                collectionId: components["parameters"]["CollectionPath"];
                /** @description The id of the user. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCollectionSpaces: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    transferCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the collection. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request takes for granted does not hold. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getEmailDomainOrganizations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The part of a mail address after its `@`. */
                emailDomain: components["schemas"]["Line"];
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only integrations whose name or title holds this text. */
                search?: components["parameters"]["IntegrationListQuery.search"];
                /** @description Only integrations of this category. */
                category?: components["parameters"]["IntegrationListQuery.category"];
                /** @description Only integrations with a block that takes in links to this host name. */
                blockDomain?: components["parameters"]["IntegrationListQuery.blockDomain"];
                /** @description Only integrations that add blocks, or only those that do not. */
                blocks?: components["parameters"]["IntegrationListQuery.blocks"];
                /** @description Only integrations that add sources of content, or only those that do not. */
                contentSources?: components["parameters"]["IntegrationListQuery.contentSources"];
                /** @description Only integrations of this organization. */
                owner?: components["parameters"]["IntegrationListQuery.owner"];
                /** @description Only integrations with this scope. */
                scope?: components["parameters"]["IntegrationListQuery.scope"];
                /** @description Only integrations that can be installed on this. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    publishIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unpublishIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startIntegrationDevelopment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    stopIntegrationDevelopment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listIntegrationEvents: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getIntegrationEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
                /** @description The id of the event. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInstallations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only what has this among its external ids. */
                externalId?: components["parameters"]["ExternalIdQuery"];
            };
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Installation"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    renderIntegration: {
        parameters: {
            query: {
                /** @description A `RenderRequest` in JSON, compressed by LZ-string for addresses. */
                request: string;
            };
            header?: never;
            path: {
                /** @description The name of the integration. */
                integrationName: components["parameters"]["IntegrationPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was rendered, and how long it may be kept. */
            200: {
                headers: {
                    /** @description How long the answer may be kept (RFC 9111, section 5.2). */
                    "Cache-Control"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderResult"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSiteInstallations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only what has this among its external ids. */
                externalId?: components["parameters"]["ExternalIdQuery"];
                /** @description Whether to answer spaces and sites in full in place of their ids. */
                extended?: components["parameters"]["InstallationPartListQuery.extended"];
            };
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceInstallations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only what has this among its external ids. */
                externalId?: components["parameters"]["ExternalIdQuery"];
                /** @description Whether to answer spaces and sites in full in place of their ids. */
                extended?: components["parameters"]["InstallationPartListQuery.extended"];
            };
            header?: never;
            path: {
                /** @description The name of the integration. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to list collections in collections, too. */
                nested?: components["parameters"]["CollectionListQuery.nested"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    inviteUsers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the invitation. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listLinkInvites: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkInvite"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the invitation. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the invitation. */
                inviteId: components["parameters"]["InvitePath.inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateLinkInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the invitation. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The direction of the list. */
                order?: components["parameters"]["OrderQuery"];
                /** @description Lists only members with this role. */
                role?: components["parameters"]["MemberListQuery.role"];
                /** @description Lists only members whose name or mail address holds this text, whatever its case. */
                search?: components["parameters"]["MemberListQuery.search"];
                /** @description What to list by. */
                sort?: components["parameters"]["MemberListQuery.sort"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the user. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the user. */
                userId: components["parameters"]["MemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the user. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMemberSpaces: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The direction of the list. */
                order?: components["parameters"]["OrderQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the user. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableMemberSso: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the user. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMemberTeams: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Lists only teams whose title holds this text, whatever its case. */
                title?: components["schemas"]["Line"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the user. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOpenAPISpecs: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenAPISpec"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateOpenAPISpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOpenAPISpecVersions: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLatestOpenAPISpecVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLatestOpenAPISpecVersionContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenAPISpecVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
                /** @description The id of the version. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenAPISpecVersionContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The name of the specification. */
                specSlug: components["parameters"]["OpenAPISpecPath.specSlug"];
                /** @description The id of the version. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pingOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSamlProviders: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SamlProvider"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the SAML provider. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the SAML provider. */
                samlProviderId: components["parameters"]["SamlProviderPath.samlProviderId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSamlProvider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the SAML provider. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchOrganization: {
        parameters: {
            query: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The words to find. */
                query: components["parameters"]["SearchQuery.query"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSites: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only sites that show this space. */
                space?: components["parameters"]["SiteListQuery.space"];
                /** @description Only sites whose title holds this text. */
                title?: components["parameters"]["SiteListQuery.title"];
                /** @description Only sites that are published, or only those that are not. */
                published?: components["parameters"]["SiteListQuery.published"];
                /** @description Only sites on one of these plans. */
                type?: components["parameters"]["SiteListQuery.type"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSiteAdaptiveSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replaceSiteAdaptiveSchema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSiteAdaptiveConditionTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getPublishedSite: {
        parameters: {
            query?: {
                /** @description The secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSiteSectionGroups: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroup"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the group. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveSiteSectionGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the group. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    addSiteSectionToGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the group. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSectionGroup"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeSiteSectionFromGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the group. */
                siteSectionGroupId: components["parameters"]["SiteSectionGroupPath.siteSectionGroupId"];
                /** @description The id of the section. */
                siteSectionId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSiteSections: {
        parameters: {
            query?: {
                /** @description The secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSection"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the section. */
                siteSectionId: components["parameters"]["SiteSectionPath.siteSectionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the section. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveSiteSection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the section. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSiteSpaces: {
        parameters: {
            query?: {
                /** @description The secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description True answers the site space shown first, false all others. */
                default?: components["parameters"]["SiteSpaceListQuery.default"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteSpace"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the site space. */
                siteSpaceId: components["parameters"]["SiteSpacePath.siteSpaceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the site space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveSiteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the site. */
                siteId: components["parameters"]["SitePath.siteId"];
                /** @description The id of the site space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaces: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSsoLogins: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTeams: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Lists only teams that this member may manage, by id. */
                owner?: components["schemas"]["Identifier"];
                /** @description Lists only teams whose title holds this text, whatever its case. */
                title?: components["schemas"]["Line"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTeam: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTeamMembers: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTeamMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
                /** @description The id of the user. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTeamMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the team. */
                teamId: components["parameters"]["TeamPath.teamId"];
                /** @description The id of the user. */
                userId: components["parameters"]["TeamMemberPath.userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTranslations: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Translation"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the translation. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the translation. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the translation. */
                translationId: components["parameters"]["TranslationPath.translationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    runTranslation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the organization. */
                organizationId: components["parameters"]["OrganizationPath"];
                /** @description The id of the translation. */
                translationId: components["parameters"]["TranslationPath.translationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpace: {
        parameters: {
            query?: {
                /** @description The secret of a share link of the site. */
                shareKey?: components["parameters"]["ShareKeyQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequests: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only change requests with this status. */
                status?: components["parameters"]["ChangeRequestListQuery.status"];
                /** @description Only change requests that this user has written a revision of. */
                contributor?: components["parameters"]["ChangeRequestListQuery.contributor"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRequest"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequestCommenters: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequestComments: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The direction of the list. */
                order?: components["parameters"]["OrderQuery"];
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
                /** @description Only comments with this status. */
                status?: components["parameters"]["CommentListQuery.status"];
                /** @description Only comments on this page. */
                targetPage?: components["parameters"]["CommentListQuery.targetPage"];
                /** @description Only comments by these users. */
                authors?: components["parameters"]["CommentListQuery.authors"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createChangeRequestComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestComment: {
        parameters: {
            query?: {
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateChangeRequestComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteChangeRequestComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequestCommentReplies: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createChangeRequestCommentReply: {
        parameters: {
            query?: {
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestCommentReply: {
        parameters: {
            query?: {
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description The id of the reply. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateChangeRequestCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description The id of the reply. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteChangeRequestCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description The id of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestContent: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequestFiles: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestFile: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the file. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequestFileBacklinks: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the file. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importChangeRequestContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedContent"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestPage: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
                /** @description The form of the body. */
                format?: components["parameters"]["PageQuery.format"];
                /** @description Whether to put values in the place of expressions. */
                evaluated?: components["parameters"]["PageQuery.evaluated"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the page. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listChangeRequestPageLinks: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
                changeRequestId: components["parameters"]["ChangeRequestPath.changeRequestId"];
                /** @description The id of the page. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestPageTree: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    mergeChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getChangeRequestPdf: {
        parameters: {
            query?: {
                /** @description The id of the page to start at. */
                page?: components["parameters"]["PdfQuery.page"];
                /** @description Whether to print that page alone, without those below it. */
                only?: components["parameters"]["PdfQuery.only"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    syncChangeRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the change request, or its number within the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceCommenters: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceComments: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The direction of the list. */
                order?: components["parameters"]["OrderQuery"];
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
                /** @description Only comments with this status. */
                status?: components["parameters"]["CommentListQuery.status"];
                /** @description Only comments on this page. */
                targetPage?: components["parameters"]["CommentListQuery.targetPage"];
                /** @description Only comments by these users. */
                authors?: components["parameters"]["CommentListQuery.authors"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSpaceComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpaceComment: {
        parameters: {
            query?: {
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSpaceComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSpaceComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceCommentReplies: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSpaceCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
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
            /** @description A creation that names no address of its own. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentReply"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpaceCommentReply: {
        parameters: {
            query?: {
                /** @description The form of the bodies; markdown when left out. */
                format?: components["parameters"]["CommentFormatQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description The id of the reply. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSpaceCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description The id of the reply. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSpaceCommentReply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the comment. */
                commentId: components["parameters"]["CommentPath"];
                /** @description The id of the reply. */
                commentReplyId: components["parameters"]["CommentReplyPath.commentReplyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpaceContent: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceFiles: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpaceFile: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the file. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceFileBacklinks: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the file. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importSpaceContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedContent"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpacePage: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
                /** @description The form of the body. */
                format?: components["parameters"]["PageQuery.format"];
                /** @description Whether to put values in the place of expressions. */
                evaluated?: components["parameters"]["PageQuery.evaluated"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the page. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpacePageBacklinks: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the page. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpacePageLinks: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only links with this status. */
                status?: components["parameters"]["LinkStatusQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the page. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSpacePageTree: {
        parameters: {
            query?: {
                /** @description Whether to tell Git facts, which change without the content changing. */
                metadata?: components["parameters"]["ContentQuery.metadata"];
                /** @description Whether to compute what integrations, translations and specifications put in. */
                computed?: components["parameters"]["ContentQuery.computed"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    applySpaceTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    duplicateSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A creation that says where the new thing stands. */
            201: {
                headers: {
                    /** @description The absolute address of what was created: its `urls.location` (RFC 9110, section 10.2.2). */
                    location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Space"];
                };
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportGitRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    importGitRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getGitInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteLegacyGitInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceLinks: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description Only links with this status. */
                status?: components["parameters"]["LinkStatusQuery"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    moveSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSpaceGrants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceTeamGrants: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSpaceTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the team. */
                teamId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSpaceTeamGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the team. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSpaceUserGrants: {
        parameters: {
            query?: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSpaceUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the user. */
                userId: components["schemas"]["Identifier"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSpaceUserGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
                spaceId: components["parameters"]["SpacePath"];
                /** @description The id of the user. */
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
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    restoreSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    searchSpace: {
        parameters: {
            query: {
                /** @description Continues a list: `next.page` of the answer before. */
                page?: components["parameters"]["ListQuery.page"];
                /** @description The most items to answer; 0 answers the count alone. */
                limit?: components["parameters"]["ListQuery.limit"];
                /** @description The words to find. */
                query: components["parameters"]["SearchQuery.query"];
            };
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    transferSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the space. */
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The thing does not exist, or the caller may not see it. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The state of the thing forbids the request, or a name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description What the request takes for granted does not hold. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
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
            /** @description The contract refuses the request; `details` names each field at fault. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The access token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    /** @description The scheme to use (RFC 9110, section 11.6.1). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The caller sees the thing but may not do this to it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The token sent too many requests. */
            429: {
                headers: {
                    /** @description Seconds to wait before the next request (RFC 9110, section 10.2.3). */
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description Any other failure, among them faults of the server. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
