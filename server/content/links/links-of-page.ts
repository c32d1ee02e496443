import type { PagePlace } from '../tree/content.ts';
import { type Address, AT_ROOT, addressOfRef, parseAddress, placeOfPage } from './address.ts';
import { type Relation, refsOfRecord } from './references.ts';

/**
 * Lists the links of a page: those of its record, and those in its text.
 *
 * @param written the destinations in the text; empty for a page without text
 */
export function* linksOfPage(
  { record, path }: PagePlace,
  written: readonly string[],
): Generator<{ relation: Relation; address: Address }> {
  for (const { relation, ref } of refsOfRecord(record)) {
    yield { relation, address: addressOfRef(ref, AT_ROOT) };
  }
  if (record.type !== 'document') {
    return;
  }
  const from = placeOfPage(record, path);
  for (const destination of written) {
    yield { relation: 'reference', address: parseAddress(destination, from) };
  }
}
