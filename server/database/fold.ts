/** Folds text for case-insensitive comparison, like the SQL function `fold`. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
