import { withComputed } from '../../content/computed/content.ts';
import { notFound } from '../../contract/errors.ts';
import { specificationFinder } from '../../models/openapi-spec/find.ts';
import { PDF_LIFETIME, pdfAddress } from '../../models/pdf/link.ts';
import { baseFor, readBase } from '../base.ts';
import type { Services, Slice } from '../slice.ts';

/** PDFs of change requests (description, Change requests). */
export function pdfHandlers({
  database,
  clock,
  secretKey,
  addresses,
}: Services): Slice<'getChangeRequestPdf'> {
  return {
    async getChangeRequestPdf({ path, query: { page, only = false } }, { caller }) {
      const base = await baseFor(database.query, caller.user.id, path, 'view');
      const { revision, content } = await readBase(database.query, base);
      const shown = withComputed(content, specificationFinder(database.query, revision.organization));
      if (page !== undefined && !(await shown.readPages([page])).has(page)) throw notFound('page');
      const link = {
        space: base.space.id,
        revision: revision.id,
        only: only && page !== undefined,
        expires: clock().getTime() + PDF_LIFETIME,
        ...(page !== undefined && { page }),
      };
      return { url: pdfAddress(link, secretKey, addresses) };
    },
  };
}
