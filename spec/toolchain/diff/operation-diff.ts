import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../document.ts';
import type { Source } from '../source.ts';
import { diffRequestBody } from './body-diff.ts';
import { type Change, changeOf, type ReportChange } from './change.ts';
import type { FormReader } from './form-reader.ts';
import { type ListedOperation, labelOf, listOperations } from './operation-list.ts';
import { diffParameters } from './parameter-diff.ts';
import { diffResponses } from './response-diff.ts';
import type { Direction } from './rule.ts';
import type { SchemaDiff } from './schema-diff.ts';
import { diffSecurity } from './security-diff.ts';

/** Context for comparing an operation. */
export interface OperationContext {
  base: FormReader;
  head: FormReader;
  schemas: SchemaDiff;
  report: ReportChange;
  /** Direction of a part; reversed for webhooks and callbacks, which the server calls. */
  direction(role: Direction): Direction;
}

/** Two documents, and the comparison of their schemas. */
export interface Documents {
  base: { source: Source; reader: FormReader };
  head: { source: Source; reader: FormReader };
  schemas: SchemaDiff;
}

/** Kind of the compared operations. */
interface Group {
  /** Whether the server calls the client. */
  reversed: boolean;
  /** Prefix of the operation names. */
  prefix: string;
}

/** Compares the operations of two `paths` objects, or of objects with the same shape. */
export function diffPaths(
  documents: Documents,
  basePaths: Json | undefined,
  headPaths: Json | undefined,
  { reversed, prefix }: Group = { reversed: false, prefix: '' },
): Change[] {
  const changes: Change[] = [];
  const before = listOperations(basePaths, documents.base.reader);
  const after = listOperations(headPaths, documents.head.reader);
  const pairs = pairUp(before, after);
  const reporterFor =
    (operation: ListedOperation): ReportChange =>
    (rule, location, message) => {
      const properties = {
        operation: prefix + labelOf(operation),
        endpoint: prefix + operation.endpoint,
        location,
        message,
      };
      changes.push(changeOf(rule, properties));
    };
  for (const one of before) {
    const other = pairs.get(one);
    if (other === undefined) {
      reporterFor(one)('operation-removed', 'operation', `${one.endpoint} was removed.`);
    } else {
      diffOperation(documents, one, other, reporterFor(one), reversed);
    }
    if (other) {
      changes.push(...diffCallbacks(documents, one, other, prefix, reversed));
    }
  }
  const paired = new Set(pairs.values());
  for (const other of after) {
    if (!paired.has(other)) {
      reporterFor(other)('operation-added', 'operation', `${other.endpoint} was added.`);
    }
  }
  return changes;
}

/** Pairs operations with the same address, or else with the same id (moved operations). */
function pairUp(
  before: readonly ListedOperation[],
  after: readonly ListedOperation[],
): Map<ListedOperation, ListedOperation> {
  const pairs = new Map<ListedOperation, ListedOperation>();
  const addresses = new Map(after.map((other) => [other.address, other]));
  for (const one of before) {
    const other = addresses.get(one.address);
    if (other) {
      pairs.set(one, other);
    }
  }
  const paired = new Set(pairs.values());
  const ids = new Map(after.filter((other) => !paired.has(other)).map((other) => [other.id, other]));
  for (const one of before) {
    const other = one.id === undefined || pairs.has(one) ? undefined : ids.get(one.id);
    if (other) {
      pairs.set(one, other);
    }
  }
  return pairs;
}

function diffOperation(
  documents: Documents,
  base: ListedOperation,
  head: ListedOperation,
  report: ReportChange,
  reversed: boolean,
): void {
  const { base: before, head: after, schemas } = documents;
  const flipped: Record<Direction, Direction> = { request: 'response', response: 'request' };
  const context: OperationContext = {
    base: before.reader,
    head: after.reader,
    schemas,
    report,
    direction: (role) => (reversed ? flipped[role] : role),
  };
  if (base.address !== head.address) {
    report('operation-moved', 'operation', `It moved from ${base.endpoint} to ${head.endpoint}.`);
  }
  diffMetadata(base, head, report);
  diffParameters(context, base, head);
  diffRequestBody(context, base.operation.requestBody, head.operation.requestBody);
  diffResponses(context, base.operation.responses, head.operation.responses);
  diffSecurity(
    context,
    { source: before.source, references: before.reader, requirements: base.operation.security },
    { source: after.source, references: after.reader, requirements: head.operation.security },
  );
}

/** Compares ids, deprecation and documentation. */
function diffMetadata(base: ListedOperation, head: ListedOperation, report: ReportChange): void {
  if (base.id !== head.id) {
    report(
      'operation-id-changed',
      'operation',
      `The operation id changed from ${base.id ?? 'none'} to ${head.id ?? 'none'}.`,
    );
  }
  const [wasDeprecated, isDeprecated] = [
    base.operation.deprecated === true,
    head.operation.deprecated === true,
  ];
  if (!wasDeprecated && isDeprecated) {
    report('operation-deprecated', 'operation', 'It is deprecated.');
  }
  if (wasDeprecated && !isDeprecated) {
    report('operation-undeprecated', 'operation', 'It is no longer deprecated.');
  }
  const changed = ['summary', 'description', 'tags', 'externalDocs'].filter(
    (key) => !isDeepStrictEqual(base.operation[key], head.operation[key]),
  );
  if (changed.length > 0) {
    report('docs-changed', 'operation', `Its ${changed.join(' and ')} changed.`);
  }
}

function diffCallbacks(
  documents: Documents,
  { operation: base, id, endpoint }: ListedOperation,
  { operation: head }: ListedOperation,
  prefix: string,
  reversed: boolean,
): Change[] {
  const [before, after] = [base.callbacks, head.callbacks].map((callbacks) =>
    isObject(callbacks) ? callbacks : {},
  );
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].flatMap((name) => {
    const one = before?.[name];
    const other = after?.[name];
    return diffPaths(
      documents,
      one === undefined ? undefined : documents.base.reader.follow(one),
      other === undefined ? undefined : documents.head.reader.follow(other),
      { reversed: !reversed, prefix: `${prefix}${id ?? endpoint} callback ${name} ` },
    );
  });
}
