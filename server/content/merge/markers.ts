/** The marker lines before, between and after the two sides of a conflict. */
const MARKERS = ['<<<<<<< change request', '=======', '>>>>>>> primary content'] as const;

/** Returns both sides of a conflict with their markers. */
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
 * Returns whether a text still contains a conflict of a merge: its three marker lines in order, each a complete line.
 */
export function hasConflictMarkers(markdown: string): boolean {
  if (!markdown.includes(MARKERS[0])) {
    return false;
  }
  let next = 0;
  for (const line of markdown.split(/\r\n?|\n/)) {
    if (line === MARKERS[next] && ++next === MARKERS.length) {
      return true;
    }
  }
  return false;
}
