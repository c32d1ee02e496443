import { escapeHtml } from '../../../server/contract/docs/html.ts';

/** Escapes characters that XML 1.0 does not allow (section 2.2), and that browsers do not show. */
export const withoutControls = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );

/** Escapes a text for XML 1.0. */
export const escapeXml = (text: string): string => escapeHtml(withoutControls(text));
