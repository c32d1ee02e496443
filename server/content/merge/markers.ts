/** The lines around what either side of a conflict has. */
const MARKERS = ['<<<<<<< change request', '=======', '>>>>>>> primary content'] as const;

/** Both sides of a conflict, between their markers. */
export function conflictLines({
  primary,
  branch,
}: {
  primary: readonly string[];
  branch: readonly string[];
}): string[] {
  return [MARKERS[0], ...branch, MARKERS[1], ...primary, MARKERS[2]];
}

/**
 * Whether a text still holds a conflict that merging left in it: its three marker lines, each the whole of its
 * line, one after the other.
 */
export function hasConflictMarkers(markdown: string): boolean {
  if (!markdown.includes(MARKERS[0])) return false;
  let next = 0;
  for (const line of markdown.split(/\r\n?|\n/)) {
    if (line === MARKERS[next] && ++next === MARKERS.length) return true;
  }
  return false;
}
