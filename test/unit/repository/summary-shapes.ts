import { type Arbitrary, array, boolean, constantFrom, nat, oneof, record, tuple } from 'fast-check';
import type { Files } from './writing-samples.ts';

/** An entry of a table of contents. Its number occurs in each of its lines. */
interface Entry {
  type: 'page' | 'group' | 'link' | 'missing';
  title: string;
  /** The form of the link of a page. */
  link: 'plain' | 'angle' | 'titled' | 'dotted';
  /** A line after the entry that is not an entry. */
  note: boolean;
  entries: Entry[];
}

/** How a table of contents is written. */
interface Style {
  bullet: string;
  step: string;
  newline: string;
  isLoose: boolean;
  title: string;
  break: string;
  heading: '## ' | '### ' | '# ';
  isHeadingApart: boolean;
  isClosed: boolean;
}

const title = constantFrom(
  'Setup',
  'Set up & run',
  '\\[beta\\] Things',
  '`code` and *stress*',
  'a \\* b \\_ c',
  'Größe',
  '日本',
  'C#',
);

function entriesTo(depth: number, types: Arbitrary<Entry['type']>): Arbitrary<Entry[]> {
  const below = depth === 0 ? constantFrom<Entry[]>([]) : entriesTo(depth - 1, types);
  const entry = record({
    type: types,
    title,
    link: constantFrom<Entry['link']>('plain', 'plain', 'angle', 'titled', 'dotted'),
    note: constantFrom(false, false, false, false, true),
    entries: below,
  }).map((entry) => (entry.type === 'link' || entry.type === 'missing' ? { ...entry, entries: [] } : entry));
  return array(entry, { maxLength: 3 });
}

const item = constantFrom<Entry['type']>('page', 'page', 'page', 'page', 'group', 'link', 'missing');
const style = record<Style>({
  bullet: constantFrom('* ', '- ', '+ ', '1. ', '*   ', '-  '),
  step: constantFrom('  ', '    ', '\t', '   '),
  newline: constantFrom('\n', '\n', '\r\n'),
  isLoose: boolean(),
  title: constantFrom(
    '# Summary\n\n',
    '# Table of contents\n\n',
    '',
    '---\ntitle: Contents\n---\n\n# Contents\n\n',
  ),
  break: constantFrom('***', '---', '* * *'),
  heading: constantFrom('## ', '### '),
  isHeadingApart: boolean(),
  isClosed: constantFrom(true, true, true, false),
});

/** Sections: entries at the top, and groups as headings. */
const sections = array(tuple(boolean(), entriesTo(2, item)), { minLength: 1, maxLength: 3 });

/** Repositories with a table of contents in any style that authors use. */
export const summaryRepository: Arbitrary<Files> = tuple(sections, style, nat()).map(([parts, style]) => {
  const files: Files = {};
  const lines: string[] = [];
  let number = 0;
  const isNumbered = /^\d/.test(style.bullet);
  // A child is indented at least as far as the text of its parent.
  const width = style.bullet.length;
  const step = style.step !== '\t' && style.step.length < width ? ' '.repeat(width) : style.step;
  const write = (entries: readonly Entry[], indent: string) => {
    entries.forEach((entry, at) => {
      number += 1;
      const name = `n${number}`;
      const marker = isNumbered ? `${at + 1}. ` : style.bullet;
      if (style.isLoose && at > 0) {
        lines.push('');
      }
      lines.push(`${indent}${marker}${textOf(entry, name, files)}`);
      if (entry.note) {
        const column = entry.entries.length > 0 ? ' '.repeat(marker.length) : '';
        lines.push(`${indent}${column}<!-- note on ${name} -->`);
      }
      write(entry.entries, indent + step);
    });
  };
  let inGroup = false;
  for (const [isGroup, entries] of parts) {
    if (isGroup) {
      number += 1;
      lines.push('', `${style.heading}Part n${number}`, ...(style.isHeadingApart ? [''] : []));
    } else if (inGroup) {
      lines.push('', style.break, '');
    }
    inGroup = isGroup;
    write(entries, '');
  }
  const text = `${style.title}${lines.join('\n').replace(/^\n+/, '')}${style.isClosed ? '\n' : ''}`;
  return { ...files, 'SUMMARY.md': text.replaceAll('\n', style.newline), 'other.txt': 'n0' };
});

function textOf({ type, title, link }: Entry, name: string, files: Files): string {
  switch (type) {
    case 'group':
      return `Group ${name} ${title}`;
    case 'link':
      return `[${title} ${name}](https://example.com/${name})`;
    case 'missing':
      return `[${title} ${name}](gone/${name}.md)`;
    case 'page': {
      const path = link === 'angle' ? `a b/${name}.md` : `${name}.md`;
      files[path] = `Text of ${name}.\n`;
      const target = { plain: path, angle: `<${path}>`, titled: `${path} "A title"`, dotted: `./${path}` }[
        link
      ];
      return `[${title} ${name}](${target})`;
    }
  }
}

/** One edit of a page tree; numbers choose a page, and where it is placed. */
export interface TreeEdit {
  type: 'add' | 'remove' | 'rename' | 'move';
  page: number;
  parent: number;
  position: number;
}

export const treeEdit: Arbitrary<TreeEdit> = record({
  type: oneof(constantFrom('add' as const, 'remove' as const, 'rename' as const, 'move' as const)),
  page: nat(),
  parent: nat(),
  position: nat(),
});
