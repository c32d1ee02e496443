/** Replaces the tags of a text that include files with the texts of the files, as readers see them. */
import type { Address, TextLocation } from '../links/address.ts';
import { resolve, type Target } from '../links/resolve.ts';
import { MAX_INCLUDED_DEPTH } from '../markdown/document.ts';
import { MAX_PARSED_CHARACTERS } from '../markdown/limits.ts';
import type { Content } from '../tree/content.ts';
import type { ReusableRecord } from '../tree/records.ts';
import { MAX_EXPANDED_INCLUDES } from './limits.ts';
import { partOf, unindent } from './parts.ts';
import { addressesOfInclude, isReusableBlock } from './places.ts';
import { type IncludeTag, includeTagsIn, linePrefix, mayIncludeFiles } from './tags.ts';

export interface ExpandOptions {
  /** Whether reusable content is replaced as well, which is otherwise a block of the document. */
  reusable?: boolean;
}

interface ExpandState extends ExpandOptions {
  content: Content;
  /** Texts by the ID of the page or reusable content. */
  texts: Map<string, Promise<string>>;
  remainingTags: number;
  remainingCharacters: number;
}

/**
 * Returns a text with the files that it includes. Their links remain relative to the text, as in mdBook and HonKit.
 * Tags without a target, beyond the depth of nesting or beyond the limits of a page remain as written.
 *
 * @param from location of the text
 */
export async function expandIncludes(
  markdown: string,
  from: TextLocation,
  content: Content,
  options: ExpandOptions = {},
): Promise<string> {
  if (!mayIncludeFiles(markdown) || markdown.length > MAX_PARSED_CHARACTERS) {
    return markdown;
  }
  const state: ExpandState = {
    ...options,
    content,
    texts: new Map(),
    remainingTags: MAX_EXPANDED_INCLUDES,
    remainingCharacters: MAX_PARSED_CHARACTERS - markdown.length,
  };
  return await expand(state, markdown, from, [from.path]);
}

async function expand(
  state: ExpandState,
  markdown: string,
  from: TextLocation,
  chain: readonly string[],
): Promise<string> {
  const tags = includeTagsIn(markdown);
  const targets = await targetsOf(state, tags, from);
  let result = '';
  let end = 0;
  for (const tag of tags) {
    const replacement = await replacementOf(state, markdown, tag, targets.get(tag), chain);
    if (replacement !== undefined) {
      result += markdown.slice(end, tag.start) + replacement;
      end = tag.end;
    }
  }
  return result + markdown.slice(end);
}

async function targetsOf(
  { content }: ExpandState,
  tags: readonly IncludeTag[],
  from: TextLocation,
): Promise<Map<IncludeTag, Target>> {
  const addresses = new Map<IncludeTag, Address[]>();
  for (const tag of tags) {
    if (tag.path !== '' && !tag.isEscaped) {
      addresses.set(tag, addressesOfInclude(tag.path, from));
    }
  }
  const resolved: ReadonlyMap<Address, Target> =
    addresses.size === 0 ? new Map() : await resolve([...addresses.values()].flat(), content);
  return new Map(
    [...addresses].flatMap(([tag, candidates]) => {
      const found = candidates.filter((address) => resolved.has(address));
      const address = found.find((candidate) => isAt(candidate, resolved.get(candidate))) ?? found.at(-1);
      const target = address && resolved.get(address);
      return target === undefined ? [] : [[tag, target] as const];
    }),
  );
}

/** Whether a target is the file at a path, and not one that only resembles it. */
function isAt(address: Address, target: Target | undefined): boolean {
  const file =
    target?.kind === 'page'
      ? target.page.record
      : target?.kind === 'file'
        ? target.file
        : target?.kind === 'reusable-content'
          ? target.reusable
          : undefined;
  return address.kind === 'path' && file?.git?.path === address.path;
}

/** Returns what replaces a tag; undefined if it remains as written. */
async function replacementOf(
  state: ExpandState,
  markdown: string,
  tag: IncludeTag,
  target: Target | undefined,
  chain: readonly string[],
): Promise<string | undefined> {
  if (tag.isEscaped) {
    return tag.place === 'code' ? markdown.slice(tag.start + 1, tag.end) : undefined;
  }
  if (tag.path === '') {
    return '';
  }
  const file = target && (await fileOf(state.content, target));
  if (!file || chain.includes(file.path) || chain.length > MAX_INCLUDED_DEPTH || state.remainingTags === 0) {
    return undefined;
  }
  if (isReusableBlock(file.path) && (!state.reusable || tag.place !== 'block')) {
    return undefined;
  }
  state.remainingTags -= 1;
  const selected = partOf(await includedText(state, file), tag.part);
  const part = selected !== undefined && tag.unindented ? unindent(selected) : selected;
  if (part === undefined || part.length > state.remainingCharacters) {
    return undefined;
  }
  state.remainingCharacters -= part.length;
  const text =
    tag.syntax === 'link' ? part : await expand(state, part, { path: file.path }, [...chain, file.path]);
  return inPlace(markdown, tag, tag.code === undefined ? text : codeBlock(text, tag.code));
}

interface IncludedFile {
  id: string;
  path: string;
  read(): Promise<string>;
}

/** Returns the text that a target has; undefined if it has none. */
async function fileOf(content: Content, target: Target): Promise<IncludedFile | undefined> {
  switch (target.kind) {
    case 'page': {
      const { record, path } = target.page;
      return record.type === 'document'
        ? { id: record.id, path: record.git?.path ?? `${path}.md`, read: () => content.readBody(record) }
        : undefined;
    }
    case 'file': {
      // Pages also link to the file.
      const path = target.file.git?.path;
      const reusable = (await content.readReusableContents()).find(({ git }) => git?.path === path);
      return reusable && path !== undefined ? reusableFile(content, reusable) : undefined;
    }
    case 'reusable-content':
      return reusableFile(content, target.reusable);
    default:
      return undefined;
  }
}

const reusableFile = (content: Content, reusable: ReusableRecord): IncludedFile => ({
  id: reusable.id,
  path: reusable.git?.path ?? '',
  read: async () => (await content.readBodies([reusable])).get(reusable.id) ?? '',
});

async function includedText({ texts }: ExpandState, { id, read }: IncludedFile): Promise<string> {
  const text = texts.get(id) ?? read();
  texts.set(id, text);
  return await text;
}

/** Returns a text for the place of a tag: lines after the first are indented or quoted like that of the tag. */
function inPlace(markdown: string, { start, place }: IncludeTag, text: string): string {
  const prefix = place === 'inline' ? undefined : linePrefix(markdown, start);
  return prefix === undefined || prefix === '' ? text : text.replaceAll('\n', `\n${prefix}`);
}

function codeBlock(code: string, info: string): string {
  const longest = (code.match(/^[ \t]*`{3,}/gm) ?? []).reduce(
    (length, run) => Math.max(length, run.trim().length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${code}\n${fence}`;
}
