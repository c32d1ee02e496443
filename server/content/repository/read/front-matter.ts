import { unconditionalText } from '../../expressions/visible-text.ts';
import { DEFAULT_LAYOUT } from '../../tree/records.ts';
import type { ReportProblem } from '../problems.ts';
import type { ImportedLayout } from '../types.ts';
import {
  asBoolean,
  asText,
  asVariables,
  isMap,
  MAX_FRONT_MATTER_CHARACTERS,
  YamlError,
  type YamlMap,
  type YamlReader,
} from '../yaml.ts';

/** Settings of a page in its front matter. Omitted settings have the platform's defaults. */
export interface PageSettings {
  title?: string;
  /** The last part of the page's path, if it differs from the file name. */
  slug?: string;
  description?: string;
  emoji?: string;
  icon?: string;
  /** As written: a path or a URL. */
  cover?: { light: string; dark?: string; yPos: number };
  layout: ImportedLayout;
  variables: Record<string, string>;
  hidden: boolean;
  noIndex: boolean;
  noRobotsIndex: boolean;
}

/** A text split into its front matter and body. */
export interface FrontMatter {
  values: YamlMap;
  /** The text after the front matter; the whole text if the front matter is unreadable. */
  body: string;
}

// Excludes values that other tools store under the same key, such as a whole path.
const SLUG_PATTERN = /^(?!\.{1,2}$)[^/\s?#]{1,100}$/;
const OPENING_PATTERN = /^[\s\u200B\u2060\uFEFF]*---[ \t]*\n/;
const CLOSING_PATTERN = /^[\u200B\u2060\uFEFF]*(?:---|\.\.\.)[ \t]*(?:\n|$)/gm;

const LAYOUT_SECTIONS = [
  'cover',
  'title',
  'description',
  'tableOfContents',
  'outline',
  'pagination',
  'metadata',
  'tags',
  'actions',
  'anchors',
] as const;

/**
 * Splits off the YAML front matter of a text. Unreadable front matter is reported and remains in the text, so that no
 * author's text is lost.
 *
 * @param report receives the problems
 */
export function splitFrontMatter(text: string, yaml: YamlReader, report: ReportProblem): FrontMatter {
  const opening = OPENING_PATTERN.exec(text);
  if (opening === null) {
    return { values: {}, body: text };
  }
  CLOSING_PATTERN.lastIndex = opening[0].length;
  const closing = CLOSING_PATTERN.exec(text);
  if (closing === null) {
    return { values: {}, body: text };
  }
  try {
    const values = yaml.readMap(text.slice(opening[0].length, closing.index), MAX_FRONT_MATTER_CHARACTERS);
    return { values, body: text.slice(closing.index + closing[0].length) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const linesBefore = opening[0].split('\n').length - 1;
    report(
      'invalid_syntax',
      `The front matter was imported as text because its YAML is invalid: ${reason}. Correct it and import again.`,
      error instanceof YamlError && error.line !== undefined ? linesBefore + error.line : undefined,
    );
    return { values: {}, body: text };
  }
}

/**
 * Reads the settings of a page from its front matter. Unknown keys are ignored.
 *
 * @param report receives a problem for each invalid value
 */
export function readPageSettings(values: YamlMap, report: ReportProblem): PageSettings {
  const title = readLine('title', values.title, report);
  const slug = asText(values.slug);
  const description = readLine('description', values.description, report);
  const emoji = asText(values.emoji);
  const icon = asText(values.icon);
  const cover = readCover(values);
  return {
    ...(title !== undefined && { title }),
    ...(slug !== undefined && SLUG_PATTERN.test(slug) && { slug }),
    ...(description !== undefined && { description }),
    ...(emoji !== undefined && { emoji }),
    ...(icon !== undefined && { icon }),
    ...(cover !== undefined && { cover }),
    layout: readLayout(values.layout, report),
    variables: asVariables(values.vars ?? values.variables, report),
    hidden: asBoolean(values.hidden) ?? false,
    noIndex: asBoolean(values.noIndex) ?? false,
    noRobotsIndex: asBoolean(values.noRobotsIndex) ?? false,
  };
}

/** Reads a text that is the same for all visitors, without what depends on a condition. */
function readLine(name: string, value: unknown, report: ReportProblem): string | undefined {
  const written = asText(value);
  const text = written === undefined ? undefined : unconditionalText(written);
  if (text !== written) {
    report(
      'unsupported',
      `Conditions in ${name} are not supported: what depends on them was omitted. Remove them.`,
    );
  }
  return text === '' ? undefined : text;
}

/** Reads `cover`: one image, or one each for light and dark mode. */
function readCover(values: YamlMap): PageSettings['cover'] {
  const covers = isMap(values.cover) ? values.cover : { light: values.cover, dark: values.coverDark };
  const dark = asText(covers.dark);
  const light = asText(covers.light) ?? dark;
  if (light === undefined) {
    return undefined;
  }
  const yPos = Number(asText(values.coverY) ?? 0);
  return { light, ...(dark !== undefined && { dark }), yPos: Number.isFinite(yPos) ? yPos : 0 };
}

function readLayout(value: unknown, report: ReportProblem): ImportedLayout {
  const settings = isMap(value) ? value : {};
  const cover = isMap(settings.cover) ? settings.cover : {};
  const layout: ImportedLayout = {
    ...DEFAULT_LAYOUT,
    width: choose('layout.width', settings.width, ['default', 'wide'], report),
    coverSize: choose('layout.cover.size', cover.size, ['hero', 'full', 'background'], report),
    coverMask: choose('layout.cover.mask', cover.mask, ['none', 'radial'], report),
  };
  for (const section of LAYOUT_SECTIONS) {
    const part = settings[section];
    layout[section] = asBoolean(isMap(part) ? part.visible : part) ?? true;
  }
  return layout;
}

/** Returns a valid choice. The first one is the default. */
function choose<Choice extends string>(
  name: string,
  value: unknown,
  choices: readonly [Choice, ...Choice[]],
  report: ReportProblem,
): Choice {
  if (value === undefined || value === null) {
    return choices[0];
  }
  const valid = choices.find((choice) => choice === value);
  if (valid === undefined) {
    report(
      'invalid_value',
      `${name} was replaced with "${choices[0]}": it must be ${choices.map((choice) => `"${choice}"`).join(' or ')}.`,
    );
  }
  return valid ?? choices[0];
}
