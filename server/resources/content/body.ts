import { evaluateMarkdown } from '../../content/expressions/markdown.ts';
import { parseMarkdown } from '../../content/markdown/markdown.ts';
import type { Content } from '../../content/store/content.ts';
import type { PageBody } from '../../content/store/present.ts';
import type { PageRecord } from '../../content/store/records.ts';

/** The body of a document in the form that a request asks for; pages of other types have none. */
export async function bodyOf(
  content: Content,
  record: PageRecord,
  { format, evaluated }: { format: 'document' | 'markdown'; evaluated: boolean },
): Promise<PageBody> {
  if (record.type !== 'document') return {};
  const written = await content.readBody(record);
  const markdown = evaluated
    ? evaluateMarkdown(written, { space: await content.readVariables(), page: record.variables ?? {} })
    : written;
  return format === 'markdown' ? { markdown } : { document: parseMarkdown(markdown) };
}
