import { afterAll, describe, expect, test } from 'vitest';
import { computePages } from '../../../server/content/computed/pages.ts';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import type { Document } from '../../../server/content/markdown/document.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { mergeTexts } from '../../../server/content/merge/lines.ts';
import {
  addressFinder,
  jobAddressFinder,
  MAX_JOB_LINK_TEXT_CHARACTERS,
} from '../../../server/content/threads/addresses.ts';
import { bodyOf } from '../../../server/content/threads/body.ts';
import { entryComputer } from '../../../server/content/threads/computed.ts';
import { Documents, documentText } from '../../../server/content/threads/documents.ts';
import { textMerger } from '../../../server/content/threads/merging.ts';
import { contentTasks } from '../../../server/content/threads/tasks.ts';
import { type ContentThreads, createContentThreads } from '../../../server/content/threads/threads.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { PageRecord } from '../../../server/content/tree/records.ts';
import { writeDocument } from '../../../server/content/wire/write.ts';
import { TaskLimitError, ThreadsBusyError } from '../../../server/threads/threads.ts';

const threads = createContentThreads();
afterAll(() => threads.close());

const long = Array.from({ length: 400 }, (_, at) => `Paragraph *${at}* of {{ space.vars.name }}.\n\n`).join(
  '',
);

/** Threads that count their tasks, and fail the first ones. */
function counting(failures: readonly Error[] = []): ContentThreads & { names: string[] } {
  const left = [...failures];
  const names: string[] = [];
  return {
    ...threads,
    names,
    run(name, input, options) {
      names.push(name);
      const failure = left.shift();
      return failure ? Promise.reject(failure) : threads.run(name, input, options);
    },
  };
}

const parsed = (json: Uint8Array): Document => JSON.parse(Buffer.from(json).toString()) as Document;

test('the links of a text of usual length are found by a job without a thread', async () => {
  const counted = counting();
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const find = jobAddressFinder({ threads: counted, log }, 'org');
  const text = (length: number) => `[next](next.md) `.padEnd(length, 'word ');
  expect(await find(text(MAX_JOB_LINK_TEXT_CHARACTERS))).toEqual(['next.md']);
  expect(counted.names).toEqual([]);
  expect(await find(text(MAX_JOB_LINK_TEXT_CHARACTERS + 1))).toEqual(['next.md']);
  expect(counted.names).toEqual(['findAddresses']);
});

describe('documents parsed in threads', () => {
  test('equal the result of parsing a text, short or long', async () => {
    const documents = new Documents(threads, 'org');
    for (const text of [long, '# Short']) {
      expect(parsed(await documents.read(documentText(text)))).toEqual(
        JSON.parse(JSON.stringify(writeDocument(parseMarkdown(text)))),
      );
    }
  });

  test('are parsed once, even for concurrent reads', async () => {
    const counted = counting();
    const documents = new Documents(counted, 'org');
    const text = `${long}Once.`;
    const reads = await Promise.all([documents.read(documentText(text)), documents.read(documentText(text))]);
    expect(await documents.read(documentText(text))).toBe(reads[0]);
    expect(counted.names).toEqual(['readDocument']);
  });

  test('are read from the cache without their text', async () => {
    const documents = new Documents(threads, 'org');
    const markdown = `${long}[Cached](cached.md).`;
    let reads = 0;
    const { hash } = documentText(markdown);
    const text = { hash, read: async () => `${markdown}${'!'.repeat(reads++)}` };
    const document = await documents.read(text);
    expect(await documents.listDestinations(text)).toContain('cached.md');
    expect(reads).toBe(2);
    expect(await documents.read(text)).toBe(document);
    expect(await documents.readPrinted(text)).toBe(document);
    expect(await documents.listDestinations(text)).toContain('cached.md');
    expect(reads).toBe(2);
  });

  test('have the values that are passed', async () => {
    const documents = new Documents(threads, 'org');
    const variables = { space: { name: 'Colophon' }, page: {} };
    const text = Buffer.from(await documents.read(documentText(long), variables)).toString();
    expect(text).toContain('Colophon');
    expect(await documents.evaluate(long, variables)).toContain('of Colophon.');
    expect(Buffer.from(await documents.read(documentText(long))).toString()).not.toContain('Colophon');
  });

  test.each([
    ['time', 'time-limit'],
    ['memory', 'memory-limit'],
  ] as const)(
    'show a text verbatim that exceeds the %s limit, without another attempt',
    async (limit, reason) => {
      const counted = counting([new TaskLimitError('readDocument', limit)]);
      const documents = new Documents(counted, 'org');
      const text = `${long}Exceeds the ${limit} limit.`;
      const document = parsed(await documents.read(documentText(text)));
      expect(document.nodes).toHaveLength(1);
      expect(document.nodes[0]).toMatchObject({ data: { problem: { reason } } });
      expect(JSON.stringify(document)).toContain(`Exceeds the ${limit} limit.`);
      await documents.read(documentText(text));
      expect(counted.names).toEqual(['readDocument', 'readDocument']);
      // Nor for another task on the same text.
      const key = document.nodes[0]?.key ?? '';
      expect(await documents.existingKeys(text, [key, 'other'])).toEqual(new Set([key]));
      expect(counted.names).toHaveLength(3);
    },
  );

  test('are not cached if no thread was available', async () => {
    const counted = counting([new ThreadsBusyError('busy')]);
    const documents = new Documents(counted, 'org');
    const text = `${long}Busy.`;
    await expect(documents.read(documentText(text))).rejects.toBeInstanceOf(ThreadsBusyError);
    expect(parsed(await documents.read(documentText(text))).nodes.length).toBeGreaterThan(1);
  });
});

test('the body of a page whose document is cached is returned without reading its text', async () => {
  const text = textObject(`${long}A body.`);
  const record: PageRecord = {
    type: 'document',
    id: 'p',
    parent: null,
    title: 'P',
    slug: 'p',
    documentId: 'd',
    body: text.hash,
  };
  const pages = new Map([['p', record]]);
  const { root, objects } = await planContent(null, { pages, texts: [text] }, async () => new Map());
  const stored = new Map(objects.map(({ hash, data }) => [hash, data]));
  const read: string[] = [];
  const content = await contentAt(root, async (hashes) => {
    read.push(...hashes);
    return stored;
  });
  const options = { scope: { space: 's', app: 'http://app' }, hrefOf: () => undefined, evaluated: false };
  const body = (format: 'document' | 'markdown') =>
    bodyOf(content, { record, path: 'p' }, new Documents(threads, 'org'), { ...options, format });
  const first = await body('document');
  expect(read).toContain(text.hash);
  read.length = 0;
  expect(await body('document')).toEqual(first);
  expect(read).toEqual([]);
  expect(await body('markdown')).toEqual({ markdown: text.data });
});

describe('links found in threads', () => {
  const text = `${long}[A link](b.md).\n`;
  const warnings: object[] = [];
  const ignore = () => {};
  const warn = (details: object) => {
    warnings.push(details);
  };
  const log = { debug: ignore, info: ignore, warn, error: ignore };

  test('are those of the text', async () => {
    const counted = counting();
    expect(await addressFinder({ threads: counted, log }, 'org')(text)).toEqual(['b.md']);
    expect(counted.names).toEqual(['findAddresses']);
  });

  test('are none if the text exceeds a limit, which is logged only for the first write', async () => {
    const counted = counting([new TaskLimitError('findAddresses', 'time')]);
    const find = addressFinder({ threads: counted, log }, 'org');
    const body = textObject(text);
    const page: PageRecord = {
      type: 'document',
      id: 'p',
      parent: null,
      title: 'P',
      slug: 'p',
      documentId: 'd',
      body: body.hash,
    };
    const write = () =>
      planContent(null, { pages: new Map([['p', page]]), texts: [body] }, async () => new Map(), find);
    expect(await write()).toEqual(await write());
    expect(warnings).toEqual([expect.objectContaining({ organization: 'org', characters: text.length })]);
    expect(counted.names).toEqual(['findAddresses']);
  });
});

describe('pages computed in threads', () => {
  const source = {
    type: 'builtin:openapi',
    props: { models: false },
    dependencies: { spec: { ref: { kind: 'openapi', spec: 'pets' } } },
  } as const;
  const json = JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets' }, paths: {} });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  /** Returns the computation of an entry with its own specification, and its tasks. */
  const computing = (version: string, failures: readonly Error[] = []) => {
    const counted = counting(failures);
    const find = async () => ({ version, readJson: async () => Buffer.from(json) });
    const compute = entryComputer({ threads: counted, log: silent }, 'org', find);
    return { names: counted.names, compute: () => compute({ id: 'e', parent: null, source }) };
  };

  test('are those of the specification, computed once', async () => {
    const { names, compute } = computing('once');
    const expected = computePages(
      { id: 'e', parent: null, source },
      { version: 'once', document: JSON.parse(json) },
    );
    for (let reads = 0; reads < 2; reads++) {
      const pages = await compute();
      expect(pages?.overview.record).toEqual(expected.overview.record);
      expect(await pages?.overview.printBody()).toBe(expected.overview.printBody());
    }
    expect(names).toEqual(['computeEntry', 'printComputed']);
  });

  test('are missing if they exceed a limit, without another attempt', async () => {
    const { names, compute } = computing('slow', [new TaskLimitError('computeEntry', 'time')]);
    expect([await compute(), await compute()]).toEqual([undefined, undefined]);
    expect(names).toEqual(['computeEntry']);
  });

  test('show the problem if rendering exceeds a limit, without another attempt', async () => {
    const { compute } = computing('costly');
    await compute();
    const { names, compute: again } = computing('costly', [new TaskLimitError('printComputed', 'memory')]);
    for (let reads = 0; reads < 2; reads++) {
      expect(await (await again())?.overview.printBody()).toContain('This page cannot be displayed');
    }
    expect(names).toEqual(['printComputed']);
  });
});

describe('texts merged in threads', () => {
  const texts = { ancestor: long, primary: `First.\n\n${long}`, branch: `${long}Last.\n` };

  test('equal the result of merging', async () => {
    const counted = counting();
    expect(await textMerger(counted, 'org')(texts)).toEqual(mergeTexts(texts));
    expect(counted.names).toEqual(['mergeTexts']);
  });

  test('conflict completely if they exceed a limit', async () => {
    const merge = textMerger(counting([new TaskLimitError('mergeTexts', 'time')]), 'org');
    const { text, conflict } = await merge(texts);
    expect(conflict).toBe(true);
    expect(text).toContain(texts.primary);
    expect(text).toContain(texts.branch);
  });
});

describe('a document that is printed', () => {
  const encode = (text: string) => new TextEncoder().encode(text);

  test('has no text if it is nested too deeply', () => {
    const [quote] = parseMarkdown('> Text').nodes;
    const [start, end] = JSON.stringify({ ...quote, nodes: ['inner'] }).split('"inner"');
    const nested = (depth: number) =>
      encode(`{"object":"document","nodes":[${start?.repeat(depth)}${end?.repeat(depth)}]}`);
    expect(contentTasks.printDocument({ json: nested(3) })).toBe('> > >\n');
    expect(contentTasks.printDocument({ json: nested(50_000) })).toBeUndefined();
  });

  test('fails if it is not a document, or its specifications cannot be read', async () => {
    expect(() => contentTasks.printDocument({ json: encode('{"nodes":[{"type":"blockquote"}]}') })).toThrow(
      TypeError,
    );
    const page = { markdown: 'Text', targets: new Map(), base: 'https://example.com/' };
    const host = { readSpecification: () => Promise.reject(new Error('The database is unavailable.')) };
    await expect(
      contentTasks.printPage({ ...page, specifications: new Map([['pets', 'version']]) }, host),
    ).rejects.toThrow('The database is unavailable.');
  });
});
