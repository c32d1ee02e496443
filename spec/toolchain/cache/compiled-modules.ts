import * as modules from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './folder.ts';

/**
 * Lets Node keep the compiled form of the modules that are imported from now on, which halves the start of a command. The
 * variable `NODE_COMPILE_CACHE` selects another folder.
 */
export function keepCompiledModules(): void {
  const folder = cacheFolder({ root: process.cwd() });
  // Other runtimes and older versions have no such cache.
  if (folder !== undefined && process.env.NODE_COMPILE_CACHE === undefined) {
    modules.enableCompileCache?.(join(folder, 'modules'));
  }
}
