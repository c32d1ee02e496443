import { type AnyBlock, type Block, rawSource } from '../markdown/document.ts';
import { parseCondition } from './conditions.ts';
import { evaluateExpression } from './evaluate.ts';
import { ExpressionError } from './expressions.ts';
import type { PageVariables } from './markdown.ts';

/** Claims about a visitor by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns whether a text may contain blocks that depend on a condition. */
export const mayContainConditions = (markdown: string): boolean => /\{%\s*if\b/.test(markdown);

/**
 * Returns the blocks of a page that a visitor sees, at any depth: those whose condition, an expression over
 * `visitor.claims`, `space.vars` and `page.vars`, holds. Invalid conditions do not. Of a source with conditions that is
 * kept verbatim, because it exceeds a limit, nothing is shown.
 */
export function visibleBlocks(nodes: readonly Block[], claims: Claims, variables?: PageVariables): Block[] {
  const isShown = (node: unknown) => !isCondition(node) || holds(node.data.expression, claims, variables);
  const visible = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.filter(isShown).map((node) => visible(withoutHiddenSource(node)));
    }
    return typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visible(member)]))
      : value;
  };
  // Only removes blocks from lists, so that the others keep their types.
  return visible(nodes) as Block[];
}

/** Removes the source of a block that is kept verbatim if parts of it may be conditional. */
export function withoutHiddenSource(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || !('type' in node) || node.type !== 'paragraph') {
    return node;
  }
  // Only paragraphs have this type.
  const source = rawSource(node as AnyBlock);
  return source !== undefined && mayContainConditions(source) ? { ...node, nodes: [] } : node;
}

/** Returns whether a node is a conditional block. */
export const isCondition = (node: unknown): node is Extract<Block, { type: 'if' }> =>
  typeof node === 'object' && node !== null && 'type' in node && node.type === 'if' && 'data' in node;

/** Returns whether a condition holds for a visitor. */
export function holds(
  condition: string,
  claims: Claims,
  { space, page }: PageVariables = { space: {}, page: {} },
): boolean {
  const scope = { visitor: { claims }, space: { vars: space }, page: { vars: page } };
  try {
    return Boolean(evaluateExpression(parseCondition(condition), scope));
  } catch (error) {
    if (error instanceof ExpressionError) {
      return false;
    }
    throw error;
  }
}
