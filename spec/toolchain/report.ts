/** Formats a duration as `0.84 s`, right-aligned to a fixed width. */
export function formatDuration(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`.padStart(7);
}

/** Formats the line of a completed step. */
export function stepLine(name: string, milliseconds: number, text: string): string {
  return `${formatDuration(milliseconds)}  ${name.padEnd(9)} ${text}`;
}
