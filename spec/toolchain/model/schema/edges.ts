import fc from 'fast-check';
import { somePass } from './filter.ts';
import { bounds } from './numbers.ts';
import { type AnySchema, type Schema, typesIn } from './schema.ts';
import { MAX_TEXT_LENGTH, UNUSUAL_TEXTS } from './strings.ts';
import { type LocatedValue, rootVariant, SchemaVariants, type Variant } from './variants.ts';

/** Maximum length of generated arrays. */
const MAX_ARRAY_LENGTH = 200;

/** Generates valid values at the limits of a schema. */
export class EdgeValues extends SchemaVariants {
  protected override ofAny(schema: Schema): Variant[] {
    const members = 'const' in schema ? [schema.const] : schema.enum;
    if (members) {
      return members.map((member) => rootVariant(`enum ${JSON.stringify(member)}`, fc.constant(member)));
    }
    return typesIn(this.schemas, schema).includes('null') ? [rootVariant('null', fc.constant(null))] : [];
  }

  protected override ofType(type: string, schema: Schema, depth: number): Variant[] {
    switch (type) {
      case 'boolean':
        return [true, false].map((value) => rootVariant(String(value), fc.constant(value)));
      case 'string':
        return this.#ofText(schema);
      case 'integer':
      case 'number':
        return this.#ofNumber(schema, type === 'integer');
      case 'array':
        return this.#ofArray(schema, depth);
      case 'object':
        return this.#ofObject(schema, depth);
      default:
        return [];
    }
  }

  protected override ofUnion(_schema: Schema, inner: Variant[]): Variant[] {
    return inner.map((variant) => ({ ...variant, isImprecise: true }));
  }

  #ofText({ minLength = 0, maxLength = Infinity, pattern, format }: Schema): Variant[] {
    if (pattern !== undefined || format !== undefined) {
      return this.#ofPattern(minLength, maxLength);
    }
    const edges = [rootVariant('minLength', fc.constant('a'.repeat(minLength)))];
    if (maxLength <= MAX_TEXT_LENGTH) {
      edges.push(rootVariant('maxLength', longest(maxLength)));
    } else {
      edges.push(rootVariant('long text', fc.constant('a'.repeat(Math.max(minLength, 10_000)))));
    }
    const unusual = UNUSUAL_TEXTS.map((text) => text.padEnd(minLength, 'a')).filter((text) =>
      this.arbitraries.isAllowedText(text),
    );
    edges.push(rootVariant('unicode', fc.constantFrom(...unusual)));
    return edges;
  }

  /** Creates the shortest and longest texts of letters and digits, which most patterns and formats accept. */
  #ofPattern(minLength: number, maxLength: number): Variant[] {
    const letters = fc.constantFrom('a', 'A', '0');
    const edges: Variant[] = [];
    if (maxLength <= MAX_TEXT_LENGTH) {
      edges.push(
        rootVariant(
          'maxLength',
          letters.map((letter) => letter.repeat(maxLength)),
        ),
      );
    }
    edges.push(
      rootVariant(
        'minLength',
        letters.map((letter) => letter.repeat(Math.max(minLength, 1))),
      ),
    );
    return edges;
  }

  #ofNumber(schema: Schema, isInteger: boolean): Variant[] {
    const { min, max } = bounds(schema, isInteger);
    const limits = [
      ['minimum', Number.isFinite(min) ? min : -1e15],
      ['maximum', Number.isFinite(max) ? max : 1e15],
      ['zero', 0],
    ] as const;
    return limits.map(([keyword, value]) => rootVariant(keyword, fc.constant(value)));
  }

  #ofArray({ items = true, prefixItems, minItems = 0, maxItems = MAX_ARRAY_LENGTH }: Schema, depth: number) {
    if (prefixItems || !this.schemas.fits(items, depth - 1)) {
      return [];
    }
    const ofLength = (length: number) =>
      fc.array(this.arbitraries.sparse.valid(items, depth - 1), { minLength: length, maxLength: length });
    const edges = [rootVariant('minItems', ofLength(minItems))];
    if (maxItems <= MAX_ARRAY_LENGTH) {
      edges.push(rootVariant('maxItems', ofLength(maxItems)));
    }
    return edges;
  }

  #ofObject(schema: Schema, depth: number): Variant[] {
    const { properties = {}, required = [] } = schema;
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    const edges = optional.map((name) => ({
      ...rootVariant('absent', fc.constant(null), name),
      values: this.arbitraries
        .object(schema, depth, { without: name, full: true })
        .map((value): LocatedValue => ({ value, path: [] })),
    }));
    return [
      ...edges,
      rootVariant('all properties', this.arbitraries.object(schema, depth, { full: true })),
      rootVariant('required properties', this.arbitraries.sparse.object(schema, depth)),
    ];
  }

  /** Returns a variant without values that violate a schema; undefined if no values are left. */
  accepted(schema: AnySchema, variant: Variant): Variant | undefined {
    const right = ({ value }: LocatedValue) => this.schemas.accepts(schema, value);
    const hasValid = somePass(variant.values, right);
    return hasValid ? { ...variant, values: variant.values.filter(right) } : undefined;
  }
}

const longest = (length: number) => fc.constantFrom('a', 'é', '😀').map((letter) => letter.repeat(length));
