import { mapOutsideFences } from '../markdown/fences.ts';

/** IDs of pages and files by the names used in URLs. */
export interface NamedIds {
  pages: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, string>;
}

/** A URL after the start of a link, an attribute or a definition, up to the end of its path. */
const CONTENT_URL = /(?<=[("'<=]|\]:[ \t]{0,8})\/(pages|files)\/([a-zA-Z0-9_-]{1,128})(?=[)"'>\s?#]|$)/g;

/**
 * Replaces the names in the URLs `/pages/<name>` and `/files/<name>` of a text with IDs. Everything else, including
 * fenced code, is unchanged.
 */
export function withIds(markdown: string, ids: NamedIds): string {
  if (ids.pages.size === 0 && ids.files.size === 0) {
    return markdown;
  }
  return mapOutsideFences(markdown, (line) =>
    line.replace(CONTENT_URL, (address, kind: keyof NamedIds, name: string) => {
      const id = ids[kind].get(name);
      return id === undefined ? address : `/${kind}/${id}`;
    }),
  );
}
