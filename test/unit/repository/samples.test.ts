import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadRepositoryFiles } from '../../../server/content/repository/files.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ImportedContent, ImportedPage } from '../../../server/content/repository/types.ts';
import { parseAllowedRanges } from '../../../server/outgoing/addresses.ts';
import { cloneRepository } from '../../../server/outgoing/git/git.ts';
import { type SampleRepository, sampleRepositories } from '../../support/content/repositories.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { escapePattern } from '../../support/patterns.ts';

let server: GitServer;
let folder: string;

beforeAll(async () => {
  server = await startGitServer();
  folder = await mkdtemp(join(tmpdir(), 'clones-'));
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Imports like the service: clone over HTTP, load, read. Reads twice, since the next import must find the same. */
async function importSample({
  files,
  directory,
}: SampleRepository): Promise<[ImportedContent, ImportedContent]> {
  const { url } = await server.createRepository(files);
  await using repository = await cloneRepository({
    url,
    ref: 'refs/heads/main',
    allow: parseAllowedRanges('127.0.0.0/8'),
    folder,
  });
  using loaded = await loadRepositoryFiles(repository, folder, directory);
  // A copy with the texts.
  const read = () => structuredClone(readRepository(loaded, directory));
  return [read(), read()];
}

function outline(pages: readonly ImportedPage[], indent = ''): string[] {
  return pages.flatMap((page) => {
    const line = `${indent}${page.type} ${page.title} | `;
    switch (page.type) {
      case 'link': {
        const { target } = page;
        const anchor = target.kind === 'page' && target.anchor !== undefined ? `#${target.anchor}` : '';
        return [line + (target.kind === 'url' ? target.url : target.path + anchor)];
      }
      case 'computed':
        return [line + page.computed.type];
      default:
        return [line + page.path, ...outline(page.pages, `${indent}  `)];
    }
  });
}

function keys(pages: readonly ImportedPage[]): string[] {
  return pages.flatMap((page) => [page.key, ...('pages' in page ? keys(page.pages) : [])]);
}

describe.each(sampleRepositories)('a repository $name', (sample) => {
  let content: ImportedContent;
  let readAgain: ImportedContent;

  beforeAll(async () => {
    [content, readAgain] = await importSample(sample);
  });

  test('has the expected pages', () => {
    expect(outline(content.pages)).toEqual(sample.outline);
  });

  test('includes the files that its pages use', () => {
    expect(content.files.map((file) => file.git.path)).toEqual(sample.assets);
  });

  test('reports unusable parts, and nothing else', () => {
    const problems = content.problems.map(({ path, message }) => `${path}: ${message}`);
    expect(problems).toEqual(
      sample.problems.map((problem) => {
        const [path = '', part = ''] = problem.split(/: (.*)/s);
        return expect.stringMatching(new RegExp(`^${escapePattern(path)}: .*${escapePattern(part)}`, 's'));
      }),
    );
  });

  test('gives each entry a unique key that is the same at the next import', () => {
    const pageKeys = keys(content.pages);
    expect(new Set(pageKeys).size).toBe(pageKeys.length);
    expect(keys(readAgain.pages)).toEqual(pageKeys);
  });
});
