import { openBranch } from '../../content/branch.ts';
import { withComputed } from '../../content/computed/content.ts';
import { entryComputer } from '../../content/threads/computed.ts';
import { notFound } from '../../errors.ts';
import { branchFor } from '../../models/content-branches/queries.ts';
import { storedSpecificationFinder } from '../../models/openapi-specs/find.ts';
import { PDF_LIFETIME_MS, pdfAddress } from '../../models/pdfs/link.ts';
import type { HandlersOf, Services } from '../kit/slice.ts';

/** Creates the handlers of PDFs of change requests. */
export function pdfHandlers(services: Services): HandlersOf<'getChangeRequestPdf'> {
  const { database, clock, secretKey, addresses } = services;
  return {
    async getChangeRequestPdf({ path, query: { page, only = false } }, { caller }) {
      const branch = await branchFor(database.query, caller.id, path, 'view');
      const { revision, content } = await openBranch(database.query, branch);
      const find = storedSpecificationFinder(database.query, revision.organization);
      const shown = withComputed(content, entryComputer(services, revision.organization, find));
      if (page !== undefined && !(await shown.readPages([page])).has(page)) {
        throw notFound('page');
      }
      const link = {
        space: branch.space.id,
        revision: revision.id,
        only: only && page !== undefined,
        expires: clock().getTime() + PDF_LIFETIME_MS,
        ...(page !== undefined && { page }),
      };
      return { url: pdfAddress(link, secretKey, addresses) };
    },
  };
}
