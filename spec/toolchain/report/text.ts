/** Formats a duration as `0.84 s`, right-aligned to a fixed width. */
export function formatDuration(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`.padStart(7);
}

/** Formats the line of a completed step. */
export function stepLine(name: string, milliseconds: number, text: string): string {
  return `${formatDuration(milliseconds)}  ${name.padEnd(9)} ${text}`;
}

/** Returns a number with its noun: `1 problem`, `2 problems`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Joins a list as `a, b and 3 more`. */
export function listed(items: readonly string[], maxItems = 8): string {
  if (items.length <= maxItems) {
    return items.join(', ');
  }
  return `${items.slice(0, maxItems - 1).join(', ')} and ${items.length - maxItems + 1} more`;
}
