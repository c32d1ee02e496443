/** Colors of texts: authors write any CSS color; the style sheet has a class for each color of its palette. */

const PALETTE = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'gray'] as const;
type PaletteColor = (typeof PALETTE)[number];

/** Names of CSS and of themes, other than the palette itself. */
const NAMES: Readonly<Record<string, PaletteColor | 'primary'>> = {
  primary: 'primary',
  tint: 'primary',
  info: 'blue',
  success: 'green',
  warning: 'yellow',
  danger: 'red',
  crimson: 'red',
  darkred: 'red',
  tomato: 'red',
  brown: 'orange',
  coral: 'orange',
  gold: 'yellow',
  darkgreen: 'green',
  lime: 'green',
  limegreen: 'green',
  cyan: 'teal',
  aqua: 'teal',
  turquoise: 'teal',
  navy: 'blue',
  lightblue: 'blue',
  skyblue: 'blue',
  indigo: 'purple',
  violet: 'purple',
  magenta: 'pink',
  fuchsia: 'pink',
  hotpink: 'pink',
  grey: 'gray',
  lightgray: 'gray',
  darkgray: 'gray',
  silver: 'gray',
};

/** Upper bounds of hues in degrees. */
const HUES: ReadonlyArray<[number, PaletteColor]> = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [160, 'green'],
  [195, 'teal'],
  [252, 'blue'],
  [290, 'purple'],
  [340, 'pink'],
  [360, 'red'],
];
/** Maximum difference of the channels of a gray, of 255. */
const MAX_GRAY_CHROMA = 24;

/** Returns the nearest color of the palette; undefined for unknown colors, black and white. */
export function paletteColor(color: string | undefined): PaletteColor | 'primary' | undefined {
  const name =
    color
      ?.trim()
      .toLowerCase()
      .replace(/^\$/, '')
      .replace(/-color$/, '') ?? '';
  const own = PALETTE.find((entry) => entry === name);
  return own ?? (Object.hasOwn(NAMES, name) ? NAMES[name] : fromChannels(name));
}

function fromChannels(color: string): PaletteColor | undefined {
  const [, short, long] = /^#(?:([\da-f]{3})[\da-f]?|([\da-f]{6})(?:[\da-f]{2})?)$/.exec(color) ?? [];
  const digits = long ?? short?.replace(/./g, '$&$&');
  const channels = digits
    ? [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16))
    : /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(color)?.slice(1).map(Number);
  const [red = 0, green = 0, blue = 0] = channels ?? [];
  const [max, min] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (!channels || max < 32 || min > 240) {
    return undefined;
  }
  const chroma = max - min;
  if (chroma < MAX_GRAY_CHROMA) {
    return 'gray';
  }
  const sector =
    max === red
      ? (green - blue) / chroma
      : max === green
        ? 2 + (blue - red) / chroma
        : 4 + (red - green) / chroma;
  const hue = (sector * 60 + 360) % 360;
  return HUES.find(([bound]) => hue <= bound)?.[1];
}
