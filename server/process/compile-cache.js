import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';

// This module and `start.js` are JavaScript: for a TypeScript module that is not in the cache, Node loads what strips the
// types, which takes 30 ms and 10 MB.

/** Folder of the cache, next to the packages: only those who can change the code of the server can change it. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/colophon', import.meta.url));

/**
 * Uses compiled code of earlier processes, which Node otherwise compiles, and strips of types, at each start. Modules that
 * are loaded later are added to the cache. `NODE_COMPILE_CACHE` selects another folder, and `NODE_DISABLE_COMPILE_CACHE`
 * disables it. Where the folder cannot be written, the server starts without a cache.
 *
 * @returns whether there is a cache
 */
export function useCompileCache() {
  if (process.env.NODE_COMPILE_CACHE === undefined && enableCompileCache(FOLDER).directory !== undefined) {
    // For job processes and threads.
    process.env.NODE_COMPILE_CACHE = FOLDER;
  }
  return getCompileCacheDir() !== undefined;
}
