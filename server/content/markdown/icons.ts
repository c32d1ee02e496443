/** Icons by name, from Font Awesome Free (CC BY 4.0), and emoji by name. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { IconifyJSON } from '@iconify/types';
import { nameToEmoji } from 'gemoji';

const { resolve } = createRequire(import.meta.url);

/** The icon sets, in search order for a name without a style. */
const STYLES = ['solid', 'brands', 'regular'] as const;
export type IconStyle = (typeof STYLES)[number];

/** Units of the icons per type size. */
export const ICON_UNITS = 512;

/** An icon as an SVG path in a square of `size` units. */
export interface Icon {
  path: string;
  size: number;
}

const sets = new Map<IconStyle, IconifyJSON>();

/** Returns an icon set, which is read on first use and cached. */
function loadSet(style: IconStyle): IconifyJSON {
  const cached = sets.get(style);
  if (cached) {
    return cached;
  }
  // The package declares this type for its file.
  const set = JSON.parse(
    readFileSync(resolve(`@iconify-json/fa7-${style}/icons.json`), 'utf8'),
  ) as IconifyJSON;
  sets.set(style, set);
  return set;
}

/**
 * Finds an icon by its name, optionally with a style and the prefixes of CSS classes: `book`, `fa-book`,
 * `fa-regular fa-book`. Returns undefined for an unknown icon.
 *
 * @param preferred style of a name without one, if the icon exists in it
 */
export function findIcon(name: string, preferred?: IconStyle): Icon | undefined {
  const words = name.trim().toLowerCase().split(/\s+/);
  const parts = words.map((word) => word.replace(/^fa-/, ''));
  const id = parts.pop() ?? '';
  const requested = STYLES.filter((style) => parts.includes(style));
  for (const style of [...requested, ...(preferred ? [preferred] : []), ...STYLES]) {
    const set = loadSet(style);
    const icon = Object.hasOwn(set.icons, id) ? set.icons[id] : undefined;
    const path = icon && /\sd="([^"]+)"/.exec(icon.body)?.[1];
    if (icon && path !== undefined) {
      return { path, size: icon.height ?? set.height ?? ICON_UNITS };
    }
  }
  return undefined;
}

/**
 * Returns an emoji by its name (`smile`), by its hexadecimal code points (`1f600`), or as itself; undefined if it is
 * none.
 */
export function findEmoji(name: string): string | undefined {
  const short = name.replace(/^:|:$/g, '').trim();
  if (Object.hasOwn(nameToEmoji, short)) {
    return nameToEmoji[short];
  }
  if (/^[0-9a-f]{4,5}(?:-[0-9a-f]{2,5}){0,7}$/i.test(short)) {
    const points = short.split('-').map((point) => Number.parseInt(point, 16));
    return String.fromCodePoint(...points).toWellFormed();
  }
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(short) ? short : undefined;
}

/** Names of emoji by emoji. */
const emojiNames = new Map<string, string>();

/** Returns the shortest name of an emoji; undefined if it has none. */
export function nameOfEmoji(emoji: string): string | undefined {
  if (emojiNames.size === 0) {
    for (const [name, named] of Object.entries(nameToEmoji)) {
      const known = emojiNames.get(named);
      if (known === undefined || name.length < known.length) {
        emojiNames.set(named, name);
      }
    }
  }
  return emojiNames.get(emoji);
}

/** Returns the text of an emoji by its short name. */
export const emojiText = (code: string): string => findEmoji(code) ?? `:${code}:`;

/** Maximum length of the name of an emoji. */
export const MAX_EMOJI_NAME_CHARACTERS = 64;

/** Returns whether a word between colons can be an emoji name, as opposed to a time or number. */
export function isEmojiName(name: string): boolean {
  if (name.length > MAX_EMOJI_NAME_CHARACTERS || !/^[a-z0-9+-][a-z0-9_+-]*$/.test(name)) {
    return false;
  }
  return /[a-z]/.test(name) || name === '+1' || name === '-1' || name === '100' || name === '1234';
}
