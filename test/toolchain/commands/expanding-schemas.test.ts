import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findContract } from '../../../spec/toolchain/init/contract-source.ts';
import {
  createGenerator,
  diffDocuments,
  documentOf,
  resolveProject,
  startMock,
} from '../../../spec/toolchain/main.ts';
import { readContract } from '../../../spec/toolchain/model/contract/read.ts';
import { type Chain, COMPOSED, chainContract, NESTED } from '../../support/contract/expanding-schemas.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { runOnce } from '../conform/run/run-once.ts';

/** Maximum processor time per command. Without limits, it takes minutes, or all memory. */
const MAX_MS = 10_000;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(TEMPORARY_FOLDER, 'expanding-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function projectOf(chain: Chain) {
  await writeFile(join(root, 'openapi.json'), JSON.stringify(chainContract(chain)));
  return resolveProject({ root, contract: 'openapi.json', tool: 'npx colophon' });
}

/** Fails if work takes this thread too long, and returns its result. */
async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const elapsedMs = startProcessorClock();
  const result = await work();
  expect(elapsedMs()).toBeLessThan(MAX_MS);
  return result;
}

describe.each(Object.entries(COMPOSED))('a contract with %s', (_name, chain) => {
  const message =
    /\/components\/schemas\/S\d+\S*: the schema expands to \d+ schemas, and at most 10000 are supported: refer/;

  test('is rejected by generate, init, dev and mock, with the schema', async () => {
    const project = await projectOf(chain);
    await timed(async () => {
      await expect(createGenerator(project).run()).rejects.toThrow(message);
      await expect(startMock(project, { port: 0, host: '127.0.0.1', log: () => {} })).rejects.toThrow(
        message,
      );
      const { source } = await findContract(root, 'openapi.json');
      await expect(createGenerator(source).run()).rejects.toThrow(message);
    });
  });

  test('is rejected by diff and conform, with the schema', async () => {
    // Both read their documents with this function.
    await timed(async () => {
      expect(() => documentOf('openapi.json', chainContract(chain))).toThrow(message);
    });
  });
});

describe.each(Object.entries(NESTED))('a contract with %s', (_name, chain) => {
  test('is generated and compared soon', async () => {
    const project = await projectOf(chain);
    const { files, problems } = await timed(() => createGenerator(project).run());
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(files.length).toBeGreaterThan(3);
    const base = chainContract(chain);
    const head = JSON.parse(
      JSON.stringify(base).replaceAll('"type":"string"', '"type":"string","maxLength":5'),
    );
    await timed(async () => {
      diffDocuments(documentOf('base', base), documentOf('head', head));
    });
  });

  test('is mocked and tested soon, except operations whose values are too large', async () => {
    const project = await projectOf(chain);
    const mock = await startMock(project, { port: 0, host: '127.0.0.1', log: () => {} });
    try {
      const list = await timed(() => fetch(`${mock.url}/items`));
      expect([200, 500, 501]).toContain(list.status);
      if (list.status === 501) {
        expect(await list.text()).toMatch(/schemas\/S\d+.* more than 10000 values/);
      }
      const outcome = await timed(() =>
        runOnce(
          { url: new URL(mock.url), tokens: {}, limits: { maxRequests: 30 } },
          { contract: readContract(documentOf('openapi.json', chainContract(chain))) },
        ),
      );
      expect(outcome.coverage.map(({ operation }) => operation)).toEqual(['listItems', 'createItem']);
    } finally {
      await mock.close();
    }
  });
});
