import { readJson } from '../../database/json.ts';
import { notFound } from '../../errors.ts';
import { presentGitRun } from '../../models/runs/present.ts';
import { findRun, GIT_RUNS, runBytes, runsOf } from '../../models/runs/queries.ts';
import { presentGit } from '../../models/spaces/present.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import { answerList } from '../kit/list.ts';
import type { Slice } from '../kit/slice.ts';
import { deleteLegacyInstallation, requestExport, requestImport } from './rules.ts';

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

  async listGitRuns({ path, query }, ctx) {
    const { query: queries } = ctx.database;
    await spaceFor(queries, ctx.caller.id, path.spaceId, 'view');
    const context = { resourceUrls: ctx.resourceUrls, now: ctx.clock() };
    return await answerList(ctx, runsOf(queries, path.spaceId, GIT_RUNS), query, {
      list: 'listGitRuns',
      filters: path,
      order: [
        { column: 'runs.createdAt', direction: 'desc' },
        { column: 'runs.id', direction: 'desc' },
      ],
      bytes: runBytes,
      present: (row) => presentGitRun(row, context),
    });
  },

  async getGitRun({ path }, { caller, clock, database: { query }, resourceUrls }) {
    await spaceFor(query, caller.id, path.spaceId, 'view');
    const row = await findRun(query, path.spaceId, path.runId, GIT_RUNS);
    return presentGitRun(row, { resourceUrls, now: clock() });
  },

  async deleteLegacyGitInstallation({ path }, ctx) {
    await ctx.database.transaction((trx) => deleteLegacyInstallation(trx, ctx, path));
  },
} satisfies Slice;
