import { readJson } from '../../database/json.ts';
import { notFound } from '../../errors.ts';
import { type SiteName, siteFor } from '../../models/sites/queries.ts';
import type { SiteRow } from '../../models/sites/structure.ts';
import { siteLock } from '../kit/locks.ts';
import type { Slice } from '../kit/slice.ts';
import { conditionTemplatesOf, replaceAdaptiveSchema } from './rules.ts';

/** Handlers of adaptive schemas: the claims about visitors that conditions on a site can use. */
export const siteAdaptiveSchemaHandlers = {
  async getSiteAdaptiveSchema({ path }, { database, caller }) {
    const { row } = await siteFor(database.query, caller.id, nameOf(path), 'view');
    return present(row);
  },

  async replaceSiteAdaptiveSchema({ path, body }, ctx) {
    const name = nameOf(path);
    return await ctx.database.transaction(
      async (trx) => present(await replaceAdaptiveSchema(trx, ctx, { ...name, ...body })),
      { lock: siteLock(name.site) },
    );
  },

  async getSiteAdaptiveConditionTemplates({ path }, { database, caller }) {
    const { row } = await siteFor(database.query, caller.id, nameOf(path), 'view');
    return { items: conditionTemplatesOf(row) };
  },
} satisfies Slice;

const nameOf = (path: { organizationId: string; siteId: string }): SiteName => ({
  organization: path.organizationId,
  site: path.siteId,
});

/** @throws ContractError 404 if the schema was never set */
function present({ adaptiveSchema, adaptiveSchemaUpdatedAt }: SiteRow) {
  const jsonSchema = readJson(adaptiveSchema);
  if (jsonSchema === null || adaptiveSchemaUpdatedAt === null) {
    throw notFound('adaptive schema');
  }
  return { object: 'site-adaptive-schema' as const, jsonSchema, updatedAt: adaptiveSchemaUpdatedAt };
}
