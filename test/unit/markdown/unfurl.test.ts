import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UrlPatterns } from '../../../server/content/links/url-patterns.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { findBlock } from '../../../server/content/markdown/nodes.ts';
import { unfurlBlocks } from '../../../server/content/markdown/unfurl.ts';
import { contentTasks } from '../../../server/content/threads/tasks.ts';
import { runs } from '../../support/seed.ts';
import { page } from './arbitrary.ts';

const BLOCKS: readonly UrlPatterns[] = [
  { integration: 'boards', block: 'board', patterns: ['https://boards.example/**'] },
  { integration: 'web', block: 'page', patterns: ['http://www.example.com/**', 'https://example.com/**'] },
];
const URL = 'https://boards.example/b/1';

/** The blocks of integrations in the document of a text. */
const shown = (markdown: string, blocks = BLOCKS) =>
  [
    ...JSON.stringify(unfurlBlocks(parseMarkdown(markdown).nodes, blocks)).matchAll(
      /"url":"([^"]*)","action"|"action":\{[^}]*"url":"([^"]*)"/g,
    ),
  ].map(([, before, after]) => before ?? after);

const written = (markdown: string, edit = (json: string) => json) =>
  contentTasks.printDocument({
    json: new TextEncoder().encode(
      edit(new TextDecoder().decode(contentTasks.readDocument({ markdown, blocks: BLOCKS }))),
    ),
    current: markdown,
  });

describe('a block of an integration', () => {
  test('replaces an embed, and a link that is alone on its line', () => {
    for (const text of [`{% embed url="${URL}" %}`, URL, `<${URL}>`, `[${URL}](${URL})`]) {
      const document = parseMarkdown(text);
      expect(unfurlBlocks(document.nodes, BLOCKS), text).toEqual([
        {
          object: 'block',
          type: 'integration',
          isVoid: true,
          nodes: [],
          key: document.nodes[0]?.key,
          data: {
            integration: 'boards',
            block: 'board',
            props: { url: URL },
            url: URL,
            action: { action: '@link.unfurl', url: URL },
          },
        },
      ]);
    }
  });

  test('keeps the caption and the width of an embed', () => {
    const [block] = unfurlBlocks(
      parseMarkdown(`{% embed url="${URL}" fullWidth="true" %}\nThe *board*\n{% endembed %}`).nodes,
      BLOCKS,
    );
    expect(block?.data).toMatchObject({ fullWidth: true, caption: [{ object: 'text' }] });
  });

  test('replaces those in other blocks', () => {
    for (const text of [
      `{% hint style="info" %}\n${URL}\n{% endhint %}`,
      `{% tabs %}\n{% tab title="A" %}\n${URL}\n{% endtab %}\n{% endtabs %}`,
      `<details>\n\n<summary>S</summary>\n\n${URL}\n\n</details>`,
      `- item\n\n  {% embed url="${URL}" %}`,
      `{% if visitor.claims.beta %}\n${URL}\n{% endif %}`,
    ]) {
      expect(shown(text), text).toEqual([URL]);
    }
  });

  test('replaces no other link, and none without a pattern', () => {
    for (const text of [
      `See ${URL}`,
      `${URL}.`,
      `[The board](${URL})`,
      `**${URL}**`,
      `- ${URL}`,
      `# ${URL}`,
      `\`${URL}\``,
      '```\nhttps://boards.example/b/1\n```',
      `| a |\n| --- |\n| ${URL} |`,
      'https://other.example/b/1',
    ]) {
      expect(shown(text), text).toEqual([]);
    }
    expect(shown(URL, [])).toEqual([]);
  });
});

describe('the text of a page', () => {
  const text = `# A\n\n${URL}\n\n<${URL}>\n\n{% embed url='${URL}' %}\nCaption\n{% endembed %}\n\n{% hint style="info" %}\n[${URL}](${URL})\n{% endhint %}\n\nEnd`;

  test('is unchanged by a document whose blocks replaced links', () => {
    expect(shown(text)).toHaveLength(4);
    expect(written(text)).toBe(text);
  });

  test('keeps its links when other blocks change', () => {
    expect(written(text, (json) => json.replace('"End"', '"Final"'))).toBe(text.replace('End', 'Final'));
  });

  test('has an embed for a block of another page, and none for a removed block', () => {
    const other = 'https://boards.example/b/2';
    const added = written('Text', (json) => {
      const document = JSON.parse(json);
      const [block] = unfurlBlocks(
        parseMarkdown(`{% embed url="${other}" %}\nC\n{% endembed %}`).nodes,
        BLOCKS,
      );
      return JSON.stringify({ ...document, nodes: [...document.nodes, block] });
    });
    expect(added).toBe(`Text\n\n{% embed url="${other}" %}\nC\n{% endembed %}`);
    const removed = written(`A\n\n${URL}\n\nB`, (json) => {
      const document = JSON.parse(json);
      return JSON.stringify({ ...document, nodes: [document.nodes[0], document.nodes[2]] });
    });
    expect(removed).toBe('A\n\nB');
  });

  test('is unchanged by each document, whatever it contains', () => {
    const blocks = [{ integration: 'any', block: 'block', patterns: ['**'] }];
    fc.assert(
      fc.property(page, fc.constantFrom(URL, `{% embed url="${URL}" %}`), (before, link) => {
        const markdown = `${before}\n\n${link}`;
        const json = contentTasks.readDocument({ markdown, blocks });
        expect(contentTasks.printDocument({ json, current: markdown })).toBe(markdown.toWellFormed());
      }),
      { numRuns: runs(8) },
    );
  });

  test('keeps the keys of blocks, which comments refer to', () => {
    const document = parseMarkdown(text);
    const nodes = unfurlBlocks(document.nodes, BLOCKS);
    const keys = [...JSON.stringify(nodes).matchAll(/"key":"(\w+(?:-\d+)?)"/g)].map(([, key = '']) => key);
    expect(keys.every((key) => findBlock(document, key))).toBe(true);
  });
});
