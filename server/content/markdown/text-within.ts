/** Returns all text in a node of unknown type. */
export function textWithin(node: unknown): string {
  const texts: string[] = [];
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string' && !STRUCTURE.has(key)) {
      texts.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value) {
        visit(item, key);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        visit(inner, name);
      }
    }
  };
  visit(node, '');
  return texts.join(' ').trim();
}

/** Properties of the structure of a node, which contain no text. */
const STRUCTURE = new Set(['object', 'type', 'key', 'kind', 'id', 'orderIndex']);
