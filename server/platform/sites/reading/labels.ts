/** Texts of the reading view in the languages of sites. */
import type { RenderLabels } from '../../../content/html/options.ts';
import { TRANSLATIONS } from './labels/index.ts';
import { ENGLISH, type Labels, type LanguageTexts } from './labels/texts.ts';

export type { Labels } from './labels/texts.ts';

/** Returns the texts in a language, or in English. */
export const labelsIn = (language: string): Labels => textsIn(language)?.labels ?? ENGLISH;

/** Returns the texts within content in a language; none for English, which the renderer has, and other languages. */
export function contentLabelsIn(language: string): Partial<RenderLabels> {
  const texts = textsIn(language);
  return texts ? { ...texts.content, copy: texts.labels.copy } : {};
}

function textsIn(language: string): LanguageTexts | undefined {
  const [primary = ''] = language.toLowerCase().split('-');
  return Object.hasOwn(TRANSLATIONS, primary) ? TRANSLATIONS[primary] : undefined;
}

/** Inserts values in a text. */
export const fill = (label: string, values: Readonly<Record<string, string | number>>): string =>
  label.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
