/** The custom properties of a site: its colors and fonts. */
import { Html } from '../../../contract/docs/html.ts';
import type { SiteCustomization } from './types.ts';

type ThemedColor = SiteCustomization['styling']['primaryColor'];

/** Backgrounds that texts are shown on. */
const BACKGROUNDS: ThemedColor = { light: '#ffffff', dark: '#15171c' };
/** Contrast of text (WCAG 2.2, 1.4.3), and a margin for tinted backgrounds. */
const TEXT_CONTRAST = 5;
/** Step by which a color approaches black or white until it has enough contrast. */
const MIX_STEP = 0.05;

/** Returns the declarations of a site. Colors of text are darkened or lightened until they are readable. */
export function styleOf({ styling, header }: SiteCustomization): Html {
  const { primaryColor, infoColor, successColor, warningColor, dangerColor, tint } = styling;
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
    ['tint', tint ? themed(tint.color) : 'transparent'],
    ['font', FONTS[styling.font] ?? SYSTEM_FONT],
    ['font-mono', FONTS[styling.monospaceFont] ?? SYSTEM_MONOSPACE_FONT],
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

/** Fonts that the server has, by name; others are replaced by those of the system. */
const FONTS: Readonly<Record<string, string>> = {
  Inter: `"Inter Variable",${SYSTEM_FONT}`,
  'IBM Plex Mono': `"IBM Plex Mono",${SYSTEM_MONOSPACE_FONT}`,
};

const themed = ({ light, dark }: ThemedColor): string => `light-dark(${light},${dark})`;

/** Returns a color for text, as close to the color as its contrast to the background allows. */
const readable = ({ light, dark }: ThemedColor): ThemedColor => ({
  light: withContrast(light, BACKGROUNDS.light, '#000000'),
  dark: withContrast(dark, BACKGROUNDS.dark, '#ffffff'),
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
