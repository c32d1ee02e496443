/** The targets of the references of a page, as the visitor of a site sees them. */

import type { PageVariables } from '../../content/expressions/markdown.ts';
import type { RenderTargets } from '../../content/html/options.ts';
import { type PlaceOf, renderTargets } from '../../content/html/targets.ts';
import {
  type Address,
  locationOfPage,
  locationOfReusable,
  type TextLocation,
} from '../../content/links/address.ts';
import { type ResolvedReference, resolveReferences } from '../../content/links/page-references.ts';
import { MAX_INCLUDED_DEPTH } from '../../content/markdown/document.ts';
import { variablesOf } from '../../content/threads/body.ts';
import { type Documents, type DocumentText, documentText } from '../../content/threads/documents.ts';
import type { Content } from '../../content/tree/content.ts';
import type { DocumentRecord, FileRecord, ReusableRecord } from '../../content/tree/records.ts';
import type { ReadingSpace } from '../../models/sites/spaces.ts';
import type { SectionNode, SiteSpaceEntry } from '../../models/sites/structure.ts';
import { isReadable, type Navigation } from './navigation.ts';
import type { ReadingSite } from './reading-site.ts';

/** A space that is read, where the reader is on the site. */
export interface ReadingPlace {
  reading: ReadingSite;
  siteSpace: SiteSpaceEntry;
  section: SectionNode | undefined;
  space: ReadingSpace;
  content: Content;
  navigation: Navigation;
  /** URL of the app, which links in content may lead to. */
  app: string;
  /** Whether links to pages lead to their Markdown. */
  linksMarkdown?: boolean | undefined;
}

/** Returns how a page is rendered: its variables, the targets of its references, and the contents that it includes. */
export async function renderingOf(
  place: ReadingPlace,
  { record, path }: { record: DocumentRecord; path: string },
  documents: Documents,
  text: DocumentText,
): Promise<{ variables: PageVariables; included: IncludedTexts; targets: RenderTargets }> {
  const variables = variablesOf(record, await place.content.readVariables());
  const included: IncludedTexts = new Map();
  const collector = { place, documents, variables, included };
  const targets = await targetsOf(collector, text, locationOfPage(record, path), 0);
  return { variables, targets, included };
}

type IncludedTexts = Map<string, { text: DocumentText; variables: PageVariables; targets: RenderTargets }>;

interface Collector {
  place: ReadingPlace;
  documents: Documents;
  variables: PageVariables;
  included: IncludedTexts;
}

async function targetsOf(
  collector: Collector,
  text: DocumentText,
  from: TextLocation,
  depth: number,
): Promise<RenderTargets> {
  const { place, documents, variables } = collector;
  const destinations = await documents.listDestinations(text, variables);
  const { content, space, app } = place;
  const resolved = await resolveReferences(destinations, { content, space: space.id, from, app });
  const places = new Map<ResolvedReference, Destination>();
  for (const reference of resolved) {
    places.set(reference, await destinationOf(collector, reference, depth));
  }
  return renderTargets(resolved, (reference) => places.get(reference) ?? { url: undefined });
}

/** Where a reference leads on the site. */
type Destination = ReturnType<PlaceOf>;

async function destinationOf(
  collector: Collector,
  { target }: ResolvedReference,
  depth: number,
): Promise<Destination> {
  const { place } = collector;
  switch (target.kind) {
    case 'page':
      return { url: pageHref(place, target.page.record.id, target.anchor) };
    case 'file':
      return { url: fileHref(place, target.file) };
    case 'reusable-content':
      await include(collector, target.reusable, depth);
      return { url: undefined };
    case 'url':
      return { url: target.url, title: target.url };
    case 'anchor':
      return { url: undefined };
    case 'external':
      return await externalDestination(place, target.address);
  }
}

/** Returns the address of a page, or of an anchor in it; undefined if it does not exist. */
function pageHref(
  {
    reading,
    siteSpace,
    navigation,
    linksMarkdown = false,
  }: Pick<ReadingPlace, 'reading' | 'siteSpace' | 'navigation' | 'linksMarkdown'>,
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

/** Returns the address of a file, at which it is sent to visitors who see its space. */
export const fileHref = (
  place: Pick<ReadingPlace, 'reading' | 'siteSpace'>,
  { id, name }: FileRecord,
): string => `${fileTargetHref(place, id)}/${encodeURIComponent(name)}`;

/** Returns the address of a file of the space by its ID. */
export const fileTargetHref = (
  { reading, siteSpace }: Pick<ReadingPlace, 'reading' | 'siteSpace'>,
  id: string,
): string => reading.href(`/~files/${siteSpace.row.id}/${encodeURIComponent(id)}`);

/** Collects a reusable content with what it includes. */
async function include(collector: Collector, reusable: ReusableRecord, depth: number): Promise<void> {
  const { place, variables, included } = collector;
  if (included.has(reusable.id) || depth >= MAX_INCLUDED_DEPTH) {
    return;
  }
  const bodies = await place.content.readBodies([reusable]);
  const text = documentText(bodies.get(reusable.id) ?? '');
  // Before its targets are known, because contents can include each other.
  included.set(reusable.id, { text, variables, targets: new Map() });
  const targets = await targetsOf(collector, text, locationOfReusable(reusable), depth + 1);
  included.set(reusable.id, { text, variables, targets });
}

/** Returns where an address outside of the space leads: only what the site shows is linked, and has a title. */
export async function externalDestination(
  { reading, section, linksMarkdown }: Pick<ReadingPlace, 'reading' | 'section' | 'linksMarkdown'>,
  address: Address,
): Promise<Destination> {
  const id = 'space' in address ? address.space : undefined;
  const siteSpace = id === undefined ? undefined : reading.siteSpaceOf(id, section);
  if (!siteSpace) {
    return { url: undefined };
  }
  const space = reading.spaceOf(siteSpace);
  if (address.kind === 'page') {
    const navigation = await reading.navigationOf(space);
    const title = navigation.find(address.page)?.record.title;
    const place = { reading, siteSpace, navigation, linksMarkdown };
    return { url: pageHref(place, address.page, address.anchor), title };
  }
  const url = reading.href(reading.paths.pathOf(siteSpace.row.id));
  return address.kind === 'space' ? { url, title: space.title } : { url: undefined };
}
