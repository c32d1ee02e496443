import type { components } from '../../../../../generated/schema.d.ts';
import type { Address } from '../../../../content/links/resolve.ts';
import { openContent } from '../../../../content/store/content.ts';
import { requireRevision } from '../../../../content/store/revisions.ts';
import { AnchorReader } from '../../../../content/threads/anchor-reader.ts';
import { Documents } from '../../../../content/threads/documents.ts';
import { batches } from '../../../../database/batches.ts';
import { loadAccess } from '../../../../identity/access.ts';
import { findMembership, type Membership } from '../../../../identity/membership.ts';
import { openAPISpecPermissions } from '../../../../identity/permissions.ts';
import { spacesVisibleAmong } from '../../../../identity/visible-spaces.ts';
import { membersOf } from '../../../accounts/members/queries.ts';
import { presentUser } from '../../../accounts/users/present.ts';
import type { Context } from '../../../kit/slice.ts';
import { presentCollection } from '../../../spaces/collections/present.ts';
import { collectionsVisibleTo } from '../../../spaces/collections/queries/visible.ts';
import { spacePresenter } from '../../../spaces/spaces/present.ts';
import { presentSpec } from '../../openapi-specs/present.ts';
import { storedSpecificationFinder } from '../../openapi-specs/queries/find.ts';
import { specsOf } from '../../openapi-specs/queries.ts';
import { presentPage, presentReusableContent } from '../../revisions/present.ts';
import { viewOf } from '../../revisions/view.ts';

type Schemas = components['schemas'];
type Location = Schemas['Location'];

/** The target of a link that leads out of the content. */
export interface ExternalTarget {
  status: Schemas['LinkStatus'];
  /** Omitted if the contract has no location for the target. */
  location?: Location;
}

/** Maximum number of addresses per statement. */
const MAX_ADDRESSES_PER_STATEMENT = 512;

/**
 * Looks up the targets of addresses that lead out of the content, all of a kind at once. Targets that do not exist or
 * are not visible to the caller are omitted: links to them are broken.
 *
 * @param organization the presented organization; resources of other organizations are not found
 */
export async function findExternalTargets(
  ctx: Context,
  addresses: readonly Address[],
  organization: Schemas['Organization'],
): Promise<Map<Address, ExternalTarget>> {
  const targets = new Map<Address, ExternalTarget>();
  const member = await findMembership(ctx.database.query, ctx.caller.id, organization.id);
  if (!member || addresses.length === 0) {
    return targets;
  }
  for (const batch of batches(addresses, MAX_ADDRESSES_PER_STATEMENT)) {
    const lookup = { ctx, addresses: batch, member, organization, targets };
    await Promise.all([
      findSpaces(lookup),
      findSpecifications(lookup),
      findUsers(lookup),
      findCollections(lookup),
    ]);
  }
  // Translations have no location.
  for (const address of addresses) {
    if (address.kind === 'translation') {
      targets.set(address, { status: 'ok' });
    }
  }
  return targets;
}

/** A lookup of some addresses; results are added to `targets`. */
interface Lookup {
  ctx: Context;
  addresses: readonly Address[];
  member: Membership;
  organization: Schemas['Organization'];
  targets: Map<Address, ExternalTarget>;
}

/** Finds spaces, and pages and reusable contents of other spaces. */
async function findSpaces({ ctx, addresses, member, organization, targets }: Lookup): Promise<void> {
  const { query } = ctx.database;
  const bySpace = new Map<string, Address[]>();
  for (const address of addresses) {
    if ('space' in address && address.space !== undefined) {
      bySpace.set(address.space, [...(bySpace.get(address.space) ?? []), address]);
    }
  }
  if (bySpace.size === 0) {
    return;
  }
  const visible = await spacesVisibleAmong(query, member, [...bySpace.keys()])
    .selectAll('spaces')
    .execute();
  const access = await loadAccess(query, member, { kind: 'space', resources: visible });
  const present = spacePresenter(query, ctx.resourceUrls);
  const spaces = await Promise.all(visible.map(async (row) => [row, await present(row, access)] as const));
  for (const [row, space] of spaces) {
    const within = bySpace.get(row.id) ?? [];
    const pages = within.flatMap((address) => (address.kind === 'page' ? [address.page] : []));
    const isReusable = within.some(({ kind }) => kind === 'reusable-content');
    const revision =
      pages.length > 0 || isReusable ? await requireRevision(query, row.id, row.revision) : undefined;
    const content = revision && (await openContent(query, revision));
    const view = revision && viewOf(ctx, revision, { metadata: true });
    const anchors =
      content &&
      new AnchorReader(content, new Documents(ctx.threads, organization.id), {
        space: row.id,
        app: ctx.resourceUrls.at('/app'),
        findSpecification: storedSpecificationFinder(query, organization.id),
      });
    const pagesById = await content?.readLocatedPages(pages);
    const reusables = isReusable ? await content?.readReusableContents() : undefined;
    for (const address of within) {
      if (address.kind === 'space') {
        targets.set(address, { status: 'ok', location: { kind: 'space', organization, space } });
      }
      const located = address.kind === 'page' ? pagesById?.get(address.page) : undefined;
      if (located && view && address.kind === 'page') {
        const { anchor } = address;
        const isBroken = anchor !== undefined && (await anchors?.find(located, anchor)) === undefined;
        const page = presentPage({ ...located, pages: [] }, view);
        targets.set(address, {
          status: isBroken ? 'broken' : 'in-app',
          location: {
            kind: 'page',
            organization,
            space,
            page,
            ...(anchor !== undefined && { internalLocation: { type: 'anchor', anchor } }),
          },
        });
      }
      const reusable =
        address.kind === 'reusable-content'
          ? reusables?.find(({ id }) => id === address.reusableContent)
          : undefined;
      if (reusable && view) {
        const reusableContent = presentReusableContent(reusable, view);
        targets.set(address, {
          status: 'in-app',
          location: { kind: 'reusable-content', organization, space, reusableContent },
        });
      }
    }
  }
}

async function findSpecifications({ ctx, addresses, member, organization, targets }: Lookup): Promise<void> {
  const names = addresses.flatMap((address) => (address.kind === 'openapi' ? [address.spec] : []));
  if (names.length === 0 || !openAPISpecPermissions(member.role).view) {
    return;
  }
  const rows = await specsOf(ctx.database.query, organization.id)
    .where((either) => either.or([either('slug', 'in', names), either('id', 'in', names)]))
    .execute();
  for (const address of addresses) {
    if (address.kind !== 'openapi') {
      continue;
    }
    const row = rows.find(({ slug, id }) => slug === address.spec || id === address.spec);
    const openAPISpec = row && presentSpec(row, member.role, ctx.resourceUrls);
    if (openAPISpec) {
      targets.set(address, { status: 'ok', location: { kind: 'openapi', organization, openAPISpec } });
    }
  }
}

async function findUsers({ ctx, addresses, organization, targets }: Lookup): Promise<void> {
  const users = addresses.flatMap((address) => (address.kind === 'user' ? [address.user] : []));
  if (users.length === 0) {
    return;
  }
  const rows = await membersOf(ctx.database.query, organization.id)
    .where('members.user', 'in', users)
    .execute();
  for (const address of addresses) {
    const row = address.kind === 'user' ? rows.find(({ user }) => user === address.user) : undefined;
    if (row) {
      targets.set(address, {
        status: 'ok',
        location: { kind: 'user', user: presentUser(row, ctx.resourceUrls) },
      });
    }
  }
}

async function findCollections({ ctx, addresses, member, organization, targets }: Lookup): Promise<void> {
  const ids = addresses.flatMap((address) => (address.kind === 'collection' ? [address.collection] : []));
  if (ids.length === 0) {
    return;
  }
  const { query } = ctx.database;
  const rows = await collectionsVisibleTo(query, member)
    .selectAll('collections')
    .where('collections.id', 'in', ids)
    .execute();
  const access = await loadAccess(query, member, { kind: 'collection', resources: rows });
  for (const address of addresses) {
    const row = address.kind === 'collection' ? rows.find(({ id }) => id === address.collection) : undefined;
    const collection = row && presentCollection(row, access, ctx.resourceUrls);
    if (collection) {
      targets.set(address, { status: 'ok', location: { kind: 'collection', organization, collection } });
    }
  }
}
