/**
 * Runs: the parts of a text that are translated separately. A translator can change the order of the words and elements
 * of a segment, but must not move text into a condition or out of it.
 */
import { containsConditionTag, isCondition } from '../expressions/condition-tags.ts';
import { type InlineNode, inlineText } from '../markdown/document.ts';

/** Replaces the runs of a text, which end at the tags of conditions. */
export function mapRuns(
  nodes: readonly InlineNode[],
  replace: (run: InlineNode[]) => InlineNode[],
): InlineNode[] {
  const result: InlineNode[] = [];
  let run: InlineNode[] = [];
  const finish = () => {
    if (run.length > 0) {
      result.push(...replace(run));
    }
    run = [];
  };
  for (const node of nodes) {
    if (!containsCondition(node)) {
      run.push(node);
      continue;
    }
    finish();
    if (node.object === 'inline' && node.type !== 'tag' && !node.isVoid) {
      result.push({ ...node, nodes: mapRuns(node.nodes, replace) });
    } else {
      result.push(node);
    }
  }
  finish();
  return result;
}

function containsCondition(node: InlineNode): boolean {
  if (node.object !== 'inline') {
    // Texts of attributes are not parsed.
    return containsConditionTag(inlineText([node]));
  }
  return node.type === 'tag' ? isCondition(node.data) : node.nodes.some(containsCondition);
}
