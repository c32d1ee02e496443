import type { RevisionRow } from '../../../content/store/revisions.ts';
import { linkExpiry } from '../../../identity/signatures.ts';
import type { Context } from '../../kit/slice.ts';
import { fileUrl, visitorsOf } from '../files/link.ts';
import type { ContentView } from './present.ts';

/**
 * Returns the options for presenting the content of a revision to the caller.
 *
 * @param options.site the site, if a visitor reads the content: visitors receive no Git metadata
 */
export function viewOf(
  ctx: Context,
  { space }: RevisionRow,
  { metadata, site }: { metadata: boolean; site?: string | undefined },
): ContentView {
  const { resourceUrls, secretKey, clock } = ctx;
  const expires = linkExpiry(clock());
  const reader = site === undefined ? ctx.caller.id : visitorsOf(site);
  return {
    metadata: metadata && site === undefined,
    pageUrls: (id) => resourceUrls.page(space, id),
    downloadURL: (file) => fileUrl({ ...file, reader, space, expires }, secretKey, resourceUrls),
  };
}
