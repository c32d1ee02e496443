import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { inlineText } from './inline.ts';
import type { SourceEntry } from './summary-source.ts';

/** Matches a link that is not valid Markdown because its target contains spaces. */
const LOOSE_LINK = /^\[([^\]]*)\](?=\([^()]*(?:\([^()]*\)[^()]*)*\)\s*$)/;

/**
 * Replaces the title of the link of an entry; its marker, target and everything else remain as written.
 *
 * @returns undefined if the entry has no link with a replaceable text
 */
export function withTitle({ lines, indent, marker }: SourceEntry, title: string): string[] | undefined {
  const [first = '', ...others] = lines;
  const start = indent.length + Math.min(marker.length, first.trimEnd().length - indent.length);
  const content = first.slice(start);
  const range = textOfLink(fromMarkdown(content), content) ?? textOfLooseLink(content);
  return range === undefined
    ? undefined
    : [
        `${first.slice(0, start)}${content.slice(0, range.start)}${inlineText(title)}${content.slice(range.end)}`,
        ...others,
      ];
}

interface Range {
  start: number;
  end: number;
}

function textOfLink(node: Nodes, source: string): Range | undefined {
  if (node.type === 'link' || (node.type === 'linkReference' && node.referenceType === 'full')) {
    const start = (node.position?.start.offset ?? 0) + 1;
    const end = node.children.at(-1)?.position?.end.offset ?? start;
    // An autolink is its own text.
    return source[start - 1] === '[' && source[end] === ']' ? { start, end } : undefined;
  }
  if (node.type !== 'root' && node.type !== 'paragraph' && node.type !== 'heading') {
    return undefined;
  }
  for (const child of node.children) {
    const range = textOfLink(child, source);
    if (range !== undefined) {
      return range;
    }
  }
  return undefined;
}

function textOfLooseLink(content: string): Range | undefined {
  const match = LOOSE_LINK.exec(content.trimEnd());
  return match === null ? undefined : { start: 1, end: 1 + (match[1] ?? '').length };
}

/** Replaces the indentation and marker of an item in its lines; continuation lines are indented as far as before. */
export function withForm(
  { lines, indent, marker }: SourceEntry,
  form: { indent: string; marker: string },
): string[] {
  if (form.indent === indent && form.marker === marker) {
    return lines;
  }
  const [first = '', ...others] = lines;
  const column = indent.length + marker.length;
  return [
    `${form.indent}${form.marker}${first.slice(column)}`,
    ...others.map((line) => {
      if (line.startsWith(indent) && line.trim() !== '') {
        const inside = line.slice(indent.length);
        const isAligned = inside.startsWith(' '.repeat(marker.length));
        return isAligned
          ? `${form.indent}${' '.repeat(form.marker.length)}${inside.slice(marker.length)}`
          : `${form.indent}${inside}`;
      }
      return line;
    }),
  ];
}

/** The current and the written indentation of an entry. */
export interface Indentation {
  before: string;
  after: string;
}

/** Replaces the indentation of lines in a list that moved: that of the entry that they belong to. */
export function withIndents(
  lines: readonly string[],
  indentations: readonly Indentation[],
): readonly string[] {
  if (indentations.every(({ before, after }) => before === after)) {
    return lines;
  }
  return lines.map((line) => {
    const indentation = indentations.findLast(({ before }) => line.startsWith(before));
    return line.trim() === '' || indentation === undefined
      ? line
      : indentation.after + line.slice(indentation.before.length);
  });
}
