import type { components } from '../../../generated/schema.d.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import type { Content } from '../tree/content.ts';
import type { PageRecord, Variables } from '../tree/records.ts';
import type { Documents } from './documents.ts';

/** The body of a page; a document is JSON in UTF-8. Only document pages have a body. */
export type StoredBody = { markdown: string } | { document: Uint8Array } | Record<never, never>;

/**
 * Returns the body of a page in the requested format; pages of other types than documents have none.
 *
 * @param evaluated whether expressions are replaced with their values
 * @throws ThreadsBusyError
 */
export async function bodyOf(
  content: Content,
  record: PageRecord,
  documents: Documents,
  { format, evaluated }: { format: components['schemas']['TextFormat']; evaluated: boolean },
): Promise<StoredBody> {
  if (record.type !== 'document') {
    return {};
  }
  const written = await content.readBody(record);
  const variables = evaluated ? variablesOf(record, await content.readVariables()) : undefined;
  if (format === 'document') {
    return { document: await documents.read(written, variables) };
  }
  return { markdown: variables ? await documents.evaluate(written, variables) : written };
}

/** Returns the variables available in the expressions of a page. */
export function variablesOf(record: PageRecord, space: Variables): PageVariables {
  return { space, page: (record.type === 'document' && record.variables) || {} };
}
