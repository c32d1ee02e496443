/** A matched path template with the raw, still percent-encoded values of its parameters. */
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
 * Matches paths against path templates (`/v1/spaces/{spaceId}`) in one pass over the segments. A static segment takes
 * precedence over a parameter (OpenAPI 3.1, Paths Object). A parameter is a whole, non-empty segment. Matching is
 * case-sensitive, and a trailing slash is significant.
 */
export class Routes<Value> {
  readonly #root: Node<Value> = node();

  /** @throws Error if the template is not supported, or matches the same paths as another one */
  add(template: string, value: Value): void {
    const names: string[] = [];
    let current = this.#root;
    for (const segment of template.split('/').slice(1)) {
      const name = /^\{([^{}]+)\}$/.exec(segment)?.[1];
      if (name === undefined && /[{}]/.test(segment)) {
        throw new Error('the path has a parameter that is not a whole segment, which is not supported.');
      }
      if (name !== undefined) {
        names.push(name);
        current.parameter ??= node();
        current = current.parameter;
      } else {
        const next = current.statics.get(segment) ?? node<Value>();
        current.statics.set(segment, next);
        current = next;
      }
    }
    if (current.end) {
      throw new Error('the path differs from another one in the names of its parameters only.');
    }
    current.end = { value, names };
  }

  /** @param path an absolute, percent-encoded path without a query */
  match(path: string): Match<Value> | undefined {
    const raw: string[] = [];
    const end = walk(this.#root, path.split('/'), 1, raw);
    return end && { value: end.value, names: end.names, raw };
  }
}

function walk<Value>(
  current: Node<Value>,
  segments: string[],
  index: number,
  raw: string[],
): Node<Value>['end'] {
  const segment = segments[index];
  if (segment === undefined) {
    return current.end;
  }
  const next = current.statics.get(segment);
  const match = next && walk(next, segments, index + 1, raw);
  if (match || !current.parameter || segment === '') {
    return match;
  }
  raw.push(segment);
  const end = walk(current.parameter, segments, index + 1, raw);
  if (!end) {
    raw.pop();
  }
  return end;
}
