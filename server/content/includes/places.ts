/** Whether a file is reusable content of GitBook, which documents contain as a block with links of its own. */
export const isReusableBlock = (path: string): boolean =>
  path === '' || /(?:^|\/)\.gitbook\/includes\//.test(path);
