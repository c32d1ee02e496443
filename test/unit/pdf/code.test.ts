import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { TOKENS } from '../../../server/content/pdf/code.ts';
import { print } from '../../support/pdf/printing.ts';

const css = readFileSync(new URL('../../../server/content/html/styles/code.css', import.meta.url), 'utf8');
const coloredIn = async (markdown: string) => (await print({ markdown })).pages[0]?.colored ?? {};

describe('code', () => {
  test('is highlighted in the colors of pages in the light theme', async () => {
    const colors = [...css.matchAll(/\.(hl-\w) \{\s*color: light-dark\((#\w{6}),/g)];
    expect(Object.fromEntries(colors.map(([, name, color]) => [name, color]))).toEqual(
      Object.fromEntries(Object.entries(TOKENS).map(([name, { color }]) => [name, color])),
    );
    const colored = await coloredIn('```js\nconst a = "x"; // why\n```');
    expect(colored[TOKENS['hl-k']?.color ?? '']).toBe('const');
    expect(colored[TOKENS['hl-s']?.color ?? '']).toBe('"x"');
    expect(colored[TOKENS['hl-c']?.color ?? '']).toBe('//why');
  });

  test('is highlighted across lines, and in highlighted lines', async () => {
    const colored = await coloredIn('```python\n"""a\nb"""\nx = 1\n```');
    expect(colored[TOKENS['hl-s']?.color ?? '']).toBe('"""ab"""');
  });

  test.each([
    ['of an unknown language', '```nothing\nconst a = "x";\n```'],
    ['without a language', '```\nconst a = "x";\n```'],
    ['with lines that are too long', `\`\`\`js\nconst a = "${'x'.repeat(1000)}";\n\`\`\``],
  ])('is plain text: %s', async (_, markdown) => {
    expect((await coloredIn(markdown))[TOKENS['hl-k']?.color ?? '']).toBeUndefined();
  });

  test('has its notes below', async () => {
    const markdown =
      '<pre><code>run(<a data-footnote-ref href="#user-content-fn-1">a</a>);\nend\n</code></pre>\n\n[^1]: Why **so**.\n';
    const { pages } = await print({ markdown });
    expect(pages[0]?.text).toMatch(/run\(a\);\s*end\s*a: Why so\./);
  });

  test('has the text that was written', async () => {
    const { pages } = await print({ markdown: '```ts\nconst a = {\n  b: [1, "x"],\n};\n\nrun(a);\n```' });
    expect(pages[0]?.text).toMatch(/const a = \{\s*b: \[1, "x"\],\s*\};\s*run\(a\);/);
  });
});

describe('operations', () => {
  test('have a method in its color, and a path', async () => {
    const colored = await coloredIn('`POST /pets/{id}`\n\n`DELETE /pets`\n\n`just code`');
    expect(colored['#157a41']).toBe('POST');
    expect(colored['#bf2f36']).toBe('DELETE');
  });

  test('have status codes in their colors', async () => {
    const colored = await coloredIn('| Status | Text |\n|---|---|\n| `200` | OK |\n| `404` | Missing |');
    expect(colored['#157a41']).toBe('200');
    expect(colored['#bf2f36']).toBe('404');
  });
});
