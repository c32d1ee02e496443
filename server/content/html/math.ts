/** Formulas as MathML: browsers lay it out without fonts, styles or scripts, and read it to people who cannot see it. */
import type { Nodes } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { LRUCache } from 'lru-cache';
import { MAX_FORMULA_CHARACTERS, typesetFormula } from '../markdown/formulas.ts';
import { processorTimeMs } from './code/processor-time.ts';
import type { RenderContext } from './context.ts';
import {
  type Attributes,
  type ElementName,
  EMPTY,
  element,
  type Html,
  join,
  MATH_ATTRIBUTES,
  MATH_ELEMENTS,
  text,
} from './markup.ts';

/** Maximum number of characters of cached formulas, per thread. */
const MAX_CACHED_FORMULA_CHARACTERS = 4_000_000;

const formulas = new LRUCache<string, { markup: Html | undefined }>({
  maxSize: MAX_CACHED_FORMULA_CHARACTERS,
});

/** Renders a formula; one that is invalid or exceeds a limit is shown as written. */
export function renderFormula({ page }: RenderContext, tex: string, isBlock: boolean): Html {
  page.features.math = true;
  const key = `${isBlock} ${tex}`;
  const cached = formulas.get(key);
  if (cached) {
    return cached.markup ?? sourceOf(tex);
  }
  if (tex.length > MAX_FORMULA_CHARACTERS || page.formulasMs <= 0) {
    return sourceOf(tex);
  }
  const started = processorTimeMs();
  const markup = typeset(tex, isBlock);
  page.formulasMs -= processorTimeMs() - started;
  formulas.set(key, { markup }, { size: key.length + (markup?.length ?? 0) });
  return markup ?? sourceOf(tex);
}

const sourceOf = (tex: string): Html => element('code', { class: 'formula-source' }, text(tex));

const typeset = (tex: string, isBlock: boolean): Html | undefined =>
  typesetFormula(tex, isBlock, (markup) => {
    const math = mathOf(fromHtml(markup, { fragment: true }), isBlock);
    return math === '' ? undefined : math;
  });

const isMathElement = (name: string): name is (typeof MATH_ELEMENTS)[number] =>
  (MATH_ELEMENTS as readonly string[]).includes(name);

/** Writes the MathML in the markup of KaTeX. Of other elements, only the content is written. */
function mathOf(node: Nodes, isBlock: boolean): Html {
  if (node.type === 'text') {
    return text(node.value);
  }
  if (!('children' in node)) {
    return EMPTY;
  }
  // Nodes in a fragment have no type of their own for their children.
  const children = (node.children as Nodes[]).map((child) => mathOf(child, isBlock));
  if (node.type === 'element' && node.tagName === 'annotation') {
    // The source in TeX would repeat the formula in the text of the page.
    return EMPTY;
  }
  if (node.type !== 'element' || !isMathElement(node.tagName)) {
    return join(children);
  }
  const name: ElementName = node.tagName;
  const attributes: Attributes = {};
  for (const attribute of MATH_ATTRIBUTES) {
    const value = node.properties[attribute];
    if (typeof value === 'string' || typeof value === 'number') {
      attributes[attribute] = value;
    }
  }
  if (name === 'math') {
    return element('math', { display: isBlock ? 'block' : undefined }, ...children);
  }
  return element(name, attributes, ...children);
}
