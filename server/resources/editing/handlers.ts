import { commitTo } from '../../content/branch.ts';
import { planEdits } from '../../content/edit/edit.ts';
import { imageDimensions } from '../../content/repository/read/assets.ts';
import { openContent } from '../../content/store/content.ts';
import { PendingFiles } from '../../content/store/pending-files.ts';
import { findRevision } from '../../content/store/revisions.ts';
import { applyTemplate } from '../../content/templates/apply.ts';
import type { Queries } from '../../database/database.ts';
import { presentChangeRequest } from '../../models/change-requests/present.ts';
import { ancestorOf, changeRequestFor } from '../../models/change-requests/queries.ts';
import { writableBranchFor } from '../../models/content-branches/queries.ts';
import { commitServices } from '../kit/indexing.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';
import { readEdits } from './rules/edits.ts';
import { createFetchSlots } from './rules/file-fetch.ts';

/** Creates the handlers that change content. */
export function editingHandlers(
  services: Services,
): HandlersOf<'updateChangeRequestContent' | 'applySpaceTemplate'> {
  const { database, addresses, makeId } = services;
  const slots = createFetchSlots();
  return {
    async updateChangeRequestContent({ path, body }, { caller, signal }) {
      const user = caller.id;
      // Checks permission and edit mode before anything is fetched.
      const target = await writableBranchFor(database.query, user, path, 'edit');
      await using files = new PendingFiles(services, target.space.organization, imageDimensions);
      const edits = await readEdits(services, body.changes, { files, slots, signal });
      const find = (queries: Queries) => writableBranchFor(queries, user, path, 'edit', files);
      await commitTo(
        commitServices(services),
        { find, files },
        async ({ branch: { space, changeRequest }, content, now }) => {
          const change = await planEdits(content, edits, {
            now,
            makeId,
            revision: async (id) => {
              const revisionId = id ?? (changeRequest && ancestorOf(changeRequest));
              const revision = revisionId && (await findRevision(database.query, space.id, revisionId));
              return revision ? await openContent(database.query, revision) : undefined;
            },
          });
          return change && { revision: { content: change, type: 'edits', createdBy: user } };
        },
      );
      const { changeRequest } = await changeRequestFor(database.query, user, path, 'view');
      return presentChangeRequest(changeRequest, addresses);
    },

    async applySpaceTemplate({ path, body }, { caller }) {
      const user = caller.id;
      const find = (queries: Queries) => writableBranchFor(queries, user, path, 'edit');
      await commitTo(commitServices(services), { find }, async ({ content, now }) => {
        const change = await applyTemplate(content, body, { now, makeId });
        return change && { revision: { content: change, type: 'edits', createdBy: user } };
      });
      return undefined;
    },
  };
}
