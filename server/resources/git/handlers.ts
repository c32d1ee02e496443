import { readJson } from '../../database/json.ts';
import { notFound } from '../../errors.ts';
import { presentGit } from '../../models/spaces/present.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import type { Slice } from '../kit/slice.ts';
import { deleteLegacyInstallation, requestExport, requestImport } from './rules.ts';

/** Handlers of Git imports and exports of spaces. */
export const gitHandlers = {
  async importGitRepository({ path, body }, ctx) {
    await ctx.database.transaction((trx) => requestImport(trx, ctx, { ...path, ...body }));
  },

  async exportGitRepository({ path, body }, ctx) {
    await ctx.database.transaction((trx) => requestExport(trx, ctx, { ...path, ...body }));
  },

  async getGitInfo({ path }, { caller, database }) {
    const { row } = await spaceFor(database.query, caller.id, path.spaceId, 'view');
    const git = readJson(row.git);
    if (!git) {
      throw notFound('Git repository of this space');
    }
    return presentGit(git);
  },

  async deleteLegacyGitInstallation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteLegacyInstallation(trx, ctx, path));
  },
} satisfies Slice;
