/** Icons as inline SVG, in the color and size of the text. */
import { findEmoji, findIcon } from '../markdown/icons.ts';
import { paletteColor } from './colors.ts';
import { generatedId, type PageState } from './context.ts';
import { EMPTY, element, type Html, join, safeUrl, text } from './markup.ts';

/** Returns a decorative icon; empty for an unknown name. An icon that occurs again refers to the first occurrence. */
export function iconHtml(page: PageState, name: string | undefined, color?: string): Html {
  const icon = name === undefined ? undefined : findIcon(name, page.options.iconStyle);
  if (!icon) {
    return EMPTY;
  }
  const palette = paletteColor(color);
  const existing = page.icons.get(icon.path);
  const id = existing ?? generatedId(page, 'icon');
  page.icons.set(icon.path, id);
  return element(
    'svg',
    {
      class: palette ? `icon color-${palette}` : 'icon',
      viewBox: `0 0 ${icon.size} ${icon.size}`,
      'aria-hidden': 'true',
    },
    existing === undefined
      ? element('path', { id, fill: 'currentColor', d: icon.path })
      : element('use', { href: safeUrl(`#${existing}`) }),
  );
}

/** Returns an emoji or icon in front of a text, and a space. */
export function labelHtml(
  page: PageState,
  { icon, emoji }: { icon?: string | undefined; emoji?: string | undefined },
): Html {
  const character = emoji === undefined ? undefined : findEmoji(emoji);
  const label = character === undefined ? iconHtml(page, icon) : text(character);
  return label === '' ? EMPTY : join([label, text(' ')]);
}
