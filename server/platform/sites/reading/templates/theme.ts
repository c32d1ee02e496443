/** The custom properties of a site: its colors and fonts. */
import { Html } from '../../../../contract/docs/html.ts';
import { findFont } from '../resources/fonts.ts';
import type { SiteCustomization } from './types.ts';

type ThemedColor = SiteCustomization['styling']['primaryColor'];

/** Backgrounds that texts are shown on. */
const BACKGROUNDS: ThemedColor = { light: '#ffffff', dark: '#15171c' };
/** Shares of the tint in backgrounds. */
const TINT_SHARES = { light: 0.05, dark: 0.08 };
/** Contrast of text (WCAG 2.2, 1.4.3), and a margin for other backgrounds of the theme. */
const TEXT_CONTRAST = 5;
/** Step for mixing a color with black or white until it has enough contrast. */
const MIX_STEP = 0.05;

/** Returns the declarations of a site. Colors of text are darkened or lightened until they are readable. */
export function styleOf({ styling, header }: SiteCustomization): Html {
  const { primaryColor, infoColor, successColor, warningColor, dangerColor, tint } = styling;
  const backgrounds = tint ? tinted(BACKGROUNDS, tint.color) : BACKGROUNDS;
  const readable = (color: ThemedColor) => readableOn(backgrounds, color);
  const primary = readable(primaryColor);
  const properties: Array<[string, string]> = [
    ['primary', themed(primaryColor)],
    ['link', themed(primary)],
    ['on-primary', themed({ light: textOn(primaryColor.light), dark: textOn(primaryColor.dark) })],
    ['info', themed(infoColor)],
    ['success', themed(successColor)],
    ['warning', themed(warningColor)],
    ['danger', themed(dangerColor)],
    ['info-text', themed(readable(infoColor))],
    ['success-text', themed(readable(successColor))],
    ['warning-text', themed(readable(warningColor))],
    ['danger-text', themed(readable(dangerColor))],
    ...(tint ? tintedProperties(tint.color) : []),
    ['font', familiesOf(styling.font, SYSTEM_FONT)],
    ['font-mono', familiesOf(styling.monospaceFont, SYSTEM_MONOSPACE_FONT)],
  ];
  const { preset, backgroundColor, linkColor } = header;
  if (preset === 'custom' && backgroundColor) {
    properties.push(['header-background', themed(backgroundColor)]);
    const text = { light: textOn(backgroundColor.light), dark: textOn(backgroundColor.dark) };
    properties.push(['header-text', themed(text)], ['header-link', themed(linkColor ?? text)]);
  }
  return new Html(`:root{${properties.map(([name, value]) => `--${name}:${value}`).join(';')}}`);
}

const SYSTEM_FONT =
  'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic","Noto Sans JP",sans-serif';
const SYSTEM_MONOSPACE_FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace';

/** Returns the families for text; those of the system if the server does not have the font. */
function familiesOf(name: string, system: string): string {
  const font = findFont(name);
  return font ? `"${font.family}",${system}` : system;
}

const themed = ({ light, dark }: ThemedColor): string => `light-dark(${light},${dark})`;

/** Backgrounds by property, which a tint is mixed into. */
const TINTED: Readonly<Record<string, ThemedColor>> = {
  page: BACKGROUNDS,
  sunken: { light: '#f7f8fa', dark: '#1b1e25' },
  popup: { light: '#ffffff', dark: '#1e222a' },
  hover: { light: '#f0f2f5', dark: '#242932' },
};

const tintedProperties = (tint: ThemedColor): Array<[string, string]> =>
  Object.entries(TINTED).map(([name, color]) => [name, themed(tinted(color, tint))]);

const tinted = ({ light, dark }: ThemedColor, tint: ThemedColor): ThemedColor => ({
  light: mix(light, tint.light, TINT_SHARES.light),
  dark: mix(dark, tint.dark, TINT_SHARES.dark),
});

/** Returns a color for text, as close to the color as its contrast to the background allows. */
const readableOn = (backgrounds: ThemedColor, { light, dark }: ThemedColor): ThemedColor => ({
  light: withContrast(light, backgrounds.light, '#000000'),
  dark: withContrast(dark, backgrounds.dark, '#ffffff'),
});

function withContrast(color: string, background: string, toward: string): string {
  for (let share = 0; share < 1; share += MIX_STEP) {
    const mixed = mix(color, toward, share);
    if (contrast(mixed, background) >= TEXT_CONTRAST) {
      return mixed;
    }
  }
  return toward;
}

/** Returns black or white, whichever is easier to read on a color. */
const textOn = (color: string): string =>
  contrast(color, '#ffffff') >= contrast(color, '#000000') ? '#ffffff' : '#000000';

const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function mix(color: string, toward: string, share: number): string {
  const other = channels(toward);
  const mixed = channels(color).map((channel, at) =>
    Math.round(channel + ((other[at] ?? 0) - channel) * share),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns the contrast ratio of two colors (WCAG 2.2), from 1 to 21. */
export function contrast(first: string, second: string): number {
  const [lighter = 0, darker = 0] = [luminance(first), luminance(second)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
