/** Fenced code, for what reads pages line by line. Every reader of lines agrees on it here. */

const START = /^[ \t>]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/;

/** The fence that a line opens; undefined where it opens none. */
export function fenceStart(line: string): string | undefined {
  return line.includes('```') || line.includes('~~~') ? START.exec(line)?.[1] : undefined;
}

/** Whether a line closes a fence that is open. */
export function fenceEnds(line: string, fence: string): boolean {
  const text = line.replace(/^[ \t>]+/, '').trimEnd();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

/** A text with its lines changed; fenced code stays as it is. */
export function mapOutsideFences(text: string, change: (line: string) => string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .map((line) => {
      if (fence !== undefined) {
        if (fenceEnds(line, fence)) fence = undefined;
        return line;
      }
      fence = fenceStart(line);
      return fence === undefined ? change(line) : line;
    })
    .join('\n');
}
