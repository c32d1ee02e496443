import { expect, test } from 'vitest';
import { rewriteAddresses } from '../../../server/content/convert/references.ts';

test('changes only the blocks whose addresses change', () => {
  const markdown = "# *Title*\n\n{% hint style='info' %}\n- *one*\n{% endhint %}\n\nSee [*it*](a.html) .\n";
  const rewrite = (from: string) =>
    rewriteAddresses(markdown, (address) => (address === from ? 'b.md' : undefined));
  expect(rewrite('a.html')).toBe(markdown.replace('[*it*](a.html)', '[_it_](b.md)'));
  expect(rewrite('c.html')).toBe(markdown);
});
