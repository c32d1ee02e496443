import type { Slice } from '../../kit/slice.ts';
import { siteFor } from '../sites/queries.ts';
import { changeSite, siteNameOf } from '../structure/read.ts';
import { presentAdaptiveSchema, presentConditionTemplates } from './present.ts';
import { adaptiveSchemaFor, replaceAdaptiveSchema } from './rules.ts';

/** Handlers of adaptive schemas: the claims about visitors that conditions on a site can use. */
export const siteAdaptiveSchemaHandlers = {
  async getSiteAdaptiveSchema({ path }, { database, caller }) {
    return presentAdaptiveSchema(await adaptiveSchemaFor(database.query, caller.id, siteNameOf(path)));
  },

  async replaceSiteAdaptiveSchema({ path, body }, ctx) {
    return await changeSite(ctx, path, async (trx) =>
      presentAdaptiveSchema(await replaceAdaptiveSchema(trx, ctx, { ...siteNameOf(path), ...body })),
    );
  },

  async getSiteAdaptiveConditionTemplates({ path }, { database, caller }) {
    const { row } = await siteFor(database.query, caller.id, siteNameOf(path), 'view');
    return { items: presentConditionTemplates(row) };
  },
} satisfies Slice;
