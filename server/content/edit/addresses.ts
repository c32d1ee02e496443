import { fenceEnds, fenceStart } from '../markdown/fences.ts';

/** The ids that stand for names in addresses. */
export interface NamedIds {
  pages: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, string>;
}

/** Where an address may start: after what opens a link, an attribute or a definition; and where its path ends. */
const ADDRESS = /(?<=[("'<=]|\]:[ \t]{0,8})\/(pages|files)\/([a-zA-Z0-9_-]{1,128})(?=[)"'>\s?#]|$)/g;

/**
 * A text whose addresses `/pages/<name>` and `/files/<name>` have ids in the place of names. All else stays as it
 * was written, and so does code in fences.
 */
export function withIds(markdown: string, ids: NamedIds): string {
  if (ids.pages.size === 0 && ids.files.size === 0) return markdown;
  let fence: string | undefined;
  const lines = markdown.split('\n').map((line) => {
    if (fence !== undefined) {
      if (fenceEnds(line, fence)) fence = undefined;
      return line;
    }
    fence = fenceStart(line);
    return line.replace(ADDRESS, (address, kind: keyof NamedIds, name: string) => {
      const id = ids[kind].get(name);
      return id === undefined ? address : `/${kind}/${id}`;
    });
  });
  return lines.join('\n');
}
