/**
 * The addresses that records carry in `urls`: `location` is the record in this API, `app` a page that we
 * serve or redirect from. All are absolute.
 */
export type Addresses = ReturnType<typeof createAddresses>;

/** @param publicUrl where callers reach the server, without a slash at its end */
export function createAddresses(publicUrl: string) {
  const api = (path: string) => `${publicUrl}/v1${path}`;
  const app = (path: string) => `${publicUrl}/app${path}`;
  return {
    /** The address of any path of this server. */
    at: (path: string) => `${publicUrl}${path}`,
    user: (id: string) => ({ location: app(`/users/${id}`) }),
    organization: (id: string) => ({ location: api(`/orgs/${id}`), app: app(`/orgs/${id}`) }),
    collection: (id: string) => ({ location: api(`/collections/${id}`), app: app(`/collections/${id}`) }),
    space: (id: string) => ({ location: api(`/spaces/${id}`), app: app(`/spaces/${id}`) }),
    page: (space: string, id: string) => ({ app: app(`/spaces/${space}/pages/${id}`) }),
    revision: (space: string, id: string) => ({ app: app(`/spaces/${space}/revisions/${id}`) }),
    changeRequest: (space: string, id: string) => ({
      location: api(`/spaces/${space}/change-requests/${id}`),
      app: app(`/spaces/${space}/change-requests/${id}`),
    }),
    /** A comment, or a reply to its `parent`. */
    comment: (said: { id: string; space: string; changeRequest: string | null; parent: string | null }) => {
      const { id, space, changeRequest, parent } = said;
      const base = `/spaces/${space}${changeRequest === null ? '' : `/change-requests/${changeRequest}`}`;
      return { location: api(`${base}/comments/${parent === null ? id : `${parent}/replies/${id}`}`) };
    },
    openAPISpec: (organization: string, slug: string) => ({
      location: api(`/orgs/${organization}/openapi/${slug}`),
      app: app(`/orgs/${organization}/openapi/${slug}`),
    }),
    openAPISpecVersion: (organization: string, slug: string, version: string) => ({
      location: api(`/orgs/${organization}/openapi/${slug}/versions/${version}`),
    }),
    linkInvite: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/link-invites/${id}`),
    }),
    samlProvider: (organization: string, id: string) => ({
      location: api(`/orgs/${organization}/saml/${id}`),
    }),
    /** What an identity provider is told about us. */
    samlService: (id: string) => ({
      acsURL: `${publicUrl}/saml/${id}/acs`,
      startURL: `${publicUrl}/saml/${id}/start`,
      entityID: `${publicUrl}/saml/${id}`,
    }),
  };
}
