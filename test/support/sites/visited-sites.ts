import { SignJWT } from 'jose';
import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import type { TestServer } from '../server.ts';

type Schemas = components['schemas'];

/** A claim of an adaptive schema. */
export const claim = (description = 'Claim.') => ({ type: 'boolean', description }) as const;

/** An adaptive schema with the signed claims `beta` and `member`, and the unsigned claim `returning`. */
export const ADAPTIVE_SCHEMA: Schemas['AdaptiveJsonSchema'] = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    beta: claim('Takes part in the beta.'),
    member: claim('Is a member of the organization.'),
    unsigned: {
      type: 'object',
      description: 'Unsigned claims of the site visitor.',
      properties: { returning: claim('Has visited the site before.') },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** Changes to one site by the admin of the organization of a server. */
export class VisitedSite {
  readonly server: TestServer;
  readonly id: string;
  readonly path: { organizationId: string; siteId: string };

  private constructor(server: TestServer, id: string) {
    this.server = server;
    this.id = id;
    this.path = { organizationId: server.organization, siteId: id };
  }

  /** Creates a published site. */
  static async create(
    server: TestServer,
    body: Schemas['SiteCreate'] = {},
    { isPublished = true } = {},
  ): Promise<VisitedSite> {
    const path = { organizationId: server.organization };
    const { id } = await ok(
      server.admin.client.POST('/v1/orgs/{organizationId}/sites', { params: { path }, body }),
    );
    const site = new VisitedSite(server, id);
    if (isPublished) {
      await site.publish();
    }
    return site;
  }

  async publish(): Promise<Schemas['Site']> {
    const params = { path: this.path };
    return await ok(
      this.server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publish', { params }),
    );
  }

  async unpublish(): Promise<void> {
    const params = { path: this.path };
    await ok(this.server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/unpublish', { params }));
  }

  async update(body: Schemas['SitePatch']): Promise<Schemas['Site']> {
    const init = { params: { path: this.path }, body };
    return await ok(this.server.admin.client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}', init));
  }

  async setAdaptiveSchema(jsonSchema = ADAPTIVE_SCHEMA): Promise<void> {
    const init = { params: { path: this.path }, body: { jsonSchema } };
    await ok(this.server.admin.client.PUT('/v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema', init));
    await this.update({ adaptiveContent: { enabled: true } });
  }

  /** Adds a section that only visitors who meet a condition see, and enables adaptive content. Returns its ID. */
  async addConditionalSection(spaceId: string, title: string, condition: string): Promise<string> {
    const { client } = this.server.admin;
    const section = await ok(
      client.POST('/v1/orgs/{organizationId}/sites/{siteId}/sections', {
        params: { path: this.path },
        body: { spaceId, title },
      }),
    );
    await this.setAdaptiveSchema();
    await ok(
      client.PATCH('/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}', {
        params: { path: { ...this.path, siteSectionId: section.id } },
        body: { condition },
      }),
    );
    return section.id;
  }

  /** Creates a share link, and returns it with its secret. */
  async createShareLink(name = 'Reviewers'): Promise<Schemas['ShareLink'] & { shareKey: string }> {
    const init = { params: { path: this.path }, body: { name } };
    const link = await ok(
      this.server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/share-links', init),
    );
    return { ...link, shareKey: new URL(link.urls.published ?? '').searchParams.get('shareKey') ?? '' };
  }

  async updateShareLink(shareLinkId: string, body: Schemas['ShareLinkPatch']): Promise<void> {
    const init = { params: { path: { ...this.path, shareLinkId } }, body };
    await ok(
      this.server.admin.client.PATCH(
        '/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}',
        init,
      ),
    );
  }

  async signingKey(): Promise<string> {
    const params = { path: this.path };
    const { privateKey } = await ok(
      this.server.admin.client.GET('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth', { params }),
    );
    return privateKey;
  }

  async regenerateSigningKey(): Promise<void> {
    const params = { path: this.path };
    await ok(
      this.server.admin.client.POST('/v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate', {
        params,
      }),
    );
  }

  /** Signs a visitor token that expires in an hour. */
  async visitorToken(claims: Record<string, unknown> = {}): Promise<string> {
    return await signVisitorToken(await this.signingKey(), claims);
  }
}

/** Signs a token with the key of a site. Claims can replace the expiry, which is in an hour. */
export async function signVisitorToken(key: string, claims: Record<string, unknown> = {}): Promise<string> {
  const payload = { exp: Math.floor(Date.now() / 1000) + 3600, ...claims };
  return await new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(key));
}
