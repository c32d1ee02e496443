import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, transform } from 'esbuild';

/** Sizes of a bundle in bytes. */
export interface BundleSize {
  minified: number;
  gzip: number;
}

/** Part that a module has in a bundle. */
export interface ModuleSize extends BundleSize {
  /** Path in the repository. */
  name: string;
  /** Bytes of the compressed bundle that it would not have without the module. */
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
  return sizeOf(await bundleOneCall({ minify: true }));
}

/** Measures the modules of an application with one call, the largest first. */
export async function measureModules(): Promise<ModuleSize[]> {
  const root = join(import.meta.dirname, '../..');
  // With white space, the bundle has a comment with the path before each module.
  const text = await bundleOneCall({ minifyIdentifiers: true, minifySyntax: true, absWorkingDir: root });
  const modules: { name: string; code: string }[] = [];
  for (const part of `\n${text}`.split('\n// ').slice(1)) {
    const end = part.indexOf('\n');
    const { code } = await transform(part.slice(end), { minifyWhitespace: true });
    modules.push({ name: part.slice(0, end), code: code.trim() });
  }
  const all = sizeOf(modules.map(({ code }) => code).join(''));
  return modules
    .map(({ name, code }) => {
      const others = modules.filter((module) => module.name !== name);
      const { gzip } = sizeOf(others.map((module) => module.code).join(''));
      return { name, minified: Buffer.byteLength(code), gzip: all.gzip - gzip };
    })
    .sort((a, b) => b.gzip - a.gzip);
}

async function bundleOneCall(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: ONE_CALL, resolveDir: join(import.meta.dirname, '../platform'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    ...options,
    write: false,
  });
  const [bundle] = outputFiles;
  if (bundle === undefined) {
    throw new Error('esbuild returned no bundle of the client.');
  }
  return bundle.text;
}

const sizeOf = (code: string): BundleSize => ({
  minified: Buffer.byteLength(code),
  gzip: gzipSync(code, { level: 9 }).length,
});
