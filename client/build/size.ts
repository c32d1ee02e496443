import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** How much a page loads for the whole client, its one dependency included, in bytes. */
export interface BundleSize {
  minified: number;
  gzip: number;
}

/** Bundles everything that `colophon/client` exports for a browser, as an application would, and weighs it. */
export async function measureClient(): Promise<BundleSize> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    write: false,
  });
  const [bundle] = outputFiles;
  if (bundle === undefined) {
    throw new Error('esbuild made no bundle of the client.');
  }
  return { minified: bundle.contents.length, gzip: gzipSync(bundle.contents, { level: 9 }).length };
}
