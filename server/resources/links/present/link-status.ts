import type { components } from '../../../../generated/schema.d.ts';
import type { Link } from '../../../content/links/graph.ts';
import type { Context } from '../../kit/slice.ts';
import type { Locations } from './locations.ts';
import { findOuterTargets } from './outer-targets.ts';

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
  const outer = links.filter(
    (link) => link.target?.kind === 'elsewhere' && !isOwnSpace(link, locations.space.id),
  );
  const targets = await findOuterTargets(
    ctx,
    outer.map(({ address }) => address),
    locations.organization,
  );
  return links.map((link) => ({
    link,
    ...(targets.get(link.address) ?? checkInnerLink(ctx, locations, link)),
  }));
}

function checkInnerLink(ctx: Context, locations: Locations, link: Link): Omit<CheckedLink, 'link'> {
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
    case 'outside':
      return {
        status: isInApp(ctx, target.url) ? 'in-app' : 'ok',
        location: { kind: 'url', url: target.url },
      };
    case 'elsewhere':
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
