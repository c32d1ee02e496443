import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Sizes of the bundled client in bytes, including its only dependency. */
export interface BundleSize {
  minified: number;
  gzip: number;
}

/** Bundles all exports of `colophon/client` for a browser, as an application would, and measures the bundle. */
export async function measureClient(): Promise<BundleSize> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../platform/index.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    write: false,
  });
  const [bundle] = outputFiles;
  if (bundle === undefined) {
    throw new Error('esbuild returned no bundle of the client.');
  }
  return { minified: bundle.contents.length, gzip: gzipSync(bundle.contents, { level: 9 }).length };
}
