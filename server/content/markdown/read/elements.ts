/** The HTML elements that documents have a form for. */

/** Elements without content. */
const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'source']);

/** Elements with a meaning within lines. */
const INLINE_ELEMENTS = new Set(
  'a b button code del em font i ins kbd mark picture s samp span strike strong sub sup tt u'.split(' '),
);

/** Elements with a meaning as blocks. */
const BLOCK_ELEMENTS = new Set(
  (
    'article aside blockquote center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr iframe li ' +
    'main nav ol option p pre section select table tbody td tfoot th thead tr ul'
  ).split(' '),
);

/** Elements whose end tag may be omitted before another element of one of these kinds. */
const IMPLIED_ENDS: Readonly<Record<string, (next: string) => boolean>> = {
  p: (next) => BLOCK_ELEMENTS.has(next),
  li: (next) => next === 'li',
  tr: (next) => next === 'tr',
  td: (next) => next === 'td' || next === 'th' || next === 'tr',
  th: (next) => next === 'td' || next === 'th' || next === 'tr',
};

/** Elements that are left as written with everything in them. */
const UNREAD_ELEMENTS = new Set('audio canvas form math object script style svg textarea video'.split(' '));

/** Returns whether an element and its content are left as written. */
export const isUnreadElement = (name: string): boolean => UNREAD_ELEMENTS.has(name);

/** Returns whether an element is a block. */
export const isBlockElement = (name: string): boolean => BLOCK_ELEMENTS.has(name);

/** Returns whether an element is read within a line, or with `blocks` as a block. */
export const isKnownElement = (name: string, blocks: boolean): boolean =>
  INLINE_ELEMENTS.has(name) || (blocks && BLOCK_ELEMENTS.has(name));

/** Returns whether the start of an element ends the open one. */
export const impliesEnd = (open: string | undefined, next: string): boolean =>
  open !== undefined && Object.hasOwn(IMPLIED_ENDS, open) && IMPLIED_ENDS[open]?.(next) === true;

/** Returns whether an element has no content. */
export const isVoidElement = (name: string): boolean => VOID_ELEMENTS.has(name);

/** Returns whether the end tag of an element may be omitted. */
export const hasImpliedEnd = (name: string): boolean => Object.hasOwn(IMPLIED_ENDS, name);
