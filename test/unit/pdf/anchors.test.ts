import { expect, test } from 'vitest';
import { print } from '../../support/pdf/printing.ts';

const LONG = 'word '.repeat(2000);

test('links lead to the page of their anchor, in any of its forms', async () => {
  const fragments = ['trips-and-tours', 'trips--tours', 'Trips-And-Tours', 'question', 'cell', 'gone'];
  const links = fragments.map((fragment) => `[${fragment}](#${fragment})`).join('\n\n');
  const markdown = `${links}\n\n${LONG}\n\n## Trips & tours\n\n<details>\n<summary>Question?</summary>\n\ntext\n\n</details>\n\n<table><tr><th>h</th></tr><tr><td id="cell">a</td></tr></table>`;
  const { pages } = await print({ title: 'Start', markdown });
  const last = pages.length;
  expect(last).toBeGreaterThan(2);
  expect(pages[0]?.links).toEqual([last, last, last, last, last, 1]);
});
