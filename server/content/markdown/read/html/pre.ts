/** Reads code that is written in HTML: `<pre class="language-js"><code>…<strong>highlighted line</strong>…`. */
import { unknownAttributes } from '../../attributes.ts';
import { type Block, type Code, type CodeLine, defined, parent, plainText } from '../../document.ts';
import type { Element, Piece } from '../pieces.ts';
import { noteOfLink } from './inline-elements.ts';

/** Attributes of `<pre>` that are properties of code. */
const KNOWN_ATTRIBUTES = ['class', 'data-title', 'data-overflow', 'data-line-numbers', 'data-full-width'];

/** Elements that highlight the lines they contain. */
const HIGHLIGHTS = new Set(['strong', 'b', 'mark']);

/** Returns the body of a note; undefined if it does not exist. */
type FindNote = (id: string) => Block[] | undefined;

/** Reads a `<pre>`. Everything in it is code. Parts of the code have notes. */
export function codeOfElement(pre: Element, note: FindNote): Code {
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
  return parent('code', data, linesOf(pre.children, note));
}

const languageOf = (classes: string | undefined): string | undefined =>
  /(?:^|\s)(?:lang|language)-(\S+)/.exec(classes ?? '')?.[1];

const flag = (value: string | undefined): boolean | undefined =>
  value === undefined ? undefined : value !== 'false';

/** An element with a note on its text. */
interface Annotated {
  body: Block[];
  /** The only line that has the note; undefined before its first text. */
  line?: CodeLineParts;
}

/** A text within a line, and the element that annotates it. */
interface LinePart {
  text: string;
  annotated: Annotated | undefined;
}

interface CodeLineParts {
  parts: LinePart[];
  highlighted: boolean;
}

function linesOf(pieces: Piece[], note: FindNote): CodeLine[] {
  const lines: CodeLineParts[] = [{ parts: [], highlighted: false }];
  const add = (text: string, { highlighted, annotated }: Surroundings) => {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) {
        lines.push({ parts: [], highlighted: false });
      }
      const line = lines.at(-1);
      if (line && part !== '') {
        line.highlighted ||= highlighted;
        // A note of several lines would be repeated on each of them.
        if (annotated && !annotated.line) {
          annotated.line = line;
        }
        addPart(line.parts, { text: part, annotated: annotated?.line === line ? annotated : undefined });
      }
    }
  };
  const visit = (piece: Piece, around: Surroundings): void => {
    if (piece.kind === 'element') {
      const id = piece.name === 'a' ? noteOfLink(piece.attributes.get('href')) : undefined;
      const body = id === undefined || around.annotated ? undefined : note(id.toLowerCase());
      const inner = {
        highlighted: around.highlighted || HIGHLIGHTS.has(piece.name),
        annotated: around.annotated ?? (body && { body }),
      };
      for (const child of piece.children) {
        visit(child, inner);
      }
    } else if (piece.kind === 'break') {
      add('\n', around);
    } else if (piece.kind === 'tag') {
      add(piece.tag.source, around);
    } else if ('value' in piece && piece.kind !== 'comment') {
      add(piece.value, around);
    }
  };
  for (const piece of pieces) {
    visit(piece, { highlighted: false, annotated: undefined });
  }
  if (lines.length > 1 && lines.at(-1)?.parts.length === 0) {
    lines.pop();
  }
  return lines.map(({ parts, highlighted }) =>
    parent('code-line', highlighted ? { highlighted } : {}, parts.map(nodeOfPart)),
  );
}

/** What the elements around a text state about it. */
interface Surroundings {
  highlighted: boolean;
  annotated: Annotated | undefined;
}

/** Adds a part, or its text to the last one if one element annotates both. */
function addPart(parts: LinePart[], part: LinePart): void {
  const last = parts.at(-1);
  if (last && last.annotated === part.annotated) {
    last.text += part.text;
  } else {
    parts.push(part);
  }
}

function nodeOfPart({ text, annotated }: LinePart): CodeLine['nodes'][number] {
  const node = plainText(text);
  return annotated === undefined
    ? node
    : { object: 'inline', type: 'annotation', isVoid: false, data: { body: annotated.body }, nodes: [node] };
}
