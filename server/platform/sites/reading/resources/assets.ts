/** Style sheets, scripts and fonts of the reading view, at addresses that change with their content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { contentStyleSheet } from '../../../../content/html/styles.ts';
import { Resource } from '../../../../contract/docs/resources.ts';
import type { AssetLinks, SiteCustomization } from '../templates/types.ts';
import { findFont, SITE_FONTS, type SiteFont } from './fonts.ts';

const { resolve } = createRequire(import.meta.url);

/** Style sheets of the frame, in this order. */
const SHEETS = [
  'base',
  'header',
  'search',
  'menus',
  'layout',
  'tree',
  'outline',
  'page',
  'results',
  'footer',
  'consent',
  'feedback',
].map((name) => `${name}.css`);

const CACHED_FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
/** Quality of compression: assets are compressed once. */
const QUALITY = 11;

export interface Assets {
  /** Path of their folder below the address of a site. */
  path: string;
  /** Assets by name. */
  resources: ReadonlyMap<string, Resource>;
}

/** Reads all assets. Fonts are read completely: they are small and sent unchanged. */
export function readAssets(): Assets {
  const files = new Map<string, { type: string; body: Buffer }>();
  const text = (folder: string, names: readonly string[]) =>
    names.map((name) => readFileSync(new URL(`../${folder}/${name}`, import.meta.url), 'utf8')).join('\n');
  const style = `${contentStyleSheet()}\n${text('styles', SHEETS)}`;
  files.set('site.css', { type: 'text/css; charset=utf-8', body: Buffer.from(style) });
  files.set('block.css', {
    type: 'text/css; charset=utf-8',
    body: Buffer.from(text('styles', ['block.css'])),
  });
  for (const name of ['early.js', 'integrations.js', 'site.js', 'search.js', 'block.js']) {
    files.set(name, { type: 'text/javascript; charset=utf-8', body: Buffer.from(text('script', [name])) });
  }
  for (const font of SITE_FONTS) {
    const css = font.sheets.map((sheet) => readFontSheet(sheet, files)).join('\n');
    files.set(sheetName(font), { type: 'text/css; charset=utf-8', body: Buffer.from(css) });
  }
  const hash = createHash('sha256');
  for (const [name, { body }] of files) {
    hash.update(name).update(body);
  }
  return {
    path: `~assets/${hash.digest('hex').slice(0, 12)}`,
    resources: new Map(
      [...files].map(([name, { type, body }]) => [name, new Resource(type, body, CACHED_FOREVER, QUALITY)]),
    ),
  };
}

/** Reads the style sheet of a font and its files. A font that loads late is not shown, so that no text moves. */
function readFontSheet(sheet: string, files: Map<string, { type: string; body: Buffer }>): string {
  const path = resolve(sheet);
  return readFileSync(path, 'utf8')
    .replace(/font-display:\s*swap/g, 'font-display: optional')
    .replace(/src:\s*url\(([^)]+\.woff2)\)[^;]*;/g, (_source, url: string) => {
      const name = basename(url);
      const file = new URL(url, `file://${path}`);
      files.set(name, { type: 'font/woff2', body: readFileSync(file) });
      return `src: url(${name}) format('woff2');`;
    });
}

const sheetName = ({ family }: SiteFont): string => `${family.toLowerCase().replaceAll(' ', '-')}.css`;

/** Returns the addresses of the assets of a site. */
export function linksOf({ path }: Assets, base: string, { styling }: SiteCustomization): AssetLinks {
  const at = (name: string) => `${base}/${path}/${name}`;
  const fonts = [findFont(styling.font), findFont(styling.monospaceFont)].filter(
    (font) => font !== undefined,
  );
  return {
    styles: [...fonts.map((font) => at(sheetName(font))), at('site.css')],
    early: at('early.js'),
    integrations: at('integrations.js'),
    modules: [at('site.js'), at('search.js')],
    block: { style: at('block.css'), script: at('block.js') },
    fonts: fonts.map(({ mainFile }) => at(mainFile)),
  };
}
