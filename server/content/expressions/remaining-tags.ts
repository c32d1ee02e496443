/** Compares the tags that remain in a text, in code or escaped, with what the parser reads. */
import type { Document } from '../markdown/document.ts';
import { countConditionTags, isCondition } from './condition-tags.ts';
import { literalRanges } from './literal-ranges.ts';

/** Returns whether the tags of conditions in a text are the text of code, comments or escapes in its document. */
export function readsAsLiteral(text: string, { nodes }: Document): boolean {
  let escaped = countConditionTags(text);
  for (const { start, end } of literalRanges(text)) {
    escaped -= countConditionTags(text.slice(start, end));
  }
  const shown = shownTags(nodes);
  return shown !== undefined && shown <= escaped;
}

/** Returns the number of tags in the text of nodes, outside of code; undefined if one of them was read as a tag. */
function shownTags(nodes: readonly unknown[]): number | undefined {
  let count = 0;
  const open: unknown[] = [...nodes];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') {
      count += countConditionTags(value);
    } else if (Array.isArray(value)) {
      for (const item of value) {
        open.push(item);
      }
    } else if (typeof value === 'object' && value !== null) {
      // Any object can be read as a record.
      const node = value as Record<string, unknown>;
      if (isConditionNode(node)) {
        return undefined;
      }
      if (!isLiteral(node)) {
        for (const member of Object.values(node)) {
          open.push(member);
        }
      }
    }
  }
  return count;
}

function isConditionNode({ object, type, data }: Record<string, unknown>): boolean {
  if (object !== 'block' && object !== 'inline') {
    return false;
  }
  // The data of a tag.
  return type === 'if' || (type === 'tag' && isCondition(data as { name: string; content?: string }));
}

/** Returns whether a node is a line of code, text that is marked as code, or a comment. */
function isLiteral({ object, type, marks }: Record<string, unknown>): boolean {
  if (object === 'leaf') {
    return Array.isArray(marks) && marks.some((mark: { type?: unknown }) => mark.type === 'code');
  }
  return type === 'code-line' || type === 'comment';
}
