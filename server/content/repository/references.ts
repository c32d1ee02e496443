import { decodePath, folderOf, isMarkdown, type PathIndex, resolvePath } from './files.ts';
import type { ImportedReference } from './types.ts';

const linkPattern = /\]\(\s*(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()]*)*))/g;
const attributePattern = /\b(?:src|href|url)\s*=\s*(?:"([^"\n]+)"|'([^'\n]+)')/g;
const definitionPattern = /^ {0,3}\[[^\]\n]+\]:\s*<?([^\s<>]+)/gm;
const addressPattern = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** The paths that a page's markdown leads to, as they are written; addresses elsewhere are left out. */
export function* fileReferences(markdown: string): Generator<string> {
  for (const pattern of [linkPattern, attributePattern, definitionPattern]) {
    for (const match of markdown.matchAll(pattern)) {
      const written = match[1] ?? match[2] ?? '';
      if (written !== '' && !addressPattern.test(written)) yield written;
    }
  }
}

/** What a reference in a file leads to: a file of the repository, or the address as it is written. */
export function referenceFrom(
  written: string,
  from: string,
  root: string,
  index: PathIndex,
): ImportedReference {
  if (addressPattern.test(written)) return { kind: 'url', url: written };
  for (const target of [decodePath(written), written]) {
    const path = resolvePath(target, folderOf(from), root);
    const file = path === undefined ? undefined : index.file(path);
    if (file && !isMarkdown(file.path)) return { kind: 'file', path: file.path };
  }
  return { kind: 'url', url: written };
}
