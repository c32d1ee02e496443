import { glob, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const mark = 'modified';

// Node keeps a module for ever under its address. The mark of a script is handed on to what the script imports.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const version = context.parentURL && URL.parse(context.parentURL)?.searchParams.get(mark);
    if (!version || !found.url.startsWith('file:') || found.url.includes('/node_modules/')) return found;
    return { ...found, url: `${found.url}?${mark}=${version}` };
  },
});

/**
 * Imports a script as it stands on disk now, together with the scripts beside and below it that it imports;
 * packages are shared as ever.
 */
export async function freshImport(path: string): Promise<Record<string, unknown>> {
  let newest = 0;
  for await (const script of glob('**/*.{js,mjs}', {
    cwd: dirname(path),
    exclude: (name) => name === 'node_modules',
  })) {
    newest = Math.max(newest, (await stat(join(dirname(path), script))).mtimeMs);
  }
  return import(`${pathToFileURL(path).href}?${mark}=${newest}`);
}
