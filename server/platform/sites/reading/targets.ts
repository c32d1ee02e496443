/** The targets of the references of a page, as the visitor of a site sees them. */

import type { PageVariables } from '../../../content/expressions/markdown.ts';
import type { RenderTargets } from '../../../content/html/options.ts';
import { type Destination, labelOfPage, renderTargets } from '../../../content/html/targets.ts';
import { expandIncludes } from '../../../content/includes/expand.ts';
import {
  type Address,
  locationOfPage,
  locationOfReusable,
  type TextLocation,
} from '../../../content/links/address.ts';
import { type ResolvedReference, resolveReferences } from '../../../content/links/page-references.ts';
import { isWebUrl } from '../../../content/links/space-urls.ts';
import { MAX_INCLUDED_DEPTH } from '../../../content/markdown/document.ts';
import { variablesOf } from '../../../content/threads/body.ts';
import { type Documents, type DocumentText, documentText } from '../../../content/threads/documents.ts';
import type { Content } from '../../../content/tree/content.ts';
import type { DocumentRecord, FileRecord, ReusableRecord } from '../../../content/tree/records.ts';
import { SiteAnchors } from './anchors.ts';
import { isReadable } from './views/navigation.ts';
import type { ViewContext } from './views/view-context.ts';

/** What the links of a text are resolved with. */
export interface LinkContext extends Omit<ViewContext, 'page'> {
  content: Content;
  /** URL of the app, which links in content may lead to. */
  app: string;
  /** Whether links to pages lead to their Markdown. */
  linksMarkdown?: boolean | undefined;
}

/** Returns how a page is rendered: its variables, the targets of its references, and the contents that it includes. */
export async function renderingOf(
  context: LinkContext,
  { record, path }: { record: DocumentRecord; path: string },
  documents: Documents,
  text: DocumentText,
): Promise<{ variables: PageVariables; included: IncludedTexts; targets: RenderTargets }> {
  const variables = variablesOf(record, await context.content.readVariables());
  const included: IncludedTexts = new Map();
  const anchors = new SiteAnchors({ ...context, documents });
  const collector = { context, documents, anchors, variables, included };
  const targets = await targetsOf(collector, text, locationOfPage(record, path), 0);
  return { variables, targets, included };
}

type IncludedTexts = Map<string, { text: DocumentText; variables: PageVariables; targets: RenderTargets }>;

interface Collector {
  context: LinkContext;
  documents: Documents;
  anchors: SiteAnchors;
  variables: PageVariables;
  included: IncludedTexts;
}

async function targetsOf(
  collector: Collector,
  text: DocumentText,
  from: TextLocation,
  depth: number,
): Promise<RenderTargets> {
  const { context, documents, variables } = collector;
  const written = await documents.listDestinations(text, variables);
  const { content, space, app, reading } = context;
  const resolved = await resolveReferences(written, {
    content,
    space: space.id,
    from,
    app,
    findSpaceAddresses: (urls) => reading.findSpaceAddresses(urls),
  });
  const destinations = new Map<ResolvedReference, Destination>();
  for (const reference of resolved) {
    const destination = await destinationOf(collector, reference, depth);
    // The URL of a page that the site does not show remains a link to that URL.
    if (destination.url !== undefined || !isWebUrl(reference.written)) {
      destinations.set(reference, destination);
    }
  }
  return renderTargets(
    resolved.filter((reference) => destinations.has(reference)),
    (reference) => destinations.get(reference) ?? { url: undefined },
  );
}

async function destinationOf(
  collector: Collector,
  { target }: ResolvedReference,
  depth: number,
): Promise<Destination> {
  const { context, anchors } = collector;
  switch (target.kind) {
    case 'page': {
      const { page, anchor } = target;
      const found = anchor === undefined ? undefined : await anchors.find(page, anchor);
      return { url: pageHref(context, page.record.id, found?.id), section: found?.title };
    }
    case 'file':
      return { url: fileHref(context, target.file) };
    case 'reusable-content':
      await include(collector, target.reusable, depth);
      return { url: undefined };
    case 'url':
      return { url: target.url, title: target.url };
    case 'anchor':
      return { url: undefined };
    case 'external':
      return await externalDestination(context, target.address, anchors);
  }
}

/** Returns the address of a page, or of an anchor in it; undefined if it does not exist. */
function pageHref(
  {
    reading,
    siteSpace,
    navigation,
    linksMarkdown = false,
  }: Pick<LinkContext, 'reading' | 'siteSpace' | 'navigation' | 'linksMarkdown'>,
  id: string,
  anchor: string | undefined,
): string | undefined {
  const page = navigation.find(id);
  const href =
    linksMarkdown && isReadable(page)
      ? reading.markdownHref(siteSpace, page)
      : page && reading.pageHref(siteSpace, navigation, page);
  return href === undefined || anchor === undefined ? href : `${href}#${encodeURIComponent(anchor)}`;
}

/** Returns the address of a file for visitors who see its space. */
export const fileHref = (
  context: Pick<LinkContext, 'reading' | 'siteSpace'>,
  { id, name }: FileRecord,
): string => `${fileTargetHref(context, id)}/${encodeURIComponent(name)}`;

/** Returns the address of a file of the space by its ID. */
export const fileTargetHref = (
  { reading, siteSpace }: Pick<LinkContext, 'reading' | 'siteSpace'>,
  id: string,
): string => reading.href(`/~files/${siteSpace.row.id}/${encodeURIComponent(id)}`);

/** Collects a reusable content with what it includes. */
async function include(collector: Collector, reusable: ReusableRecord, depth: number): Promise<void> {
  const { context, variables, included } = collector;
  if (included.has(reusable.id) || depth >= MAX_INCLUDED_DEPTH) {
    return;
  }
  const { content } = context;
  const from = locationOfReusable(reusable);
  const body = (await content.readBodies([reusable])).get(reusable.id) ?? '';
  const text = documentText(await expandIncludes(body, from, content));
  // Before its targets are known, because contents can include each other.
  included.set(reusable.id, { text, variables, targets: new Map() });
  const targets = await targetsOf(collector, text, from, depth + 1);
  included.set(reusable.id, { text, variables, targets });
}

/**
 * Returns where an address outside of the space leads: only what the site shows is linked, and has a title.
 *
 * @param anchors finds the anchors of pages; without it, they are unchanged
 */
export async function externalDestination(
  { reading, section, linksMarkdown }: Pick<LinkContext, 'reading' | 'section' | 'linksMarkdown'>,
  address: Address,
  anchors?: SiteAnchors,
): Promise<Destination> {
  if (address.kind === 'user') {
    return { url: undefined, title: (await reading.namesOf([address.user])).get(address.user) };
  }
  const id = 'space' in address ? address.space : undefined;
  const siteSpace = id === undefined ? undefined : reading.siteSpaceOf(id, section);
  if (!siteSpace) {
    return { url: undefined };
  }
  const space = reading.spaceOf(siteSpace);
  if (address.kind === 'page') {
    const navigation = await reading.navigationOf(space);
    const page = navigation.find(address.page)?.record;
    const context = { reading, siteSpace, navigation, linksMarkdown };
    const { anchor } = address;
    const found =
      anchor === undefined ? undefined : await anchors?.findElsewhere(space, address.page, anchor);
    const url = pageHref(context, address.page, found?.id ?? anchor);
    return { url, section: found?.title, ...(page && labelOfPage(page)) };
  }
  const url = reading.href(reading.paths.pathOf(siteSpace.row.id));
  const { title, icon, emoji } = space;
  return address.kind === 'space'
    ? { url, title, icon: icon ?? undefined, emoji: emoji ?? undefined }
    : { url: undefined };
}
