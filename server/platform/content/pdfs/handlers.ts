import { openBranch } from '../../../content/branch.ts';
import { notFound } from '../../../errors/errors.ts';
import type { Slice } from '../../kit/slice.ts';
import { branchFor } from '../content-branches/queries.ts';
import { withComputedPages } from '../openapi-specs/queries/computed.ts';
import { PDF_LIFETIME_MS, pdfUrl } from '../printing/link.ts';

/** Handlers of PDFs of change requests. */
export const pdfHandlers = {
  async getChangeRequestPdf({ path, query: { page, only = false } }, ctx) {
    const { query } = ctx.database;
    const branch = await branchFor(query, ctx.caller.id, path, 'view');
    const { revision, content } = await openBranch(query, branch);
    const printed = withComputedPages(ctx, revision.organization, content);
    if (page !== undefined && !(await printed.readPages([page])).has(page)) {
      throw notFound('page');
    }
    const link = {
      reader: ctx.caller.id,
      space: branch.space.id,
      revision: revision.id,
      only: only && page !== undefined,
      expires: ctx.clock().getTime() + PDF_LIFETIME_MS,
      ...(page !== undefined && { page }),
    };
    return { url: pdfUrl(link, ctx.secretKey, ctx.resourceUrls) };
  },
} satisfies Slice;
