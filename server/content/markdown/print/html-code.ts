/** Prints code with highlighted lines or notes as HTML, which Markdown cannot represent. */
import { type Code, type CodeLine, inlineText } from '../document.ts';
import { htmlOpen } from '../html.ts';
import { type HtmlTargets, noteOpen } from './html-lines.ts';

/** Prints code as HTML. */
export function htmlCode({ data, nodes }: Code, { noteLabel }: HtmlTargets): string {
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
    const parts = line.nodes.map((node) => {
      const text = escapedCode(inlineText([node]));
      return node.object === 'text' ? text : `${noteOpen(noteLabel(node.data.body))}${text}</a>`;
    });
    const text = `${parts.join('')}\n`;
    return line.data.highlighted ? `<strong>${text}</strong>` : text;
  });
  return `${pre}${code}${lines.join('')}</code></pre>`;
}

const escapedCode = (text: string): string =>
  text.replace(/&/g, '&#x26;').replace(/</g, '&#x3C;').replace(/>/g, '&#x3E;');

/** Returns the text of a line of code. */
export const textOfCodeLine = ({ nodes }: CodeLine): string => inlineText(nodes);
