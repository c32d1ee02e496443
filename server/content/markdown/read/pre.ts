/** Reads code that is written in HTML: `<pre class="language-js"><code>…<strong>highlighted line</strong>…`. */
import { unknownAttributes } from '../attributes.ts';
import { type Code, type CodeLine, defined, parent, plainText } from '../document.ts';
import type { Element, Piece } from './pieces.ts';

/** Attributes of `<pre>` that are properties of code. */
const KNOWN_ATTRIBUTES = ['class', 'data-title', 'data-overflow', 'data-line-numbers', 'data-full-width'];

/** Elements that highlight the lines they contain. */
const HIGHLIGHTS = new Set(['strong', 'b', 'mark']);

/** Reads a `<pre>`. Everything in it is code. */
export function codeOfElement(pre: Element): Code {
  const { attributes } = pre;
  const code = pre.children.find((child) => child.kind === 'element' && child.name === 'code');
  const inner = code?.kind === 'element' ? code : undefined;
  const overflow = attributes.get('data-overflow');
  const data: Code['data'] = defined({
    syntax: languageOf(inner?.attributes.get('class')) ?? languageOf(attributes.get('class')),
    title: attributes.get('data-title'),
    overflow: overflow === 'wrap' || overflow === 'scroll' ? overflow : undefined,
    lineNumbers: flag(attributes.get('data-line-numbers')),
    fullWidth: flag(attributes.get('data-full-width')),
    attributes: unknownAttributes(attributes, KNOWN_ATTRIBUTES),
  });
  return parent('code', data, linesOf(pre.children));
}

const languageOf = (classes: string | undefined): string | undefined =>
  /(?:^|\s)(?:lang|language)-(\S+)/.exec(classes ?? '')?.[1];

const flag = (value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : value !== 'false';

function linesOf(pieces: Piece[]): CodeLine[] {
  const lines: { text: string; highlighted: boolean }[] = [{ text: '', highlighted: false }];
  const add = (text: string, highlighted: boolean) => {
    text.split('\n').forEach((part, index) => {
      if (index > 0) {
        lines.push({ text: '', highlighted: false });
      }
      const line = lines.at(-1);
      if (line) {
        line.text += part;
        line.highlighted ||= highlighted && part !== '';
      }
    });
  };
  const visit = (piece: Piece, highlighted: boolean): void => {
    if (piece.kind === 'element') {
      for (const child of piece.children) {
        visit(child, highlighted || HIGHLIGHTS.has(piece.name));
      }
    } else if (piece.kind === 'break') {
      add('\n', highlighted);
    } else if (piece.kind === 'tag') {
      add(piece.tag.source, highlighted);
    } else if ('value' in piece && piece.kind !== 'comment') {
      add(piece.value, highlighted);
    }
  };
  for (const piece of pieces) {
    visit(piece, false);
  }
  if (lines.length > 1 && lines.at(-1)?.text === '') {
    lines.pop();
  }
  return lines.map(({ text, highlighted }) =>
    parent('code-line', highlighted ? { highlighted } : {}, text === '' ? [] : [plainText(text)]),
  );
}
