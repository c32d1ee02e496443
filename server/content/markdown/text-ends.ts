/**
 * Removes certain characters from the end of a text. A pattern such as `/ +$/` would take quadratic time for a text with
 * many of them elsewhere.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) {
    end--;
  }
  return text.slice(0, end);
}

/** Returns the white space at the end of a text. */
export const spaceAtEnd = (text: string): string => text.slice(text.trimEnd().length);
