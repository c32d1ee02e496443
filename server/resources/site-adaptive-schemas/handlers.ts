import { readJson } from '../../database/json.ts';
import { notFound } from '../../errors.ts';
import { siteFor } from '../../models/sites/queries.ts';
import type { SiteRow } from '../../models/sites/structure.ts';
import { changeSite, siteNameOf } from '../kit/site-structure.ts';
import type { Slice } from '../kit/slice.ts';
import { conditionTemplatesOf, replaceAdaptiveSchema } from './rules.ts';

/** Handlers of adaptive schemas: the claims about visitors that conditions on a site can use. */
export const siteAdaptiveSchemaHandlers = {
  async getSiteAdaptiveSchema({ path }, { database, caller }) {
    const { row } = await siteFor(database.query, caller.id, siteNameOf(path), 'view');
    return present(row);
  },

  async replaceSiteAdaptiveSchema({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) =>
      present(await replaceAdaptiveSchema(trx, ctx, { ...siteNameOf(path), ...body })),
    );
  },

  async getSiteAdaptiveConditionTemplates({ path }, { database, caller }) {
    const { row } = await siteFor(database.query, caller.id, siteNameOf(path), 'view');
    return { items: conditionTemplatesOf(row) };
  },
} satisfies Slice;

/** @throws ContractError 404 if the schema was never set */
function present({ adaptiveSchema, adaptiveSchemaUpdatedAt }: SiteRow) {
  const jsonSchema = readJson(adaptiveSchema);
  if (jsonSchema === null || adaptiveSchemaUpdatedAt === null) {
    throw notFound('adaptive schema');
  }
  return { object: 'site-adaptive-schema' as const, jsonSchema, updatedAt: adaptiveSchemaUpdatedAt };
}
