/** The pages of a revision, as they are printed. */
import { evaluateMarkdown, type PageVariables } from '../expressions/markdown.ts';
import { refsOfDocument } from '../links/references.ts';
import {
  type Address,
  addressOfRef,
  type PlaceOfText,
  placeOfPage,
  placeOfReusable,
  resolve,
  type Target,
  writeRef,
} from '../links/resolve.ts';
import type { Block, Document, Reference } from '../markdown/document.ts';
import { parseMarkdown } from '../markdown/markdown.ts';
import { variablesOf } from '../store/body.ts';
import type { Content } from '../store/content.ts';
import type { FileRecord, PageNode } from '../store/records.ts';
import { LARGEST_IMAGE } from './images.ts';
import type { PrintedBody, PrintedPage, Reached } from './page.ts';

/** What printing content takes beside the content itself. */
export interface PrintedFrom {
  content: Content;
  space: string;
  /** Where readers find a page that is not printed. */
  pageUrl(page: string): string;
  /** Where readers find a file. */
  fileUrl(file: FileRecord): string;
  readBytes(file: FileRecord): Promise<Uint8Array | undefined>;
}

/** Reusable contents within one another are followed this far. */
const DEEPEST = 4;

/**
 * Pages of a revision in the order of the tree, each read when its turn comes.
 *
 * @param nodes where to begin: the whole tree, or one page
 * @param only leaves out what is below them
 */
export function printedPages(
  from: PrintedFrom,
  nodes: readonly PageNode[],
  only: boolean,
  depth = 0,
): PrintedPage[] {
  return nodes.flatMap((node) => {
    const { record } = node;
    const page: PrintedPage = {
      id: record.id,
      title: record.title,
      depth,
      read: () => readBody(from, node),
      ...('description' in record && record.description !== undefined && { description: record.description }),
    };
    return [page, ...(only ? [] : printedPages(from, node.pages, only, depth + 1))];
  });
}

async function readBody(from: PrintedFrom, { record, path }: PageNode): Promise<PrintedBody> {
  const place = placeOfPage(record, path);
  if (record.type === 'link') {
    const target = record.target;
    const leads: Block = {
      object: 'block',
      type: 'content-ref',
      isVoid: true,
      data: { ref: target },
      nodes: [],
    };
    const known = await reachAll(from, [{ ref: target, place }]);
    return bodyOf(from, record.id, [leads], known, new Map());
  }
  const written = await from.content.readBody(record);
  const variables = variablesOf(record, await from.content.readVariables());
  const document = parseMarkdown(evaluateMarkdown(written, variables));
  const known: Known = new Map();
  const included = new Map<Reference, readonly Block[]>();
  await follow(from, [{ document, place }], variables, known, included, DEEPEST);
  return bodyOf(from, record.id, document.nodes, known, included);
}

/** What references lead to, by the very objects and by what they say. */
type Known = Map<Reference | string, Target>;

interface Placed {
  document: Document;
  place: PlaceOfText;
}

/** Looks up all references of some documents at once, and then those of what they include. */
async function follow(
  from: PrintedFrom,
  documents: readonly Placed[],
  variables: PageVariables,
  known: Known,
  included: Map<Reference, readonly Block[]>,
  depth: number,
): Promise<void> {
  const refs = documents.flatMap(({ document, place }) =>
    refsOfDocument(document).map(({ ref }) => ({ ref, place })),
  );
  for (const [key, target] of await reachAll(from, refs)) if (!known.has(key)) known.set(key, target);
  if (depth === 0) return;
  const inner: Placed[] = [];
  for (const { ref } of refs) {
    const target = known.get(ref);
    if (target?.kind !== 'reusable-content' || included.has(ref)) continue;
    const bodies = await from.content.readBodies([target.reusable]);
    const text = bodies.get(target.reusable.id) ?? '';
    const document = parseMarkdown(evaluateMarkdown(text, variables));
    included.set(ref, document.nodes);
    inner.push({ document, place: placeOfReusable(target.reusable) });
  }
  if (inner.length > 0) await follow(from, inner, variables, known, included, depth - 1);
}

async function reachAll(
  { content, space }: PrintedFrom,
  refs: ReadonlyArray<{ ref: Reference; place: PlaceOfText }>,
): Promise<Known> {
  const addresses = new Map<Address, Reference>();
  for (const { ref, place } of refs) {
    // A copy: what is answered goes by the object, and one may stand in two places.
    addresses.set({ ...addressOfRef(ref, place) }, ref);
  }
  const known: Known = new Map();
  for (const [address, target] of await resolve(addresses.keys(), content, space)) {
    const ref = addresses.get(address);
    if (!ref) continue;
    known.set(ref, target);
    if (!known.has(textOf(ref))) known.set(textOf(ref), target);
  }
  return known;
}

/** References that blocks make of an address of theirs are other objects each time. */
const textOf = (ref: Reference): string => JSON.stringify(ref);

function bodyOf(
  from: PrintedFrom,
  page: string,
  nodes: readonly Block[],
  known: Known,
  included: ReadonlyMap<Reference, readonly Block[]>,
): PrintedBody {
  const targetOf = (ref: Reference) => known.get(ref) ?? known.get(textOf(ref));
  return {
    nodes,
    reach: (ref) => reachedOf(from, page, ref, targetOf(ref)),
    included: (ref) => included.get(ref),
    readImage: async (ref) => {
      const target = targetOf(ref);
      if (target?.kind !== 'file' || target.file.size > LARGEST_IMAGE) return undefined;
      return /^image\/(png|jpeg)$/.test(target.file.contentType)
        ? await from.readBytes(target.file)
        : undefined;
    },
  };
}

function reachedOf(
  { pageUrl, fileUrl }: PrintedFrom,
  here: string,
  ref: Reference,
  target: Target | undefined,
): Reached {
  switch (target?.kind) {
    case 'page': {
      const { record } = target.page;
      const anchor = target.anchor === undefined ? {} : { anchor: target.anchor };
      return { name: record.title, page: record.id, url: pageUrl(record.id), ...anchor };
    }
    case 'file':
      return { name: target.file.name, url: fileUrl(target.file) };
    case 'reusable-content':
      return { name: target.reusable.title };
    case 'here':
      return { name: `#${target.anchor}`, page: here, anchor: target.anchor };
    case 'outside':
      return { name: target.url, url: target.url };
    default:
      return { name: writeRef(ref) };
  }
}
