/** Appends a segment to a location: `response 200` becomes `response 200: a`, and that `response 200: a.b`. */
function append(location: string, segment: string, separator: string): string {
  return location.includes(': ') ? `${location}${separator}${segment}` : `${location}: ${segment}`;
}

/** Location of a property; `*` for undeclared properties. */
export const propertyAt = (location: string, name: string): string => append(location, name, '.');

/** Location of the items of an array. */
export const itemsAt = (location: string): string => append(location, '[]', '');

/** Location of a variant of a union. */
export const variantAt = (location: string, label: string): string => append(location, `<${label}>`, '');
