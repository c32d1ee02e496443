/** Visits of published sites: those of their pages, and those of operations that read them. */
import { notFound } from '../../../errors/errors.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import type { SiteName } from '../sites/queries.ts';
import { admitVisitor } from './admit.ts';
import { type ReaderContext, type SiteReader, siteReaderOf } from './reader.ts';
import type { SiteVisitor } from './visitor.ts';

/** A published site, and a visitor who was admitted to it. */
export interface SiteVisit {
  site: SiteRow;
  visitor: SiteVisitor;
}

/**
 * Admits the caller to a published site.
 *
 * @throws ContractError 404 if the site is not published or does not exist for the caller, 401 if a credential is missing
 *   or invalid
 */
export async function visitOf(
  ctx: ReaderContext,
  name: SiteName,
  shareKey: string | undefined,
): Promise<SiteVisit> {
  const reader = await siteReaderOf(ctx, name, shareKey);
  return { site: reader.site, visitor: await visitorFor(ctx, reader, shareKey) };
}

/**
 * Returns a reader as the visitor of the published site.
 *
 * @throws ContractError 404 if the site is not published
 */
export async function visitorFor(
  ctx: ReaderContext,
  { site, member, visitor }: SiteReader,
  shareKey: string | undefined,
): Promise<SiteVisitor> {
  const admitted = member ? await admitVisitor(ctx, site, { member, shareKey }) : visitor;
  if ('refused' in admitted) {
    throw notFound('published site');
  }
  return admitted;
}
