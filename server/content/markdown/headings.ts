/** Levels of headings: the first level of markdown is the page's own title, so documents start at the second. */

/** The types of headings in a document. */
export type HeadingType = 'heading-1' | 'heading-2' | 'heading-3';

/** The type of a heading by its level in markdown or HTML; what is deeper than documents go is of the last type. */
export function headingType(level: number): HeadingType {
  return level <= 2 ? 'heading-1' : level === 3 ? 'heading-2' : 'heading-3';
}

/** The level that a heading is written at. */
export function headingLevel(type: HeadingType): 2 | 3 | 4 {
  return type === 'heading-1' ? 2 : type === 'heading-2' ? 3 : 4;
}
