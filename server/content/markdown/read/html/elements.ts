/** The HTML elements that documents have a form for. */
import type { CloseTag, OpenTag } from '../../html.ts';

/** Elements without content. */
const VOID_ELEMENTS = new Set(
  'area base basefont br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
);

/** Elements with a meaning within lines. */
const INLINE_ELEMENTS = new Set(
  'a b button code del em font i ins kbd mark picture q s samp span strike strong sub sup svg tt u'.split(
    ' ',
  ),
);

/** Elements within lines that are shown as their content. */
const TRANSPARENT_ELEMENTS = new Set(
  (
    'abbr acronym bdi bdo big blink button canvas cite data datalist dfn font label legend map marquee meter nobr ' +
    'output progress rb rp rt rtc ruby slot small span svg time var'
  ).split(' '),
);

/** Elements with names that are more often placeholders, such as `<data>`, if a page contains only one tag. */
const UNUSUAL_ELEMENTS = new Set(
  (
    'acronym address area audio base bdi bdo big blink canvas cite col data datalist dfn dialog embed fieldset form ' +
    'frame keygen label legend link map menu meta meter noscript object output param progress q search slot small ' +
    'svg textarea time track var video'
  ).split(' '),
);

/** Elements with a meaning as blocks. */
const BLOCK_ELEMENTS = new Set(
  (
    'address article aside audio blockquote center dd dialog div dl dt embed fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr iframe li main menu nav noscript object ol option p pre search section ' +
    'select table tbody td textarea tfoot th thead tr ul video'
  ).split(' '),
);

/** Elements with an optional end tag before another element of one of these kinds. */
const IMPLIED_ENDS: Readonly<Record<string, (next: string) => boolean>> = {
  p: (next) => BLOCK_ELEMENTS.has(next),
  li: (next) => next === 'li',
  tr: (next) => next === 'tr',
  td: (next) => next === 'td' || next === 'th' || next === 'tr',
  th: (next) => next === 'td' || next === 'th' || next === 'tr',
};

/** Elements that show nothing. */
const HIDDEN_ELEMENTS = new Set('script style template'.split(' '));

/** Returns whether an element and its content are left as written. */
export const isUnreadElement = (name: string): boolean => name === 'math';

/** Returns whether an element shows nothing. */
export const isHiddenElement = (name: string): boolean => HIDDEN_ELEMENTS.has(name);

/** Returns whether only the content of an element is shown within a line. */
export const isTransparentElement = (name: string): boolean =>
  BLOCK_ELEMENTS.has(name) || TRANSPARENT_ELEMENTS.has(name);

/** Returns whether an element is a block. */
export const isBlockElement = (name: string): boolean => BLOCK_ELEMENTS.has(name);

/** Returns whether an element is read within a line, or with `blocks` as a block. */
export const isKnownElement = (name: string, blocks: boolean): boolean =>
  INLINE_ELEMENTS.has(name) ||
  TRANSPARENT_ELEMENTS.has(name) ||
  VOID_ELEMENTS.has(name) ||
  (blocks && BLOCK_ELEMENTS.has(name));

/** Returns whether an unpaired tag shows nothing, as in HTML. An unusual name in angle brackets is a placeholder. */
export const isInvisibleTag = (token: OpenTag | CloseTag | undefined): boolean =>
  token !== undefined &&
  (INLINE_ELEMENTS.has(token.name) ||
    BLOCK_ELEMENTS.has(token.name) ||
    VOID_ELEMENTS.has(token.name) ||
    TRANSPARENT_ELEMENTS.has(token.name)) &&
  (!UNUSUAL_ELEMENTS.has(token.name) || (token.kind === 'open' && token.attributes.size > 0));

/** Returns whether the start of an element ends the open one. */
export const impliesEnd = (open: string | undefined, next: string): boolean =>
  open !== undefined && Object.hasOwn(IMPLIED_ENDS, open) && IMPLIED_ENDS[open]?.(next) === true;

/** Void elements that are used without attributes. Others are then placeholders, such as `<link>`. */
const PLAIN_VOID_ELEMENTS = new Set('br hr img input source wbr'.split(' '));

/** Returns whether an element has no content. */
export const isVoidElement = ({ name, attributes }: Pick<OpenTag, 'name' | 'attributes'>): boolean =>
  VOID_ELEMENTS.has(name) && (attributes.size > 0 || PLAIN_VOID_ELEMENTS.has(name));

/** Returns whether the end tag of an element may be omitted. */
export const hasImpliedEnd = (name: string): boolean => Object.hasOwn(IMPLIED_ENDS, name);
