/** `0.84 s`, right-aligned so that lines stand under each other. @param milliseconds how long it took */
export function formatDuration(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`.padStart(7);
}

/** One line about one step that ended. */
export function stepLine(name: string, milliseconds: number, text: string): string {
  return `${formatDuration(milliseconds)}  ${name.padEnd(9)} ${text}`;
}
