/** Recognizes fenced code in single lines. Used by everything that reads pages line by line. */

const START = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;

/** Returns the fence that a line opens, if any. */
export function fenceStart(line: string): string | undefined {
  return line.includes('```') || line.includes('~~~') ? START.exec(line)?.[1] : undefined;
}

/** Returns whether a line closes an open fence. */
export function fenceEnds(line: string, fence: string): boolean {
  const text = line.replace(/^[ \t>]+/, '').trimEnd();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** Transforms the lines of a text, except fenced code. */
export function mapOutsideFences(text: string, change: (line: string) => string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .map((line) => {
      if (fence !== undefined) {
        if (fenceEnds(line, fence)) {
          fence = undefined;
        }
        return line;
      }
      fence = fenceStart(line);
      return fence === undefined ? change(line) : line;
    })
    .join('\n');
}
