import { readJson } from '../../../database/json.ts';
import { notFound } from '../../../errors/errors.ts';
import type { Slice } from '../../kit/slice.ts';
import { presentGit } from '../../spaces/spaces/present.ts';
import { spaceFor } from '../../spaces/spaces/queries.ts';
import { presentGitRun } from '../runs/present.ts';
import { GIT_RUNS } from '../runs/queries.ts';
import { answerRun, answerRuns } from '../runs/read.ts';
import { deleteLegacyInstallation, requestExport, requestImport } from './rules.ts';

const gitRuns = { kinds: GIT_RUNS, present: presentGitRun };

/** Handlers of Git imports and exports of spaces. */
export const gitHandlers = {
  async importGitRepository({ path, body }, ctx) {
    const run = await ctx.database.transaction((trx) => requestImport(trx, ctx, { ...path, ...body }));
    ctx.location = ctx.resourceUrls.gitRun(path.spaceId, run).location;
  },

  async exportGitRepository({ path, body }, ctx) {
    const run = await ctx.database.transaction((trx) => requestExport(trx, ctx, { ...path, ...body }));
    ctx.location = ctx.resourceUrls.gitRun(path.spaceId, run).location;
  },

  async getGitInfo({ path }, { caller, database }) {
    const { row } = await spaceFor(database.query, caller.id, path.spaceId, 'view');
    const git = readJson(row.git);
    if (!git) {
      throw notFound('Git repository of this space');
    }
    return presentGit(git);
  },

  async listGitRuns(request, ctx) {
    return await answerRuns(ctx, { ...request, list: 'listGitRuns' }, gitRuns);
  },

  async getGitRun({ path: { spaceId, runId } }, ctx) {
    return await answerRun(ctx, { space: spaceId, run: runId }, gitRuns);
  },

  async deleteLegacyGitInstallation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteLegacyInstallation(trx, ctx, path));
  },
} satisfies Slice;
