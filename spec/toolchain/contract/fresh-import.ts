import { glob, stat } from 'node:fs/promises';
import * as modules from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const VERSION_PARAMETER = 'modified';

// Node caches modules by URL without expiry. Imports of a versioned script get the same version. Bun has no hooks: there,
// `dev` runs the first version of what a script imports.
if ('registerHooks' in modules) {
  modules.registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const version = context.parentURL && URL.parse(context.parentURL)?.searchParams.get(VERSION_PARAMETER);
      if (!version || !resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) {
        return resolved;
      }
      return { ...resolved, url: `${resolved.url}?${VERSION_PARAMETER}=${version}` };
    },
  });
}

/**
 * Imports the current version of a script and of its imports in the same folder and below; packages stay cached.
 */
export async function freshImport(path: string): Promise<Record<string, unknown>> {
  let newest = 0;
  for await (const script of glob('**/*.{js,mjs}', {
    cwd: dirname(path),
    exclude: (name) => name === 'node_modules',
  })) {
    newest = Math.max(newest, (await stat(join(dirname(path), script))).mtimeMs);
  }
  return import(`${pathToFileURL(path).href}?${VERSION_PARAMETER}=${newest}`);
}
