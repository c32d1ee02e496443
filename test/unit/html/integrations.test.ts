import { describe, expect, test } from 'vitest';
import { MAX_PAGE_FRAMES } from '../../../server/content/html/integrations.ts';
import type { BlockFrames } from '../../../server/content/html/options.ts';
import { rendered } from '../../support/sites/rendered.ts';

const blockFrames: BlockFrames = {
  href: '/docs/~blocks/ssp_1/p_1',
  names: ['poll/poll'],
  urls: [],
  languages: { chart: { integration: 'charts', block: 'chart', property: 'source' } },
};

describe('a block of an integration', () => {
  test('is a frame of this site, with its properties in the result instead of the address', () => {
    const page = rendered('{% @poll/poll question="<Ready?>" %}', { blockFrames });
    const [block] = page.blocks;
    expect(page.blocks).toEqual([
      { key: block?.key, integration: 'poll', block: 'poll', props: { question: '<Ready?>' } },
    ]);
    expect(page.find('iframe').properties).toMatchObject({
      src: `/docs/~blocks/ssp_1/p_1/${block?.key}`,
      title: 'poll/poll',
      loading: 'lazy',
    });
  });

  test('has the same address wherever the same properties are repeated', () => {
    const text =
      '{% @poll/poll question="A" %}\n\n{% @poll/poll question="A" %}\n\n{% @poll/poll question="B" %}';
    const [first, second, third] = rendered(text, { blockFrames }).blocks;
    expect(second?.key).toBe(first?.key);
    expect(third?.key).not.toBe(first?.key);
  });

  test('is text if the site does not show it in a frame', () => {
    const text = '{% @other/block url="https://example.com" %}';
    for (const options of [{ blockFrames }, {}]) {
      const page = rendered(text, options);
      expect([page.blocks, page.all('iframe')]).toEqual([[], []]);
      expect(page.text('.placeholder')).toContain('https://example.com');
    }
  });

  test('can be written as code in its language', () => {
    const text = '```chart\na -> b\n```\n\n```js\n1\n```\n\n```toString\n1\n```';
    const page = rendered(text, { blockFrames });
    expect(page.blocks).toMatchObject([
      { integration: 'charts', block: 'chart', props: { source: 'a -> b' } },
    ]);
    expect(page.all('pre')).toHaveLength(2);
    expect(rendered(text).all('pre')).toHaveLength(3);
  });

  test('never has the address of another site', () => {
    for (const href of ['//example.com', '/\\example.com', ' //example.com', '\n//example.com']) {
      const page = rendered('{% @poll/poll %}', { blockFrames: { ...blockFrames, href } });
      expect(new URL(String(page.find('iframe').properties.src), 'https://site.example').origin).toBe(
        'https://site.example',
      );
    }
  });

  test('is text on a page with too many frames', () => {
    const page = rendered('{% @poll/poll %}\n\n'.repeat(MAX_PAGE_FRAMES + 5), { blockFrames });
    expect(page.all('iframe')).toHaveLength(MAX_PAGE_FRAMES);
    expect(page.all('.placeholder')).toHaveLength(5);
  });
});
