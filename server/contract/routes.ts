/** What a path leads to, and the values of its parameters as the target wrote them, still encoded. */
export interface Match<Value> {
  value: Value;
  /** In the order of `names`. */
  raw: string[];
  names: readonly string[];
}

interface Node<Value> {
  statics: Map<string, Node<Value>>;
  parameter: Node<Value> | undefined;
  end: { value: Value; names: string[] } | undefined;
}

const node = <Value>(): Node<Value> => ({ statics: new Map(), parameter: undefined, end: undefined });

/**
 * Finds path templates (`/v1/spaces/{spaceId}`) by paths: in one walk over the segments, however many
 * templates there are. A static segment goes before a parameter in its place (OpenAPI 3.1, Paths
 * Object); a parameter is one whole segment and never empty; case and a trailing slash count.
 */
export class Routes<Value> {
  readonly #root: Node<Value> = node();

  add(template: string, value: Value): void {
    const names: string[] = [];
    let at = this.#root;
    for (const segment of template.split('/').slice(1)) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      if (name === undefined && /[{}]/.test(segment))
        throw new Error(`The path ${template} has a parameter that is not a whole segment.`);
      if (name !== undefined) {
        names.push(name);
        at.parameter ??= node();
        at = at.parameter;
      } else {
        const next = at.statics.get(segment) ?? node<Value>();
        at.statics.set(segment, next);
        at = next;
      }
    }
    if (at.end) throw new Error(`The path ${template} stands in the contract twice, by different names.`);
    at.end = { value, names };
  }

  /** @param path an absolute path without its query, percent-encoding and all */
  find(path: string): Match<Value> | undefined {
    const raw: string[] = [];
    const end = walk(this.#root, path.split('/'), 1, raw);
    return end && { value: end.value, names: end.names, raw };
  }
}

function walk<Value>(at: Node<Value>, segments: string[], index: number, raw: string[]): Node<Value>['end'] {
  const segment = segments[index];
  if (segment === undefined) return at.end;
  const fixed = at.statics.get(segment);
  const found = fixed && walk(fixed, segments, index + 1, raw);
  if (found || !at.parameter || segment === '') return found;
  raw.push(segment);
  const end = walk(at.parameter, segments, index + 1, raw);
  if (!end) raw.pop();
  return end;
}
