import { posix } from 'node:path';

/** An entry of a table of contents. */
interface SummaryEntry {
  depth: number;
  type: 'document' | 'group' | 'link' | 'computed';
  title: string;
  /** File of a page or target of a link. */
  target: string;
}

const LINK = /^\[((?:[^\]\\]|\\.)*)\]\((?:<([^>]*)>|([^\s()]+(?:\([^()]*\))?[^\s()]*))/;
const BULLET = /^([ \t]*)(?:[-*+]|\d+[.)])(?:[ \t]+(.*))?$/;

/**
 * Reads a table of contents line by line, independently of the server's own reader, for comparison with its results.
 * Supports only the syntax that the sample repositories use.
 *
 * @param path path of the table of contents
 * @param root root of the documentation
 * @param paths paths of the files of the repository
 * @returns a line per entry, indented by two spaces per level: `<type> <title> | <file or URL>`
 */
export function readSummaryLines(
  text: string,
  path: string,
  root: string,
  paths: readonly string[],
): string[] {
  const files = new Map(paths.map((file) => [file.normalize('NFC'), file]));
  const listed = new Set<string>();
  const entries: SummaryEntry[] = [];
  /** Indents of the open items, each with the depth of its children. */
  let open: Array<{ indent: number; depth: number }> = [];
  let base = 0;
  let inFence = false;

  const find = (target: string): string | undefined => {
    for (const written of [decoded(target.replace(/#.*$/, '')), target]) {
      const from = written.startsWith('/') ? root : posix.dirname(path);
      const full = posix.normalize(posix.join(from, written)).replace(/\/$/, '').normalize('NFC');
      const names = [full, `${full}/README.md`, `${full}/readme.md`, `${full}.md`];
      const name = names.find((candidate) => files.has(candidate));
      if (name !== undefined) {
        return files.get(name);
      }
    }
    return undefined;
  };

  /** Adds an entry. Returns the depth of its children. */
  const add = (depth: number, written: string, isParent = false): number => {
    const parts = LINK.exec(written);
    const target = parts?.[2] ?? parts?.[3];
    const title = plain(parts?.[1] ?? written);
    if (/^```ya?ml$/.test(written)) {
      inFence = true;
      entries.push({ depth, type: 'computed', title: '', target: '' });
      return depth;
    }
    if (target === undefined || target.startsWith('#')) {
      if (title === '') {
        return depth;
      }
      entries.push({ depth, type: 'group', title, target: '' });
      return depth + 1;
    }
    if (/^(?:https?|mailto|tel):/i.test(target)) {
      entries.push({ depth, type: 'link', title, target });
      return depth;
    }
    const isUnsupported = /^[a-z]+:/i.test(target);
    const file = isUnsupported ? undefined : find(target);
    if (file === undefined) {
      const isGroup = isUnsupported || isParent;
      entries.push({ depth, type: isGroup ? 'group' : 'link', title, target: isGroup ? '' : target });
      return isGroup ? depth + 1 : depth;
    }
    if (!file.endsWith('.md')) {
      entries.push({ depth, type: 'link', title, target: file });
      return depth;
    }
    if (listed.has(file)) {
      entries.push({ depth, type: 'link', title, target: file });
      return depth;
    }
    listed.add(file);
    entries.push({ depth, type: 'document', title, target: file });
    return depth + 1;
  };

  const lines = text
    .replaceAll('\r', '')
    .replace(/[\u200B\uFEFF]/g, '')
    .split('\n');
  const start = lines[0] === '---' ? lines.indexOf('---', 1) + 1 : 0;
  let isFirst = true;
  for (const [at, line] of lines.slice(start).entries()) {
    if (inFence) {
      inFence = !/^\s*```\s*$/.test(line);
      // An unclosed list is the only YAML error in the samples.
      if (/\[[^\]]*$/.test(line)) {
        entries.pop();
      }
    } else if (/^(?:\*\*\*|---|___)\s*$/.test(line)) {
      [open, base] = [[], 0];
    } else if (/^#{1,6} /.test(line)) {
      const heading = line
        .replace(/^#+ +/, '')
        .replace(/<a [^>]*><\/a>/, '')
        .trim();
      open = [];
      if (isFirst && line.startsWith('# ')) {
        base = 0;
      } else {
        add(0, plain(heading.replace(LINK, '$1').replace(/\)$/, '')));
        base = 1;
        if (LINK.test(heading)) {
          add(1, heading);
        }
      }
      isFirst = false;
    } else {
      const [, space, rest] = BULLET.exec(line) ?? [];
      if (space === undefined) {
        continue;
      }
      const indent = space.replaceAll('\t', '    ').length;
      open = open.filter((item) => item.indent < indent);
      const [, spaceBelow = ''] = BULLET.exec(lines[start + at + 1] ?? '') ?? [];
      const isParent = spaceBelow.replaceAll('\t', '    ').length > indent;
      const depth = add(open.at(-1)?.depth ?? base, (rest ?? '').replace(/<!--.*-->/, '').trim(), isParent);
      open.push({ indent, depth });
      isFirst = false;
    }
  }
  return entries.map(({ depth, type, title, target }) => `${'  '.repeat(depth)}${type} ${title} | ${target}`);
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** Returns the visible text of a title. */
function plain(written: string): string {
  return written
    .replace(/<[^>]+>/g, '')
    .replace(/(?<!\\)(?:\*\*|[`*])/g, '')
    .replace(/\\(.)/g, '$1')
    .replaceAll('&amp;', '&')
    .trim();
}
