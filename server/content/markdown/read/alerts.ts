/** Alerts of GitHub: quotations that start with a line such as `[!NOTE]`. */
import type { Blockquote } from 'mdast';

/** Styles of hints by the types of alerts. */
const STYLES = {
  note: 'info',
  info: 'info',
  tip: 'success',
  success: 'success',
  important: 'info',
  warning: 'warning',
  caution: 'danger',
  danger: 'danger',
} as const;

/** The line that starts an alert, in the first text of a quotation. */
const MARKER = /^\[!([a-z]{1,16})\][ \t]*(?:\n[ \t]*|$)/i;

/** A quotation that is shown as a hint. */
export interface Alert {
  style: (typeof STYLES)[keyof typeof STYLES];
  /** The quotation without the line that starts the alert. */
  quote: Blockquote;
}

/** Reads the alert of a quotation; returns undefined for any other quotation. */
export function alertOf(quote: Blockquote): Alert | undefined {
  const [first, ...others] = quote.children;
  const [text, ...more] = first?.type === 'paragraph' ? first.children : [];
  if (first?.type !== 'paragraph' || text?.type !== 'text') {
    return undefined;
  }
  const [marker, type = ''] = MARKER.exec(text.value) ?? [];
  const name = type.toLowerCase();
  // A link that follows the marker in its line is text.
  if (
    marker === undefined ||
    !isType(name) ||
    (more.length > 0 && marker === text.value && !marker.endsWith('\n'))
  ) {
    return undefined;
  }
  const rest = text.value.slice(marker.length);
  const children = rest === '' ? more : [{ ...text, value: rest }, ...more];
  const paragraph = children.length === 0 ? [] : [{ ...first, children }];
  return { style: STYLES[name], quote: { ...quote, children: [...paragraph, ...others] } };
}

const isType = (name: string): name is keyof typeof STYLES => Object.hasOwn(STYLES, name);
