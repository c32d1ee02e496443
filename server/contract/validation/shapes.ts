import { type OpenApiDocument, schemaOf } from '../document.ts';
import { isObject } from '../json-values.ts';
import { patternOf } from './patterns/patterns.ts';
import { branchesOf } from './variants.ts';

/** What distinguishes the values of a schema at first sight. */
export interface Shape {
  /** JSON types; undefined if any is permitted. */
  types: string[] | undefined;
  /** The declared properties, with the texts that they permit. */
  properties: Record<string, FixedText | null>;
  required: string[];
  /** Whether undeclared properties are permitted. */
  isOpen: boolean;
  /** Alternative shapes. One of them applies as well. */
  alternatives: Shape[];
}

/** The texts that a property permits: a list, or a pattern. */
type FixedText = { values: string[] } | { pattern: string };

/** Maximum depth of nested unions and compositions. Guards against recursive schemas. */
const MAX_SHAPE_DEPTH = 8;

/** Points for the resemblance of a value to a shape. */
const POINTS = { otherType: -10_000, tag: 100, otherTag: -1000, known: 2, unknown: -3, missing: -1 };

/** Returns the shape of a schema. */
export function shapeOf(document: OpenApiDocument, schema: unknown, depth = 0): Shape {
  const {
    type,
    const: constant,
    enum: members,
    properties,
    required,
    allOf,
    ...others
  } = schemaOf(document, schema);
  const shape: Shape = {
    types: typesOf(type, constant, members),
    properties: {},
    required: Array.isArray(required) ? required : [],
    isOpen: others.additionalProperties !== false && others.unevaluatedProperties !== false,
    alternatives: [],
  };
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    shape.properties[name] = fixedText(schemaOf(document, property));
  }
  if (depth >= MAX_SHAPE_DEPTH) {
    return shape;
  }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    const inner = shapeOf(document, part, depth + 1);
    shape.types ??= inner.types;
    Object.assign(shape.properties, inner.properties);
    shape.required.push(...inner.required);
    shape.alternatives.push(...inner.alternatives);
    shape.isOpen &&= inner.isOpen;
  }
  shape.alternatives.push(...branchesOf(others).map((branch) => shapeOf(document, branch, depth + 1)));
  return shape;
}

/** Returns the JSON types that a schema or its alternatives permit; undefined if any is permitted. */
export function permittedTypes({ types, alternatives }: Shape): string[] | undefined {
  if (types !== undefined || alternatives.length === 0) {
    return types;
  }
  const permitted = alternatives.map(permittedTypes);
  return permitted.includes(undefined) ? undefined : permitted.flatMap((inner = []) => inner);
}

function typesOf(type: unknown, constant: unknown, members: unknown): string[] | undefined {
  if (type !== undefined) {
    return (Array.isArray(type) ? type : [type]).map((name) =>
      name === 'integer' ? 'number' : String(name),
    );
  }
  const values = Array.isArray(members) ? members : constant === undefined ? [] : [constant];
  return values.length === 0 ? undefined : [...new Set(values.map(typeOf))];
}

function fixedText({ const: constant, enum: members, pattern }: Record<string, unknown>): FixedText | null {
  const values = Array.isArray(members) ? members : [constant];
  if (values.every((value) => typeof value === 'string')) {
    return { values };
  }
  return typeof pattern === 'string' ? { pattern } : null;
}

function typeOf(value: unknown): string {
  if (value === null) {
    return 'null';
  }
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns whether a shape, or one of its alternatives, declares a property. */
export const declares = ({ properties, alternatives }: Shape, name: string): boolean =>
  Object.hasOwn(properties, name) || alternatives.some((alternative) => declares(alternative, name));

/**
 * Returns how closely a value resembles a shape; the higher, the closer.
 *
 * @param isTag whether the text of a property can distinguish shapes, because several of them declare it
 */
export function resemblance(
  shape: Shape,
  value: unknown,
  isTag: (name: string) => boolean = () => true,
): number {
  let points = shape.types === undefined || shape.types.includes(typeOf(value)) ? 0 : POINTS.otherType;
  if (shape.alternatives.length > 0) {
    points += Math.max(...shape.alternatives.map((alternative) => resemblance(alternative, value, isTag)));
  }
  if (!isObject(value)) {
    return points;
  }
  let hasKnown = false;
  for (const name in value) {
    const fixed = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined;
    hasKnown ||= fixed !== undefined;
    if (fixed === undefined) {
      points += shape.isOpen ? 0 : POINTS.unknown;
    } else if (fixed === null || typeof value[name] !== 'string' || !isTag(name)) {
      points += POINTS.known;
    } else {
      points += permits(fixed, value[name]) ? POINTS.tag : POINTS.otherTag;
    }
  }
  // Without any known field, a value resembles a schema with many required ones as little as others.
  for (const name of hasKnown ? shape.required : []) {
    points += Object.hasOwn(value, name) ? 0 : POINTS.missing;
  }
  return points;
}

/** Maximum length of a text that is compared with a pattern. */
const MAX_COMPARED_CHARACTERS = 256;

function permits(fixed: FixedText, text: string): boolean {
  if ('values' in fixed) {
    return fixed.values.includes(text);
  }
  return text.length <= MAX_COMPARED_CHARACTERS && patternOf(fixed.pattern).test(text);
}

/** Returns whether a value has a type that the shape permits. */
export function hasTypeOf(shape: Shape, value: unknown): boolean {
  return resemblance(shape, value) > POINTS.otherType / 2;
}
