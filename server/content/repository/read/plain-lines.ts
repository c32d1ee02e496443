import type { Heading, List, ListItem, PhrasingContent, RootContent } from 'mdast';

// Characters that never start markup: an "&" only if it is a separate word.
const PLAIN_TEXT = '(?:[^\\\\`*_[\\]<&\\p{Cc}]|&(?= ))';
const HEADING_PATTERN = new RegExp(
  `^(#{1,6}) +(${PLAIN_TEXT}*?[^#\\s\\\\\`*_[\\]<&\\p{Cc}])(?: (<a href="#[\\w-]*" id="[\\w-]+"></a>))?$`,
  'u',
);
const LINK_ITEM_PATTERN = new RegExp(
  `^( *)[*+-] \\[(${PLAIN_TEXT}*)\\]\\(([^\\\\()<>&\`\\s\\p{Cc}]+)\\)$`,
  'u',
);
const TEXT_ITEM_PATTERN = new RegExp(`^( *)[*+-] (\\p{L}${PLAIN_TEXT}*)$`, 'u');
const BREAK_PATTERN = /^(?:\*{3}|-{3}|_{3})$/;

/**
 * Parses the common lines of a table of contents (headings, items that consist of a link or a title, breaks) to the
 * nodes that the Markdown parser creates, at a fraction of its cost.
 *
 * @returns undefined if any line is of another kind, so that the lines must be parsed as Markdown
 */
export function readPlainLines(lines: readonly string[]): RootContent[] | undefined {
  const nodes: RootContent[] = [];
  /** The items that may contain the line, outermost first, by the column of their content. */
  let open: Array<{ column: number; item: ListItem }> = [];
  for (const [at, line] of lines.entries()) {
    if (line === '') {
      continue;
    }
    const position = positionOf(at + 1);
    const heading = HEADING_PATTERN.exec(line);
    const link = heading === null ? LINK_ITEM_PATTERN.exec(line) : null;
    const words = heading === null && link === null ? TEXT_ITEM_PATTERN.exec(line) : null;
    if (heading !== null || BREAK_PATTERN.test(line)) {
      open = [];
      nodes.push(heading === null ? { type: 'thematicBreak' } : { ...headingOf(heading), position });
      continue;
    }
    if (link === null && words === null) {
      return undefined;
    }
    const indent = (link ?? words)?.[1]?.length ?? 0;
    while ((open.at(-1)?.column ?? 0) > indent) {
      open.pop();
    }
    const above = open.at(-1);
    // A line indented by four columns is code, or continues the paragraph above.
    if (indent - (above?.column ?? 0) > 3) {
      return undefined;
    }
    const children: PhrasingContent[] =
      link === null
        ? [{ type: 'text', value: words?.[2] ?? '' }]
        : [{ type: 'link', url: link[3] ?? '', children: [{ type: 'text', value: link[2] ?? '' }] }];
    const item: ListItem = { type: 'listItem', children: [{ type: 'paragraph', children }], position };
    listIn(above?.item.children ?? nodes).children.push(item);
    open.push({ column: indent + 2, item });
  }
  return nodes;
}

function headingOf([, marks = '', title = '', anchor]: RegExpExecArray): Heading {
  return {
    type: 'heading',
    // The pattern matches one to six.
    depth: marks.length as Heading['depth'],
    children: [{ type: 'text', value: title }, ...(anchor ? [{ type: 'html', value: anchor } as const] : [])],
  };
}

/** Returns the last of the nodes if it is a list, otherwise appends a new list. */
export function listIn(nodes: RootContent[]): List {
  const last = nodes.at(-1);
  if (last?.type === 'list') {
    return last;
  }
  const list: List = { type: 'list', children: [] };
  nodes.push(list);
  return list;
}

/** Only the line of a position is used. */
function positionOf(line: number): NonNullable<RootContent['position']> {
  return { start: { line, column: 1 }, end: { line, column: 1 } };
}
