/** Highlights code: a sequence of tokens, each with one of a few classes. */
import type { ElementContent, RootContent } from 'hast';
import { createLowlight } from 'lowlight';
import type { PageState } from '../context.ts';
import { grammarName, loadGrammars } from './languages.ts';
import { processorTimeMs } from './processor-time.ts';

/** Maximum length of a code block that is highlighted, in UTF-16 units. */
export const MAX_HIGHLIGHTED_CHARACTERS = 20_000;
/** Maximum length of a line of a code block that is highlighted: some grammars take quadratic time per line. */
export const MAX_HIGHLIGHTED_LINE_CHARACTERS = 1000;
/** Maximum processor time for highlighting the code of a page. All further blocks are plain text. */
export const MAX_HIGHLIGHT_MS = 500;

/** A part of a code block. */
export interface Token {
  text: string;
  className: string | undefined;
}

/** Classes of the style sheet by the scopes of grammars. */
const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    k: 'keyword selector-tag doctag template-tag operator selector-pseudo',
    s: 'string regexp char link',
    c: 'comment quote',
    n: 'number literal symbol bullet',
    f: 'title section name selector-id selector-class tag',
    t: 'type built_in',
    a: 'attr attribute property variable template-variable selector-attr',
    m: 'meta',
    i: 'addition',
    d: 'deletion',
  }).flatMap(([className, scopes]) => scopes.split(' ').map((scope) => [scope, `hl-${className}`] as const)),
);

const lowlight = createLowlight();

/** Returns the tokens of a code; undefined for an unknown language, and for a code that exceeds a limit. */
export function highlight(
  page: Pick<PageState, 'highlightMs'>,
  code: string,
  syntax: string | undefined,
): Token[] | undefined {
  const name = grammarName(syntax);
  if (name === undefined || page.highlightMs <= 0 || isTooLong(code)) {
    return undefined;
  }
  const started = processorTimeMs();
  if (!lowlight.registered(name)) {
    for (const [grammar, define] of loadGrammars(name)) {
      lowlight.register(grammar, define);
    }
  }
  const tokens: Token[] = [];
  collect(lowlight.highlight(name, code, { prefix: '' }).children, undefined, tokens);
  page.highlightMs -= processorTimeMs() - started;
  return tokens;
}

const isTooLong = (code: string): boolean =>
  code.length > MAX_HIGHLIGHTED_CHARACTERS ||
  code.split('\n').some((line) => line.length > MAX_HIGHLIGHTED_LINE_CHARACTERS);

/** Collects tokens. Neighbors of the same class are one token. */
function collect(
  nodes: readonly (RootContent | ElementContent)[],
  className: string | undefined,
  tokens: Token[],
): void {
  for (const node of nodes) {
    if (node.type === 'element') {
      const { className: scopes } = node.properties;
      const scope = Array.isArray(scopes) ? String(scopes[0]) : '';
      collect(node.children, classOf(scope, className), tokens);
    } else if (node.type === 'text') {
      const last = tokens.at(-1);
      if (last && last.className === className) {
        last.text += node.value;
      } else {
        tokens.push({ text: node.value, className });
      }
    }
  }
}

function classOf(scope: string, outer: string | undefined): string | undefined {
  // Code in a string, and parameters, look like any other code.
  return scope === 'subst' || scope === 'params' ? undefined : (CLASSES.get(scope) ?? outer);
}

/** Returns the tokens of each line. */
export function tokensOfLines(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const token of tokens) {
    for (const [at, part] of token.text.split('\n').entries()) {
      if (at > 0) {
        lines.push([]);
      }
      if (part !== '') {
        lines.at(-1)?.push({ ...token, text: part });
      }
    }
  }
  return lines;
}
