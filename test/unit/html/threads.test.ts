import { afterAll, expect, test } from 'vitest';
import type { RenderTarget } from '../../../server/content/html/options.ts';
import { renderPage } from '../../../server/content/html/page.ts';
import { documentText } from '../../../server/content/threads/documents.ts';
import { RenderedPages } from '../../../server/content/threads/rendered-pages.ts';
import { type ContentThreads, createContentThreads } from '../../../server/content/threads/threads.ts';
import { TaskLimitError } from '../../../server/threads/threads.ts';
import { EVERY_BLOCK, EVERY_INCLUDED, EVERY_TARGET } from '../../support/content/every-block.ts';

const threads = createContentThreads();
afterAll(() => threads.close());

/** Threads that count their tasks, and fail the first ones. */
function counting(failures: readonly Error[] = []): ContentThreads & { bytes: number[] } {
  const left = [...failures];
  const bytes: number[] = [];
  return {
    ...threads,
    bytes,
    run(name, input, options) {
      bytes.push(options.bytes);
      const failure = left.shift();
      return failure ? Promise.reject(failure) : threads.run(name, input, options);
    },
  };
}

const target = (url: string): RenderTarget => ({ kind: 'page', title: 'Ports', url });

test('a page is the same in a thread, with its reusable contents', async () => {
  const pages = new RenderedPages(threads, 'org');
  const options = { targets: EVERY_TARGET };
  const included = new Map(
    [...EVERY_INCLUDED].map(([key, { markdown, targets }]) => [
      key,
      { text: documentText(markdown), targets },
    ]),
  );
  expect(await pages.render(documentText(EVERY_BLOCK), { options, included })).toEqual(
    renderPage({ markdown: EVERY_BLOCK, options, included: EVERY_INCLUDED }),
  );
});

test('a page is rendered once, also for concurrent readers, and its text is not read again', async () => {
  const counted = counting();
  const pages = new RenderedPages(counted, 'org');
  let reads = 0;
  const text = {
    ...documentText('Rendered once'),
    read: async () => {
      reads += 1;
      return 'Rendered once';
    },
  };
  const [first, second] = await Promise.all([
    pages.render(text, { options: {} }),
    pages.render(text, { options: {} }),
  ]);
  expect(second).toEqual(first);
  expect(await pages.render(text, { options: {} })).toEqual(first);
  expect(counted.bytes).toHaveLength(1);
  expect(reads).toBe(1);
});

test('a short page is rendered in a thread, too', async () => {
  const counted = counting();
  await new RenderedPages(counted, 'org').render(documentText('short'), { options: {} });
  // Shorter tasks run inline.
  expect(counted.bytes).toEqual([201]);
});

test('a page is rendered again for other values, targets, options and reusable contents', async () => {
  const pages = new RenderedPages(threads, 'org');
  const text = documentText('{{ space.vars.a }} [x](p.md)\n\n{% include "i.md" %}');
  const render = async (value: string, url: string, language: string, markdown: string) => {
    const targets = new Map<string, RenderTarget>([
      ['p.md', target(url)],
      ['i.md', { kind: 'reusable-content', title: 'I', included: 'i' }],
    ]);
    const { html } = await pages.render(text, {
      variables: { space: { a: value }, page: {} },
      options: { targets, language },
      included: new Map([['i', { text: documentText(markdown), targets: new Map() }]]),
    });
    return html;
  };
  const all = [
    await render('1', '/a', 'en', 'one'),
    await render('2', '/a', 'en', 'one'),
    await render('1', '/b', 'en', 'one'),
    await render('1', '/a', 'ar', 'one'),
    await render('1', '/a', 'en', 'two'),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(all[0]).toMatch(/1 <a href="\/a">x<\/a>.*one/);
});

test('a page that exceeds a limit is rendered without highlighting its code', async () => {
  const counted = counting([new TaskLimitError('renderPage', 'time')]);
  const pages = new RenderedPages(counted, 'org');
  const { html } = await pages.render(documentText('*Text*\n\n```js\nconst slow;\n```'), { options: {} });
  expect(html).toContain('<em>Text</em>');
  expect(html).toContain('const slow;');
  expect(counted.bytes).toHaveLength(2);
});

test('a page that exceeds a limit again is shown as written', async () => {
  const failure = () => new TaskLimitError('renderPage', 'memory');
  const counted = counting([failure(), failure()]);
  const { html } = await new RenderedPages(counted, 'org').render(documentText('# Too *slow*'), {
    options: {},
  });
  expect(html).toContain('class="verbatim"');
  expect(html).toContain('# Too *slow*');
  expect(counted.bytes).toHaveLength(3);
});

test('a page is rendered again for another version of a specification, which a thread reads', async () => {
  const pages = new RenderedPages(threads, 'org');
  const text = documentText('{% openapi-schemas spec="boats" %}\n{% endopenapi-schemas %}');
  const render = async (version: string) => {
    const json = JSON.stringify({ components: { schemas: { [`Model of ${version}`]: {} } } });
    const specifications = new Map([['boats', { version, readJson: async () => Buffer.from(json) }]]);
    return (await pages.render(text, { options: {}, specifications })).outline.map(({ title }) => title);
  };
  expect(await render('v1')).toEqual(['Model of v1']);
  expect(await render('v2')).toEqual(['Model of v2']);
});
