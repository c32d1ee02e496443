import type { components } from '../../../generated/schema.d.ts';
import { evaluateMarkdown, type PageVariables } from '../expressions/markdown.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import type { Content } from './content.ts';
import type { PageBody } from './present.ts';
import type { PageRecord, Variables } from './records.ts';

/**
 * The body of a document in the form that a request asks for; pages of other types have none.
 *
 * @param evaluated whether values stand in the place of expressions
 */
export async function bodyOf(
  content: Content,
  record: PageRecord,
  { format, evaluated }: { format: components['schemas']['TextFormat']; evaluated: boolean },
): Promise<PageBody> {
  if (record.type !== 'document') return {};
  const written = await content.readBody(record);
  const markdown = evaluated
    ? evaluateMarkdown(written, variablesOf(record, await content.readVariables()))
    : written;
  return format === 'markdown' ? { markdown } : { document: parseMarkdown(markdown) };
}

/** What the expressions of a page can name. */
export function variablesOf(record: PageRecord, space: Variables): PageVariables {
  return { space, page: (record.type === 'document' && record.variables) || {} };
}
