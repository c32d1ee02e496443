import { expect, test } from 'vitest';
import { servedPaths, sourcePaths } from '../../../server/content/links/served-paths.ts';

test.each([
  ['guide/setup.md', ['guide/setup', 'guide/setup.html', 'guide/setup.htm']],
  ['README.md', ['README', 'README.html', 'README.htm', 'index', 'index.html', 'index.htm']],
  ['a/readme.md', ['a/readme', 'a/readme.html', 'a/readme.htm', 'a/index', 'a/index.html', 'a/index.htm']],
  ['picture.png', []],
])('%s is served at the paths that may lead to it', (source, paths) => {
  expect(servedPaths(source)).toEqual(paths);
  for (const path of paths) {
    expect(sourcePaths(path)).toContain(source);
  }
});
