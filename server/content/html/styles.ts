import { readFileSync } from 'node:fs';

/** Files of the style sheet. They are in one layer, so that rules of a site take precedence. */
const FILES = ['theme', 'content', 'colors', 'images', 'containers', 'notes', 'code', 'api'] as const;

let sheet: string | undefined;

/** Returns the style sheet of the content, see `styles/theme.css` for the properties that a site sets. */
export function contentStyleSheet(): string {
  sheet ??= FILES.map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8')).join(
    '',
  );
  return sheet;
}
