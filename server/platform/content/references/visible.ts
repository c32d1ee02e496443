import type { Address } from '../../../content/links/address.ts';
import { openContent } from '../../../content/store/content.ts';
import { requireRevision } from '../../../content/store/revisions.ts';
import { batches } from '../../../database/batches.ts';
import type { Queries } from '../../../database/database.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { findMembership, type Membership } from '../../../identity/membership.ts';
import { openAPISpecPermissions } from '../../../identity/permissions.ts';
import { spacesVisibleAmong } from '../../../identity/visible-spaces.ts';
import { membersOf } from '../../accounts/members/queries.ts';
import { collectionsVisibleTo } from '../../spaces/collections/queries/visible.ts';
import { specsOf } from '../openapi-specs/queries.ts';

/** Maximum number of addresses per statement. */
const MAX_ADDRESSES_PER_STATEMENT = 512;

/**
 * Returns the addresses of targets that exist in the organization and are visible to the caller: spaces and their
 * content, users, collections and OpenAPI specifications.
 */
export async function visibleAddresses(
  queries: Queries,
  caller: CallerId,
  organization: string,
  addresses: readonly Address[],
): Promise<Set<Address>> {
  const visible = new Set<Address>();
  const member = addresses.length > 0 ? await findMembership(queries, caller, organization) : undefined;
  if (!member) {
    return visible;
  }
  for (const batch of batches(addresses, MAX_ADDRESSES_PER_STATEMENT)) {
    const [inSpaces, users, collections, specs] = await Promise.all([
      addressesInSpaces(queries, member, batch),
      visibleUsers(queries, member, batch),
      visibleCollections(queries, member, batch),
      visibleSpecs(queries, member, batch),
    ]);
    for (const address of batch) {
      const isVisible =
        inSpaces.has(address) ||
        (address.kind === 'user' && users.has(address.user)) ||
        (address.kind === 'collection' && collections.has(address.collection)) ||
        (address.kind === 'openapi' && (specs.has(address.spec) || specs.has(address.spec.toLowerCase())));
      if (isVisible) {
        visible.add(address);
      }
    }
  }
  return visible;
}

const spaceOf = (address: Address): string | undefined => ('space' in address ? address.space : undefined);

/** Returns the addresses of visible spaces, and of existing pages and reusable contents in them. */
async function addressesInSpaces(
  queries: Queries,
  member: Membership,
  addresses: readonly Address[],
): Promise<Set<Address>> {
  const bySpace = Map.groupBy(addresses, spaceOf);
  const ids = [...bySpace.keys()].flatMap((id) => id ?? []);
  const visible = new Set<Address>();
  if (ids.length === 0) {
    return visible;
  }
  const rows = await spacesVisibleAmong(queries, member, ids)
    .select(['spaces.id', 'spaces.revision'])
    .execute();
  for (const { id, revision } of rows) {
    const within = bySpace.get(id) ?? [];
    const pages = within.flatMap((address) => (address.kind === 'page' ? [address.page] : []));
    const hasReusable = within.some(({ kind }) => kind === 'reusable-content');
    const content =
      pages.length > 0 || hasReusable
        ? await openContent(queries, await requireRevision(queries, id, revision))
        : undefined;
    const located = await content?.readLocatedPages(new Set(pages));
    const reusables = hasReusable ? await content?.readReusableContents() : undefined;
    for (const address of within) {
      const exists =
        address.kind === 'space' ||
        (address.kind === 'page' && located?.has(address.page)) ||
        (address.kind === 'reusable-content' &&
          reusables?.some((reusable) => reusable.id === address.reusableContent));
      if (exists) {
        visible.add(address);
      }
    }
  }
  return visible;
}

async function visibleUsers(
  queries: Queries,
  { organization }: Membership,
  addresses: readonly Address[],
): Promise<Set<string>> {
  const ids = addresses.flatMap((address) => (address.kind === 'user' ? [address.user] : []));
  const rows =
    ids.length > 0 ? await membersOf(queries, organization).where('members.user', 'in', ids).execute() : [];
  return new Set(rows.map(({ user }) => user));
}

async function visibleCollections(
  queries: Queries,
  member: Membership,
  addresses: readonly Address[],
): Promise<Set<string>> {
  const ids = addresses.flatMap((address) => (address.kind === 'collection' ? [address.collection] : []));
  const rows =
    ids.length > 0
      ? await collectionsVisibleTo(queries, member)
          .select('collections.id')
          .where('collections.id', 'in', ids)
          .execute()
      : [];
  return new Set(rows.map(({ id }) => id));
}

/** Returns the names and IDs of visible specifications. */
async function visibleSpecs(
  queries: Queries,
  { organization, role }: Membership,
  addresses: readonly Address[],
): Promise<Set<string>> {
  const names = addresses.flatMap((address) =>
    address.kind === 'openapi' ? [address.spec, address.spec.toLowerCase()] : [],
  );
  const rows =
    names.length > 0 && openAPISpecPermissions(role).view
      ? await specsOf(queries, organization)
          .where((either) => either.or([either('slug', 'in', names), either('id', 'in', names)]))
          .execute()
      : [];
  return new Set(rows.flatMap(({ slug, id }) => [slug, id]));
}
