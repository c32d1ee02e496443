import { readJson } from '../../database/json.ts';
import { notFound } from '../../errors.ts';
import { presentGit } from '../../models/spaces/present.ts';
import { spaceFor } from '../../models/spaces/queries.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { removeLegacyInstallation, requestExport, requestImport } from './rules.ts';

/** Creates the handlers of Git imports and exports of spaces. */
export function gitHandlers(
  services: Services,
): HandlersOf<'importGitRepository' | 'exportGitRepository' | 'getGitInfo' | 'deleteLegacyGitInstallation'> {
  const { database } = services;
  return {
    async importGitRepository({ path, body }, { caller }) {
      await database.transaction((trx) => requestImport(trx, services, caller.id, path.spaceId, body));
    },

    async exportGitRepository({ path, body }, { caller }) {
      await database.transaction((trx) => requestExport(trx, services, caller.id, path.spaceId, body));
    },

    async getGitInfo({ path }, { caller }) {
      const { row } = await spaceFor(database.query, caller.id, path.spaceId, 'view');
      const git = readJson(row.git);
      if (!git) {
        throw notFound('Git repository of this space');
      }
      return presentGit(git);
    },

    async deleteLegacyGitInstallation({ path }, context) {
      await database.transaction((trx) => removeLegacyInstallation(trx, context, path.spaceId));
    },
  };
}
