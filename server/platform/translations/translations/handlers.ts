import { requireMember } from '../../../identity/membership.ts';
import { answerList } from '../../kit/list.ts';
import type { Slice } from '../../kit/slice.ts';
import { presentTranslation } from './present.ts';
import { TRANSLATION_BYTES, type TranslationName, translationFor, translationsOf } from './queries.ts';
import { createTranslation, deleteTranslation, runTranslation, updateTranslation } from './rules.ts';

/** Handlers of translations. Any member can read them. */
export const translationHandlers = {
  async listTranslations({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    const access = await requireMember(queries, ctx.caller.id, path.organizationId);
    return await answerList(ctx, translationsOf(queries, path.organizationId), query, {
      list: 'listTranslations',
      count: { organization: path.organizationId, kind: 'translations' },
      filters: { organization: path.organizationId },
      order: [
        { column: 'createdAt', direction: 'asc' },
        { column: 'id', direction: 'asc' },
      ],
      bytes: TRANSLATION_BYTES,
      present: (row) => presentTranslation(row, access.role, ctx.resourceUrls),
    });
  },

  async createTranslation({ path, body }, ctx) {
    const translation = { organization: path.organizationId, ...body };
    const { row, access } = await ctx.database.transaction((trx) => createTranslation(trx, ctx, translation));
    return presentTranslation(row, access.role, ctx.resourceUrls);
  },

  async getTranslation({ path }, { caller, database, resourceUrls }) {
    const { row, access } = await translationFor(database.query, caller.id, translationNameOf(path), 'view');
    return presentTranslation(row, access.role, resourceUrls);
  },

  async updateTranslation({ path, body }, ctx) {
    const change = { ...translationNameOf(path), ...body };
    const { row, access } = await ctx.database.transaction((trx) => updateTranslation(trx, ctx, change));
    return presentTranslation(row, access.role, ctx.resourceUrls);
  },

  async deleteTranslation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteTranslation(trx, ctx, translationNameOf(path)));
  },

  async runTranslation({ path }, ctx) {
    await ctx.database.transaction((trx) => runTranslation(trx, ctx, translationNameOf(path)));
  },
} satisfies Slice;

function translationNameOf(path: { organizationId: string; translationId: string }): TranslationName {
  return { organization: path.organizationId, id: path.translationId };
}
