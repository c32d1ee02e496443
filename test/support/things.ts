import { ok } from '../../client/index.ts';
import { makeId } from '../../server/database/seams.ts';
import { createToken } from '../../server/identity/tokens.ts';
import type { ServedRepository } from './git-server.ts';
import { flatten, importRepository, readSpace, readTree } from './imports.ts';
import type { PathValues } from './requests.ts';
import type { Person, TestServer } from './server.ts';
import { createSpecification, processed } from './specifications.ts';

/** A small set of pages and files, for a repository that things are imported from. */
export const SMALL_REPOSITORY = {
  'README.md': '# Welcome\n\n![A picture](.gitbook/assets/dot.svg)\n',
  '.gitbook/assets/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>',
};

/**
 * Existing things that the parameters of paths can name: one of each in one organization, made with the
 * client of its admin when they are first asked for.
 *
 * Whoever implements an operation with a new path parameter adds how to make such a thing to {@link MAKERS}.
 */
export class Things {
  readonly server: TestServer;
  readonly owner: Person;
  readonly organization: string;
  readonly repository: ServedRepository;
  readonly #made = new Map<string, Promise<string>>();

  constructor(options: {
    server: TestServer;
    owner: Person;
    organization: string;
    repository: ServedRepository;
  }) {
    this.server = options.server;
    this.owner = options.owner;
    this.organization = options.organization;
    this.repository = options.repository;
  }

  /** An organization of its own, whose admin is the given person. */
  static async inNewOrganization(
    server: TestServer,
    owner: Person,
    repository: ServedRepository,
  ): Promise<Things> {
    const { id } = await ok(owner.client.POST('/v1/orgs', { body: { title: 'Scratch' } }));
    return new Things({ server, owner, organization: id, repository });
  }

  /** Things yet to be made, in the same organization. */
  afresh(): Things {
    return new Things(this);
  }

  /** @throws Error for a parameter that no maker is known for */
  async one(parameter: string): Promise<string> {
    const maker = MAKERS[parameter];
    if (!maker) {
      throw new Error(
        `No thing is known for the path parameter ${parameter}; add a maker of one to ${import.meta.filename}.`,
      );
    }
    const known = this.#made.get(parameter) ?? maker(this);
    this.#made.set(parameter, known);
    return await known;
  }

  /** Values for every parameter of a path template, of things that belong together. */
  async along(template: string): Promise<PathValues> {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const values: Record<string, string> = {};
    const ofChangeRequest = names.includes('changeRequestId');
    for (const name of names) {
      const special = `changeRequest.${name}`;
      values[name] = await this.one(ofChangeRequest && special in MAKERS ? special : name);
    }
    for (const [ending, relate] of RELATIONS) {
      if (template.endsWith(ending)) {
        await relate(this, template);
      }
    }
    return values;
  }

  /** Every id that was made so far. */
  async ids(): Promise<string[]> {
    const made = await Promise.allSettled(this.#made.values());
    return made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  }
}

type Maker = (things: Things) => Promise<string>;

const inOrganization = ({ organization }: Things) => ({ params: { path: { organizationId: organization } } });
let people = 0;
let specifications = 0;

/**
 * How a thing is made that a path parameter names. Where a change request has such things, too, they are made
 * by the maker with `changeRequest.` before the name.
 */
const MAKERS: Record<string, Maker> = {
  organizationId: async ({ organization }) => organization,
  emailDomain: async () => 'acme.example',
  userId: async ({ server, organization }) => {
    people += 1;
    return (await server.member(`Somebody-${people}`, 'edit', organization)).id;
  },
  tokenId: async ({ server, owner }) => await createTokenOf(server, owner.id),
  teamId: async (things) => {
    const body = { title: 'Writers' };
    return (
      await ok(
        things.owner.client.PUT('/v1/orgs/{organizationId}/teams', { ...inOrganization(things), body }),
      )
    ).id;
  },
  inviteId: async (things) => {
    const body = { role: 'read' } as const;
    return (
      await ok(
        things.owner.client.POST('/v1/orgs/{organizationId}/link-invites', {
          ...inOrganization(things),
          body,
        }),
      )
    ).id;
  },
  samlProviderId: async (things) => {
    const body = { label: 'Accounts' };
    return (
      await ok(
        things.owner.client.POST('/v1/orgs/{organizationId}/saml', { ...inOrganization(things), body }),
      )
    ).id;
  },
  specSlug: async ({ owner, organization }) => {
    specifications += 1;
    const slug = `pets-${specifications}`;
    // As JSON, which is read at once.
    const text = JSON.stringify({ openapi: '3.1.0', info: { title: slug, version: '1' }, paths: {} });
    await createSpecification(owner, organization, slug, { text });
    return slug;
  },
  versionId: async (things) => {
    const spec = await processed(things.owner, things.organization, await things.one('specSlug'));
    return spec.lastVersion ?? 'no version came of the source';
  },
  collectionId: async (things) => {
    const body = { title: 'Shelf' };
    return (
      await ok(
        things.owner.client.POST('/v1/orgs/{organizationId}/collections', {
          ...inOrganization(things),
          body,
        }),
      )
    ).id;
  },
  spaceId: async (things) => {
    const body = { title: 'Guide' };
    return (
      await ok(
        things.owner.client.POST('/v1/orgs/{organizationId}/spaces', { ...inOrganization(things), body }),
      )
    ).id;
  },
  pageId: async (things) => {
    const pages = flatten(await readTree(things.owner.client, await filledSpace(things)));
    return pages[0]?.id ?? 'no page came of the import';
  },
  fileId: async (things) => {
    const path = { spaceId: await filledSpace(things) };
    const files = await ok(
      things.owner.client.GET('/v1/spaces/{spaceId}/content/files', { params: { path } }),
    );
    return files.items[0]?.id ?? 'no file came of the import';
  },
  pagePath: async (things) => {
    const [page] = flatten(await readTree(things.owner.client, await filledSpace(things)));
    return page && 'path' in page ? page.path : 'no page came of the import';
  },
  revisionId: async (things) => (await readSpace(things.owner.client, await filledSpace(things))).revision,
  changeRequestId: async (things) => {
    const path = { spaceId: await filledSpace(things) };
    const body = { subject: 'Say it better' };
    return (
      await ok(things.owner.client.POST('/v1/spaces/{spaceId}/change-requests', { params: { path }, body }))
    ).id;
  },
  commentId: async (things) => await comment(things, await onSpace(things)),
  'changeRequest.commentId': async (things) => await comment(things, await onChangeRequest(things)),
  commentReplyId: async (things) => await reply(things, await onSpace(things), await things.one('commentId')),
  'changeRequest.commentReplyId': async (things) =>
    await reply(things, await onChangeRequest(things), await things.one('changeRequest.commentId')),
};

const onSpace = async (things: Things) => `/v1/spaces/${await things.one('spaceId')}`;
const onChangeRequest = async (things: Things) =>
  `${await onSpace(things)}/change-requests/${await things.one('changeRequestId')}`;

const comment = (things: Things, base: string) => say(things, `${base}/comments`);
const reply = (things: Things, base: string, commentId: string) =>
  say(things, `${base}/comments/${commentId}/replies`);

/** Posts a comment or a reply, which takes the same body everywhere. */
async function say({ server, owner }: Things, path: string): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${owner.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ body: { markdown: 'Is this still so?' } }),
  });
  // What the contract says of it.
  const { id } = (await response.json()) as { id: string };
  return id;
}

const filled = new WeakMap<Things, Promise<string>>();

/** The space of some things, with content in it. */
function filledSpace(things: Things): Promise<string> {
  const fill = async () => {
    const id = await things.one('spaceId');
    await importRepository(things.server, id, things.repository, {}, things.owner.client);
    return id;
  };
  const known = filled.get(things) ?? fill();
  filled.set(things, known);
  return known;
}

/** Not through the API, where a user has so many tokens at most. */
async function createTokenOf({ database }: TestServer, user: string): Promise<string> {
  const created = await database.transaction((trx) =>
    createToken(trx, { user, label: 'Export', now: new Date(), makeId }),
  );
  return created.row.id;
}

/** What must be so for a path to name something: by the end of its template. */
const RELATIONS: [ending: string, relate: (things: Things, template: string) => Promise<void>][] = [
  [
    '/teams/{teamId}/members/{userId}',
    async (things) => {
      const path = { organizationId: things.organization, teamId: await things.one('teamId') };
      const body = { add: [await things.one('userId')] };
      await ok(
        things.owner.client.PUT('/v1/orgs/{organizationId}/teams/{teamId}/members', {
          params: { path },
          body,
        }),
      );
    },
  ],
  [
    '/members/{userId}/tokens/{tokenId}',
    async (things) => {
      await things.server.database.query
        .updateTable('tokens')
        .set({ user: await things.one('userId') })
        .where('id', '=', await things.one('tokenId'))
        .execute();
    },
  ],
  [
    '/permissions/users/{userId}',
    async (things, template) => await grant(things, template, { users: [await things.one('userId')] }),
  ],
  [
    '/permissions/teams/{teamId}',
    async (things, template) => await grant(things, template, { teams: [await things.one('teamId')] }),
  ],
];

async function grant(
  things: Things,
  template: string,
  whom: { users: string[] } | { teams: string[] },
): Promise<void> {
  const body = { role: 'edit', ...whom } as const;
  if (template.startsWith('/v1/spaces/')) {
    await ok(
      things.owner.client.POST('/v1/spaces/{spaceId}/permissions', {
        params: { path: { spaceId: await things.one('spaceId') } },
        body,
      }),
    );
  } else {
    await ok(
      things.owner.client.POST('/v1/collections/{collectionId}/permissions', {
        params: { path: { collectionId: await things.one('collectionId') } },
        body,
      }),
    );
  }
}
