import { mapOutsideFences } from '../../markdown/fences.ts';
import { isMarkdown } from '../../repository/files.ts';
import { decodeText } from '../../repository/text.ts';
import { type ArchiveOptions, convertArchive } from '../archives/archive.ts';
import type { Converted, SourceFile, SourceFiles } from '../types.ts';

const HOME = /^home\.(?:md|markdown)$/i;
/** Files that a wiki displays around its pages, and dot files. */
const SURROUNDING_FILE = /^[._]/;

/**
 * Converts the files of a wiki: the home page first, the others by name.
 *
 * @throws UnreadableError if it contains no page
 */
export function convertWiki(
  files: SourceFiles,
  options: Pick<ArchiveOptions, 'pages' | 'scratch'>,
): Converted {
  const linked = Array.from(files, ([path, file]): [string, SourceFile] => [
    path,
    isMarkdown(path) ? { ...file, read: () => Buffer.from(withLinks(decodeText(file.read()))) } : file,
  ]);
  return convertArchive(new Map(linked), { ...options, summary: summaryOf([...files.keys()]) });
}

/** Lists all pages without nesting, as wikis display them. */
function summaryOf(paths: readonly string[]): string {
  const pages = paths.filter((path) => isMarkdown(path) && !SURROUNDING_FILE.test(path));
  const home = pages.find((path) => HOME.test(path));
  const others = pages.filter((path) => path !== home).sort((left, other) => collator.compare(left, other));
  const listed = home === undefined ? others : [home, ...others];
  return listed.map((path) => `* [](${encodeURI(path).replace(/[()]/g, encodeURIComponent)})\n`).join('');
}

const collator = new Intl.Collator('en', { numeric: true });

/** Converts links of wikis, `[[Text|Page name]]`, to Markdown; code is unchanged. */
function withLinks(text: string): string {
  return mapOutsideFences(text, (line) =>
    line.includes('`') ? line : line.replace(/\[\[([^[\]\n]{1,500})\]\]/g, linkOf),
  );
}

function linkOf(_all: string, inner: string): string {
  const [label = '', page = label] = inner.split('|').map((part) => part.trim());
  return `[${label}](${encodeURI(page.replace(/ /g, '-'))})`;
}
