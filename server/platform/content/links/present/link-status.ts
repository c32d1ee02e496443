import type { components } from '../../../../../generated/schema.d.ts';
import type { Link } from '../../../../content/links/graph.ts';
import { parseFormerUrl } from '../../../../content/links/space-urls.ts';
import { AnchorReader } from '../../../../content/threads/anchor-reader.ts';
import { Documents } from '../../../../content/threads/documents.ts';
import { batches } from '../../../../database/batches.ts';
import type { Context } from '../../../kit/slice.ts';
import { storedSpecificationFinder } from '../../openapi-specs/queries/find.ts';
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
  const dead = await linksToMissingAnchors(ctx, locations, links);
  return links.map((link) => {
    const checked = { link, ...(targets.get(link.address) ?? checkLocalLink(ctx, locations, link)) };
    return dead.has(link) ? { ...checked, status: 'broken' } : checked;
  });
}

/** Pages to read anchors from at a time. */
const PAGES_PER_BATCH = 4;

/** Returns the links to pages of the content with an anchor that is not on the published page. */
async function linksToMissingAnchors(
  ctx: Context,
  { content, organization, space }: Locations,
  links: readonly Link[],
): Promise<ReadonlySet<Link>> {
  const reader = new AnchorReader(content, new Documents(ctx.threads, organization.id), {
    space: space.id,
    app: ctx.resourceUrls.at('/app'),
    findSpecification: storedSpecificationFinder(ctx.database.query, organization.id),
  });
  const missing = new Set<Link>();
  for (const batch of batches(links, PAGES_PER_BATCH)) {
    await Promise.all(
      batch.map(async (link) => {
        const { target, anchor } = link;
        if (
          target?.kind === 'page' &&
          anchor !== undefined &&
          (await reader.find(target.page, anchor)) === undefined
        ) {
          missing.add(link);
        }
      }),
    );
  }
  return missing;
}

function checkLocalLink(ctx: Context, locations: Locations, link: Link): Omit<CheckedLink, 'link'> {
  const { url } = link;
  if (url !== undefined && link.target?.kind === 'external' && !isOwnSpace(link, locations.space.id)) {
    // The caller does not see its target. A published page is then a page like any other of the web.
    return parseFormerUrl(url) ? { status: 'broken' } : { status: 'ok', location: { kind: 'url', url } };
  }
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
