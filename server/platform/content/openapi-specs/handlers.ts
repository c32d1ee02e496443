import type { components } from '../../../../generated/schema.d.ts';
import { JsonBytes } from '../../../contract/response/json.ts';
import { notFound } from '../../../errors/errors.ts';
import { answerList } from '../../kit/list.ts';
import type { Context, Slice } from '../../kit/slice.ts';
import { publishedUrl } from './present/link.ts';
import { presentSpec, presentVersion } from './present.ts';
import {
  readVersionText,
  type SpecName,
  specFor,
  specMember,
  specsOf,
  versionFor,
  versionsOf,
} from './queries.ts';
import { createSpec, deleteSpec, putSpec, updateSpec } from './rules.ts';

type Schemas = components['schemas'];

/** Handlers of OpenAPI specifications and their versions. Any member can read them. */
export const openAPISpecHandlers = {
  async listOpenAPISpecs({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await specMember(queries, ctx.caller.id, path.organizationId);
    return await answerList(ctx, specsOf(queries, path.organizationId), query, {
      list: 'listOpenAPISpecs',
      count: { organization: path.organizationId, kind: 'OpenAPI specs' },
      filters: { organization: path.organizationId },
      order: [
        { column: 'createdAt', direction: 'asc' },
        { column: 'id', direction: 'asc' },
      ],
      present: (row) => presentSpec(row, access.role, ctx.resourceUrls),
    });
  },

  async createOpenAPISpec({ path, body }, ctx) {
    const spec = { organization: path.organizationId, ...body };
    const { row, access } = await ctx.database.transaction((trx) => createSpec(trx, ctx, spec));
    return presentSpec(row, access.role, ctx.resourceUrls);
  },

  async getOpenAPISpec({ path }, { caller, database, resourceUrls }) {
    const { row, access } = await specFor(database.query, caller.id, specNameOf(path), 'view');
    return presentSpec(row, access.role, resourceUrls);
  },

  async putOpenAPISpec({ path, body }, ctx) {
    const spec = { ...specNameOf(path), ...body };
    const { row, access } = await ctx.database.transaction((trx) => putSpec(trx, ctx, spec));
    return presentSpec(row, access.role, ctx.resourceUrls);
  },

  async deleteOpenAPISpec({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteSpec(trx, ctx, specNameOf(path)));
  },

  async updateOpenAPISpec({ path, body }, ctx) {
    const change = { ...specNameOf(path), ...body };
    const { row, access } = await ctx.database.transaction((trx) => updateSpec(trx, ctx, change));
    return presentSpec(row, access.role, ctx.resourceUrls);
  },

  async listOpenAPISpecVersions({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const { row } = await specFor(queries, ctx.caller.id, specNameOf(path), 'view');
    return await answerList(ctx, versionsOf(queries, row.id), query, {
      list: 'listOpenAPISpecVersions',
      count: { organization: row.organization, kind: 'OpenAPI spec versions', owner: row.id },
      filters: { spec: row.id },
      order: [
        { column: 'createdAt', direction: 'asc' },
        { column: 'id', direction: 'asc' },
      ],
      present: (version) => presentVersion(version, row.slug, ctx),
    });
  },

  async getLatestOpenAPISpecVersion({ path }, ctx) {
    return await readVersion(ctx, specNameOf(path));
  },

  async getLatestOpenAPISpecVersionContent({ path }, ctx) {
    return await readVersionContent(ctx, specNameOf(path));
  },

  async getOpenAPISpecVersion({ path }, ctx) {
    return await readVersion(ctx, specNameOf(path), path.versionId);
  },

  async getOpenAPISpecVersionContent({ path }, ctx) {
    return await readVersionContent(ctx, specNameOf(path), path.versionId);
  },
} satisfies Slice;

function specNameOf(path: { organizationId: string; specSlug: string }): SpecName {
  return { organization: path.organizationId, slug: path.specSlug };
}

async function readVersion(
  ctx: Context,
  name: SpecName,
  id?: string,
): Promise<Schemas['OpenAPISpecVersion']> {
  const { spec, version } = await versionFor(ctx.database.query, ctx.caller.id, name, id);
  return presentVersion(version, spec.slug, ctx);
}

async function readVersionContent(
  ctx: Context,
  name: SpecName,
  id?: string,
): Promise<Schemas['OpenAPIVersionContent']> {
  const { query: queries } = ctx.database;
  const { spec, version } = await versionFor(queries, ctx.caller.id, name, id);
  const document = await readVersionText(queries, version.id, 'document');
  if (!document) {
    throw notFound('version of the OpenAPI specification');
  }
  const { url } = presentVersion(version, spec.slug, ctx);
  return {
    // Sent as stored, because it can have tens of megabytes.
    filesystem: { [`openapi.${version.format}`]: JsonBytes.of<Record<string, unknown>>(document) },
    url,
    urls: {
      source: spec.sourceURL ?? url,
      public: spec.visibility === 'public' ? publishedUrl(spec, ctx.resourceUrls) : null,
    },
  };
}
