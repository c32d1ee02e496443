const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Escapes text for XML 1.0 and HTML. XML does not allow most control characters and two others (XML, 2.2).
 */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(
      /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
