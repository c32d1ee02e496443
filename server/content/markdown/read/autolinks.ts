/**
 * Addresses that GFM makes links of without any markup. Its extensions look for them at every word, and then four
 * times in every text; most pages have none, and need not wait for that.
 */
import type { Nodes, Root } from 'mdast';
import type { Extension as MdastExtension } from 'mdast-util-from-markdown';
import type { Construct, Extension } from 'micromark-util-types';

/** What each kind of address has: the parser tries every word of a text, unless none can be one. */
const AUTOLINKS: Readonly<Record<string, RegExp>> = {
  emailAutolink: /@/,
  protocolAutolink: /:\/\//,
  wwwAutolink: /www\./i,
};

/** The names of the constructs of addresses that a text cannot have. */
export const absentAutolinks = (markdown: string): string[] =>
  Object.keys(AUTOLINKS).filter((name) => !AUTOLINKS[name]?.test(markdown));

/** A syntax without some of the constructs of its texts. */
export function withoutConstructs(syntax: Extension, names: readonly string[]): Extension {
  const text = Object.entries(syntax.text ?? {}).map(([code, constructs]) => {
    const all: Construct[] = Array.isArray(constructs) ? constructs : constructs ? [constructs] : [];
    return [code, all.filter(({ name = '' }) => !names.includes(name))] as const;
  });
  return { ...syntax, text: Object.fromEntries(text.filter(([, constructs]) => constructs.length > 0)) };
}

/** What every address has that the transforms make a link of. */
const ADDRESS = /@|:\/\/|www\./i;

/** Has the transforms of an extension change only what may hold an address, instead of the whole tree. */
export function onlyAddresses(extension: MdastExtension): MdastExtension {
  const { transforms } = extension;
  if (!transforms) return extension;
  const visit = (node: Nodes): void => {
    if (!('children' in node) || node.type === 'link' || node.type === 'linkReference') return;
    if (node.children.some((child) => child.type === 'text' && ADDRESS.test(child.value))) {
      // A transform takes a root, and treats the root of a part as it treats that of a page.
      for (const transform of transforms) transform(node as Root);
    } else for (const child of node.children) visit(child);
  };
  return { ...extension, transforms: [visit] };
}
