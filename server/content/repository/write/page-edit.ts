import { compareLines } from '../../merge/hunks.ts';
import { splitFrontMatter } from '../read/front-matter.ts';
import { findTitleHeading, sameTitle, type TitleHeading } from '../read/heading.ts';
import { collapse } from '../text.ts';
import { asText, YamlReader } from '../yaml.ts';
import { normalizeBody } from './compare.ts';
import { type PageFile, settingEdits } from './front-matter.ts';
import { inlineText } from './inline.ts';
import type { ExportedDocument, ExportedReusableContent } from './types.ts';
import { editYaml, type YamlEdit } from './yaml-edit.ts';

const OPENING_PATTERN = /^[\s\u200B\u2060\uFEFF]*---[ \t]*\n/;
const CLOSING_PATTERN = /(?:^|\n)[\u200B\u2060\uFEFF]*(?:---|\.\.\.)[ \t]*\n?$/;
const LEADING_BLANKS = /^(?:[ \t]*\n)+/;

/**
 * Edits the file of a page: only the settings, the title and the lines of the body that changed.
 *
 * @returns undefined if the file cannot be edited in place
 */
export function editPage(page: ExportedDocument, text: string, file: PageFile): string | undefined {
  const { values, body } = splitFrontMatter(text, new YamlReader(), () => {});
  const matterBefore = text.slice(0, text.length - body.length);
  const matter = editMatter(matterBefore, settingEdits(page, values, file));
  if (matter === undefined) {
    return undefined;
  }
  const { before } = file;
  const heading = findTitleHeading(body);
  const isTitle = heading?.leading === true && sameTitle(heading.text, before.title);
  const title = collapse(page.title);
  const written = isTitle
    ? {
        ...heading,
        text:
          title === before.title ? body.slice(heading.start, heading.end) : headingOf(title, body, heading),
      }
    : undefined;
  const edited = editBody(body, written, before.markdown, normalizeBody(page.markdown));
  const isRenamed = title !== '' && title !== before.title;
  const isNamed = isTitle || asText(values.title) === before.title;
  return joined(
    matterBefore,
    matter,
    file.isTitled && isRenamed && !isNamed ? withHeading(edited, title) : edited,
  );
}

/** Adds a title to a text as its first heading. */
function withHeading(body: string, title: string): string {
  const blanks = LEADING_BLANKS.exec(body)?.[0] ?? '';
  const rest = body.slice(blanks.length);
  return `${blanks}# ${inlineText(title)}\n${rest === '' ? '' : `\n${rest}`}`;
}

/** Edits the file of a reusable content like {@link editPage}. */
export function editReusableContent(
  { title, markdown }: ExportedReusableContent,
  text: string,
  before: Pick<ExportedReusableContent, 'title' | 'markdown'>,
): string | undefined {
  const { values, body } = splitFrontMatter(text, new YamlReader(), () => {});
  const isSame = title === before.title || asText(values.title) === title;
  const edits = isSame ? [] : [{ path: ['title'], value: title }];
  const matterBefore = text.slice(0, text.length - body.length);
  const matter = editMatter(matterBefore, edits);
  return matter === undefined
    ? undefined
    : joined(matterBefore, matter, editBody(body, undefined, before.markdown, normalizeBody(markdown)));
}

/** Edits front matter with its fences; without any, creates it. */
function editMatter(matter: string, edits: readonly YamlEdit[]): string | undefined {
  if (edits.length === 0) {
    return matter;
  }
  const opening = OPENING_PATTERN.exec(matter)?.[0];
  const closing = CLOSING_PATTERN.exec(matter.slice(opening?.length ?? 0));
  if (opening === undefined || closing === null) {
    const yaml = editYaml(
      '',
      edits.filter(({ value }) => value !== undefined),
    );
    return yaml === undefined || yaml === '' ? matter : `---\n${yaml}---\n`;
  }
  const inner = matter.slice(opening.length);
  const end = closing.index + (inner[closing.index] === '\n' ? 1 : 0);
  const edited = editYaml(inner.slice(0, end), edits);
  if (edited === undefined) {
    return undefined;
  }
  const isClosed = edited === '' || edited.endsWith('\n');
  return edited.trim() === '' ? '' : `${opening}${edited}${isClosed ? '' : '\n'}${inner.slice(end)}`;
}

/** Joins front matter and body. Where front matter is created or removed, the empty lines between them are as well. */
function joined(before: string, matter: string, body: string): string {
  if (matter === '') {
    return before === '' ? body : body.replace(LEADING_BLANKS, '');
  }
  return before === '' && body !== '' && !body.startsWith('\n') ? `${matter}\n${body}` : matter + body;
}

/** Formats a title as a heading of the same kind as before. */
function headingOf(title: string, body: string, { start, end }: TitleHeading): string {
  const before = body.slice(start, end);
  const underline = /\n( {0,3}=+)[ \t]*$/.exec(before)?.[1];
  const id = /[ \t]\{#[^\s{}#]+\}[ \t]*$/.exec(before)?.[0] ?? '';
  return underline === undefined ? `# ${inlineText(title)}${id}` : `${inlineText(title)}\n${underline}`;
}

/**
 * Edits the text after the front matter. Lines that did not change remain as the file has them, even if the reader
 * replaced addresses in them.
 *
 * @param heading the heading that is the title, with its new text
 * @param before the Markdown that the text was read as
 */
function editBody(body: string, heading: TitleHeading | undefined, before: string, markdown: string): string {
  const top = heading === undefined ? '' : body.slice(0, heading.start);
  if (heading === undefined || top.trim() === '') {
    const rest = body.slice(heading?.end ?? 0);
    const blanks = LEADING_BLANKS.exec(rest)?.[0] ?? '';
    const lead = heading === undefined ? blanks : `${top}${heading.text}${blanks}`;
    const text = editLines(rest.slice(blanks.length), before, markdown).text;
    const isCramped = lead.trim() !== '' && !/\n[ \t]*\n$/.test(lead) && rest.slice(blanks.length) === '';
    return text !== '' && isCramped ? `${lead.trimEnd()}\n\n${text}` : lead + text;
  }
  // The heading follows other text: it keeps its place among the lines of the body.
  const bottom = body.slice(heading.end);
  const blanks = /^\n+/.exec(bottom)?.[0] ?? '';
  const lead = LEADING_BLANKS.exec(top)?.[0] ?? '';
  const edited = editLines(top.slice(lead.length) + bottom.slice(blanks.length), before, markdown);
  const lines = edited.text.split('\n');
  const at = edited.position(top.slice(lead.length).split('\n').length - 1);
  const block = `${heading.text}${blanks.slice(1)}`.split('\n');
  return lead + [...lines.slice(0, at), ...block, ...lines.slice(at)].join('\n');
}

/** Applies the difference of two texts to a text with the same lines, some of them written differently. */
function editLines(
  text: string,
  before: string,
  after: string,
): { text: string; position: (line: number) => number } {
  if (before === after) {
    return { text, position: (line) => line };
  }
  const [lines, linesBefore, linesAfter] = [text, before, after].map((value) => value.split('\n'));
  if (!lines || !linesBefore || !linesAfter || lines.length !== linesBefore.length) {
    return { text: after, position: (line) => line };
  }
  const hunks = compareLines(linesBefore, linesAfter);
  const result: string[] = [];
  let at = 0;
  for (const { from, to, start, end } of hunks) {
    result.push(...lines.slice(at, from), ...linesAfter.slice(start, end));
    at = to;
  }
  result.push(...lines.slice(at));
  const position = (line: number) =>
    hunks
      .filter(({ from }) => from < line)
      .reduce((sum, { from, to, start, end }) => sum + (end - start) - (to - from), line);
  return { text: result.join('\n'), position };
}
