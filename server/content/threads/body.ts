import type { components } from '../../../generated/schema.d.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import { expandIncludes } from '../includes/expand.ts';
import { locationOfPage, locationOfReusable, type TextLocation } from '../links/address.ts';
import { type ReferenceScope, type ResolvedReference, resolveReferences } from '../links/page-references.ts';
import type { UrlPatterns } from '../links/url-patterns.ts';
import { MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import type { Content, LocatedPage } from '../tree/content.ts';
import type { DocumentRecord, PageRecord, Variables } from '../tree/records.ts';
import { type Documents, type DocumentText, documentText } from './documents.ts';

/** The body of a page; a document is JSON in UTF-8. Only document pages have a body. */
export type StoredBody = { markdown: string } | { document: Uint8Array } | Record<never, never>;

/** How references in a document are resolved. */
export interface ReferenceOptions {
  /** What links are resolved against. */
  scope: Pick<ReferenceScope, 'space' | 'app' | 'findSpaceAddresses' | 'findVisible'>;
  /** Returns the URLs of the targets of references, for an evaluated document. */
  hrefOf: (reference: ResolvedReference) => string | undefined;
  /** Whether expressions are replaced with their values. */
  evaluated: boolean;
  /** Whether inclusions of reusable content are replaced with their blocks. */
  dereferenced?: boolean;
  /** Finds the blocks of integrations that replace links and embeds. */
  findBlocks?: () => Promise<readonly UrlPatterns[]>;
}

/** A text of content, with what its document is made from. */
export interface LocatedText {
  text: DocumentText;
  /** The location that its relative links start from. */
  from: TextLocation;
  /** Values for its expressions. */
  variables: PageVariables;
}

/**
 * Returns the body of a page in the requested format; pages of other types than documents have none. The references
 * of a document to resources of the platform name them by ID.
 *
 * @throws ThreadsBusyError
 */
export async function bodyOf(
  content: Content,
  page: LocatedPage,
  documents: Documents,
  { format, ...options }: ReferenceOptions & { format: components['schemas']['TextFormat'] },
): Promise<StoredBody> {
  const located = await textOfPage(content, page);
  if (!located) {
    return {};
  }
  if (format === 'document') {
    return { document: await documentOf(content, located, documents, options) };
  }
  const markdown = await located.text.read();
  return {
    markdown: options.evaluated ? await documents.evaluate(markdown, located.variables) : markdown,
  };
}

/**
 * Returns the document of a text as JSON in UTF-8.
 *
 * @throws ThreadsBusyError
 */
export async function documentOf(
  content: Content,
  text: LocatedText,
  documents: Documents,
  { dereferenced = false, ...options }: ReferenceOptions,
): Promise<Uint8Array> {
  if (!dereferenced) {
    return (await resolvedDocumentOf(content, text, documents, options)).document;
  }
  const resolved = await resolvedDocumentOf(content, await expanded(text, content), documents, options);
  return await includeContents(content, resolved, documents, options);
}

/** Returns a text with the files that it includes, see {@link expandIncludes}. */
export async function expandText(
  text: DocumentText,
  from: TextLocation,
  content: Content,
): Promise<DocumentText> {
  const markdown = await text.read();
  const result = await expandIncludes(markdown, from, content);
  return result === markdown ? text : documentText(result);
}

const expanded = async (located: LocatedText, content: Content): Promise<LocatedText> => ({
  ...located,
  text: await expandText(located.text, located.from, content),
});

async function resolvedDocumentOf(
  content: Content,
  { text, from, ...located }: LocatedText,
  documents: Documents,
  { scope, hrefOf, evaluated, findBlocks }: Omit<ReferenceOptions, 'dereferenced'>,
): Promise<ResolvedDocument> {
  const variables = evaluated ? located.variables : undefined;
  const destinations = await documents.listDestinations(text, variables);
  const resolved = await resolveReferences(destinations, { ...scope, content, from });
  const references = new Map(
    resolved.map((reference) => {
      const href = evaluated ? hrefOf(reference) : undefined;
      return [reference.written, { ...reference.ref, ...(href !== undefined && { href }) }];
    }),
  );
  const blocks = findBlocks && destinations.some(isWebAddress) ? await findBlocks() : [];
  return { document: await documents.read(text, variables, references, blocks), resolved };
}

/** A document, and its resolved references. */
interface ResolvedDocument {
  document: Uint8Array;
  resolved: readonly ResolvedReference[];
}

/** Replaces the inclusions of reusable content in a document, and in what it includes, with their blocks. */
async function includeContents(
  content: Content,
  { document, resolved }: ResolvedDocument,
  documents: Documents,
  options: Omit<ReferenceOptions, 'dereferenced'>,
): Promise<Uint8Array> {
  const included = new Map<string, Uint8Array>();
  let level = includedBy(resolved);
  for (let depth = 0; depth < MAX_INCLUDED_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const id of level) {
      const text = included.has(id) ? undefined : await textOfReusableContent(content, id);
      if (text) {
        const part = await resolvedDocumentOf(content, await expanded(text, content), documents, options);
        included.set(id, part.document);
        next.push(...includedBy(part.resolved));
      }
    }
    level = next;
  }
  return included.size === 0 ? document : await documents.include(document, included);
}

/** Returns the IDs of the reusable contents of the space that references lead to. */
const includedBy = (resolved: readonly ResolvedReference[]): string[] =>
  resolved.flatMap(({ ref }) =>
    ref.kind === 'reusable-content' && ref.space === undefined ? [ref.reusableContent] : [],
  );

/** Returns the text of a page; undefined if it has none, because it is not a document. */
export async function textOfPage(
  content: Content,
  { record, path }: LocatedPage,
): Promise<LocatedText | undefined> {
  return record.type === 'document'
    ? {
        text: await documentTextOf(content, record),
        from: locationOfPage(record, path),
        variables: variablesOf(record, await content.readVariables()),
      }
    : undefined;
}

/** Returns the text of a reusable content; undefined if it does not exist. */
export async function textOfReusableContent(content: Content, id: string): Promise<LocatedText | undefined> {
  const reusable = (await content.readReusableContents()).find((record) => record.id === id);
  if (!reusable) {
    return undefined;
  }
  const bodies = await content.readBodies([reusable]);
  return {
    text: documentText(bodies.get(id) ?? ''),
    from: locationOfReusable(reusable),
    variables: { space: await content.readVariables(), page: {} },
  };
}

const isWebAddress = (destination: string): boolean => /^https?:\/\//i.test(destination);

/** Returns the text of a page. A stored one is read on request, at most once. */
async function documentTextOf(content: Content, record: DocumentRecord): Promise<DocumentText> {
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
