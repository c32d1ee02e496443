import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Sizes of a bundle in bytes. */
export interface BundleSize {
  minified: number;
  gzip: number;
}

/** Module of an application with one call. */
const ONE_CALL = `import { createClient, getSpace } from './index.ts';
const client = createClient({ baseUrl: 'https://docs.example.com', token: 'token' });
console.log(await getSpace(client, { spaceId: 'spc_guide' }));`;

/**
 * Bundles an application with one call of the platform's client for a browser, and measures the bundle. It contains the
 * client and openapi-fetch.
 */
export async function measureOneCall(): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents: ONE_CALL, resolveDir: join(import.meta.dirname, '../platform'), loader: 'ts' },
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
