/**
 * Spaces in lines, as HTML shows them: they run together, and at the ends of lines and of marks they go. Code and
 * markup that the platform does not know keep theirs.
 */
import type { InlineNode, Leaf, Mark, Text } from '../document.ts';
import { plainText } from '../document.ts';
import { sameMark, sameMarks } from '../marks.ts';

/** The nodes of a line of text without markup. */
export function textLine(text: string): InlineNode[] {
  return spacedLine([plainText(lineText(text))]);
}

/** Text of one line, its line ends as spaces; in leaves, a line feed is a break that shows. */
export function lineText(text: string): string {
  return text.replace(/[ \t\n\r\f]+/g, ' ');
}

/** A line with the spaces that show. */
export function spacedLine(nodes: InlineNode[]): InlineNode[] {
  return trimEnd(tidy(nodes, { space: true, trailing: false }));
}

/** Adds a leaf to the text at the end, joining it to a leaf of the same marks. */
export function addLeaf(into: InlineNode[], leaf: Leaf): void {
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

/** What stands at the end of what was read so far. */
interface End {
  /** Whether a space there does not show: at the start, or after another. */
  space: boolean;
  /** Whether it is a space that shows, and goes where a break follows. */
  trailing: boolean;
}

/** Runs spaces together and takes them out of marks that end at them, in reading order. */
function tidy(nodes: InlineNode[], state: End): InlineNode[] {
  const tidied: InlineNode[] = [];
  for (const node of nodes) {
    if (node.object === 'text') tidyText(node, state, tidied);
    else if (node.isVoid) {
      state.space = false;
      state.trailing = false;
      tidied.push(node);
    } else tidied.push({ ...node, nodes: tidy(node.nodes, state) });
  }
  return tidied;
}

const isCode = (leaf: Leaf): boolean => leaf.raw === true || leaf.marks.at(-1)?.type === 'code';

function tidyText(text: Text, state: End, into: InlineNode[]): void {
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
      state.trailing = false;
      addLeaf(tidied, part);
      return;
    }
    const collapsed = part.text.replace(/ +/g, ' ').replace(/ ?\n ?/g, '\n');
    const shown = state.space ? collapsed.replace(/^ +/, '') : collapsed;
    if (shown === '') return;
    if (shown.startsWith('\n') && state.trailing) dropEndSpace(tidied, into);
    state.space = /[ \n]$/.test(shown);
    state.trailing = shown.endsWith(' ');
    const marks = part.marks.filter((mark) => hasMark(before[index], mark) && hasMark(after[index], mark));
    addLeaf(tidied, { object: 'leaf', text: shown, marks });
  });
  into.push(...tidied);
}

const hasMark = (leaf: Leaf | undefined, mark: Mark): boolean =>
  leaf?.marks.some((other) => sameMark(mark, other)) ?? false;

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
