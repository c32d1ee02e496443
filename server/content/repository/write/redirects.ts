import { posix } from 'node:path';
import { type ContentConfiguration, inFolder } from '../read/configuration.ts';
import { writeYaml } from '../yaml.ts';
import type { Draft } from './draft.ts';
import type { WrittenPaths } from './paths.ts';
import type { ExportedRedirect } from './types.ts';

/**
 * Writes the redirects of a space to a new `.gitbook.yaml`, which then also locates the documentation. An existing one
 * is that of its authors.
 */
export function writeRedirects(
  redirects: readonly ExportedRedirect[],
  { draft, configuration, paths }: { draft: Draft; configuration: ContentConfiguration; paths: WrittenPaths },
): void {
  const { path, project, root, summary, readme } = configuration;
  const written = redirects.flatMap(({ from, page, anchor }): Array<[string, string]> => {
    const target = paths.pages.get(page);
    if (target === undefined) {
      return [];
    }
    const relative = encodePath(posix.relative(root, target));
    return [[from, anchor === undefined ? relative : `${relative}#${encodeURIComponent(anchor)}`]];
  });
  if (path === undefined && written.length > 0) {
    const structure = {
      ...(readme !== undefined && { readme: posix.relative(root, readme) }),
      ...(summary !== undefined && { summary: posix.relative(root, summary) }),
    };
    draft.texts.set(
      inFolder(project, '.gitbook.yaml'),
      writeYaml({
        ...(root !== project && { root: `./${posix.relative(project, root)}/`, structure }),
        redirects: Object.fromEntries(written.map(([from, to]) => [encodePath(from), to])),
      }),
    );
  }
}

/** Encodes the signs that a written path cannot contain literally. */
const encodePath = (path: string): string => path.replace(/[%#?]/g, encodeURIComponent);
