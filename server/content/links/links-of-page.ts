import type { LocatedPage } from '../tree/content.ts';
import { type Address, AT_ROOT, addressOfRef, locationOfPage, parseAddress } from './address.ts';
import { type Relation, refsOfRecord } from './references.ts';
import { includedPath } from './text-links.ts';

/**
 * Lists the links of a page: those of its record, and those in its text.
 *
 * @param written the destinations in the text, and the files that it includes; empty for a page without text
 */
export function* linksOfPage(
  { record, path }: LocatedPage,
  written: readonly string[],
): Generator<{ relation: Relation; address: Address }> {
  for (const { relation, ref } of refsOfRecord(record)) {
    yield { relation, address: addressOfRef(ref, AT_ROOT) };
  }
  if (record.type !== 'document') {
    return;
  }
  const from = locationOfPage(record, path);
  for (const destination of written.filter((address) => includedPath(address) === undefined)) {
    yield { relation: 'reference', address: parseAddress(destination, from) };
  }
}
