/** Prints code with highlighted lines as HTML, which Markdown cannot represent. */
import type { Code, CodeLine } from '../document.ts';
import { htmlOpen } from '../html.ts';

/** Prints code as HTML. */
export function htmlCode({ data, nodes }: Code): string {
  const { syntax, title, overflow, lineNumbers, fullWidth, attributes } = data;
  const pre = htmlOpen('pre', [
    ['class', syntax === undefined ? undefined : `language-${syntax}`],
    ['data-title', title],
    ['data-overflow', overflow],
    ['data-line-numbers', lineNumbers === undefined ? undefined : String(lineNumbers)],
    ['data-full-width', fullWidth === undefined ? undefined : String(fullWidth)],
    ...Object.entries(attributes ?? {}),
  ]);
  const code = htmlOpen('code', [['class', syntax === undefined ? undefined : `lang-${syntax}`]]);
  const lines = nodes.map((line) => {
    const text = `${textOfCodeLine(line).replace(/&/g, '&#x26;').replace(/</g, '&#x3C;').replace(/>/g, '&#x3E;')}\n`;
    return line.data.highlighted ? `<strong>${text}</strong>` : text;
  });
  return `${pre}${code}${lines.join('')}</code></pre>`;
}

/** Returns the text of a line of code. */
export function textOfCodeLine({ nodes }: CodeLine): string {
  return nodes.map(({ leaves }) => leaves.map(({ text }) => text).join('')).join('');
}
