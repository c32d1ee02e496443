import { MAX_REFERENCE_HOPS, parseReference } from '../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import {
  type Dialect,
  type Grammar,
  grammarOf,
  KIND_NAMES,
  type Kind,
  kindOfComponent,
  type Rule,
} from './grammar.ts';
import { type At, REMOVED, remove, replace, valueAt } from './positions.ts';
import { repairedAs, replaceReference } from './reference-repairs.ts';
import { repairObject } from './repairs.ts';
import { describeValue, scalars } from './scalars.ts';

/** Receives a problem of a value. */
export type Report = (
  severity: 'error' | 'warning',
  code: string,
  at: At | undefined,
  message: string,
) => void;

/**
 * Validates what the commands rely on in a document: its objects have the required kinds, and its references resolve.
 * Harmless deviations, which many documents contain, are repaired: the document is changed in place. Unknown members are
 * ignored.
 */
export function checkStructure(root: JsonObject, dialect: Dialect, report: Report): void {
  new Structure(root, dialect, report).check();
}

class Structure {
  readonly #root: JsonObject;
  readonly #dialect: Dialect;
  readonly #grammar: Grammar;
  readonly #report: Report;
  readonly #visited = new Map<Kind, WeakSet<object>>();
  /** Targets of references, which are validated after what refers to them: chains can be long. */
  readonly #targets: { kind: Kind; at: At }[] = [];

  constructor(root: JsonObject, dialect: Dialect, report: Report) {
    this.#root = root;
    this.#dialect = dialect;
    this.#grammar = grammarOf(dialect);
    this.#report = report;
  }

  check(): void {
    this.#members('document', this.#root, undefined);
    for (let next = this.#targets.pop(); next; next = this.#targets.pop()) {
      this.#object(next.kind, next.at);
    }
  }

  #members(kind: Kind, object: JsonObject, parent: At | undefined): void {
    repairObject(kind, object, {
      dialect: this.#dialect,
      warn: (step, message) =>
        this.#report(
          'warning',
          'repaired',
          step === undefined ? parent : { holder: object, step, parent },
          message,
        ),
      fail: (step, message) => this.#report('error', 'structure', { holder: object, step, parent }, message),
      target: (value) => {
        const reference = isObject(value) ? value.$ref : undefined;
        const resolved = typeof reference === 'string' ? this.#resolve(reference) : undefined;
        return reference === undefined ? value : resolved?.value;
      },
    });
    const rules = this.#grammar[kind];
    for (const step of Object.keys(object).filter((name) => !isExtension(name))) {
      const rule = kind === 'callback' ? 'pathItem' : Object.hasOwn(rules, step) ? rules[step] : undefined;
      if (rule !== undefined && step !== '$ref') {
        this.#value(rule, { holder: object, step, parent });
      }
    }
  }

  #value(rule: Rule, at: At): void {
    const value = valueAt(at);
    if (rule === 'data') {
      return;
    }
    if (typeof rule === 'string' && rule in scalars) {
      this.#scalar(rule as keyof typeof scalars, at, value);
    } else if (typeof rule === 'string') {
      this.#object(rule as Kind, at);
    } else if ('list' in rule) {
      this.#list(rule.list, at, value);
    } else {
      this.#map(rule.map, at, value);
    }
  }

  #scalar(rule: keyof typeof scalars, at: At, value: Json): void {
    if (value === null) {
      remove(at);
      return;
    }
    const converted = scalars[rule].convert(value);
    if (converted === undefined) {
      remove(at);
      this.#report(
        'warning',
        'repaired',
        at,
        `ignored, because it is ${describeValue(value)} instead of ${scalars[rule].name}`,
      );
    } else if (converted !== value) {
      replace(at, converted);
    }
  }

  #list(rule: Rule, at: At, value: Json): void {
    if (value === null) {
      remove(at);
      return;
    }
    if (rule === 'text' && typeof value === 'string') {
      replace(at, [value]);
      return;
    }
    if (!Array.isArray(value)) {
      this.#report('error', 'structure', at, `must be a list, but is ${describeValue(value)}`);
      return;
    }
    for (let step = 0; step < value.length; step += 1) {
      this.#value(rule, { holder: value, step, parent: at });
    }
    // Scalars that were ignored leave an empty item.
    if (value.includes(REMOVED)) {
      replace(
        at,
        value.filter((item) => item !== REMOVED),
      );
    }
  }

  #map(rule: Rule, at: At, value: Json): void {
    if (value === null || (Array.isArray(value) && value.length === 0)) {
      // An empty map of YAML, or of PHP.
      replace(at, {});
      return;
    }
    if (!isObject(value)) {
      // Examples are documentation.
      if (rule === 'data' && at.step === 'examples') {
        remove(at);
        return;
      }
      this.#report('error', 'structure', at, `must be an object, but is ${describeValue(value)}`);
      return;
    }
    const mayExtend = rule === 'pathItem' || rule === 'response';
    for (const step of Object.keys(value)) {
      if (!(mayExtend && isExtension(step) && !this.#isComponents(at))) {
        this.#value(rule, { holder: value, step, parent: at });
      }
    }
  }

  #isComponents({ parent }: At): boolean {
    return parent?.step === 'components' && parent.parent === undefined;
  }

  #object(kind: Kind, at: At): void {
    const value = valueAt(at);
    if (kind === 'schema' && typeof value === 'boolean') {
      return;
    }
    if (value === null) {
      this.#empty(kind, at);
      return;
    }
    if (!isObject(value)) {
      this.#report('error', 'structure', at, `must be ${KIND_NAMES[kind]}, but is ${describeValue(value)}`);
      return;
    }
    const visited = this.#visited.get(kind) ?? new WeakSet();
    this.#visited.set(kind, visited);
    if (visited.has(value)) {
      return;
    }
    visited.add(value);
    if (value.$ref !== undefined) {
      this.#reference(kind, value, at);
      // Except for these, members next to a reference are ignored.
      if (kind !== 'pathItem' && !(kind === 'schema' && this.#dialect === '3.1')) {
        return;
      }
    }
    this.#members(kind, value, at);
  }

  /** YAML without a value, as in `schema:`. */
  #empty(kind: Kind, at: At): void {
    if (kind === 'operation' || (kind === 'parameter' && Array.isArray(at.holder))) {
      remove(at);
      this.#report('warning', 'repaired', at, 'ignored, because it is empty');
    } else if (kind === 'schema') {
      replace(at, {});
      this.#report('warning', 'repaired', at, 'is empty, so any value is accepted');
    } else if (kind === 'securityScheme' || kind === 'parameter') {
      this.#report('error', 'structure', at, `must be ${KIND_NAMES[kind]}, but is empty`);
    } else {
      replace(at, {});
      this.#object(kind, at);
    }
  }

  #reference(kind: Kind, holder: JsonObject, parent: At): void {
    const reference = holder.$ref;
    const at: At = { holder, step: '$ref', parent };
    if (typeof reference !== 'string') {
      this.#report('error', 'structure', at, `must be text, but is ${describeValue(reference ?? null)}`);
      return;
    }
    const resolved = this.#resolve(reference);
    if (resolved === undefined) {
      this.#report(
        'error',
        'reference',
        at,
        `Reference ${reference} does not resolve or is circular. Add its target, or correct the reference.`,
      );
      return;
    }
    const actual = kindOfComponent(reference);
    if (actual !== undefined && actual !== kind) {
      if (replaceReference(kind, holder, { actual, target: valueAt(resolved.at), dialect: this.#dialect })) {
        this.#report(
          'warning',
          'repaired',
          at,
          `refers to ${KIND_NAMES[actual]}, but ${KIND_NAMES[kind]} is required; ${repairedAs(kind)}`,
        );
        this.#members(kind, holder, parent);
        return;
      }
      this.#report(
        'error',
        'reference',
        at,
        `Reference ${reference} refers to ${KIND_NAMES[actual]}, but ${KIND_NAMES[kind]} is required. Correct the reference.`,
      );
      return;
    }
    this.#targets.push({ kind, at: resolved.at });
  }

  /**
   * Follows a reference to its target, and further to a value that is not a reference. Undefined if there is none.
   */
  #resolve(reference: string): { at: At; value: Json } | undefined {
    let target: At | undefined;
    let value: Json = { $ref: reference };
    for (let hops = 0; isObject(value) && typeof value.$ref === 'string'; hops += 1) {
      const at = hops > MAX_REFERENCE_HOPS ? undefined : this.#follow(value.$ref);
      if (at === undefined) {
        return undefined;
      }
      target ??= at;
      value = valueAt(at);
    }
    return target && { at: target, value };
  }

  #follow(reference: string): At | undefined {
    if (!reference.startsWith('#/')) {
      return undefined;
    }
    let value: Json = this.#root;
    let at: At | undefined;
    for (const part of parseReference(reference)) {
      const step: string | number = Array.isArray(value) ? Number(part) : part;
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
        return undefined;
      }
      at = { holder: value, step, parent: at };
      value = valueAt(at);
    }
    return at;
  }
}

function isExtension(name: string): boolean {
  return name.startsWith('x-');
}
