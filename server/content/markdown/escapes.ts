/** Returns whether a backslash escapes the character at a position: an odd number of them precedes it. */
export function isEscaped(text: string, at: number, from = 0): boolean {
  let first = at;
  while (first > from && text[first - 1] === '\\') {
    first -= 1;
  }
  return (at - first) % 2 === 1;
}
