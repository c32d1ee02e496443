/** Integrations as their authors write them, bundled as the command line of the platform does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { parse } from 'yaml';
import type { components } from '../../../generated/schema.d.ts';

type Publication = components['schemas']['IntegrationPublication'];

/** Folder of the integrations. */
export const INTEGRATIONS = new URL('../../fixtures/integrations', import.meta.url).pathname;

/** A manifest: the publication, with the name of the integration and the path of its script. */
type Manifest = Publication & { name: string; script: string };

/** Reads the manifest of an integration, and bundles its script. */
export async function bundledIntegration(name: string): Promise<Publication> {
  const folder = join(INTEGRATIONS, name);
  const {
    name: _name,
    organization: _organization,
    ...manifest
  }: Manifest = parse(await readFile(join(folder, 'gitbook-manifest.yaml'), 'utf8'));
  const { outputFiles } = await build({
    entryPoints: [join(folder, manifest.script)],
    bundle: true,
    write: false,
    minify: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2020',
    mainFields: ['worker', 'browser', 'module', 'jsnext', 'main'],
    conditions: ['worker', 'browser', 'import', 'production'],
    define: { 'process.env.NODE_ENV': '"production"', MODE: '"production"' },
    external: ['node:*', 'cloudflare:*'],
    jsx: 'automatic',
    jsxImportSource: '@gitbook/runtime',
    loader: { '.raw.js': 'text', '.raw.css': 'text' },
  });
  return { ...manifest, runtime: 'v2', script: outputFiles[0]?.text ?? '' };
}
