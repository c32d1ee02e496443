/** The fonts of the reading view, from npm packages. The server sends them itself. */

/** A font that sites can choose by its name. */
export interface SiteFont {
  /** Family in the style sheets of its package. */
  family: string;
  /** Its package. */
  package: string;
  /** Style sheets of the package. Browsers slant a variable font for italics: a second file would load late. */
  sheets: readonly string[];
  /** File that most pages use. */
  mainFile: string;
  isMonospace: boolean;
}

const variable = (family: string, folder: string, isMonospace = false): SiteFont => ({
  family: `${family} Variable`,
  package: `@fontsource-variable/${folder}`,
  sheets: [`@fontsource-variable/${folder}/wght.css`],
  mainFile: `${folder}-latin-wght-normal.woff2`,
  isMonospace,
});

/** Fonts by name, without spaces and in lower case. */
const FONTS: Readonly<Record<string, SiteFont>> = {
  inter: variable('Inter', 'inter'),
  merriweather: variable('Merriweather', 'merriweather'),
  opensans: variable('Open Sans', 'open-sans'),
  roboto: variable('Roboto', 'roboto'),
  sourcesanspro: variable('Source Sans 3', 'source-sans-3'),
  firacode: variable('Fira Code', 'fira-code', true),
  jetbrainsmono: variable('JetBrains Mono', 'jetbrains-mono', true),
  sourcecodepro: variable('Source Code Pro', 'source-code-pro', true),
  ibmplexmono: {
    family: 'IBM Plex Mono',
    package: '@fontsource/ibm-plex-mono',
    sheets: ['@fontsource/ibm-plex-mono/400.css', '@fontsource/ibm-plex-mono/600.css'],
    mainFile: 'ibm-plex-mono-latin-400-normal.woff2',
    isMonospace: true,
  },
};

export const SITE_FONTS: readonly SiteFont[] = Object.values(FONTS);

/** Finds a font by its name, with or without spaces; undefined if the server does not have it. */
export function findFont(name: string): SiteFont | undefined {
  const key = name.toLowerCase().replace(/[\s-]+/g, '');
  return Object.hasOwn(FONTS, key) ? FONTS[key] : undefined;
}
