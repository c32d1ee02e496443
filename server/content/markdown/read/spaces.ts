/**
 * Normalizes spaces in lines as HTML shows them: they are collapsed, and removed at the ends of lines and marks. Code
 * and unknown markup are unchanged.
 */

import type { InlineNode, Leaf, Mark, Text } from '../document.ts';
import { plainText } from '../document.ts';
import { sameMark, sameMarks } from '../marks.ts';
import { trimEndOf } from '../text-ends.ts';

/** Creates the nodes of a line of plain text. */
export function textLine(text: string): InlineNode[] {
  return spacedLine([plainText(lineText(text))]);
}

/** Replaces the line ends of one line's text by spaces; in leaves, a line feed is a visible break. */
export function lineText(text: string): string {
  return text.replace(/[ \t\n\r\f]+/g, ' ');
}

/** Reduces the spaces of a line to the visible ones. */
export function spacedLine(nodes: InlineNode[]): InlineNode[] {
  return trimEnd(tidy(nodes, { space: true, trailing: false }));
}

/** Appends a leaf to the last text. Joins it with a leaf of the same marks. */
export function addLeaf(into: InlineNode[], leaf: Leaf): void {
  if (leaf.text === '') {
    return;
  }
  const last = into.at(-1);
  if (last?.object !== 'text') {
    into.push({ object: 'text', leaves: [leaf] });
    return;
  }
  const before = last.leaves.at(-1);
  if (before && before.raw === leaf.raw && sameMarks(before.marks, leaf.marks)) {
    last.leaves[last.leaves.length - 1] = { ...before, text: before.text + leaf.text };
  } else {
    last.leaves.push(leaf);
  }
}

/** State at the end of the text processed so far. */
interface End {
  /** Whether a following space is invisible: at the start, or after another space. */
  space: boolean;
  /** Whether the last character is a visible space, which is removed before a break. */
  trailing: boolean;
}

/** Collapses spaces, and moves them out of marks that end at them, in reading order. */
function tidy(nodes: InlineNode[], state: End): InlineNode[] {
  const tidied: InlineNode[] = [];
  for (const node of nodes) {
    if (node.object === 'text') {
      tidyText(node, state, tidied);
    } else if (node.isVoid) {
      state.space = false;
      state.trailing = false;
      tidied.push(node);
    } else {
      tidied.push({ ...node, nodes: tidy(node.nodes, state) });
    }
  }
  return tidied;
}

const isCode = (leaf: Leaf): boolean => leaf.raw === true || leaf.marks.at(-1)?.type === 'code';

const collapse = (text: string): string => text.replace(/ {2,}/g, ' ').replace(/ ?\n ?/g, '\n');

/** Splits a leaf into the spaces at its ends, which depend on other leaves, and its words. */
function partsOf(leaf: Leaf): Leaf[] {
  const words = leaf.text.trim();
  if (isCode(leaf) || words === '') {
    return [leaf];
  }
  const start = leaf.text.indexOf(words);
  const texts = [leaf.text.slice(0, start), collapse(words), leaf.text.slice(start + words.length)];
  return texts.filter((text) => text !== '').map((text) => ({ ...leaf, text }));
}

function tidyText(text: Text, state: End, into: InlineNode[]): void {
  const parts = text.leaves.flatMap(partsOf);
  const solid = parts.map((part) => isCode(part) || /\S/.test(part.text));
  const before = neighbors(parts, solid, 1);
  const after = neighbors(parts, solid, -1);
  const tidied: InlineNode[] = [];
  parts.forEach((part, index) => {
    if (solid[index]) {
      state.space = false;
      state.trailing = false;
      addLeaf(tidied, part);
      return;
    }
    const collapsed = collapse(part.text);
    const shown = state.space ? collapsed.replace(/^ +/, '') : collapsed;
    if (shown === '') {
      return;
    }
    if (shown.startsWith('\n') && state.trailing) {
      dropEndSpace(tidied, into);
    }
    state.space = /[ \n]$/.test(shown);
    state.trailing = shown.endsWith(' ');
    const marks = part.marks.filter((mark) => hasMark(before[index], mark) && hasMark(after[index], mark));
    addLeaf(tidied, { object: 'leaf', text: shown, marks });
  });
  into.push(...tidied);
}

const hasMark = (leaf: Leaf | undefined, mark: Mark): boolean =>
  leaf?.marks.some((other) => sameMark(mark, other)) ?? false;

/** Returns, for each part, the nearest solid one before it (step 1) or after it (step -1). */
function neighbors(parts: Leaf[], solid: boolean[], step: 1 | -1): (Leaf | undefined)[] {
  const result = new Array<Leaf | undefined>(parts.length);
  let last: Leaf | undefined;
  for (let count = 0; count < parts.length; count++) {
    const index = step === 1 ? count : parts.length - 1 - count;
    result[index] = last;
    if (solid[index]) {
      last = parts[index];
    }
  }
  return result;
}

function dropEndSpace(nodes: InlineNode[], before: InlineNode[]): void {
  const last = (nodes.length > 0 ? nodes : before).at(-1);
  if (last?.object !== 'text') {
    return;
  }
  const leaf = last.leaves.at(-1);
  if (!leaf || isCode(leaf)) {
    return;
  }
  const text = trimEndOf(leaf.text, ' ');
  if (text === leaf.text) {
    return;
  }
  if (text === '') {
    last.leaves.pop();
  } else {
    last.leaves[last.leaves.length - 1] = { ...leaf, text };
  }
}

/** Removes spaces and breaks at the end of a line. */
function trimEnd(nodes: InlineNode[]): InlineNode[] {
  const trimmed = [...nodes];
  for (let last = trimmed.at(-1); last?.object === 'text'; last = trimmed.at(-1)) {
    const leaves = [...last.leaves];
    const leaf = leaves.pop();
    if (leaf && !isCode(leaf)) {
      const text = trimEndOf(leaf.text, ' \n');
      if (text !== '') {
        leaves.push({ ...leaf, text });
      }
      trimmed[trimmed.length - 1] = { object: 'text', leaves };
      if (text !== '') {
        break;
      }
    } else if (leaf) {
      break;
    }
    if (leaves.length === 0) {
      trimmed.pop();
    }
  }
  return trimmed.filter((node) => node.object !== 'text' || node.leaves.length > 0);
}
