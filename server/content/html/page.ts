/**
 * Renders the text of a page: reads its blocks, those of the reusable contents that it includes, and the parts of
 * specifications that it refers to.
 */
import type { JsonObject } from '../computed/json.ts';
import type { Claims } from '../expressions/conditions.ts';
import type { PageVariables } from '../expressions/markdown.ts';
import { readableText } from '../expressions/visible-text.ts';
import type { Block, ProblemReason } from '../markdown/document.ts';
import { parseOnce, verbatimDocument } from '../markdown/markdown.ts';
import { unfurlBlocks } from '../markdown/unfurl.ts';
import type { IncludedBlocks, RenderedPage, RenderOptions, RenderTargets } from './options.ts';
import { renderHtml } from './render.ts';
import { withSpecifications } from './specifications/specifications.ts';

/** A text with values for its expressions. */
export interface TextToRender {
  markdown: string;
  variables?: PageVariables | undefined;
}

/** Text of a reusable content, with the targets of its own references. */
export interface IncludedText extends TextToRender {
  targets: RenderTargets;
}

/** A page to be rendered: plain data. */
export interface PageToRender extends TextToRender {
  options: Omit<RenderOptions, 'included'>;
  /** Claims about the visitor, for conditions; without them, all content is shown. */
  claims?: Claims | undefined;
  /** Reusable contents by the key in their targets. */
  included?: ReadonlyMap<string, IncludedText> | undefined;
  /** Limit that an earlier attempt exceeded; the text is then shown verbatim. */
  exceeded?: ProblemReason | undefined;
}

/** @param specifications by the name that blocks of the page have for them */
export function renderPage(
  { options, claims, included = new Map(), exceeded, ...text }: PageToRender,
  specifications: ReadonlyMap<string, JsonObject> = new Map(),
): RenderedPage {
  const read = (part: TextToRender) =>
    unfurlBlocks(
      withSpecifications(parseOnce(readableText({ ...part, claims })).nodes, specifications),
      options.blockFrames?.urls,
    );
  const nodes =
    exceeded === undefined
      ? read(text)
      : verbatimDocument(readableText({ markdown: text.markdown, claims }, false), exceeded).nodes;
  return renderHtml({ nodes }, { ...options, included: new IncludedTexts(included, read) });
}

/** Reads each text once, when it is included. */
class IncludedTexts extends Map<string, IncludedBlocks> {
  readonly #texts: ReadonlyMap<string, IncludedText>;
  readonly #read: (text: TextToRender) => readonly Block[];

  constructor(texts: ReadonlyMap<string, IncludedText>, read: (text: TextToRender) => readonly Block[]) {
    super();
    this.#texts = texts;
    this.#read = read;
  }

  override get(key: string): IncludedBlocks | undefined {
    const existing = super.get(key);
    const text = existing ? undefined : this.#texts.get(key);
    if (!text) {
      return existing;
    }
    const content = { nodes: this.#read(text), targets: text.targets };
    this.set(key, content);
    return content;
  }
}
