import type { RevisionRow } from '../../content/store/revisions.ts';
import { linkExpiry } from '../../identity/signatures.ts';
import { fileUrl } from '../../models/files/link.ts';
import type { ContentView } from '../../models/revisions/present.ts';
import type { Context } from './slice.ts';

/** Returns the options for presenting the content of a revision to the caller. */
export function viewOf(
  { caller: { id: reader }, resourceUrls, secretKey, clock }: Context,
  { space }: RevisionRow,
  { metadata }: { metadata: boolean },
): ContentView {
  const expires = linkExpiry(clock());
  return {
    metadata,
    pageUrls: (id) => resourceUrls.page(space, id),
    downloadURL: (file) => fileUrl({ ...file, reader, space, expires }, secretKey, resourceUrls),
  };
}
