import {
  matchSegment,
  type PathTemplate,
  type TemplateSegment,
  templateKey,
  textLength,
} from './path-template.ts';
import { encodedPath } from './percent-encoding.ts';

/** A matched path template with the raw, still percent-encoded values of its parameters. */
export interface Match<Value> {
  value: Value;
  /** In the order of the parameters in the template. */
  raw: string[];
}

interface Node<Value> {
  statics: Map<string, Node<Value>>;
  /** Segments with parameters, in the order they are tried. */
  templated: Edge<Value>[];
  value: Value | undefined;
}

interface Edge<Value> {
  segment: TemplateSegment;
  next: Node<Value>;
}

const node = <Value>(): Node<Value> => ({ statics: new Map(), templated: [], value: undefined });

/**
 * Matches paths against path templates (`/v1/spaces/{spaceId}`). In each segment, a static text takes precedence over
 * parameters (OpenAPI 3.1, Paths Object), a parameter with more text around it over one with less, and one segment over
 * several (`{+path}`). A parameter is not empty. Matching is case-sensitive, and a trailing slash is significant.
 *
 * A path visits each node of the tree of templates at most once, and below a parameter of several segments at most once
 * for each segment of the path: the time is limited by the contract, and linear in the path.
 */
export class Routes<Value> {
  readonly #root: Node<Value> = node();

  /** Returns the value of a template, which templates share that match the same paths; creates it if there is none. */
  add(template: PathTemplate, create: () => Value): Value {
    let current = this.#root;
    for (const segment of template.segments) {
      current = segment.texts.length === 1 ? staticNode(current, segment) : templatedNode(current, segment);
    }
    current.value ??= create();
    return current.value;
  }

  /** @param path an absolute, percent-encoded path without a query */
  match(path: string): Match<Value> | undefined {
    const walk = new Walk<Value>(encodedPath(path).split('/').slice(1));
    const value = walk.from(this.#root, 0);
    return value === undefined ? undefined : { value, raw: walk.raw };
  }
}

function staticNode<Value>({ statics }: Node<Value>, { texts: [text = ''] }: TemplateSegment): Node<Value> {
  const next = statics.get(text) ?? node<Value>();
  statics.set(text, next);
  return next;
}

function templatedNode<Value>({ templated }: Node<Value>, segment: TemplateSegment): Node<Value> {
  const key = keyOf(segment);
  const existing = templated.find((other) => keyOf(other.segment) === key);
  if (existing) {
    return existing.next;
  }
  const next = node<Value>();
  templated.push({ segment, next });
  templated.sort((one, other) => precedence(one.segment, other.segment));
  return next;
}

const keyOf = (segment: TemplateSegment) => templateKey({ segments: [segment], names: [] });

/** The order is the same for each order of the paths in the contract. */
const precedence = (one: TemplateSegment, other: TemplateSegment): number =>
  Number(one.isReserved) - Number(other.isReserved) ||
  textLength(other) - textLength(one) ||
  (keyOf(one) < keyOf(other) ? -1 : 1);

/** Matches one path. */
class Walk<Value> {
  readonly raw: string[] = [];
  readonly #segments: readonly string[];
  /**
   * The least number of segments that a parameter of several segments cannot end with, nor with more. It does not depend
   * on where the parameter begins, so that each number is tried once.
   */
  #failed: Map<Edge<Value>, number> | undefined;

  constructor(segments: readonly string[]) {
    this.#segments = segments;
  }

  /** Returns the value of the template that matches all segments from an index on. */
  from({ statics, templated, value }: Node<Value>, index: number): Value | undefined {
    const segment = this.#segments[index];
    if (segment === undefined) {
      return value;
    }
    const next = statics.get(segment);
    let found = next && this.from(next, index + 1);
    for (let at = 0; found === undefined && at < templated.length; at += 1) {
      const edge = templated[at];
      if (edge) {
        found = edge.segment.isReserved ? this.#several(edge, index) : this.#one(edge, index, segment);
      }
    }
    return found;
  }

  #one({ segment: template, next }: Edge<Value>, index: number, segment: string): Value | undefined {
    const values = matchSegment(template, segment);
    if (!values) {
      return undefined;
    }
    const length = this.raw.push(...values) - values.length;
    const value = this.from(next, index + 1);
    if (value === undefined) {
      this.raw.length = length;
    }
    return value;
  }

  /** Tries the most segments first. */
  #several(edge: Edge<Value>, index: number): Value | undefined {
    const [before = '', after = ''] = edge.segment.texts;
    if (!this.#segments[index]?.startsWith(before)) {
      return undefined;
    }
    this.#failed ??= new Map();
    let failed = this.#failed.get(edge) ?? this.#segments.length + 1;
    for (let end = failed - 1; end > index; end -= 1) {
      const place = this.raw.push('') - 1;
      const value = this.#segments[end - 1]?.endsWith(after) ? this.from(edge.next, end) : undefined;
      if (value !== undefined) {
        const text = this.#segments.slice(index, end).join('/');
        // The texts around the parameter do not overlap.
        if (text.length > before.length + after.length) {
          this.raw[place] = text.slice(before.length, text.length - after.length);
          return value;
        }
      } else if (end === failed - 1) {
        failed = end;
        this.#failed.set(edge, failed);
      }
      this.raw.length = place;
    }
    return undefined;
  }
}
