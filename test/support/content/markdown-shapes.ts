/** Pages of any length that repeat one construct: for benchmarks and tests of limits. */

/** Returns a page of about a number of characters. */
export type Shape = (characters: number) => string;

const WORDS =
  'the quick brown fox jumps over a lazy dog while every small river runs down to its wide green valley'.split(
    ' ',
  );

/** Returns words that depend on the index. */
function words(index: number, count: number): string {
  return Array.from({ length: count }, (_, at) => WORDS[(index * 7 + at * 3) % WORDS.length]).join(' ');
}

/** Joins the results of a function for 0, 1, 2 … until the page is long enough. */
function repeated(part: (index: number) => string, between = '\n'): Shape {
  return (characters) => {
    const parts: string[] = [];
    for (let length = 0, index = 0; length < characters; index++) {
      const text = part(index);
      parts.push(text);
      length += text.length + between.length;
    }
    return `${parts.join(between)}\n`;
  };
}

/** Constructs that people write. */
export const ORDINARY_SHAPES: Readonly<Record<string, Shape>> = {
  lists: repeated((index) => `* ${words(index, 6)}`),
  'short lists': repeated(() => '- a'),
  'loose lists': repeated((index) => `* ${words(index, 6)}\n`),
  'nested lists': repeated((index) => `${'  '.repeat(index % 4)}* ${words(index, 5)}`),
  tables: (characters) => `| A | B | C |\n| - | - | - |\n${TABLE_ROWS(characters)}`,
  headings: repeated((index) => `## ${words(index, 4)}\n`),
  prose: repeated((index) => `${words(index, 60)}.`, '\n\n'),
  'one paragraph': repeated((index) => words(index, 12)),
  'one paragraph of addresses': repeated((index) => `${words(index, 12)} me@example.com`),
  'nested quotes': repeated((index) => `> ${words(index, 8)}\n>\n> > ${words(index, 8)}\n`),
  'one quote': repeated((index) => `> ${words(index, 8)}`),
  'one quote of a list': repeated((index) => `> * ${words(index, 6)}`),
  'one quote of a table': (characters) =>
    `| A | B | C |\n| - | - | - |\n${TABLE_ROWS(characters)}`.replace(/^(?=.)/gm, '> '),
  emphasis: repeated(
    (index) => `Some *${words(index, 2)}* and **${words(index, 3)}** and ~~${words(index, 1)}~~.`,
    '\n\n',
  ),
  links: repeated(
    (index) => `See [${words(index, 2)}](https://example.com/${index}) and https://example.com/${index}.`,
    '\n\n',
  ),
  'HTML blocks': repeated((index) => `<p align="center">${words(index, 10)}</p>\n`),
  tags: repeated((index) => `{% hint style="info" %}\n${words(index, 10)}\n{% endhint %}\n`),
  footnotes: repeated((index) => `A note[^${index}].\n\n[^${index}]: ${words(index, 6)}\n`),
  definitions: repeated((index) => `A [link][l${index}].\n\n[l${index}]: https://example.com/${index}\n`),
  math: repeated((index) => `Let $$x_${index}$$ be.\n\n$$\nx^${index}\n$$\n`),
  code: repeated((index) => `\`\`\`js\nconst x = ${index};\n\nx();\n\`\`\`\n`),
};

const TABLE_ROWS = repeated((index) => `| ${words(index, 3)} | ${words(index + 1, 2)} | ${index} |`);

const run =
  (text: string): Shape =>
  (characters) =>
    text.repeat(Math.ceil(characters / text.length));

/** Repeated markup that no one writes, but that can slow down parsers and patterns with lookaround. */
const RUNS = [
  '[',
  ']',
  '*',
  '_',
  '`',
  '<',
  '>',
  '|',
  '&',
  '$',
  '~',
  '#',
  '-',
  '+',
  '=',
  ':',
  '!',
  '\\',
  '"',
  ' ',
  '\t',
  '\u00a0',
  '\0',
  '![',
  '](',
  '[]',
  '[a](',
  '[a]: ',
  '[^a]',
  '[^a]: ',
  '[a][',
  '**a ',
  '*a',
  '_a',
  'a*',
  '*a **b ',
  '~~a ',
  '` ',
  '`` `',
  '<a ',
  '<a b="',
  '<!--',
  '<!-- ',
  '</',
  '<?',
  '<![CDATA[',
  '<a href=',
  '{%',
  '{% ',
  '{% a "',
  '{% a b="\\',
  '{{',
  '$$',
  '$$ ',
  '> ',
  '>',
  '* ',
  '- ',
  '1. ',
  '> - ',
  '- > ',
  '> - > 1. ',
  '| ',
  '|-',
  ':-:|',
  '&amp',
  '&#',
  'a@',
  'a@b.',
  'a.b@',
  'www.',
  'http://',
  'http://a',
  ':a',
  '::',
  '(',
  ')',
  '()',
  '\\\\',
  '<kbd>',
  '</kbd>',
  '<details>',
  '<summary>',
  '<table>',
  '<td>',
  '<div>',
  '<h1>',
  '<h1 ',
  '<i class="fa-',
  'a"',
  '"a',
  ' "',
  'id="',
  'title="',
  '<a id="',
  '\n',
  ' \n',
  '\n\n',
  '\t\n',
  '-\n',
  '- \n',
  '-a\n',
  '*\n',
  '* \n\n',
  '1.\n',
  '>\n',
  '> \n\n',
  '>a\n',
  '> a\nb\n',
  '>>a\n',
  '> > a\n> b\n',
  '* a\n  * b\n',
  '> * a\n>\n> b\n',
  ' > * a\n >\n > b\n',
  '|\n',
  '|a|\n',
  '|-|\n',
  '|a|\n|-|\n',
  '| a | b |\n',
  '#\n',
  '# a\n',
  '#\n\n',
  'a\n=\n',
  'a\n-\n',
  '===\n',
  '---\n',
  '```\n',
  '```\n\n',
  '~~~\na\n',
  '    a\n',
  '    a\n\n',
  '\ta\n',
  '<a\n',
  '<p>\n',
  '<p>\n\n',
  '<!--\n',
  '<!--\n\n',
  '<details>\n\n',
  '<table>\n',
  '[a]:\n',
  '[a]: b\n',
  '[a]: b "\n',
  '[a]: <\n',
  '[a\n',
  '[^a]: b\n',
  '[^a]: b\n\n    c\n',
  '{%\n',
  '{% hint %}\n',
  '{% endhint %}\n',
  '{% hint %}\n\n',
  '{% tabs %}\n',
  '{% code %}\n',
  '{% a\n',
  '$$\n',
  '$$\na\n',
  'a  \n',
  'a\\\n',
  '`\n',
  '*\na',
  '**a\n',
  '[a](b\n',
  '![a]\n',
  '<b\n\n',
  '&\n',
  '\r',
  '\r\n',
  'a\r',
  '\ufeff',
];

/** Texts that no one writes, from one repeated run to nested runs. */
export const ADVERSARIAL_SHAPES: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(RUNS.map((text) => [JSON.stringify(text), run(text)])),
  'one word': run('a'),
  'words on a line': run('word '),
  'quotes, each deeper': (characters) => staircase(characters, '> '),
  'items, each deeper': (characters) => staircase(characters, '  ', '* '),
  'quotes, each shallower': (characters) => staircase(characters, '> ').split('\n').reverse().join('\n'),
  'opening then closing brackets': (characters) => '['.repeat(characters / 2) + ']'.repeat(characters / 2),
  'opening then closing emphasis': (characters) =>
    '*a '.repeat(characters / 6) + ' a*'.repeat(characters / 6),
  'opening then closing elements': (characters) =>
    '<kbd>'.repeat(characters / 11) + '</kbd>'.repeat(characters / 11),
  'backticks of each length': (characters) => {
    const runs: string[] = [];
    for (let length = 0; length < characters; length += runs.length + 1) {
      runs.push('`'.repeat(runs.length + 1));
    }
    return runs.join(' ');
  },
  'columns of a table': (characters) => `${'|a'.repeat(characters / 4)}\n${'|-'.repeat(characters / 4)}`,
  'a table wide and long': (characters) => {
    const side = Math.floor(Math.sqrt(characters / 2));
    return `${'|a'.repeat(side)}\n${'|-'.repeat(side)}\n${`${'|b'.repeat(side)}\n`.repeat(side)}`;
  },
  'a wide table of empty rows': (characters) =>
    `${'|a'.repeat(characters / 6)}\n${'|-'.repeat(characters / 6)}\n${'|\n'.repeat(characters / 6)}`,
  'one definition, many references': (characters) =>
    `[a]: ${'x'.repeat(Math.min(2000, characters / 10))}\n\n${'[a] '.repeat(characters / 8)}\n`,
  'one definition with a long title, many references': (characters) =>
    `[a]: x "${'x'.repeat(characters / 2)}"\n\n${'[a]\n\n'.repeat(characters / 12)}\n`,
  'one note, many references': (characters) =>
    `[^a]: ${'x y '.repeat(characters / 5)}\n\n${'[^a]\n\n'.repeat(characters / 40)}\n`,
  'notes within notes': (characters) =>
    Array.from({ length: characters / 20 }, (_, at) => `[^${at}]: see [^${at + 1}]\n`).join('\n'),
  'marks within marks': (characters) =>
    `<mark style="color:${'x'.repeat(60)}"><sup><sub><kbd>**~~_${'a<br>`b`'.repeat(characters / 9)}_~~**</kbd></sub></sup></mark>`,
  'open fences': (characters) => '```\na\n~~~\n'.repeat(characters / 10),
  'one long HTML block': (characters) => `<div>\n${'<p>a</p>\n'.repeat(characters / 9)}`,
  'one long HTML table': (characters) =>
    `<table><tbody>${'<tr><td>a</td></tr>'.repeat(characters / 19)}</tbody></table>`,
  'markdown between HTML': (characters) =>
    `<details>\n<summary>a</summary>\n${'* a\n'.repeat(characters / 4)}</details>\n`,
};

/** Returns lines that each start with one more repetition of a prefix. */
function staircase(characters: number, prefix: string, marker = ''): string {
  const lines: string[] = [];
  for (let length = 0; length < characters; length += lines.length * prefix.length + marker.length + 2) {
    lines.push(`${prefix.repeat(lines.length)}${marker}a`);
  }
  return lines.join('\n');
}
