/** The place of something within a schema: `response 200` leads to `response 200: a`, and that to `response 200: a.b`. */
function within(where: string, step: string, joint: string): string {
  return where.includes(': ') ? `${where}${joint}${step}` : `${where}: ${step}`;
}

/** The place of a property; `*` stands for those that are not declared. */
export const propertyAt = (where: string, name: string): string => within(where, name, '.');

/** The place of the items of an array. */
export const itemsAt = (where: string): string => within(where, '[]', '');

/** The place of one variant of a union. */
export const variantAt = (where: string, label: string): string => within(where, `<${label}>`, '');
