import type { components } from '../../../generated/schema.d.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import { locationOfPage } from '../links/address.ts';
import { type ReferenceScope, type ResolvedReference, resolveReferences } from '../links/page-references.ts';
import type { Content, LocatedPage } from '../tree/content.ts';
import type { DocumentRecord, PageRecord, Variables } from '../tree/records.ts';
import { type Documents, type DocumentText, documentText } from './documents.ts';

/** The body of a page; a document is JSON in UTF-8. Only document pages have a body. */
export type StoredBody = { markdown: string } | { document: Uint8Array } | Record<never, never>;

/**
 * Returns the body of a page in the requested format; pages of other types than documents have none. The references
 * of a document to resources of the platform name them by ID.
 *
 * @param scope what links are resolved against
 * @param hrefOf returns the URLs of the targets of references, for an evaluated document
 * @param evaluated whether expressions are replaced with their values
 * @throws ThreadsBusyError
 */
export async function bodyOf(
  content: Content,
  page: LocatedPage,
  documents: Documents,
  {
    scope,
    hrefOf,
    format,
    evaluated,
  }: {
    scope: Pick<ReferenceScope, 'space' | 'app' | 'findVisible'>;
    hrefOf: (reference: ResolvedReference) => string | undefined;
    format: components['schemas']['TextFormat'];
    evaluated: boolean;
  },
): Promise<StoredBody> {
  const { record } = page;
  if (record.type !== 'document') {
    return {};
  }
  const text = await textOf(content, record);
  const variables = evaluated ? variablesOf(record, await content.readVariables()) : undefined;
  if (format === 'document') {
    const destinations = await documents.listDestinations(text, variables);
    const from = locationOfPage(record, page.path);
    const resolved = await resolveReferences(destinations, { ...scope, content, from });
    const references = new Map(
      resolved.map((reference) => {
        const href = evaluated ? hrefOf(reference) : undefined;
        return [reference.written, { ...reference.ref, ...(href !== undefined && { href }) }];
      }),
    );
    return { document: await documents.read(text, variables, references) };
  }
  const markdown = await text.read();
  return { markdown: variables ? await documents.evaluate(markdown, variables) : markdown };
}

/** Returns the text of a page. A stored one is read on request, at most once. */
async function textOf(content: Content, record: DocumentRecord): Promise<DocumentText> {
  if (record.body === undefined) {
    return documentText(await content.readBody(record));
  }
  let reading: Promise<string> | undefined;
  const read = () => {
    reading ??= content.readBody(record);
    return reading;
  };
  return { hash: record.body, read };
}

/** Returns the variables available in the expressions of a page. */
export function variablesOf(record: PageRecord, space: Variables): PageVariables {
  return { space, page: (record.type === 'document' && record.variables) || {} };
}
