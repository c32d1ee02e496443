import type { components } from '../../../../generated/schema.d.ts';
import { anchorKey } from '../../../content/links/anchors.ts';
import type { Link } from '../../../content/links/graph.ts';
import { Documents, documentText } from '../../../content/threads/documents.ts';
import { batches } from '../../../database/batches.ts';
import type { Context } from '../../kit/slice.ts';
import { findExternalTargets } from './external-targets.ts';
import type { Locations } from './locations.ts';

type Schemas = components['schemas'];

/** A link with its status and target. */
export interface CheckedLink {
  link: Link;
  status: Schemas['LinkStatus'];
  /** Omitted if the target does not exist, or has no location. */
  location?: Schemas['Location'];
}

/** Determines the status of links, as visible to the caller. Targets outside the content are looked up at once. */
export async function checkLinks(
  ctx: Context,
  locations: Locations,
  links: readonly Link[],
): Promise<CheckedLink[]> {
  const external = links.filter(
    (link) => link.target?.kind === 'external' && !isOwnSpace(link, locations.space.id),
  );
  const targets = await findExternalTargets(
    ctx,
    external.map(({ address }) => address),
    locations.organization,
  );
  const anchors = await anchorsOfTargets(ctx, locations, links);
  return links.map((link) => {
    const checked = { link, ...(targets.get(link.address) ?? checkLocalLink(ctx, locations, link)) };
    return hasAnchor(link, anchors) ? checked : { ...checked, status: 'broken' };
  });
}

/** Texts that are in memory at a time while they are read. */
const TEXTS_PER_BATCH = 16;

/** Finds the anchors of the pages that links with anchors lead to, by page. Computed pages are omitted. */
async function anchorsOfTargets(
  { threads }: Context,
  locations: Locations,
  links: readonly Link[],
): Promise<Map<string, ReadonlySet<string>>> {
  const documents = new Documents(threads, locations.organization.id);
  const records = new Map(
    links.flatMap(({ target, anchor }) => {
      const record = target?.kind === 'page' ? target.page.record : undefined;
      return anchor !== undefined && record?.type === 'document' && record.body !== undefined
        ? [[record.id, record] as const]
        : [];
    }),
  );
  const anchors = new Map<string, ReadonlySet<string>>();
  for (const batch of batches([...records.values()], TEXTS_PER_BATCH)) {
    for (const [id, text] of await locations.content.readBodies(batch)) {
      const keys = await documents.listAnchors(documentText(text));
      if (keys) {
        anchors.set(id, keys);
      }
    }
  }
  return anchors;
}

/** Returns whether the anchor of a link exists, or is unknown. */
function hasAnchor({ target, anchor }: Link, anchors: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (anchor === undefined || target?.kind !== 'page') {
    return true;
  }
  const { id, title } = target.page.record;
  const keys = anchors.get(id);
  const key = anchorKey(anchor);
  // The title is a heading of the file.
  return keys === undefined || keys.has(key) || key === anchorKey(title);
}

function checkLocalLink(ctx: Context, locations: Locations, link: Link): Omit<CheckedLink, 'link'> {
  const { target, anchor } = link;
  switch (target?.kind) {
    case 'page': {
      const position = anchor === undefined ? undefined : ({ type: 'anchor', anchor } as const);
      return { status: 'ok', location: locations.page(target.page, position) };
    }
    case 'file':
      return { status: 'ok', location: locations.file(target.file) };
    case 'reusable-content':
      return { status: 'ok', location: locations.reusable(target.reusable) };
    case 'url':
      return {
        status: isInApp(ctx, target.url) ? 'in-app' : 'ok',
        location: { kind: 'url', url: target.url },
      };
    case 'external':
      return isOwnSpace(link, locations.space.id)
        ? { status: 'ok', location: locations.ofSpace() }
        : { status: 'broken' };
    default:
      return { status: 'broken' };
  }
}

function isOwnSpace({ address }: Link, space: string): boolean {
  return address.kind === 'space' && address.space === space;
}

/** Whether a URL leads to the app, like the `urls.app` of resources. */
function isInApp({ resourceUrls }: Context, url: string): boolean {
  if (!URL.canParse(url)) {
    return false;
  }
  const app = new URL(resourceUrls.at('/app'));
  const { origin, pathname } = new URL(url);
  return origin === app.origin && (pathname === app.pathname || pathname.startsWith(`${app.pathname}/`));
}
