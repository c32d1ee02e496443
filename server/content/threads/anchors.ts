/** Finds the anchors of pages in threads, as the published page has them. */

import type { JsonObject } from '../computed/json.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import { readableText } from '../expressions/visible-text.ts';
import { targetKey } from '../html/options.ts';
import { withSpecifications } from '../html/specifications/specifications.ts';
import type { AnchorNames } from '../markdown/anchors/names.ts';
import { PageAnchors } from '../markdown/anchors/page-anchors.ts';
import type { IncludeBlocks } from '../markdown/anchors/walk.ts';
import { MAX_INCLUDED_DEPTH, type ProblemReason } from '../markdown/document.ts';
import { parseOnce } from '../markdown/markdown.ts';

/** A text, and the IDs of the reusable contents that it includes, by the link destinations that lead to them. */
export interface IncludingText {
  markdown: string;
  variables?: PageVariables | undefined;
  targets?: ReadonlyMap<string, string> | undefined;
}

/** The text of a page for listing its anchors. */
export interface AnchoredText extends IncludingText {
  title?: string | undefined;
  /** Limit that an earlier parse exceeded. */
  exceeded?: ProblemReason | undefined;
  /** Reusable contents by ID. */
  included?: ReadonlyMap<string, IncludingText> | undefined;
}

/** The anchors of a page: IDs by all names that lead to them, and titles by ID. */
export interface ListedAnchors {
  names: AnchorNames;
  titles: ReadonlyMap<string, string>;
}

/**
 * Lists the anchors of a page. A text that exceeds a limit is shown verbatim, so that it has none.
 *
 * @param specifications by the name that blocks of the page have for them
 */
export function listAnchors(
  { title, included = new Map(), exceeded, ...page }: AnchoredText,
  specifications: ReadonlyMap<string, JsonObject> = new Map(),
): ListedAnchors {
  const nodesOf = (text: IncludingText) =>
    withSpecifications(parseOnce(readableText(text)).nodes, specifications);
  const within =
    ({ targets }: IncludingText, depth: number): IncludeBlocks =>
    (ref) => {
      const text = included.get(targets?.get(targetKey(ref)) ?? '');
      return text && depth < MAX_INCLUDED_DEPTH
        ? { nodes: nodesOf(text), include: within(text, depth + 1) }
        : undefined;
    };
  const nodes = exceeded === undefined ? nodesOf(page) : [];
  const { names, titles } = new PageAnchors(nodes, { title, include: within(page, 0) });
  return { names, titles };
}
