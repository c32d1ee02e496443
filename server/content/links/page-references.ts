/** References of documents by resource instead of by URL. */
import type { Reference } from '../markdown/document.ts';
import type { Content } from '../tree/content.ts';
import { type Address, addressInApp, parseAddress, type TextLocation, writeRef } from './address.ts';
import { resolve, type Target } from './resolve.ts';
import { type FindSpaceAddresses, isWebUrl } from './space-urls.ts';

/** References to resources of the platform, by the link destinations that lead to them. */
export type References = ReadonlyMap<string, Reference>;

/** A link destination with the reference to its target. */
export interface ResolvedReference {
  written: string;
  ref: Reference;
  target: Target;
}

/** What the link destinations of a text are resolved against. */
export interface ReferenceScope {
  content: Content;
  /** The space of the content. */
  space: string;
  /** The location of the text. */
  from: TextLocation;
  /** URL of the app. */
  app: string;
  /** Finds the spaces, and pages in them, that URLs of the web lead to. By default, none. */
  findSpaceAddresses?: FindSpaceAddresses | undefined;
  /** Returns those addresses outside the content that exist and are visible to the reader. By default, all. */
  findVisible?(addresses: readonly Address[]): Promise<ReadonlySet<Address>>;
}

/**
 * Finds the resources that link destinations lead to. Destinations that are broken, or lead out of the platform, are
 * omitted.
 */
export async function resolveReferences(
  written: readonly string[],
  { content, space, from, app, findSpaceAddresses, findVisible }: ReferenceScope,
): Promise<ResolvedReference[]> {
  const addresses = new Map<Address, string>();
  const urls: string[] = [];
  for (const destination of written) {
    const address = addressInApp(destination, app) ?? parseAddress(destination, from);
    if (address.kind === 'url') {
      urls.push(destination);
    } else if (address.kind !== 'invalid') {
      addresses.set(address, destination);
    }
  }
  const webUrls = urls.filter(isWebUrl);
  if (webUrls.length > 0) {
    for (const [destination, address] of (await findSpaceAddresses?.(webUrls)) ?? []) {
      if (address) {
        addresses.set(address, destination);
      }
    }
  }
  if (addresses.size === 0) {
    return [];
  }
  const targets = await resolve(addresses.keys(), content, space);
  const external = [...targets].flatMap(([address, { kind }]) =>
    kind === 'external' && !isSpace(address, space) ? [address] : [],
  );
  const visible = external.length > 0 ? await findVisible?.(external) : undefined;
  const hidden = new Set(visible && external.filter((address) => !visible.has(address)));
  return [...addresses].flatMap(([address, destination]) => {
    const target = hidden.has(address) ? undefined : targets.get(address);
    const ref = target && refOf(target);
    return target && ref ? [{ written: destination, ref, target }] : [];
  });
}

const isSpace = (address: Address, space: string): boolean =>
  address.kind === 'space' && address.space === space;

/** Returns the reference to a target; undefined if only a URL can refer to it. */
function refOf(target: Target): Reference | undefined {
  switch (target.kind) {
    case 'page': {
      const { page, anchor } = target;
      return anchor === undefined
        ? { kind: 'page', page: page.record.id }
        : { kind: 'anchor', anchor, page: page.record.id };
    }
    case 'file':
      return { kind: 'file', file: target.file.id };
    case 'reusable-content':
      return { kind: 'reusable-content', reusableContent: target.reusable.id };
    case 'anchor':
      return { kind: 'anchor', anchor: target.anchor };
    case 'url':
      return undefined;
    case 'external':
      return refOfAddress(target.address);
  }
}

function refOfAddress(address: Address): Reference | undefined {
  switch (address.kind) {
    case 'page': {
      const { anchor, ...page } = address;
      return anchor === undefined ? page : { ...page, kind: 'anchor', anchor };
    }
    case 'space':
    case 'user':
    case 'collection':
    case 'reusable-content':
    case 'openapi':
      return address;
    default:
      return undefined;
  }
}

/** Formats references so that those with the same target are equal, whether they are written as a URL or by ID. */
export const targetFormatter =
  (references: References) =>
  (ref: Reference): string => {
    const address = writeRef(ref);
    return writeRef(references.get(address) ?? ref);
  };

/** Formats references like {@link writeRef}, but as the page writes them if it contains a link to the same target. */
export function referenceWriter(references: References): (ref: Reference) => string {
  const destinations = new Map<string, string>();
  for (const [written, ref] of references) {
    const address = writeRef(ref);
    if (!destinations.has(address)) {
      destinations.set(address, written);
    }
  }
  return (ref) => {
    const address = writeRef(ref);
    return ref.kind === 'url' ? address : (destinations.get(address) ?? address);
  };
}
