/** Icons as inline SVG in the color of the text. */
import { findIcon, type IconStyle } from '../../../../content/markdown/icons.ts';
import { Html, html } from '../../../../contract/docs/html.ts';

const PATHS = {
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  chevron: '<path d="m6 4 4 4-4 4"/>',
  down: '<path d="m4 6 4 4 4-4"/>',
  sun: '<circle cx="8" cy="8" r="3"/><path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1"/>',
  moon: '<path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z"/>',
  edit: '<path d="m10.5 3 2.5 2.5L6 12.5l-3 .5.5-3Z"/>',
  file: '<path d="M4 1.5h5L12.5 5v9.5h-9v-13ZM9 1.5V5h3.5"/>',
  download: '<path d="M8 2v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11"/>',
  external: '<path d="M6 3.5H3v9.5h9.5v-3M9 2.5h4.5V7M13 3 7.5 8.5"/>',
} as const;

export type IconName = keyof typeof PATHS;

const icons = new Map<IconName, Html>();

/** Returns an icon of the frame. */
export function icon(name: IconName): Html {
  const cached = icons.get(name);
  if (cached) {
    return cached;
  }
  const svg = new Html(
    `<svg class="ui-icon ui-${name}" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name]}</svg>`,
  );
  icons.set(name, svg);
  return svg;
}

/**
 * Returns an icon that authors or integrations name; undefined for an unknown name.
 *
 * @param preferred style of a name without one
 */
export function contentIcon(name: string, preferred?: IconStyle): Html | undefined {
  const glyph = findIcon(name, preferred);
  return (
    glyph &&
    html`<svg class="icon" viewBox="0 0 ${glyph.size} ${glyph.size}" aria-hidden="true"><path fill="currentColor" d="${glyph.path}"/></svg>`
  );
}
