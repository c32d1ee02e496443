/**
 * Speeds up the parsing of GFM autolinks. The GFM extensions search for them at every word, and again four times in
 * every text; most pages contain none.
 */
import type { Nodes, Root } from 'mdast';
import type { Extension as MdastExtension } from 'mdast-util-from-markdown';
import type { Construct, Extension } from 'micromark-util-types';

/** Required text of each kind of autolink. The parser tries every word of a text that contains it. */
const AUTOLINKS: Readonly<Record<string, RegExp>> = {
  emailAutolink: /@/,
  protocolAutolink: /:\/\//,
  wwwAutolink: /www\./i,
};

/** Returns the names of the autolink constructs that cannot occur in a text. */
export const absentAutolinks = (markdown: string): string[] =>
  Object.keys(AUTOLINKS).filter((name) => !AUTOLINKS[name]?.test(markdown));

/** Removes text constructs from a syntax. */
export function withoutConstructs(syntax: Extension, names: readonly string[]): Extension {
  const text = Object.entries(syntax.text ?? {}).map(([code, constructs]) => {
    const all: Construct[] = Array.isArray(constructs) ? constructs : constructs ? [constructs] : [];
    return [code, all.filter(({ name = '' }) => !names.includes(name))] as const;
  });
  return { ...syntax, text: Object.fromEntries(text.filter(([, constructs]) => constructs.length > 0)) };
}

/** Required text of every autolink that the transforms create. */
const ADDRESS = /@|:\/\/|www\./i;

/** Limits the transforms of an extension to nodes that may contain autolinks, instead of the whole tree. */
export function onlyAddresses(extension: MdastExtension): MdastExtension {
  const { transforms } = extension;
  if (!transforms) {
    return extension;
  }
  const visit = (node: Nodes): void => {
    if (!('children' in node) || node.type === 'link' || node.type === 'linkReference') {
      return;
    }
    if (node.children.some((child) => child.type === 'text' && ADDRESS.test(child.value))) {
      // A transform expects a root, and processes the root of a part like that of a page.
      for (const transform of transforms) {
        transform(node as Root);
      }
    } else {
      for (const child of node.children) {
        visit(child);
      }
    }
  };
  return { ...extension, transforms: [visit] };
}
