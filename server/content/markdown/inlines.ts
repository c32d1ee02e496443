/** From pieces to the inline nodes of a document. */
import type { Block, Image, Inline, InlineNode, Leaf, Mark, Reference, Text } from './document.ts';
import { defined, plainText, reference, textOf, voidBlock, voidInline } from './document.ts';
import type { Element, Piece } from './pieces.ts';
import { textOfPieces } from './pieces.ts';

/** What the reading of a line needs from the page around it. */
export interface LineContext {
  /** The body of a footnote; undefined for one that is not defined here. */
  note(id: string): Block[] | undefined;
}

/** What the start of a line held besides its nodes. */
interface Anchors {
  /** The id that an empty `<a id>` sets; only headings take one. */
  id?: string;
}

const MARKS: Record<string, Exclude<Mark['type'], 'color'>> = {
  strong: 'bold',
  b: 'bold',
  em: 'italic',
  i: 'italic',
  del: 'strikethrough',
  s: 'strikethrough',
  strike: 'strikethrough',
  sup: 'superscript',
  sub: 'subscript',
  kbd: 'keyboard',
  code: 'code',
};

/** The order that marks stand in, outermost first. */
export const MARK_ORDER: readonly Mark['type'][] = [
  'color',
  'bold',
  'italic',
  'strikethrough',
  'superscript',
  'subscript',
  'keyboard',
  'code',
];

const NOTE_LINK = '#user-content-fn-';

/** Reads the nodes of a line. Spaces run together as in HTML; at its ends and at the ends of marks they go. */
export function readLine(pieces: Piece[], context: LineContext, anchors?: Anchors): InlineNode[] {
  const nodes: InlineNode[] = [];
  const reader = new LineReader(context, anchors);
  reader.read(pieces, [], nodes, false);
  return trimEnd(tidy(nodes, { space: true }));
}

class LineReader {
  readonly #context: LineContext;
  readonly #anchors: Anchors | undefined;

  constructor(context: LineContext, anchors: Anchors | undefined) {
    this.#context = context;
    this.#anchors = anchors;
  }

  read(pieces: Piece[], marks: Mark[], into: InlineNode[], inLink: boolean): void {
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index];
      if (piece === undefined) continue;
      switch (piece.kind) {
        case 'text':
          addLeaf(into, { object: 'leaf', text: piece.value.replace(/[ \t\n\r\f]+/g, ' '), marks });
          break;
        case 'code':
          addLeaf(into, codeLeaf(piece.value, marks));
          break;
        case 'raw':
          addRaw(into, piece.value);
          break;
        case 'break':
          addLeaf(into, { object: 'leaf', text: '\n', marks });
          break;
        case 'math':
          into.push(voidInline('inline-math', { formula: piece.value }));
          break;
        case 'emoji':
          into.push(voidInline('emoji', { code: piece.value }));
          break;
        case 'note':
          this.#note(piece, [], into);
          break;
        case 'element': {
          const next = pieces[index + 1];
          const annotated = piece.attributes.get('href')?.startsWith(NOTE_LINK) && next?.kind === 'note';
          if (annotated && !inLink) {
            const text: InlineNode[] = [];
            this.read(piece.children, marks, text, true);
            this.#note(next, text, into);
            index++;
          } else this.#element(piece, marks, into, inLink);
        }
      }
    }
  }

  #note(note: { id: string; label: string }, nodes: InlineNode[], into: InlineNode[]): void {
    const body = this.#context.note(note.id);
    if (body) into.push({ object: 'inline', type: 'annotation', isVoid: false, data: { body }, nodes });
    else into.push(...nodes, plainText(`[^${note.label}]`));
  }

  #element(element: Element, marks: Mark[], into: InlineNode[], inLink: boolean): void {
    const inline = this.#inlineOf(element, marks, inLink);
    if (inline === 'nothing') return;
    if (inline) {
      into.push(inline);
      return;
    }
    const mark = markOf(element);
    if (mark) {
      const children = element.children;
      this.read(mark.type === 'code' ? codePieces(children) : children, withMark(marks, mark), into, inLink);
    } else if (element.name === 'a' && inLink && element.open === '') {
      this.read(element.children, marks, into, inLink);
    } else {
      addRaw(into, element.open);
      this.read(element.children, marks, into, inLink);
      addRaw(into, element.close);
    }
  }

  #inlineOf(element: Element, marks: Mark[], inLink: boolean): Inline | 'nothing' | undefined {
    const { name, attributes, children } = element;
    if (name === 'img' || name === 'picture') return imageOf(element);
    if (name === 'i') return iconOf(attributes);
    if (name === 'code' && attributes.get('class') === 'expression') {
      const expression = textOfPieces(children).trim();
      return expression ? voidInline('expression', { expression }) : undefined;
    }
    if (name === 'button' && hasClass(attributes, 'button')) return buttonOf(element);
    if (name !== 'a') return undefined;
    if (hasClass(attributes, 'button')) return buttonOf(element);
    const id = attributes.get('id');
    if (id && this.#anchors && this.#anchors.id === undefined && textOfPieces(children).trim() === '') {
      this.#anchors.id = id;
      return 'nothing';
    }
    const href = attributes.get('href');
    const ref = href === undefined ? undefined : reference(href);
    if (!ref || inLink) return undefined;
    if (attributes.has('data-mention')) return voidInline('mention', { ref });
    const nodes: InlineNode[] = [];
    this.read(children, marks, nodes, true);
    const title = attributes.get('title') || undefined;
    return { object: 'inline', type: 'link', isVoid: false, data: defined({ ref, title }), nodes };
  }
}

const hasClass = (attributes: Map<string, string>, name: string): boolean =>
  attributes.get('class')?.split(/\s+/).includes(name) ?? false;

const codeLeaf = (value: string, marks: Mark[]): Leaf => ({
  object: 'leaf',
  text: value.replace(/\n/g, ' '),
  marks: withMark(marks, { object: 'mark', type: 'code' }),
});

/** Within `<code>`, spaces and breaks are a space, and nothing but text is code. */
function codePieces(pieces: Piece[]): Piece[] {
  const text = textOfPieces(pieces).replace(/\s+/g, ' ');
  return [{ kind: 'code', value: text }];
}

function markOf({ name, attributes }: Element): Mark | undefined {
  if (name === 'mark') {
    const data = colors(attributes.get('style') ?? '');
    return data && { object: 'mark', type: 'color', data };
  }
  const type = MARKS[name];
  return type && (attributes.size === 0 || type === 'bold') ? { object: 'mark', type } : undefined;
}

function colors(style: string): { text?: string; background?: string } | undefined {
  const data: { text?: string; background?: string } = {};
  for (const declaration of style.split(';')) {
    if (declaration.trim() === '') continue;
    const [, property, value] =
      /^\s*(color|background-color)\s*:\s*([^;\s][^;]{0,63}?)\s*$/.exec(declaration) ?? [];
    if (property === undefined || value === undefined) return undefined;
    data[property === 'color' ? 'text' : 'background'] = value;
  }
  return data.text === undefined && data.background === undefined ? undefined : data;
}

function withMark(marks: Mark[], mark: Mark): Mark[] {
  const others = marks.filter((other) => other.type !== mark.type);
  return [...others, mark].sort((a, b) => MARK_ORDER.indexOf(a.type) - MARK_ORDER.indexOf(b.type));
}

function iconOf(attributes: Map<string, string>): Inline | undefined {
  const icon = /^(?:fa-)([a-z0-9-]{1,64})$/.exec(attributes.get('class') ?? '')?.[1];
  if (icon === undefined) return undefined;
  const color = /^color:\s*([^;\s]{1,64});?$/.exec(attributes.get('style') ?? '')?.[1];
  return voidInline('icon', defined({ icon, color }));
}

function buttonOf({ name, attributes, children }: Element): Inline | undefined {
  const href = name === 'a' ? attributes.get('href') : undefined;
  const ref = href === undefined ? undefined : reference(href);
  if (name === 'a' && !ref) return undefined;
  const kind = hasClass(attributes, 'secondary') ? 'secondary' : 'primary';
  const icon = attributes.get('data-icon');
  const label = textOfPieces(children).replace(/\s+/g, ' ').trim();
  if (!label || (icon?.length ?? 0) > 64) return undefined;
  const rest = others(attributes, ['href', 'class', 'data-icon', ...(name === 'button' ? ['type'] : [])]);
  return voidInline('button', defined({ ref, kind, icon, label, attributes: rest }));
}

/** The attributes that are not among those named; undefined where there are none. */
export function others(attributes: Map<string, string>, known: string[]): Record<string, string> | undefined {
  const rest = [...attributes].filter(([name]) => !known.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}

function imageOf(element: Element): Inline | undefined {
  let img = element;
  let refDark: Reference | undefined;
  if (element.name === 'picture') {
    const parts = element.children.filter((child): child is Element => child.kind === 'element');
    const found = parts.find((child) => child.name === 'img');
    const dark = parts.find((child) => child.name === 'source');
    if (!found) return undefined;
    img = found;
    const url = dark?.attributes.get('srcset');
    refDark = url && dark?.attributes.get('media')?.includes('dark') ? reference(url) : undefined;
    if (dark && !refDark) return undefined;
  }
  const { attributes } = img;
  const ref = reference(attributes.get('src') ?? '');
  if (!ref || !attributes.get('src')) return undefined;
  const alt = attributes.get('alt') || undefined;
  const title = attributes.get('title') || undefined;
  const written = attributes.get('data-size');
  const size = written === 'line' || written === 'original' ? written : undefined;
  const rest = others(attributes, ['src', 'alt', 'title', 'data-size']);
  return voidInline('inline-image', defined({ ref, refDark, alt, title, size, attributes: rest }));
}

/** The image of a block from an element; undefined where the element is no image with an address. */
export function blockImage(element: Element, caption?: InlineNode[]): Image | undefined {
  const inline = imageOf(element);
  if (inline?.type !== 'inline-image') return undefined;
  const { ref, refDark, alt, title, size, attributes } = inline.data;
  const all = new Map(Object.entries(attributes ?? {}));
  if (size) all.set('data-size', size);
  const titled = title === undefined ? undefined : readLine([{ kind: 'text', value: title }], NO_NOTES);
  return voidBlock(
    'image',
    defined({
      ref,
      refDark,
      alt,
      caption: caption && caption.length > 0 ? caption : titled?.length ? titled : undefined,
      width: all.get('width'),
      height: all.get('height'),
      attributes: others(all, ['width', 'height']),
    }),
  );
}

const NO_NOTES: LineContext = { note: () => undefined };

const sameMarks = (a: Mark[], b: Mark[]): boolean =>
  a.length === b.length &&
  a.every((mark, index) => {
    const other = b[index];
    if (mark.type !== 'color' || other?.type !== 'color') return mark.type === other?.type;
    return mark.data.text === other.data.text && mark.data.background === other.data.background;
  });

function addRaw(into: InlineNode[], source: string): void {
  addLeaf(into, { object: 'leaf', text: source, marks: [], raw: true });
}

/** Adds a leaf to the text at the end, joining it to a leaf of the same marks. */
function addLeaf(into: InlineNode[], leaf: Leaf): void {
  if (leaf.text === '') return;
  const last = into.at(-1);
  if (last?.object !== 'text') {
    into.push({ object: 'text', leaves: [leaf] });
    return;
  }
  const before = last.leaves.at(-1);
  if (before && before.raw === leaf.raw && sameMarks(before.marks, leaf.marks)) {
    last.leaves[last.leaves.length - 1] = { ...before, text: before.text + leaf.text };
  } else last.leaves.push(leaf);
}

/** Runs spaces together and takes them out of marks that end at them, in reading order. */
function tidy(nodes: InlineNode[], state: { space: boolean }): InlineNode[] {
  const tidied: InlineNode[] = [];
  for (const node of nodes) {
    if (node.object === 'text') tidyText(node, state, tidied);
    else if (node.isVoid) {
      state.space = false;
      tidied.push(node);
    } else tidied.push({ ...node, nodes: tidy(node.nodes, state) });
  }
  return tidied;
}

const isCode = (leaf: Leaf): boolean => leaf.raw === true || leaf.marks.at(-1)?.type === 'code';

function tidyText(text: Text, state: { space: boolean }, into: InlineNode[]): void {
  const parts: Leaf[] = [];
  for (const leaf of text.leaves) {
    if (isCode(leaf)) parts.push(leaf);
    else for (const part of leaf.text.match(/\s+|\S+/g) ?? []) parts.push({ ...leaf, text: part });
  }
  const solid = parts.map((part) => isCode(part) || /\S/.test(part.text));
  const before = neighbours(parts, solid, 1);
  const after = neighbours(parts, solid, -1);
  const tidied: InlineNode[] = [];
  parts.forEach((part, index) => {
    if (solid[index]) {
      state.space = false;
      addLeaf(tidied, part);
      return;
    }
    const collapsed = part.text.replace(/ +/g, ' ').replace(/ ?\n ?/g, '\n');
    const shown = state.space ? collapsed.replace(/^ +/, '') : collapsed;
    if (shown === '') return;
    if (shown.startsWith('\n')) dropEndSpace(tidied, into);
    state.space = /[ \n]$/.test(shown);
    const marks = part.marks.filter((mark) => hasMark(before[index], mark) && hasMark(after[index], mark));
    addLeaf(tidied, { object: 'leaf', text: shown, marks });
  });
  into.push(...tidied);
}

const hasMark = (leaf: Leaf | undefined, mark: Mark): boolean =>
  leaf?.marks.some((other) => sameMarks([mark], [other])) ?? false;

/** For each part, the nearest solid one before it (step 1) or after it (step -1). */
function neighbours(parts: Leaf[], solid: boolean[], step: 1 | -1): (Leaf | undefined)[] {
  const found = new Array<Leaf | undefined>(parts.length);
  let last: Leaf | undefined;
  for (let count = 0; count < parts.length; count++) {
    const index = step === 1 ? count : parts.length - 1 - count;
    found[index] = last;
    if (solid[index]) last = parts[index];
  }
  return found;
}

function dropEndSpace(nodes: InlineNode[], before: InlineNode[]): void {
  const last = (nodes.length > 0 ? nodes : before).at(-1);
  if (last?.object !== 'text') return;
  const leaf = last.leaves.at(-1);
  if (!leaf || isCode(leaf)) return;
  const text = leaf.text.replace(/ +$/, '');
  if (text === leaf.text) return;
  if (text === '') last.leaves.pop();
  else last.leaves[last.leaves.length - 1] = { ...leaf, text };
}

/** Takes spaces and breaks off the end of a line. */
function trimEnd(nodes: InlineNode[]): InlineNode[] {
  const kept = [...nodes];
  for (let last = kept.at(-1); last?.object === 'text'; last = kept.at(-1)) {
    const leaves = [...last.leaves];
    const leaf = leaves.pop();
    if (leaf && !isCode(leaf)) {
      const text = leaf.text.replace(/[ \n]+$/, '');
      if (text !== '') leaves.push({ ...leaf, text });
      kept[kept.length - 1] = { object: 'text', leaves };
      if (text !== '') break;
    } else if (leaf) break;
    if (leaves.length === 0) kept.pop();
  }
  return kept.filter((node) => node.object !== 'text' || node.leaves.length > 0);
}

/** The images of a line that holds nothing else; undefined for any other line. */
export function imagesOfLine(pieces: Piece[]): Image[] | undefined {
  const images: Image[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'text' && piece.value.trim() === '') continue;
    if (piece.kind === 'break') continue;
    const image = piece.kind === 'element' ? blockImage(piece) : undefined;
    if (!image) return undefined;
    images.push(image);
  }
  return images.length > 0 ? images : undefined;
}

/** Whether a line shows nothing. */
export function isEmptyLine(nodes: InlineNode[]): boolean {
  return nodes.every((node) => node.object === 'text' && textOf([node]).trim() === '');
}
