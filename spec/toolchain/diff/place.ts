/** Appends a segment to a location: `response 200` becomes `response 200: a`, and that `response 200: a.b`. */
function append(where: string, segment: string, separator: string): string {
  return where.includes(': ') ? `${where}${separator}${segment}` : `${where}: ${segment}`;
}

/** Location of a property; `*` for undeclared properties. */
export const propertyAt = (where: string, name: string): string => append(where, name, '.');

/** Location of the items of an array. */
export const itemsAt = (where: string): string => append(where, '[]', '');

/** Location of a variant of a union. */
export const variantAt = (where: string, label: string): string => append(where, `<${label}>`, '');
