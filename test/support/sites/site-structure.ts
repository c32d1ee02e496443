import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { Person, TestServer } from '../server.ts';

type Schemas = components['schemas'];

/** A site of a server under test, and the requests that change its structure. */
export class TestSite {
  readonly #server: TestServer;
  readonly id: string;

  constructor(server: TestServer, id: string) {
    this.#server = server;
    this.id = id;
  }

  /** Creates a site that shows new spaces with these titles. */
  static async create(server: TestServer, ...titles: string[]): Promise<TestSite> {
    const spaces: string[] = [];
    for (const title of titles) {
      spaces.push(await createSpace(server, title));
    }
    const created = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites', {
        params: { path: { organizationId: server.organization } },
        body: { title: 'Docs', spaces },
      }),
    );
    return new TestSite(server, created.id);
  }

  /** Path parameters of the site, and others. */
  path<Others extends object>(others: Others) {
    return { params: { path: { organizationId: this.#server.organization, siteId: this.id, ...others } } };
  }

  get #client() {
    return this.#server.admin.client;
  }

  async read(client: Person['client'] = this.#client) {
    return await ok(client.GET('/v1/orgs/{organizationId}/sites/{siteId}', this.path({})));
  }

  async update(body: Schemas['SitePatch']) {
    return await this.#client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', { ...this.path({}), body });
  }

  async publish() {
    return await ok(this.#client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', this.path({})));
  }

  async structure(client: Person['client'] = this.#client) {
    return await ok(client.GET('/v1/orgs/{organizationId}/sites/{siteId}/structure', this.path({})));
  }

  async sort(item: Schemas['SiteEntryPointer'], position: Schemas['SiteEntryPosition']) {
    return await this.#client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/structure/sort', {
      ...this.path({}),
      body: { item, position },
    });
  }

  async addSpace(spaceId: string, sectionId?: string) {
    return await this.#client.POST('/v1/orgs/{organizationId}/sites/{siteId}/site-spaces', {
      ...this.path({}),
      body: { spaceId, ...(sectionId !== undefined && { sectionId }) },
    });
  }

  async updateSpace(siteSpaceId: string, body: Schemas['SiteSpacePatch']) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}' as const;
    return await this.#client.PATCH(path, { ...this.path({ siteSpaceId }), body });
  }

  async removeSpace(siteSpaceId: string) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}' as const;
    await this.#client.DELETE(path, this.path({ siteSpaceId }));
  }

  async moveSpace(siteSpaceId: string, position?: Schemas['SiteSpacePosition']) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move' as const;
    return await this.#client.POST(path, {
      ...this.path({ siteSpaceId }),
      ...(position && { body: { position } }),
    });
  }

  async addSection(spaceId: string, title?: string) {
    return await this.#client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
      ...this.path({}),
      body: { spaceId, ...(title !== undefined && { title }) },
    });
  }

  async updateSection(siteSectionId: string, body: Schemas['SiteSectionPatch']) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}' as const;
    return await this.#client.PATCH(path, { ...this.path({ siteSectionId }), body });
  }

  async removeSection(siteSectionId: string) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}' as const;
    await this.#client.DELETE(path, this.path({ siteSectionId }));
  }

  async moveSection(siteSectionId: string, position?: Schemas['SiteSectionPosition']) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move' as const;
    return await this.#client.POST(path, {
      ...this.path({ siteSectionId }),
      ...(position && { body: { position } }),
    });
  }

  async addGroup(title: string, sections: string[] = []) {
    return await this.#client.POST('/v1/orgs/{organizationId}/sites/{siteId}/section-groups', {
      ...this.path({}),
      body: { title, sections },
    });
  }

  async removeGroup(siteSectionGroupId: string) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}' as const;
    await this.#client.DELETE(path, this.path({ siteSectionGroupId }));
  }

  async moveGroup(siteSectionGroupId: string, position?: Schemas['SiteSectionGroupPosition']) {
    const path = '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/move' as const;
    return await this.#client.POST(path, {
      ...this.path({ siteSectionGroupId }),
      ...(position && { body: { position } }),
    });
  }

  async addToGroup(siteSectionGroupId: string, sectionId: string) {
    const path =
      '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections' as const;
    return await this.#client.POST(path, { ...this.path({ siteSectionGroupId }), body: { sectionId } });
  }

  async removeFromGroup(siteSectionGroupId: string, siteSectionId: string) {
    const path =
      '/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}/sections/{siteSectionId}' as const;
    await this.#client.DELETE(path, this.path({ siteSectionGroupId, siteSectionId }));
  }

  /** Returns the structure as lines: titles by level, with `*` after defaults. */
  async outline(client: Person['client'] = this.#client): Promise<string[]> {
    return outlineOf(await this.structure(client));
  }
}

/** Creates an empty space. */
export async function createSpace(server: TestServer, title: string): Promise<string> {
  const space = await ok(
    server.admin.client.POST('/v1/orgs/{organizationId}/spaces', {
      params: { path: { organizationId: server.organization } },
      body: { title },
    }),
  );
  return space.id;
}

type Entry = Schemas['PublishedStructure']['structure'][number];

/** Returns a structure as lines, see {@link TestSite.outline}. */
export const outlineOf = ({ structure }: Schemas['PublishedStructure']): string[] =>
  structure.flatMap((entry) => linesOf(entry));

function linesOf(entry: Entry): string[] {
  const children = (entries: Entry[]) => entries.flatMap(linesOf).map((line) => `  ${line}`);
  const mark = 'default' in entry && entry.default ? '*' : '';
  switch (entry.object) {
    case 'site-space':
      return [`${entry.title}${mark}`];
    case 'site-section':
      return [`${entry.title}${mark}/`, ...children(entry.siteSpaces)];
    case 'site-section-group':
      return [`[${entry.title}]`, ...children(entry.sections)];
  }
}
