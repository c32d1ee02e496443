/** Describes documents in short, to compare them with what a person reads. */
import type { components } from '../../../generated/schema.d.ts';
import { inlineText } from '../../../server/content/markdown/document.ts';
import { readInlines } from '../../../server/content/wire/read-inlines.ts';

type Document = components['schemas']['Document'];
type Reference = components['schemas']['DocumentRef'];

/** Lists the blocks of a document: their types, with the text of headings, styles, and numbers of parts. */
export function blocksOf({ nodes }: Document): string {
  return nodes.map(describeBlock).join(', ');
}

function describeBlock(block: components['schemas']['DocumentBlock']): string {
  switch (block.type) {
    case 'heading-1':
    case 'heading-2':
    case 'heading-3':
      return `${block.type} ${inlineText(readInlines(block.nodes, () => [])).trim()}`;
    case 'hint':
      return `hint ${block.data.style}`;
    case 'table':
      return `table ${Object.keys(block.data.definition).length}x${Object.keys(block.data.records).length}`;
    case 'images':
      return block.nodes.length > 1 ? `images ${block.nodes.length}` : 'images';
    case 'list-ordered':
    case 'list-unordered':
    case 'list-tasks':
    case 'tabs':
    case 'stepper':
    case 'columns':
      return `${block.type} ${block.nodes.length}`;
    default:
      return block.type;
  }
}

/** Lists the references of a document in its order. Those of dark images are marked. */
export function linksOf(document: Document, nameOf: (id: string) => string): string[] {
  const links: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    for (const [name, entry] of Object.entries(value)) {
      if (name === 'ref' || name === 'refDark' || name === 'source') {
        links.push(`${name === 'refDark' ? 'dark ' : ''}${describeReference(entry as Reference, nameOf)}`);
      } else {
        visit(entry);
      }
    }
  };
  visit(document.nodes);
  return links;
}

function describeReference(ref: Reference, nameOf: (id: string) => string): string {
  switch (ref.kind) {
    case 'page':
      return `page ${nameOf(ref.page)}`;
    case 'anchor':
      return `anchor ${ref.page === undefined ? '' : nameOf(ref.page)}#${ref.anchor}`;
    case 'file':
      return `file ${nameOf(ref.file)}`;
    case 'reusable-content':
      return `reusable-content ${nameOf(ref.reusableContent)}`;
    case 'url':
      return `url ${ref.url}`;
    case 'space':
      return `space ${ref.space}`;
    case 'user':
      return `user ${ref.user}`;
    case 'collection':
      return `collection ${ref.collection}`;
    case 'openapi':
      return `openapi ${ref.spec}`;
  }
}
