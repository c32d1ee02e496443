import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../document.ts';
import type { Source } from '../../source.ts';
import { changeOf, type Differences, type ReportChange } from '../change.ts';
import type { FormReader } from '../form/form-reader.ts';
import type { Direction } from '../rules/rule.ts';
import { reversedRule } from '../rules/rules.ts';
import type { Sameness } from '../sameness.ts';
import type { SchemaDiff } from '../schemas/schema-diff.ts';
import { diffRequestBody } from './body-diff.ts';
import type { OperationContext } from './operation-context.ts';
import { type ListedOperation, labelOf, listOperations, tagsOf } from './operation-list.ts';
import { diffParameters } from './parameter-diff.ts';
import { diffResponses } from './response-diff.ts';
import { diffSecurity } from './security-diff.ts';
import { serversMessage } from './server-diff.ts';

/** Two documents, and the comparison of their schemas. */
export interface Documents {
  base: { source: Source; reader: FormReader };
  head: { source: Source; reader: FormReader };
  schemas: SchemaDiff;
  sameness: Sameness;
}

/** Kind of the compared operations. */
interface Group {
  /** Whether the server calls the client. */
  reversed: boolean;
  /** Prefix of the operation names. */
  prefix: string;
}

/** Compares the operations of two `paths` objects, or of objects with the same shape, and adds the differences. */
export function diffPaths(
  documents: Documents,
  basePaths: Json | undefined,
  headPaths: Json | undefined,
  differences: Differences,
  group: Group = { reversed: false, prefix: '' },
): void {
  const before = listOperations(basePaths, documents.base.reader);
  const after = listOperations(headPaths, documents.head.reader);
  const pairs = pairUp(before, after);
  for (const one of before) {
    const other = pairs.get(one);
    const reporters = reportersOf(differences, group, one, other);
    if (other === undefined) {
      reporters.report('operation-removed', 'operation', `${one.endpoint} was removed.`);
    } else if (!documents.sameness.isSameOperation(one, other)) {
      diffOperation(documents, one, other, reporters, group.reversed);
      diffCallbacks(documents, one, other, differences, group);
    }
  }
  const paired = new Set(pairs.values());
  for (const other of after) {
    if (!paired.has(other)) {
      const { report } = reportersOf(differences, group, other);
      report('operation-added', 'operation', `${other.endpoint} was added.`);
    }
  }
}

/** Receivers of the differences of one operation. */
type Reporters = Pick<OperationContext, 'report' | 'limit'>;

function reportersOf(
  { changes, limitations }: Differences,
  { reversed, prefix }: Group,
  operation: ListedOperation,
  other = operation,
): Reporters {
  const name = prefix + labelOf(operation);
  const properties = {
    operation: name,
    endpoint: prefix + operation.endpoint,
    tags: [...new Set([...tagsOf(operation), ...tagsOf(other)])],
  };
  return {
    report: (rule, location, message, origin) =>
      void changes.push(
        changeOf(reversed ? reversedRule(rule) : rule, {
          ...properties,
          location,
          message,
          ...(origin && { origin }),
        }),
      ),
    limit: (location, message, origin) =>
      void limitations.push({
        operation: name,
        tags: properties.tags,
        location,
        message,
        ...(origin && { origin }),
      }),
  };
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
  reporters: Reporters,
  reversed: boolean,
): void {
  const { base: before, head: after, schemas } = documents;
  const { report } = reporters;
  const flipped: Record<Direction, Direction> = { request: 'response', response: 'request' };
  const context: OperationContext = {
    base: before.reader,
    head: after.reader,
    schemas,
    ...reporters,
    direction: (role) => (reversed ? flipped[role] : role),
  };
  if (base.address !== head.address) {
    report('operation-moved', 'operation', `It moved from ${base.endpoint} to ${head.endpoint}.`);
  }
  diffMetadata(base, head, report);
  if (!reversed) {
    diffServers(context, base, head, documents);
  }
  diffParameters(context, base, head);
  diffRequestBody(context, base.operation.requestBody, head.operation.requestBody);
  diffResponses(context, base.operation.responses, head.operation.responses);
  diffSecurity(
    context,
    { source: before.source, references: before.reader, requirements: base.operation.security },
    { source: after.source, references: after.reader, requirements: head.operation.security },
  );
}

/** Compares the servers of an operation. Those of the document are compared once, not for each operation. */
function diffServers(
  { report }: OperationContext,
  base: ListedOperation,
  head: ListedOperation,
  documents: Documents,
): void {
  if (base.servers === undefined && head.servers === undefined) {
    return;
  }
  const message = serversMessage(
    base.servers ?? documents.base.source.root.servers,
    head.servers ?? documents.head.source.root.servers,
  );
  if (message !== undefined) {
    report('servers-changed', 'servers', message);
  }
}

const listFormat = new Intl.ListFormat('en');

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
    report('docs-changed', 'operation', `Its ${listFormat.format(changed)} changed.`);
  }
}

function diffCallbacks(
  documents: Documents,
  { operation: base, id, endpoint }: ListedOperation,
  { operation: head }: ListedOperation,
  differences: Differences,
  { reversed, prefix }: Group,
): void {
  const [before, after] = [base.callbacks, head.callbacks].map((callbacks) =>
    isObject(callbacks) ? callbacks : {},
  );
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const one = before?.[name];
    const other = after?.[name];
    diffPaths(
      documents,
      one === undefined ? undefined : documents.base.reader.follow(one),
      other === undefined ? undefined : documents.head.reader.follow(other),
      differences,
      { reversed: !reversed, prefix: `${prefix}${id ?? endpoint} callback ${name} ` },
    );
  }
}
