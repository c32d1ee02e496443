import { parseMarkdown, printMarkdown } from '../markdown/markdown.ts';

/**
 * A page's text with other addresses in it. Text that names none that changes stays as it was written, to the
 * letter; any other is printed anew, and says the same.
 *
 * @param change the address to write in the place of one; undefined to leave it
 */
export function rewriteAddresses(markdown: string, change: (address: string) => string | undefined): string {
  let changed = false;
  const document = parseMarkdown(markdown);
  const next = mapped(document, (address) => {
    const other = change(address);
    if (other !== undefined && other !== address) changed = true;
    return other ?? address;
  });
  return changed ? printMarkdown(next) : markdown;
}

/** A value with other addresses wherever it refers to one. Documents are values of JSON alone. */
function mapped<Value>(value: Value, change: (address: string) => string): Value {
  // Each branch makes a value of the very shape that it was given.
  if (Array.isArray(value)) return value.map((item) => mapped(item, change)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  if ('kind' in value && value.kind === 'url' && 'url' in value && typeof value.url === 'string')
    return { ...value, url: change(value.url) };
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, mapped(field, change)]),
  ) as Value;
}
