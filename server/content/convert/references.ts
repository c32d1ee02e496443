import { parseMarkdown, printMarkdown } from '../markdown/markdown.ts';

/**
 * Replaces URLs in the text of a page. Text without changed URLs is returned unchanged; other text is printed anew
 * with the same meaning.
 *
 * @param change returns the new URL; undefined to leave the URL unchanged
 */
export function rewriteAddresses(markdown: string, change: (address: string) => string | undefined): string {
  let changed = false;
  const document = parseMarkdown(markdown);
  const next = mapped(document, (address) => {
    const other = change(address);
    if (other !== undefined && other !== address) {
      changed = true;
    }
    return other ?? address;
  });
  return changed ? printMarkdown(next) : markdown;
}

/** Replaces the URLs in a value. Documents consist of JSON values only. */
function mapped<Value>(value: Value, change: (address: string) => string): Value {
  // Each branch returns a value of the same shape as its input.
  if (Array.isArray(value)) {
    return value.map((item) => mapped(item, change)) as Value;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if ('kind' in value && value.kind === 'url' && 'url' in value && typeof value.url === 'string') {
    return { ...value, url: change(value.url) };
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, mapped(field, change)]),
  ) as Value;
}
