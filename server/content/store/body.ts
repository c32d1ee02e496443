import { LRUCache } from 'lru-cache';
import type { components } from '../../../generated/schema.d.ts';
import { evaluateMarkdown, type PageVariables } from '../expressions/markdown.ts';
import { type Document, parseMarkdown } from '../markdown/markdown.ts';
import type { Content } from './content.ts';
import { hashOf } from './hash.ts';
import type { PageBody } from './present.ts';
import type { PageRecord, Variables } from './records.ts';

/** Characters of markdown whose documents are remembered; a document takes about ten times its text. */
const REMEMBERED = 2_000_000;

/** Documents by the hash of their markdown: reading one takes milliseconds, and pages are read again and again. */
const documents = new LRUCache<string, Document>({ maxSize: REMEMBERED });

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
  return format === 'markdown' ? { markdown } : { document: documentOf(markdown) };
}

/** What the expressions of a page can name. */
export function variablesOf(record: PageRecord, space: Variables): PageVariables {
  return { space, page: (record.type === 'document' && record.variables) || {} };
}

function documentOf(markdown: string): Document {
  const hash = hashOf(markdown);
  const document = documents.get(hash) ?? parseMarkdown(markdown);
  documents.set(hash, document, { size: markdown.length + 1 });
  return document;
}
