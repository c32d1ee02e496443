/** Renders the parts of API references: operations with their methods, parameters and status codes. */
import type { Block, BlockOf, InlineNode, Leaf } from '../../markdown/document.ts';
import { renderNamed } from '../cards.ts';
import type { RenderContext } from '../context.ts';
import { otherAnchors } from '../headings.ts';
import { EMPTY, element, type Html, join, text } from '../markup.ts';
import { targetKey } from '../options.ts';

const METHODS = 'GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY';
const OPERATION = new RegExp(`^(${METHODS}) (\\S.*)$`);
const METHOD = new RegExp(`^(?:${METHODS})$`);
const STATUS = /^([1-5])(?:\d\d|XX)$/;

/** Renders a method and a path. */
function operation(method: string, path: string): Html {
  const className = METHOD.test(method) ? `method method-${method.toLowerCase()}` : 'method';
  return join([
    method === '' ? EMPTY : element('span', { class: className }, text(method)),
    method === '' || path === '' ? EMPTY : text(' '),
    path === '' ? EMPTY : element('code', { class: 'path', translate: 'no' }, text(path)),
  ]);
}

/** Returns the only leaf of a text; undefined if there are several, or other nodes. */
function onlyLeaf(nodes: readonly InlineNode[]): Leaf | undefined {
  const [node, ...rest] = nodes;
  return rest.length === 0 && node?.object === 'text' && node.leaves.length === 1
    ? node.leaves[0]
    : undefined;
}

const isCode = (leaf: Leaf | undefined): leaf is Leaf =>
  leaf !== undefined && leaf.marks.length === 1 && leaf.marks[0]?.type === 'code';

/** A method and a path. */
export interface OperationName {
  method: string;
  path: string;
}

/** Returns the operation that a paragraph names, as references of APIs have it; undefined for any other paragraph. */
export function operationOf({ nodes }: BlockOf<'paragraph'>): OperationName | undefined {
  const leaf = onlyLeaf(nodes);
  const [, method, path] = (isCode(leaf) && OPERATION.exec(leaf.text)) || [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/** Renders a paragraph that names an operation; undefined for any other paragraph. */
export function renderOperationLine(block: BlockOf<'paragraph'>): Html | undefined {
  const name = operationOf(block);
  return name && element('p', { class: 'operation', dir: 'ltr' }, operation(name.method, name.path));
}

/** Returns the class of status codes that the only text of a cell is, from 1 to 5; undefined for any other cell. */
export function statusOf([block, ...others]: readonly Block[]): string | undefined {
  const leaf = others.length === 0 && block?.type === 'paragraph' ? onlyLeaf(block.nodes) : undefined;
  return isCode(leaf) ? STATUS.exec(leaf.text)?.[1] : undefined;
}

/**
 * Renders the first cell of a row that names a parameter, a property or a status; undefined for any other cell.
 */
export function renderNameCell(blocks: readonly Block[]): Html | undefined {
  const [block] = blocks;
  if (blocks.length !== 1 || block?.type !== 'paragraph') {
    return undefined;
  }
  const only = onlyLeaf(block.nodes);
  const status = isCode(only) ? STATUS.exec(only.text) : undefined;
  if (only && status) {
    return element('code', { class: `status status-${status[1]}` }, text(only.text));
  }
  const [node] = block.nodes;
  const leaves = block.nodes.length === 1 && node?.object === 'text' ? node.leaves : [];
  const [name, required] = leaves;
  const isRequired = leaves.length === 2 && isCode(name) && required?.text === ' (required)';
  return name && isRequired
    ? join([
        element('code', {}, text(name.text)),
        text(' '),
        element('span', { class: 'required' }, text('(required)')),
      ])
    : undefined;
}

/** Renders an operation, webhook or schemas that refer to a specification outside the content of the page. */
export function renderApiBlock(
  context: RenderContext,
  block: BlockOf<'swagger' | 'openapi-operation' | 'openapi-schemas' | 'openapi-webhook'>,
): Html {
  const { data } = block;
  const method = 'method' in data ? (data.method?.toUpperCase() ?? '') : '';
  const path = 'path' in data ? (data.path ?? '') : 'name' in data ? (data.name ?? '') : '';
  const schemas = 'schemas' in data ? (data.schemas ?? []) : [];
  const spec =
    'spec' in data && data.spec !== undefined ? { kind: 'openapi' as const, spec: data.spec } : undefined;
  const ref = spec && (data.ref === undefined || context.targets.has(targetKey(spec))) ? spec : data.ref;
  const anchor = context.page.anchors.next(block);
  return element(
    'div',
    { id: anchor?.id, class: 'api-block', dir: 'ltr' },
    otherAnchors(anchor?.others ?? []),
    method === '' && path === '' ? EMPTY : element('p', { class: 'operation' }, operation(method, path)),
    schemas.length === 0
      ? EMPTY
      : element('ul', {}, ...schemas.map((name) => element('li', {}, element('code', {}, text(name))))),
    ref ? renderNamed(context, ref, 'file-code') : EMPTY,
  );
}
