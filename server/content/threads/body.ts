import type { components } from '../../../generated/schema.d.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import type { Content } from '../tree/content.ts';
import type { PageRecord, Variables } from '../tree/records.ts';
import type { Documents } from './documents.ts';

/** A page's body; a document is JSON in UTF-8. Pages of other types than documents have none. */
export type StoredBody = { markdown: string } | { document: Uint8Array } | Record<never, never>;

/**
 * The body of a document in the form that a request asks for; pages of other types have none.
 *
 * @param evaluated whether values stand in the place of expressions
 * @throws ThreadsBusyError
 */
export async function bodyOf(
  content: Content,
  record: PageRecord,
  documents: Documents,
  { format, evaluated }: { format: components['schemas']['TextFormat']; evaluated: boolean },
): Promise<StoredBody> {
  if (record.type !== 'document') return {};
  const written = await content.readBody(record);
  const variables = evaluated ? variablesOf(record, await content.readVariables()) : undefined;
  if (format === 'document') return { document: await documents.read(written, variables) };
  return { markdown: variables ? await documents.evaluate(written, variables) : written };
}

/** What the expressions of a page can name. */
export function variablesOf(record: PageRecord, space: Variables): PageVariables {
  return { space, page: (record.type === 'document' && record.variables) || {} };
}
