/** The paths that website generators, such as mdBook, use for the files of a repository. */

/** Lists the files that may be served at a path. */
export function sourcePaths(path: string): string[] {
  const base = path.replace(/\.html?$/, '');
  const [isIndex, folder = ''] = /^(?:(.*)\/)?index$/s.exec(base) ?? [];
  return [
    ...(base === '' ? [] : [`${base}.md`]),
    ...(isIndex === undefined ? [] : [joinedPath(folder, 'README.md'), joinedPath(folder, 'readme.md')]),
  ];
}

/** Lists the paths that serve a file. The inverse of `sourcePaths`. */
export function servedPaths(source: string): string[] {
  const [isMarkdown, base = ''] = /^(.*)\.md$/s.exec(source) ?? [];
  if (isMarkdown === undefined) {
    return [];
  }
  const [isReadme, folder = ''] = /^(?:(.*)\/)?(?:README|readme)$/s.exec(base) ?? [];
  const bases = isReadme === undefined ? [base] : [base, joinedPath(folder, 'index')];
  return bases.flatMap((served) => ['', '.html', '.htm'].map((ending) => served + ending));
}

/** Joins a folder and a path; either may be empty. */
export function joinedPath(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/');
}
