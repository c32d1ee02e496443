/** The anchors of pages as destinations of a document. */
import { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import { type IncludeBlocks, idOfBlock, isHeading } from '../markdown/anchors/walk.ts';
import { type AnyBlock, MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import { destinationOf } from './document/entries.ts';
import type { Flow } from './flow.ts';
import type { PrintedBody } from './page.ts';

/** The page that is printed. */
interface Anchored {
  /** ID of the page. */
  id: string;
  flow: Flow;
  anchors: PageAnchors;
}

/** Returns the anchors of a page; none if a block has no valid form, which is reported when it is printed. */
export function anchorsOf(title: string, body: PrintedBody): PageAnchors {
  try {
    return new PageAnchors(body.nodes, { title, include: includedBlocks(body, 0) });
  } catch {
    return new PageAnchors([], { title });
  }
}

/** Returns how a page includes reusable contents. */
const includedBlocks =
  (body: PrintedBody, depth: number): IncludeBlocks =>
  (ref) => {
    const nodes = depth < MAX_INCLUDED_DEPTH ? body.included?.(ref) : undefined;
    return nodes && { nodes, include: includedBlocks(body, depth + 1) };
  };

/** Adds the destinations of a block other than a heading. */
export function addAnchors(context: Anchored, block: AnyBlock): void {
  addElement(context, idOfBlock(block));
  const anchor = isHeading(block) ? undefined : context.anchors.next(block);
  if (anchor) {
    context.flow.addDestination(destinationOf(context.id, anchor.id));
  }
}

/** Adds the destination of an element with an ID, unless a heading or an earlier element has it. */
export function addElement({ anchors, flow, id: page }: Anchored, id: string | undefined): void {
  if (id !== undefined && anchors.takeElement(id)) {
    flow.addDestination(destinationOf(page, id));
  }
}
