import type { CommitFiles } from './git-server.ts';
import { apiReference } from './repositories/api-reference.ts';
import { exported } from './repositories/exported.ts';
import { handmade, platform } from './repositories/hand-written.ts';
import { handbook } from './repositories/handbook.ts';
import { international } from './repositories/international.ts';
import { monorepo } from './repositories/monorepo.ts';
import { bare, broken, clashes, folders, project } from './repositories/quirks.ts';
import { sdkGuide } from './repositories/sdk-guide.ts';
import { wiki } from './repositories/wiki.ts';

/** A docs repository as teams really keep them, and what a reader of it should see. */
export interface SampleRepository {
  name: string;
  files: CommitFiles;
  /** The project's directory, where it is not the root. */
  directory?: string;
  /** The table of contents, where line by line it says all that becomes of it. */
  summary?: string;
  /** The folder that paths with a slash in front start from, where it is not the root. */
  root?: string;
  /**
   * The page tree, written by hand from the files: a line a page, two spaces a level, as
   * `<type> <title> | <path, or where a link leads, or what a computed page shows>`.
   */
  outline: string[];
  /** The paths of the files that come along. */
  assets: string[];
  /** A part of each problem that is told, as `<path>: <part of the message>`, in their order. */
  problems: string[];
  /** The markdown of pages by their files, written by hand; other pages say what their files say. */
  texts?: Record<string, string>;
  /** What pages must be like, by their files. */
  settings?: Record<string, object>;
  /** The files of reusable contents by their titles. */
  reusableContents?: Record<string, string>;
  variables?: Record<string, string>;
  /** Width and height of every image, as it is shown. */
  dimensions?: Record<string, [number, number]>;
}

/** Repositories as teams keep them; together they have every quirk that was met in real ones. */
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
];

/** Pages in a group of `manyPages`. */
const PAGES_IN_GROUP = 25;

/**
 * A repository with many pages of about 4 KB, for measurements: groups of pages with pages below them, front
 * matter, and markdown of every kind. The same for the same count.
 *
 * @param count of pages, the README among them
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
