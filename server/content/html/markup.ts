/**
 * The only place that creates markup. Text is escaped, the names of elements and attributes are constants, and
 * addresses have an allowed scheme: values of authors cannot become markup, scripts or styles.
 */

declare const html: unique symbol;
declare const url: unique symbol;

/** Markup that this module created. */
export type Html = string & { readonly [html]: true };

/** Address with an allowed scheme, see {@link safeUrl}. */
export type Url = string & { readonly [url]: true };

/** Elements of the content. */
export const ELEMENTS = [
  ...['h2', 'h3', 'h4', 'h5', 'h6', 'p', 'pre', 'blockquote', 'hr', 'br', 'ol', 'ul', 'li'],
  ...['article', 'aside', 'div', 'details', 'summary', 'figure', 'figcaption', 'img'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'a', 'button', 'label', 'input'],
  ...['span', 'code', 'del', 'em', 'kbd', 'mark', 'strong', 'sub', 'sup', 'time', 'u'],
  ...['svg', 'path', 'use'],
] as const;

/** Elements of formulas (MathML Core, and those that KaTeX adds). */
export const MATH_ELEMENTS = [
  ...['math', 'semantics', 'mrow', 'mstyle', 'mpadded', 'mphantom', 'menclose', 'merror'],
  ...['mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot'],
  ...['msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mmultiscripts', 'mprescripts', 'none'],
  ...['mtable', 'mtr', 'mtd'],
] as const;

/** Attributes of the content, other than addresses. */
export const ATTRIBUTES = [
  ...['id', 'class', 'dir', 'hidden', 'role', 'tabindex', 'title', 'translate'],
  ...['aria-hidden', 'aria-label', 'popover', 'popovertarget', 'rel', 'target', 'download'],
  ...['alt', 'width', 'height', 'loading', 'decoding', 'open', 'start', 'scope', 'datetime'],
  ...['name', 'type', 'checked', 'd', 'fill', 'viewBox'],
] as const;

/** Attributes of formulas. */
export const MATH_ATTRIBUTES = [
  ...['display', 'displaystyle', 'scriptlevel', 'mathvariant', 'mathsize', 'mathcolor', 'mathbackground'],
  ...['accent', 'accentunder', 'fence', 'separator', 'stretchy', 'symmetric', 'movablelimits', 'notation'],
  ...['lspace', 'rspace', 'minsize', 'maxsize', 'width', 'height', 'depth', 'voffset', 'linethickness'],
  ...['columnalign', 'columnlines', 'columnspacing', 'rowlines', 'rowspacing'],
] as const;

export type ElementName = (typeof ELEMENTS)[number] | (typeof MATH_ELEMENTS)[number];
type AttributeName = (typeof ATTRIBUTES)[number] | (typeof MATH_ATTRIBUTES)[number];

/** Attributes of an element. `true` is an attribute without a value; `undefined` and `false` are omitted. */
export type Attributes = { [Name in AttributeName]?: string | number | boolean | undefined } & {
  href?: Url | undefined;
  src?: Url | undefined;
};

const VOID_ELEMENTS: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input']);

/** Empty markup. */
export const EMPTY = '' as Html;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\0': '\ufffd',
};

const escapeText = (value: string): string =>
  /[&<>"\0\ud800-\udfff]/.test(value)
    ? value.toWellFormed().replace(/[&<>"\0]/g, (character) => ESCAPES[character] ?? '')
    : value;

/** Escapes a text. */
export const text = (value: string): Html => escapeText(value) as Html;

/** Joins markup. */
export const join = (parts: Iterable<Html>): Html => [...parts].join('') as Html;

/** Creates an element. */
export function element(name: ElementName, attributes: Attributes, ...children: readonly Html[]): Html {
  let markup = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      markup += value === true ? ` ${key}` : ` ${key}="${escapeText(String(value))}"`;
    }
  }
  return (VOID_ELEMENTS.has(name) ? `${markup}>` : `${markup}>${children.join('')}</${name}>`) as Html;
}

/** Creates a frame with a document of this site. It is not one of {@link ELEMENTS}, so that its address is a path. */
export function frame(path: string, attributes: Pick<Attributes, 'class' | 'title' | 'height'>): Html {
  // A path with two slashes is the address of another site.
  const src = path.replace(/^[/\\\s]+/, '/') as Url;
  // Elements of the other names are created in the same way.
  return element('iframe' as ElementName, { src, loading: 'lazy', ...attributes });
}

const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const BASE = 'https://relative.invalid';

/** Returns an address that may be linked; undefined for an invalid one, and for any other scheme. */
export function safeUrl(address: string): Url | undefined {
  if (!URL.canParse(address, BASE)) {
    return undefined;
  }
  const { protocol, href, origin } = new URL(address, BASE);
  if (!SCHEMES.has(protocol)) {
    return undefined;
  }
  // Relative addresses remain relative. Browsers ignore surrounding spaces, and line feeds and tabs anywhere.
  return (origin === BASE ? address.replace(/[\t\r\n]/g, '').trim() : href) as Url;
}

/** A URL that contains an image, without spaces. */
const IMAGE_DATA = /^data:image\/(?:avif|gif|jpeg|png|svg\+xml|webp)(?:;[a-z0-9=-]{1,32}){0,2},[^\s"'<>]*$/i;

/** Returns a URL that contains an image, for an `<img>` only: scripts do not run in it. Undefined for any other one. */
export const imageData = (address: string): Url | undefined =>
  IMAGE_DATA.test(address) ? (address as Url) : undefined;
