import { vi } from 'vitest';
import { ok } from '../../client/platform/index.ts';
import { createId } from '../../server/database/seams.ts';
import { createToken } from '../../server/identity/tokens.ts';
import { flatten, importRepository, readSpace, readTree } from './content/imports.ts';
import { createSpecification, waitUntilProcessed } from './content/specifications.ts';
import type { GitServer, ServedRepository } from './git/git-server.ts';
import type { PathValues } from './http/requests.ts';
import type { Person, TestServer } from './server.ts';

/** Files of a small repository to import. */
export const SMALL_REPOSITORY = {
  'README.md': '# Welcome\n\n![A picture](.gitbook/assets/dot.svg)\n',
  '.gitbook/assets/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>',
  '.gitbook/includes/note.md': '---\ntitle: Note\n---\n\nA note.\n',
};

/**
 * Resources that path parameters can name: one of each in an organization, created by its admin on first use.
 *
 * An operation with a new path parameter needs an entry in {@link CREATE_BY_PARAMETER}.
 */
export class TestResources {
  readonly server: TestServer;
  readonly owner: Person;
  readonly organization: string;
  readonly repository: ServedRepository;
  /** Space with imported content that fresh resources copy; shared by the resources of an organization. */
  readonly template: { spaceId?: Promise<string> };
  /** Whether the resources were created by {@link fresh}. */
  readonly isFresh: boolean;
  readonly #created = new Map<string, Promise<string>>();

  constructor(
    options: {
      server: TestServer;
      owner: Person;
      organization: string;
      repository: ServedRepository;
      template?: { spaceId?: Promise<string> };
    },
    isFresh = false,
  ) {
    this.template = options.template ?? {};
    this.isFresh = isFresh;
    this.server = options.server;
    this.owner = options.owner;
    this.organization = options.organization;
    this.repository = options.repository;
  }

  /** Returns resources of the server's organization, owned by its admin, with a small repository. */
  static async ofServer(server: TestServer, git: GitServer): Promise<TestResources> {
    const { admin: owner, organization } = server;
    const repository = await git.createRepository(SMALL_REPOSITORY);
    return new TestResources({ server, owner, organization, repository });
  }

  /** Creates an organization with the owner as its admin. */
  static async inNewOrganization(
    server: TestServer,
    owner: Person,
    repository: ServedRepository,
  ): Promise<TestResources> {
    const { id } = await ok(owner.client.POST('/v1/orgs', { body: { title: 'Scratch' } }));
    return new TestResources({ server, owner, organization: id, repository });
  }

  /** Returns an empty set of resources of the same organization. */
  fresh(): TestResources {
    return new TestResources(this, true);
  }

  /** Returns whether the resource of a path parameter exists. */
  has(parameter: string): boolean {
    return this.#created.has(parameter);
  }

  /** Adds the resource of a path parameter. */
  add(parameter: string, id: Promise<string>): void {
    this.#created.set(parameter, id);
  }

  /** Returns the id of the resource of a path parameter. @throws Error for an unknown parameter */
  async idFor(parameter: string): Promise<string> {
    const create = CREATE_BY_PARAMETER[parameter];
    if (!create) {
      throw new Error(
        `No resource exists for the path parameter ${parameter}. Add it to ${import.meta.filename}.`,
      );
    }
    const created = this.#created.get(parameter) ?? create(this);
    this.#created.set(parameter, created);
    return await created;
  }

  /** Returns values for every parameter of a path template, of resources that belong together. */
  async pathValues(template: string): Promise<PathValues> {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const values: Record<string, string> = {};
    const ofChangeRequest = names.includes('changeRequestId');
    if (names.some((name) => CONTENT_PARAMETERS.has(name))) {
      await filledSpace(this);
    }
    for (const name of names) {
      const special = `changeRequest.${name}`;
      values[name] = await this.idFor(ofChangeRequest && special in CREATE_BY_PARAMETER ? special : name);
    }
    for (const [ending, relate] of RELATIONS) {
      if (template.endsWith(ending)) {
        await relate(this, template);
      }
    }
    return values;
  }

  /** Returns every id that was created so far. */
  async ids(): Promise<string[]> {
    const results = await Promise.allSettled(this.#created.values());
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }
}

type CreateResource = (resources: TestResources) => Promise<string>;

const inOrganization = ({ organization }: TestResources) => ({
  params: { path: { organizationId: organization } },
});
let people = 0;
let specifications = 0;
/** A script that renders the same component for every event. */
const GREETING = `const element = { type: 'block', children: [{ type: 'text', children: ['Hello'] }] };
export default { fetch: () => Response.json({ type: 'element', element, state: {}, props: {} }) };`;

let integrations = 0;

/**
 * Creates the resource of a path parameter. Resources of a change request have the prefix `changeRequest.` where
 * spaces have them too.
 */
const CREATE_BY_PARAMETER: Record<string, CreateResource> = {
  organizationId: async ({ organization }) => organization,
  emailDomain: async () => 'acme.example',
  userId: async ({ server, organization }) => {
    people += 1;
    return (await server.member(`Member-${people}`, 'edit', organization)).id;
  },
  tokenId: async ({ server, owner }) => await createTokenOf(server, owner.id),
  teamId: async (resources) => {
    const body = { title: 'Writers' };
    return (
      await ok(
        resources.owner.client.PUT('/v1/orgs/{organizationId}/teams', { ...inOrganization(resources), body }),
      )
    ).id;
  },
  inviteId: async (resources) => {
    const body = { role: 'read' } as const;
    return (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/link-invites', {
          ...inOrganization(resources),
          body,
        }),
      )
    ).id;
  },
  auditEventId: async (resources) => {
    const query = { limit: 1 };
    const { items } = await ok(
      resources.owner.client.GET('/v1/orgs/{organizationId}/audit-events', {
        params: { ...inOrganization(resources).params, query },
      }),
    );
    return items[0]?.id ?? 'the organization has no event';
  },
  samlProviderId: async (resources) => {
    const body = { label: 'Accounts' };
    return (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/saml', { ...inOrganization(resources), body }),
      )
    ).id;
  },
  specSlug: async ({ owner, organization }) => {
    specifications += 1;
    const slug = `pets-${specifications}`;
    // JSON, which is processed faster than YAML.
    const text = JSON.stringify({ openapi: '3.1.0', info: { title: slug, version: '1' }, paths: {} });
    await createSpecification(owner, organization, slug, { text });
    return slug;
  },
  versionId: async (resources) => {
    const spec = await waitUntilProcessed(
      resources.owner,
      resources.organization,
      await resources.idFor('specSlug'),
    );
    return spec.lastVersion ?? 'the source has no version';
  },
  translationId: async (resources) => {
    const source = { space: await resources.idFor('spaceId'), language: 'en' } as const;
    return (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/translations', {
          ...inOrganization(resources),
          body: { source, language: 'fr' },
        }),
      )
    ).id;
  },
  collectionId: async (resources) => {
    const body = { title: 'Shelf' };
    return (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/collections', {
          ...inOrganization(resources),
          body,
        }),
      )
    ).id;
  },
  spaceId: async (resources) => {
    const body = { title: 'Guide' };
    return (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/spaces', {
          ...inOrganization(resources),
          body,
        }),
      )
    ).id;
  },
  siteId: async (resources) => {
    // Everyone can read a public site: here, outsiders and requests without a token cannot.
    const visibility = 'share-link' as const;
    const body = { title: 'Docs', visibility, spaces: [await resources.idFor('spaceId')] };
    return (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/sites', {
          ...inOrganization(resources),
          body,
        }),
      )
    ).id;
  },
  organizationFileId: async (resources) =>
    (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/files', {
          ...inOrganization(resources),
          // Files with the same content are the same.
          body: { name: 'logo.svg', base64: btoa(`<svg><title>${crypto.randomUUID()}</title></svg>`) },
        }),
      )
    ).id,
  siteRedirectId: async (resources) =>
    (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/redirects', {
          params: { path: await sitePath(resources) },
          body: {
            source: `/${crypto.randomUUID()}`,
            destination: { kind: 'external', url: 'https://example.com' },
          },
        }),
      )
    ).id,
  shareLinkId: async (resources) =>
    (
      await ok(
        resources.owner.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', {
          params: {
            path: { organizationId: resources.organization, siteId: await resources.idFor('siteId') },
          },
          body: { name: 'Reviewers' },
        }),
      )
    ).id,
  subdomain: async (resources) => {
    const body = { hostname: resources.organization.slice(-12).toLowerCase().replaceAll('_', '-') };
    await ok(
      resources.owner.client.PATCH('/v1/orgs/{organizationId}', { ...inOrganization(resources), body }),
    );
    return body.hostname;
  },
  siteSectionId: async (resources) => await createSection(resources),
  siteSectionGroupId: async (resources) => await createGroup(resources),
  siteSpaceId: async (resources) => {
    const params = { path: await sitePath(resources) };
    const { items } = await ok(
      resources.owner.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', { params }),
    );
    return items[0]?.id ?? 'the site is empty';
  },
  pageId: async (resources) => {
    const pages = flatten(await readTree(resources.owner.client, await filledSpace(resources)));
    return pages[0]?.id ?? 'the import has no pages';
  },
  fileId: async (resources) => {
    const path = { spaceId: await filledSpace(resources) };
    const files = await ok(
      resources.owner.client.GET('/v1/spaces/{spaceId}/content/files', { params: { path } }),
    );
    return files.items[0]?.id ?? 'the import has no files';
  },
  reusableContentId: async (resources) => {
    const path = { spaceId: await filledSpace(resources) };
    const { reusableContents } = await ok(
      resources.owner.client.GET('/v1/spaces/{spaceId}/content', { params: { path } }),
    );
    return reusableContents[0]?.id ?? 'the import has no reusable content';
  },
  pagePath: async (resources) => {
    const [page] = flatten(await readTree(resources.owner.client, await filledSpace(resources)));
    return page && 'path' in page ? page.path : 'the import has no pages';
  },
  revisionId: async (resources) =>
    (await readSpace(resources.owner.client, await filledSpace(resources))).revision,
  changeRequestId: async (resources) => {
    const path = { spaceId: await filledSpace(resources) };
    const body = { subject: 'Improve the wording' };
    return (
      await ok(
        resources.owner.client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body }),
      )
    ).id;
  },
  reviewId: async (resources) => {
    const path = {
      spaceId: await resources.idFor('spaceId'),
      changeRequestId: await resources.idFor('changeRequestId'),
    };
    return (
      await ok(
        resources.owner.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/reviews', {
          params: { path },
          body: { status: 'approved', comment: { markdown: 'Clear.' } },
        }),
      )
    ).id;
  },
  runId: async (resources) => {
    const path = { spaceId: await filledSpace(resources) };
    const { items } = await ok(
      resources.owner.client.GET('/v1/spaces/{spaceId}/git/runs', { params: { path } }),
    );
    return items[0]?.id ?? 'the import has no run';
  },
  importRunId: async (resources) => {
    const params = { path: { spaceId: await resources.idFor('spaceId') } };
    const body = { url: resources.repository.url, source: 'github-wiki' } as const;
    await ok(resources.owner.client.POST('/v1/spaces/{spaceId}/content/import', { params, body }));
    const { items } = await ok(
      resources.owner.client.GET('/v1/spaces/{spaceId}/content/import/runs', { params }),
    );
    return items[0]?.id ?? 'the import has no run';
  },
  importId: async (resources) => await importMissingFile(resources),
  integrationName: async ({ owner, organization }) => {
    integrations += 1;
    const params = { path: { integrationName: `greeter-${integrations}` } };
    const body = { organization, visibility: 'public', script: GREETING } as const;
    return (await ok(owner.client.POST('/v1/integrations/{integrationName}', { params, body }))).name;
  },
  installationId: async (resources) => {
    const params = { path: { integrationName: await resources.idFor('integrationName') } };
    const body = { organization: resources.organization };
    return (
      await ok(
        resources.owner.client.POST('/v1/integrations/{integrationName}/installations', { params, body }),
      )
    ).id;
  },
  eventId: async (resources) => {
    const path = { integrationName: await resources.idFor('integrationName') };
    await resources.idFor('installationId');
    const events = () =>
      ok(resources.owner.client.GET('/v1/integrations/{integrationName}/events', { params: { path } }));
    return await vi.waitUntil(async () => (await events()).items[0]?.id, { timeout: 60_000 });
  },
  installedSpaceId: async (resources) => await resources.idFor('spaceId'),
  installedSiteId: async (resources) => await resources.idFor('siteId'),
  commentId: async (resources) => await comment(resources, await onSpace(resources)),
  'changeRequest.commentId': async (resources) => await comment(resources, await onChangeRequest(resources)),
  commentReplyId: async (resources) =>
    await reply(resources, await onSpace(resources), await resources.idFor('commentId')),
  'changeRequest.commentReplyId': async (resources) =>
    await reply(
      resources,
      await onChangeRequest(resources),
      await resources.idFor('changeRequest.commentId'),
    ),
};

const sitePath = async (resources: TestResources) => ({
  organizationId: resources.organization,
  siteId: await resources.idFor('siteId'),
});

/** Starts an import of a file that does not exist, and waits until it has failed. Returns the ID of its run. */
export async function importMissingFile(resources: TestResources): Promise<string> {
  const { client } = resources.owner;
  const source = { type: 'file' as const, files: [`${resources.server.url}/none.md`] };
  const body = { source, target: { space: await resources.idFor('spaceId') } };
  const { id: importId } = await ok(
    client.POST('/v1/org/{organizationId}/imports', { ...inOrganization(resources), body }),
  );
  const params = { path: { organizationId: resources.organization, importId } };
  const read = () => ok(client.GET('/v1/org/{organizationId}/imports/{importId}', { params }));
  await vi.waitUntil(async () => (await read()).status === 'failed', { timeout: 60_000 });
  return importId;
}

/** Creates a section at the end of the site, with a new space. */
export async function createSection(resources: TestResources): Promise<string> {
  const params = { path: await sitePath(resources) };
  const body = { spaceId: await resources.fresh().idFor('spaceId') };
  return (
    await ok(
      resources.owner.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', { params, body }),
    )
  ).id;
}

/** Creates a section group at the end of the site. */
export async function createGroup(resources: TestResources): Promise<string> {
  const params = { path: await sitePath(resources) };
  const body = { title: 'Products' };
  return (
    await ok(
      resources.owner.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/section-groups', {
        params,
        body,
      }),
    )
  ).id;
}

/** Adds a section to the section group of the site, unless it is there. */
export async function addToGroup(resources: TestResources, sectionId: string): Promise<void> {
  const path = {
    ...(await sitePath(resources)),
    siteSectionGroupId: await resources.idFor('siteSectionGroupId'),
  };
  await resources.owner.client.POST(
    '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections',
    { params: { path }, body: { sectionId } },
  );
}

/** Adds a new space at the end of the root of the site, or of its default section. */
export async function createSiteSpace(resources: TestResources): Promise<void> {
  const params = { path: await sitePath(resources) };
  const body = { spaceId: await resources.fresh().idFor('spaceId') };
  await ok(
    resources.owner.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', { params, body }),
  );
}

/** Publishes the site. */
export async function publishSite(resources: TestResources): Promise<void> {
  const params = { path: await sitePath(resources) };
  await ok(resources.owner.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params }));
}

const onSpace = async (resources: TestResources) => `/v1/spaces/${await resources.idFor('spaceId')}`;
const onChangeRequest = async (resources: TestResources) =>
  `${await onSpace(resources)}/change-requests/${await resources.idFor('changeRequestId')}`;

const comment = (resources: TestResources, base: string) => post(resources, `${base}/comments`);
const reply = (resources: TestResources, base: string, commentId: string) =>
  post(resources, `${base}/comments/${commentId}/replies`);

/** Posts a comment or a reply, which have the same body. */
async function post({ server, owner }: TestResources, path: string): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${owner.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ body: { markdown: 'Is this still so?' } }),
  });
  // The contract declares this body.
  const { id } = (await response.json()) as { id: string };
  return id;
}

/** Path parameters that name content of a space. */
const CONTENT_PARAMETERS = new Set([
  'pageId',
  'fileId',
  'pagePath',
  'reusableContentId',
  'revisionId',
  'changeRequestId',
]);

const filledSpaces = new WeakMap<TestResources, Promise<string>>();

/**
 * Returns the space of the resources, with imported content. Only the first one is imported: the spaces of fresh
 * resources are copies, unless the space exists already.
 */
function filledSpace(resources: TestResources): Promise<string> {
  const { server, owner, repository, template } = resources;
  const importInto = async (id: string) => {
    await importRepository(server, id, repository, {}, owner.client);
    return id;
  };
  const fill = async () => {
    if (!resources.isFresh || resources.has('spaceId')) {
      return await importInto(await resources.idFor('spaceId'));
    }
    template.spaceId ??= resources.fresh().idFor('spaceId').then(importInto);
    const copy = template.spaceId.then(async (spaceId) => {
      const params = { path: { spaceId } };
      return (await ok(owner.client.POST('/v1/spaces/{spaceId}/duplicate', { params }))).id;
    });
    resources.add('spaceId', copy);
    return await copy;
  };
  const space = filledSpaces.get(resources) ?? fill();
  filledSpaces.set(resources, space);
  return space;
}

/** Creates a token in the database, because the API limits the tokens of a user. */
async function createTokenOf({ database }: TestServer, user: string): Promise<string> {
  const created = await database.transaction((trx) =>
    createToken(trx, { user, label: 'Export', now: new Date(), createId }),
  );
  return created.row.id;
}

/** Relations that must exist for a path to name a resource, by the end of its template. */
const RELATIONS: [ending: string, relate: (resources: TestResources, template: string) => Promise<void>][] = [
  [
    '/teams/{teamId}/members/{userId}',
    async (resources) => {
      const path = { organizationId: resources.organization, teamId: await resources.idFor('teamId') };
      const body = { add: [await resources.idFor('userId')] };
      await ok(
        resources.owner.client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', {
          params: { path },
          body,
        }),
      );
    },
  ],
  [
    '/requested-reviewers/{userId}',
    async (resources) => {
      const path = {
        spaceId: await resources.idFor('spaceId'),
        changeRequestId: await resources.idFor('changeRequestId'),
      };
      // Without effect for a member whom other requests disabled: nobody is removed then.
      await resources.owner.client.POST(
        '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers',
        { params: { path }, body: { users: [await resources.idFor('userId')] } },
      );
    },
  ],
  [
    '/members/{userId}/tokens/{tokenId}',
    async (resources) => {
      await resources.server.database.query
        .updateTable('tokens')
        .set({ user: await resources.idFor('userId') })
        .where('id', '=', await resources.idFor('tokenId'))
        .execute();
    },
  ],
  [
    '/sections/{siteSectionId}',
    async (resources, template) => {
      if (template.includes('{siteSectionGroupId}')) {
        await addToGroup(resources, await resources.idFor('siteSectionId'));
      }
    },
  ],
  [
    '/installations/{installationId}/spaces/{installedSpaceId}',
    async (resources) => {
      const body = { space: await resources.idFor('spaceId') };
      await resources.owner.client.POST(
        '/v1/integrations/{integrationName}/installations/{installationId}/spaces',
        { params: { path: await installationPath(resources) }, body },
      );
    },
  ],
  [
    '/installations/{installationId}/sites/{installedSiteId}',
    async (resources) => {
      const body = { site: await resources.idFor('siteId') };
      await resources.owner.client.POST(
        '/v1/integrations/{integrationName}/installations/{installationId}/sites',
        { params: { path: await installationPath(resources) }, body },
      );
    },
  ],
  [
    '/permissions/users/{userId}',
    async (resources, template) =>
      await grant(resources, template, { users: [await resources.idFor('userId')] }),
  ],
  [
    '/permissions/teams/{teamId}',
    async (resources, template) =>
      await grant(resources, template, { teams: [await resources.idFor('teamId')] }),
  ],
];

const installationPath = async (resources: TestResources) => ({
  integrationName: await resources.idFor('integrationName'),
  installationId: await resources.idFor('installationId'),
});

async function grant(
  resources: TestResources,
  template: string,
  grantees: { users: string[] } | { teams: string[] },
): Promise<void> {
  const body = { role: 'edit', ...grantees } as const;
  if (template.startsWith('/v1/spaces/')) {
    await ok(
      resources.owner.client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: await resources.idFor('spaceId') } },
        body,
      }),
    );
  } else {
    await ok(
      resources.owner.client.POST('/v1/collections/{collectionId}/permissions', {
        params: { path: { collectionId: await resources.idFor('collectionId') } },
        body,
      }),
    );
  }
}
