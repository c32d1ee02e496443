import { splitFrontMatter } from '../read/front-matter.ts';
import { slugOfFile } from '../read/pages.ts';
import { collapse, plainText } from '../text.ts';
import type { ImportedLayout } from '../types.ts';
import { writeYaml, type YamlMap, YamlReader } from '../yaml.ts';
import { inlineText, pathTarget } from './inline.ts';
import type { WrittenPaths } from './paths.ts';
import type { ExportedDocument, ExportedReference, ExportedReusableContent } from './types.ts';

/** Keys of the front matter that belong to the platform; those of other tools are retained. */
const PLATFORM_KEYS: ReadonlySet<string> = new Set([
  'slug',
  'description',
  'emoji',
  'icon',
  'hidden',
  'noIndex',
  'noRobotsIndex',
  'cover',
  'coverDark',
  'coverY',
  'layout',
  'vars',
  'variables',
]);

/** The context for writing a page's text. */
export interface PageContext {
  /** Path of the text. */
  path: string;
  /** The folder of the documentation. */
  root: string;
  places: WrittenPaths;
  /** The current text at the path. */
  before: string | undefined;
}

/** Writes a page: front matter for settings other than the defaults, the title as a heading, and the body. */
export function writePage(page: ExportedDocument, { path, root, places, before }: PageContext): string {
  const others = frontMatterOf(before);
  const title = collapse(page.title);
  const values = {
    ...(page.slug !== slugOfFile(path, root) && { slug: page.slug }),
    ...(page.description !== undefined && { description: page.description }),
    ...(page.emoji !== undefined && { emoji: page.emoji }),
    ...(page.icon !== undefined && { icon: page.icon }),
    ...(page.hidden && { hidden: true }),
    ...(page.noIndex && { noIndex: true }),
    ...(page.noRobotsIndex && { noRobotsIndex: true }),
    ...coverOf(page, (reference) => formatReference(reference, path, places)),
    ...layoutOf(page.layout),
    ...(Object.keys(page.variables).length > 0 && { vars: page.variables }),
    ...(others.title !== undefined && { title }),
    ...Object.fromEntries(
      Object.entries(others).filter(([key]) => !PLATFORM_KEYS.has(key) && key !== 'title'),
    ),
  };
  const heading = inlineText(title);
  // Implausible titles cannot be read from a heading; the table of contents contains the title.
  const top = title !== '' && plainText(heading) === title ? `# ${heading}\n` : '';
  return join(values, top, page.markdown);
}

/** Writes a reusable content. */
export function writeReusableContent(
  { title, markdown }: ExportedReusableContent,
  before: string | undefined,
): string {
  return join({ ...frontMatterOf(before), title }, '', markdown);
}

function join(values: object, heading: string, markdown: string): string {
  const hasMatter = Object.keys(values).length > 0 || (heading === '' && /^[\s\p{Cf}]*---/u.test(markdown));
  const matter = hasMatter ? `---\n${Object.keys(values).length > 0 ? writeYaml(values) : ''}---\n` : '';
  return [matter, heading, markdown].filter((part) => part !== '').join('\n');
}

function frontMatterOf(text: string | undefined): YamlMap {
  return text === undefined ? {} : splitFrontMatter(text, new YamlReader(), () => {}).values;
}

function coverOf({ cover }: ExportedDocument, write: (reference: ExportedReference) => string | undefined) {
  const light = cover && write(cover.ref);
  if (cover === undefined || light === undefined) {
    return {};
  }
  const dark = cover.refDark && write(cover.refDark);
  return {
    cover: dark === undefined ? light : { light, dark },
    ...(cover.yPos !== 0 && { coverY: cover.yPos }),
  };
}

function formatReference(
  reference: ExportedReference,
  from: string,
  places: WrittenPaths,
): string | undefined {
  if (reference.kind === 'url') {
    return reference.url;
  }
  const path = places.files.get(reference.file);
  return path === undefined ? undefined : pathTarget(path, from);
}

function layoutOf({ width, coverSize, coverMask, cover, ...sections }: ImportedLayout): { layout?: object } {
  const hidden = Object.entries(sections).filter(([, isVisible]) => !isVisible);
  const layout = {
    ...(width !== 'default' && { width }),
    ...((!cover || coverSize !== 'hero' || coverMask !== 'none') && {
      cover: {
        visible: cover,
        ...(coverSize !== 'hero' && { size: coverSize }),
        ...(coverMask !== 'none' && { mask: coverMask }),
      },
    }),
    ...Object.fromEntries(hidden.map(([section]) => [section, { visible: false }])),
  };
  return Object.keys(layout).length > 0 ? { layout } : {};
}
