/** Converts heading levels. The first level of Markdown is the page's title, so documents start at the second. */

/** The heading types of documents. */
export type HeadingType = 'heading-1' | 'heading-2' | 'heading-3';

/**
 * Returns the heading type of a level in Markdown or HTML. Levels that are deeper than documents support map to the
 * last type.
 */
export function headingType(level: number): HeadingType {
  return level <= 2 ? 'heading-1' : level === 3 ? 'heading-2' : 'heading-3';
}

/** Returns the written level of a heading type. */
export function headingLevel(type: HeadingType): 2 | 3 | 4 {
  return type === 'heading-1' ? 2 : type === 'heading-2' ? 3 : 4;
}
