import type { Definition, Image, PhrasingContent } from 'mdast';
import { readTag } from '../attributes.ts';
import { htmlTokens } from '../html.ts';
import { pair, type Token } from './html/tag-pairs.ts';
import type { Element, Piece } from './pieces.ts';

/**
 * Reads the pieces of Markdown within a line. `definitions` resolves links and images by reference; `blocks` enables
 * block elements.
 */
export function markdownPieces(
  nodes: PhrasingContent[],
  definitions: Map<string, Definition>,
  blocks = false,
): Piece[] {
  return pair(tokensOf(nodes, definitions), blocks);
}

function* tokensOf(nodes: PhrasingContent[], definitions: Map<string, Definition>): Generator<Token> {
  for (const node of nodes) {
    switch (node.type) {
      case 'text':
        yield { kind: 'text', value: node.value };
        break;
      case 'inlineCode':
        yield { kind: 'code', value: node.value };
        break;
      case 'inlineMath':
        yield { kind: 'math', value: node.value.trim() };
        break;
      case 'emoji':
        yield { kind: 'emoji', value: node.value };
        break;
      case 'break':
        yield { kind: 'break' };
        break;
      case 'html':
        // Positions in a line are not positions in an HTML block.
        yield* htmlTokens(node.value).map((token) => ({ ...token, start: 0 }));
        break;
      case 'tagText':
        yield { kind: 'tag', tag: readTag(node.value) };
        break;
      case 'strong':
        yield element('strong', markdownPieces(node.children, definitions));
        break;
      case 'emphasis':
        yield element('em', markdownPieces(node.children, definitions));
        break;
      case 'delete':
        yield element('del', markdownPieces(node.children, definitions));
        break;
      case 'link':
        yield link(node.url, node.title, markdownPieces(node.children, definitions));
        break;
      case 'linkReference': {
        const definition = definitions.get(node.identifier);
        const children = markdownPieces(node.children, definitions);
        if (definition) {
          yield link(definition.url, definition.title, children);
        } else {
          yield* children;
        }
        break;
      }
      case 'image':
        yield image(node, node.alt);
        break;
      case 'imageReference': {
        const definition = definitions.get(node.identifier);
        if (definition) {
          yield image(definition, node.alt);
        }
        break;
      }
      case 'footnoteReference':
        yield { kind: 'note', id: node.identifier, label: node.label ?? node.identifier };
        break;
    }
  }
}

function element(name: string, children: Piece[], attributes = new Map<string, string>()): Element {
  return { kind: 'element', name, attributes, children, open: '', close: '' };
}

function link(url: string, title: string | null | undefined, children: Piece[]): Element {
  const attributes = new Map([['href', url]]);
  if (title) {
    attributes.set('title', title);
  }
  return element('a', children, attributes);
}

function image({ url, title }: Image | Definition, alt: string | null | undefined): Element {
  const attributes = new Map([['src', url]]);
  if (alt) {
    attributes.set('alt', alt);
  }
  if (title) {
    attributes.set('title', title);
  }
  return element('img', [], attributes);
}
