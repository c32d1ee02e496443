import type { PagePlace } from '../tree/content.ts';
import { type Address, AT_ROOT, addressOfRef, parseAddress, placeOfPage } from './address.ts';
import { type Relation, refsOfRecord } from './references.ts';

/**
 * What a page links to: by its record, and by the addresses that its text holds.
 *
 * @param written the addresses in the text; none for a page without one
 */
export function* linksOfPage(
  { record, path }: PagePlace,
  written: readonly string[],
): Generator<{ relation: Relation; address: Address }> {
  for (const { relation, ref } of refsOfRecord(record))
    yield { relation, address: addressOfRef(ref, AT_ROOT) };
  if (record.type !== 'document') return;
  const from = placeOfPage(record, path);
  for (const one of written) yield { relation: 'reference', address: parseAddress(one, from) };
}
