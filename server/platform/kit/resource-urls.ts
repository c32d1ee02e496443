/**
 * Absolute URLs for the `urls` field of resources: `location` is the resource in this API, `app` a web page that the
 * server serves or redirects from.
 */
export type ResourceUrls = ReturnType<typeof createResourceUrls>;

/** Origins of a server other than its public URL. */
export interface OtherOrigins {
  /** Domain of the published sites. */
  sitesDomain?: string | undefined;
  /** URL of the documents of integrations, without a trailing slash. */
  integrationContentUrl?: string | undefined;
}

/**
 * Creates the URLs of a server.
 *
 * @param publicUrl URL that clients use, without a trailing slash
 */
export function createResourceUrls(
  publicUrl: string,
  { sitesDomain, integrationContentUrl }: OtherOrigins = {},
) {
  /** Returns the URLs of the endpoint at a path: the second one is for documents. */
  const endpoints = (path: string) => ({
    publicEndpoint: `${publicUrl}${path}/endpoint`,
    publicContentEndpoint: `${integrationContentUrl ?? publicUrl}${path}/endpoint`,
  });
  const api = (path: string) => `${publicUrl}/v1${path}`;
  const app = (path: string) => `${publicUrl}/app${path}`;
  return {
    /** Returns the URL of any path of the server. */
    at: (path: string) => `${publicUrl}${path}`,
    /** Domain with a subdomain for each organization that publishes sites; undefined without one. */
    sitesDomain,
    /** Origins of the server and of the documents of integrations. */
    origins: [...new Set([publicUrl, integrationContentUrl ?? publicUrl].map((url) => new URL(url).origin))],
    /** URL of the documents of integrations, with an origin of its own; undefined without one. */
    integrationContentUrl,
    user: (id: string) => ({ location: app(`/users/${id}`) }),
    organization: (id: string) => ({ location: api(`/orgs/${id}`), app: app(`/orgs/${id}`) }),
    /** Returns the URLs of an image of an organization: in this API, and of its content. */
    organizationFile: (organization: string, { id, name }: { id: string; name: string }) => ({
      location: api(`/orgs/${organization}/files/${id}`),
      content: `${publicUrl}/orgs/${organization}/files/${name}`,
    }),
    collection: (id: string) => ({ location: api(`/collections/${id}`), app: app(`/collections/${id}`) }),
    space: (id: string) => ({ location: api(`/spaces/${id}`), app: app(`/spaces/${id}`) }),
    page: (space: string, id: string) => ({ app: app(`/spaces/${space}/pages/${id}`) }),
    revision: (space: string, id: string) => ({ app: app(`/spaces/${space}/revisions/${id}`) }),
    changeRequest: (space: string, id: string) => ({
      location: api(`/spaces/${space}/change-requests/${id}`),
      app: app(`/spaces/${space}/change-requests/${id}`),
    }),
    review: (row: { id: string; space: string; changeRequest: string }) => ({
      location: api(`/spaces/${row.space}/change-requests/${row.changeRequest}/reviews/${row.id}`),
    }),
    auditEvent: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/audit-events/${id}`),
    }),
    gitRun: (space: string, id: string) => ({ location: api(`/spaces/${space}/git/runs/${id}`) }),
    importRun: (organization: string, id: string) => ({
      location: api(`/org/${organization}/imports/${id}`),
    }),
    contentImportRun: (space: string, id: string) => ({
      location: api(`/spaces/${space}/content/import/runs/${id}`),
    }),
    /** Returns the URL of a comment, or of a reply to the comment `parent`. */
    comment: (row: { id: string; space: string; changeRequest: string | null; parent: string | null }) => {
      const { id, space, changeRequest, parent } = row;
      const branchPath = `/spaces/${space}${changeRequest === null ? '' : `/change-requests/${changeRequest}`}`;
      return { location: api(`${branchPath}/comments/${parent === null ? id : `${parent}/replies/${id}`}`) };
    },
    openAPISpec: (organization: string, slug: string) => ({
      location: api(`/orgs/${organization}/openapi/${slug}`),
      app: app(`/orgs/${organization}/openapi/${slug}`),
    }),
    openAPISpecVersion: (organization: string, slug: string, version: string) => ({
      location: api(`/orgs/${organization}/openapi/${slug}/versions/${version}`),
    }),
    site: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/sites/${id}`),
      app: app(`/orgs/${organization}/sites/${id}`),
    }),
    /** Returns the URL of an entry in the structure of a site, in this API. */
    siteEntry: (
      { organization, site }: { organization: string; site: string },
      entries: 'sections' | 'section-groups' | 'site-spaces',
      id: string,
    ) => ({ location: api(`/orgs/${organization}/sites/${site}/${entries}/${id}`) }),
    siteRedirect: (organization: string, site: string, id: string) => ({
      location: api(`/orgs/${organization}/sites/${site}/redirects/${id}`),
    }),
    shareLink: (organization: string, site: string, id: string) => ({
      location: api(`/orgs/${organization}/sites/${site}/share-links/${id}`),
    }),
    translation: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/translations/${id}`),
    }),
    linkInvite: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/link-invites/${id}`),
    }),
    integration: (name: string) => ({
      location: api(`/integrations/${name}`),
      app: app(`/integrations/${name}`),
      assets: `${publicUrl}/integrations/${name}/assets`,
      ...endpoints(`/integrations/${name}`),
    }),
    installation: (integration: string, id: string) => ({
      location: api(`/integrations/${integration}/installations/${id}`),
      app: app(`/integrations/${integration}/installations/${id}`),
      ...endpoints(`/integrations/${integration}/installations/${id}`),
    }),
    /** Returns the URLs of an installation on a space or site. */
    contentInstallation: (row: {
      integration: string;
      installation: string;
      kind: 'space' | 'site';
      target: string;
    }) => {
      const path = `/integrations/${row.integration}/installations/${row.installation}/${row.kind}s/${row.target}`;
      return { location: api(path), ...endpoints(path) };
    },
    samlProvider: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/saml/${id}`),
    }),
    /** Returns the URLs to configure in an identity provider. */
    samlService: (id: string) => ({
      acsURL: `${publicUrl}/saml/${id}/acs`,
      startURL: `${publicUrl}/saml/${id}/start`,
      entityID: `${publicUrl}/saml/${id}`,
    }),
  };
}
