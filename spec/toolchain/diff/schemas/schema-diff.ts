import type { ReportChange, ReportLimitation } from '../change.ts';
import { defaultMessage, isSameDefault } from '../defaults.ts';
import { annotatedReferences } from '../form/annotated-reference.ts';
import { allowed } from '../form/canonical.ts';
import { ATOMS, type Atom, atomsOf, type Form, isFree, type Schema } from '../form/form.ts';
import type { FormReader } from '../form/form-reader.ts';
import { locationAt } from '../location.ts';
import type { Direction } from '../rules/rule.ts';
import { diffMappings } from './mapping-diff.ts';
import type { SchemaContext } from './schema-context.ts';
import { type Collector, createSchemaGraph, type SchemaGraph, visitFindings } from './schema-graph.ts';
import { diffKind } from './union-diff.ts';

/** Where the schemas of an operation are, and what receives their changes. */
export interface SchemaLocation {
  direction: Direction;
  text?: boolean;
  location: string;
  report: ReportChange;
  limit: ReportLimitation;
}

/** Compares two schemas and their nested schemas. */
export type SchemaDiff = (base: Schema, head: Schema, place: SchemaLocation) => void;

/**
 * Creates the comparison of schemas of two documents. Each call reports a pair of schemas only once, at its outermost
 * location: recursive schemas terminate, and changes of a schema that a body uses repeatedly are reported once.
 */
export function createSchemaDiff(
  base: FormReader,
  head: FormReader,
  isSame: (base: Schema, head: Schema) => boolean,
): SchemaDiff {
  const graphs = new Map<string, SchemaGraph>();
  const readers = { base, head };

  function graphOf(direction: Direction, text: boolean): SchemaGraph {
    const key = `${direction} ${text}`;
    let graph = graphs.get(key);
    if (graph === undefined) {
      graph = createSchemaGraph(readers, isSame, (one, other, collector) =>
        diffSchemas(contextOf(direction, text, collector), one, other),
      );
      graphs.set(key, graph);
    }
    return graph;
  }

  function contextOf(direction: Direction, text: boolean, collector: Collector): SchemaContext {
    return {
      ...readers,
      direction,
      text,
      report: (rule, path, message, origin) =>
        collector.find({ rule, path, message, ...(origin && { origin }) }),
      limit: collector.limit,
      compare: collector.compare,
      everyRule: (other, run, test) =>
        graphOf(other, text).everyFinding(
          (inner) => run(contextOf(other, text, inner)),
          ({ rule }) => test(rule),
        ),
    };
  }

  return (baseSchema, headSchema, { direction, text = false, location, report, limit }) => {
    const root = graphOf(direction, text).compare(baseSchema, headSchema);
    visitFindings(root, {
      change: ({ rule, message }, path, origin) => report(rule, locationAt(location, path), message, origin),
      limitation: (message, path, origin) => limit(locationAt(location, path), message, origin),
    });
  };
}

function diffSchemas(context: SchemaContext, one: Schema, other: Schema): void {
  const [base, head] = [context.base.form(one), context.head.form(other)];
  const references = annotatedReferences(context.base, context.head, one, other);
  if (references !== undefined) {
    const [before, after] = references;
    const isDeclared = (keyword: string) =>
      [before, after].some(({ schema }) => schema[keyword] !== undefined);
    if (isDeclared('default')) {
      diffDefaults(context, base, head);
    }
    if (isDeclared('deprecated')) {
      diffDeprecation(context, base, head);
    }
    context.compare(before.target, after.target, '');
    return;
  }
  const uncombined = head.uncombined ?? base.uncombined;
  if (uncombined === undefined) {
    diffForms(context, base, head);
    return;
  }
  context.limit(`${uncombined}. Each schema of the allOf is compared on its own.`);
  diffForms(context, context.base.form(one, true), context.head.form(other, true));
}

function diffForms(context: SchemaContext, base: Form, head: Form): void {
  diffDefaults(context, base, head);
  diffDeprecation(context, base, head);
  const isUnion = ({ parts }: Form) => parts.filter(({ kind }) => kind === 'object').length > 1;
  if (isUnion(base) && isUnion(head) && base.discriminator?.property !== head.discriminator?.property) {
    const name = (form: Form) => (form.discriminator ? `"${form.discriminator.property}"` : 'none');
    context.report(
      'discriminator-changed',
      '',
      `The discriminator changed from ${name(base)} to ${name(head)}.`,
    );
  }
  diffMappings(context, base, head);
  diffTypes(context, base, head);
  // A schema for any value contains all others: the change of its type is the whole change.
  if (isUnconstrained(base) !== isUnconstrained(head)) {
    return;
  }
  for (const kind of ['boolean', 'number', 'string', 'array', 'object'] as const) {
    diffKind(context, base, head, kind);
  }
}

function diffDefaults({ direction, report }: SchemaContext, base: Form, head: Form): void {
  if (!isSameDefault(base.default, head.default)) {
    report(`${direction}-default-changed`, '', defaultMessage(base.default, head.default));
  }
}

function diffDeprecation({ report }: SchemaContext, base: Form, head: Form): void {
  if (head.deprecated && !base.deprecated) {
    report('property-deprecated', '', 'It is deprecated.');
  }
}

/** Whether a form allows any value. */
function isUnconstrained(form: Form): boolean {
  return atomsOf(form).size === ATOMS.length && form.parts.every(isFree);
}

/** Compares types and nullability. */
function diffTypes({ direction, text, report }: SchemaContext, base: Form, head: Form): void {
  const [before, after] = [typesOf(base), typesOf(head)];
  const removed = before.filter((type) => !allows(head, type, text));
  const added = after.filter((type) => !allows(base, type, text));
  const change = `The type changed from ${name(base)} to ${name(head)}.`;
  if (removed.length > 0 && added.length > 0) {
    report(`${direction}-type-changed`, '', change);
  } else if (removed.length > 0) {
    report(`${direction}-type-narrowed`, '', change);
  } else if (added.length > 0) {
    report(`${direction}-type-widened`, '', change);
  }
  // Changes of null together with other types are already reported.
  if (base.nullable && !head.nullable && removed.length === 0) {
    report(`${direction}-null-narrowed`, '', `null is no longer ${allowed(direction)}.`);
  }
  if (!base.nullable && head.nullable && added.length === 0) {
    report(`${direction}-null-widened`, '', `null is ${allowed(direction)} now.`);
  }
}

/** Types without null. */
function typesOf(form: Form): Atom[] {
  return [...atomsOf(form)].filter((atom) => atom !== 'null');
}

/** Whether values of a type are allowed. As text, values other than arrays and objects are also strings. */
function allows(form: Form, type: Atom, text: boolean): boolean {
  const types = atomsOf(form);
  if (types.has(type)) {
    return true;
  }
  return (
    text &&
    type !== 'array' &&
    type !== 'object' &&
    form.parts.some((part) => part.kind === 'string' && isFree(part))
  );
}

function name(form: Form): string {
  const types = atomsOf(form);
  if (types.size === ATOMS.length) {
    return 'anything';
  }
  if (types.size === 0) {
    return 'nothing';
  }
  const number = types.has('fraction');
  return ATOMS.filter((atom) => types.has(atom) && !(number && atom === 'integer'))
    .map((atom) => (atom === 'fraction' ? 'number' : atom))
    .join(' or ');
}
