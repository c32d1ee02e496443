import { isObject, type Json } from '../document.ts';
import type { Source } from '../source.ts';
import { diffRequestBody } from './body-diff.ts';
import { same } from './canonical.ts';
import { type Change, changeOf, type Tell } from './change.ts';
import type { FormReader } from './form-reader.ts';
import { type ListedOperation, labelOf, listOperations } from './operation-list.ts';
import { diffParameters } from './parameter-diff.ts';
import { diffResponses } from './response-diff.ts';
import type { Direction } from './rule.ts';
import type { SchemaDiff } from './schema-diff.ts';
import { diffSecurity } from './security-diff.ts';

/** What the comparison of one operation works with. */
export interface OperationContext {
  base: FormReader;
  head: FormReader;
  schemas: SchemaDiff;
  tell: Tell;
  /** Which way a part travels between our clients and servers: webhooks and callbacks go the other way. */
  direction(role: Direction): Direction;
}

/** Two documents, and how to compare their schemas. */
export interface Documents {
  base: { source: Source; reader: FormReader };
  head: { source: Source; reader: FormReader };
  schemas: SchemaDiff;
}

/** How to call what is compared. */
interface Group {
  /** Whether the server calls the client here. */
  reversed: boolean;
  /** Goes before the name of each operation. */
  prefix: string;
}

/** Compares the operations under two `paths` objects, or what has their shape. */
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
  const teller =
    (operation: ListedOperation): Tell =>
    (rule, where, message) => {
      const place = {
        operation: prefix + labelOf(operation),
        endpoint: prefix + operation.endpoint,
        where,
        message,
      };
      changes.push(changeOf(rule, place));
    };
  for (const one of before) {
    const other = pairs.get(one);
    if (other === undefined) teller(one)('operation-removed', 'operation', `${one.endpoint} was removed.`);
    else diffOperation(documents, one, other, teller(one), reversed);
    if (other) changes.push(...diffCallbacks(documents, one, other, prefix, reversed));
  }
  const known = new Set(pairs.values());
  for (const other of after) {
    if (!known.has(other)) teller(other)('operation-added', 'operation', `${other.endpoint} was added.`);
  }
  return changes;
}

/** Which operations are the same: those with one address, else those with one id, which have moved. */
function pairUp(
  before: readonly ListedOperation[],
  after: readonly ListedOperation[],
): Map<ListedOperation, ListedOperation> {
  const pairs = new Map<ListedOperation, ListedOperation>();
  const addresses = new Map(after.map((other) => [other.address, other]));
  for (const one of before) {
    const other = addresses.get(one.address);
    if (other) pairs.set(one, other);
  }
  const taken = new Set(pairs.values());
  const ids = new Map(after.filter((other) => !taken.has(other)).map((other) => [other.id, other]));
  for (const one of before) {
    const other = one.id === undefined || pairs.has(one) ? undefined : ids.get(one.id);
    if (other) pairs.set(one, other);
  }
  return pairs;
}

function diffOperation(
  documents: Documents,
  base: ListedOperation,
  head: ListedOperation,
  tell: Tell,
  reversed: boolean,
): void {
  const { base: before, head: after, schemas } = documents;
  const flipped: Record<Direction, Direction> = { request: 'response', response: 'request' };
  const context: OperationContext = {
    base: before.reader,
    head: after.reader,
    schemas,
    tell,
    direction: (role) => (reversed ? flipped[role] : role),
  };
  if (base.address !== head.address) {
    tell('operation-moved', 'operation', `It moved from ${base.endpoint} to ${head.endpoint}.`);
  }
  diffSurface(base, head, tell);
  diffParameters(context, base, head);
  diffRequestBody(context, base.operation.requestBody, head.operation.requestBody);
  diffResponses(context, base.operation.responses, head.operation.responses);
  diffSecurity(
    context,
    { source: before.source, references: before.reader, own: base.operation.security },
    { source: after.source, references: after.reader, own: head.operation.security },
  );
}

/** Compares names, texts and tags. */
function diffSurface(base: ListedOperation, head: ListedOperation, tell: Tell): void {
  if (base.id !== head.id) {
    tell(
      'operation-id-changed',
      'operation',
      `The operation id changed from ${base.id ?? 'none'} to ${head.id ?? 'none'}.`,
    );
  }
  const [was, is] = [base.operation.deprecated === true, head.operation.deprecated === true];
  if (!was && is) tell('operation-deprecated', 'operation', 'It is deprecated.');
  if (was && !is) tell('operation-undeprecated', 'operation', 'It is no longer deprecated.');
  const changed = ['summary', 'description', 'tags', 'externalDocs'].filter(
    (key) => !same(base.operation[key], head.operation[key]),
  );
  if (changed.length > 0) tell('docs-changed', 'operation', `Its ${changed.join(' and ')} changed.`);
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
