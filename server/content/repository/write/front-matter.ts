import { isDeepStrictEqual } from 'node:util';
import { slugOfFile } from '../read/pages.ts';
import { collapse } from '../text.ts';
import type { ImportedDocument, ImportedLayout, ImportedReference } from '../types.ts';
import { asText, isMap, type YamlMap } from '../yaml.ts';
import { coverIn } from './compare.ts';
import { plainPath } from './inline.ts';
import type { WrittenPaths } from './paths.ts';
import type { ExportedDocument } from './types.ts';
import type { YamlEdit } from './yaml-edit.ts';

/** The file of a page to edit. */
export interface PageFile {
  path: string;
  /** The folder of the documentation. */
  root: string;
  places: WrittenPaths;
  /** The page as it is in the repository. */
  before: ImportedDocument;
  /** The slug that the page would have without an edit. */
  slug: string;
  /** Whether the title of the page is that of its file, for lack of a table of contents. */
  isTitled: boolean;
}

/**
 * Returns the edits of the front matter of a page for the settings that changed.
 *
 * @param values of the existing front matter
 */
export function settingEdits(page: ExportedDocument, values: YamlMap, file: PageFile): YamlEdit[] {
  const { before } = file;
  const edits: YamlEdit[] = [];
  const set = (path: readonly string[], value: unknown) => edits.push({ path, value });
  const title = collapse(page.title);
  if (title !== before.title && asText(values.title) === before.title) {
    set(['title'], title);
  }
  if (page.slug !== file.slug) {
    set(['slug'], page.slug === slugOfFile(file.path, file.root) ? undefined : page.slug);
  }
  for (const key of ['description', 'emoji', 'icon'] as const) {
    if (page[key] !== before[key]) {
      set([key], page[key]);
    }
  }
  for (const key of ['hidden', 'noIndex', 'noRobotsIndex'] as const) {
    if (page[key] !== before[key]) {
      set([key], page[key] ? true : undefined);
    }
  }
  edits.push(...coverEdits(page, values, file));
  edits.push(...layoutEdits(page.layout, before.layout, values.layout));
  edits.push(...variableEdits(page.variables, before.variables, values));
  return edits;
}

function coverEdits(page: ExportedDocument, values: YamlMap, { path, places, before }: PageFile): YamlEdit[] {
  const cover = coverIn(page, places);
  if (cover === undefined) {
    const isRemoved = before.cover !== undefined;
    return isRemoved
      ? ['cover', 'coverDark', 'coverY'].map((key) => ({ path: [key], value: undefined }))
      : [];
  }
  const write = (reference: ImportedReference) =>
    reference.kind === 'url' ? reference.url : plainPath(reference.path, path);
  const edits: YamlEdit[] = [];
  const dark = cover.refDark && write(cover.refDark);
  const isMapped = isMap(values.cover);
  if (!isDeepStrictEqual(cover.ref, before.cover?.ref)) {
    edits.push({ path: isMapped ? ['cover', 'light'] : ['cover'], value: write(cover.ref) });
  }
  if (!isDeepStrictEqual(cover.refDark, before.cover?.refDark)) {
    edits.push(
      isMapped || values.coverDark !== undefined || dark === undefined
        ? { path: isMapped ? ['cover', 'dark'] : ['coverDark'], value: dark }
        : { path: ['cover'], value: { light: write(cover.ref), dark } },
    );
  }
  if (cover.yPos !== (before.cover?.yPos ?? 0)) {
    edits.push({ path: ['coverY'], value: cover.yPos === 0 ? undefined : cover.yPos });
  }
  return edits;
}

function layoutEdits(layout: ImportedLayout, before: ImportedLayout, value: unknown): YamlEdit[] {
  const settings = isMap(value) ? value : {};
  const { width, coverSize, coverMask, ...sections } = layout;
  return [
    ...(width === before.width ? [] : [{ path: ['layout', 'width'], value: width }]),
    ...Object.entries(sections)
      .filter(([section, isVisible]) => isVisible !== before[section as keyof typeof sections])
      .map(([section, isVisible]) => {
        const setting = settings[section];
        const isPlain = setting !== undefined && setting !== null && !isMap(setting);
        return { path: ['layout', section, ...(isPlain ? [] : ['visible'])], value: isVisible };
      }),
    ...(coverSize === before.coverSize ? [] : [{ path: ['layout', 'cover', 'size'], value: coverSize }]),
    ...(coverMask === before.coverMask ? [] : [{ path: ['layout', 'cover', 'mask'], value: coverMask }]),
  ];
}

/** Returns the edits of a map of variables. */
function variableEdits(
  variables: Record<string, string>,
  before: Record<string, string>,
  values: YamlMap,
): YamlEdit[] {
  const key = values.vars == null && values.variables != null ? 'variables' : 'vars';
  if (Object.keys(variables).length === 0) {
    return Object.keys(before).length === 0 ? [] : [{ path: [key], value: undefined }];
  }
  return changedVariables(variables, before).map(({ path, value }) => ({ path: [key, ...path], value }));
}

/** Returns the edits that turn variables into others. */
export function changedVariables(
  variables: Record<string, string>,
  before: Record<string, string>,
): YamlEdit[] {
  const names = new Set([...Object.keys(before), ...Object.keys(variables)]);
  return [...names]
    .filter((name) => variables[name] !== before[name])
    .map((name) => ({ path: [name], value: variables[name] }));
}
