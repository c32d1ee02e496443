import type { CommitFiles } from '../git/git-files.ts';
import { apiReference } from './repositories/api-reference.ts';
import { book, copied } from './repositories/book.ts';
import { exported } from './repositories/exported.ts';
import { handmade, platform } from './repositories/hand-written.ts';
import { handbook } from './repositories/handbook.ts';
import { international } from './repositories/international.ts';
import { monorepo } from './repositories/monorepo.ts';
import { bare, broken, clashes, folders, project } from './repositories/quirks.ts';
import { sdkGuide } from './repositories/sdk-guide.ts';
import { wiki } from './repositories/wiki.ts';

/** A realistic docs repository and the content that it is expected to become. */
export interface SampleRepository {
  name: string;
  files: CommitFiles;
  /** Directory of the project, if it is not the root. */
  directory?: string;
  /** Table of contents, if every page follows from one of its lines. */
  summary?: string;
  /** Folder that absolute paths start from, if it is not the root. */
  root?: string;
  /**
   * Page tree, written by hand from the files: a line per page, indented by two spaces per level, as
   * `<type> <title> | <path, target of a link, or source of a computed page>`.
   */
  outline: string[];
  /** Paths of the imported files. */
  assets: string[];
  /** Reported problems in order, as `<path>: <part of the message>`. */
  problems: string[];
  /** Markdown of pages by file, written by hand; other pages have the text of their files. */
  texts?: Record<string, string>;
  /** Expected fields of pages by file. */
  settings?: Record<string, object>;
  /** Files of reusable contents by title. */
  reusableContents?: Record<string, string>;
  variables?: Record<string, string>;
  /** Displayed width and height of every image. */
  dimensions?: Record<string, [number, number]>;
}

/** Realistic repositories that together have every quirk observed in real ones. */
export const sampleRepositories: readonly SampleRepository[] = [
  sdkGuide,
  handbook,
  apiReference,
  monorepo,
  wiki,
  international,
  platform,
  exported,
  handmade,
  folders,
  project,
  broken,
  clashes,
  bare,
  book,
  copied,
];

/** Pages in a group of `manyPages`. */
const PAGES_IN_GROUP = 25;

/**
 * Returns a repository with many pages of about 4 KB, for measurements: groups of nested pages, front matter, and
 * markdown of every kind. Deterministic for a count.
 *
 * @param count number of pages, including the README
 */
export function manyPages(count: number): Record<string, string> {
  const files: Record<string, string> = { 'README.md': '# Many pages\n\nStart anywhere.\n' };
  const contents = ['# Table of contents', '', '* [Many pages](README.md)'];
  let parent = '';
  for (let index = 0; index < count - 1; index += 1) {
    const group = `group-${Math.floor(index / PAGES_IN_GROUP)}`;
    if (index % PAGES_IN_GROUP === 0) {
      contents.push('', `## Group ${Math.floor(index / PAGES_IN_GROUP)}`, '');
    }
    const isChild = index % PAGES_IN_GROUP !== 0 && index % 5 !== 0;
    if (!isChild) {
      parent = `${group}/page-${index}`;
    }
    const path = isChild ? `${parent}/page-${index}.md` : `${parent}.md`;
    contents.push(`${isChild ? '  ' : ''}* [Page ${index}](${path})`);
    files[path] = pageText(index);
  }
  files['SUMMARY.md'] = `${contents.join('\n')}\n`;
  return files;
}

const WORDS =
  'anchor beacon cargo deck engine ferry galley harbour island jetty keel lantern mast north oar pilot quay rudder sail tide unload vessel wharf yacht zone'.split(
    ' ',
  );

function pageText(index: number): string {
  let state = index + 1;
  const number = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const words = (count: number) =>
    Array.from({ length: count }, () => WORDS[number(WORDS.length)] ?? '').join(' ');
  const blocks = [
    () => `${words(30)}, **${words(2)}** and [${words(2)}](page-${index + 1}.md), or \`${words(1)}\`.`,
    () => `## ${words(4)}`,
    () => `* ${words(8)}\n* ${words(6)}\n  * ${words(5)}\n* ${words(7)}`,
    () => `\`\`\`js\nconst ${words(1)} = await ${words(1)}({ ${words(1)}: ${number(1000)} });\n\`\`\``,
    () => `{% hint style="info" %}\n${words(20)}.\n{% endhint %}`,
    () =>
      `| ${words(1)} | ${words(1)} |\n| --- | --- |\n| ${words(3)} | ${words(3)} |\n| ${words(2)} | ${words(4)} |`,
    () => `1. ${words(6)}\n2. ${words(9)}`,
    () => `> ${words(18)}`,
  ];
  let text = `---\ndescription: ${words(9)}\nicon: ${words(1)}\nlayout:\n  width: default\n  title:\n    visible: true\n  outline:\n    visible: ${index % 7 !== 0}\n---\n\n# Page ${index}\n`;
  while (text.length < 4000) {
    text += `\n${blocks[number(blocks.length)]?.()}\n`;
  }
  return text;
}
