import { type Address, parseAddress, type TextLocation } from '../links/address.ts';

/** Whether a file is reusable content of GitBook, which documents contain as a block with links of its own. */
export const isReusableBlock = (path: string): boolean =>
  path === '' || /(?:^|\/)\.gitbook\/includes\//.test(path);

/** Returns the addresses that a tag can mean: a path from the root starts in the folder of the book of its text. */
export function addressesOfInclude(written: string, from: TextLocation): Address[] {
  const folders = written.startsWith('/') ? from.path.split('/').slice(0, -1) : [];
  const roots = folders.map((_, at) => `/${folders.slice(0, at + 1).join('/')}`).reverse();
  return [...roots, ''].map((root) => parseAddress(`${root}${written}`, { path: from.path }));
}
