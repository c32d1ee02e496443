import type { RevisionRow } from '../../content/store/revisions.ts';
import { linkExpiry } from '../../identity/signatures.ts';
import { fileAddress } from '../../models/files/link.ts';
import type { ContentView } from '../../models/revisions/present.ts';
import type { Services } from './slice.ts';

/** Returns the options for presenting the content of a revision. */
export function viewOf(
  { addresses, secretKey, clock }: Services,
  { space }: RevisionRow,
  { metadata }: { metadata: boolean },
): ContentView {
  const expires = linkExpiry(clock());
  return {
    metadata,
    pageUrls: (id) => addresses.page(space, id),
    downloadURL: (file) => fileAddress({ ...file, space, expires }, secretKey, addresses),
  };
}
