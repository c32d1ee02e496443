import type { JsonObject } from '../../../document.ts';
import type { Event, Failure } from '../event.ts';
import { succeeded } from '../event.ts';
import { briefField } from './compare.ts';
import type { Expectations, ResourceState } from './expectations.ts';
import { checkUnpatched } from './reads.ts';
import { GONE_STATUSES, hasQuery, resourceFailure } from './resource-failure.ts';
import { sentFieldsOf, sharedNames } from './sent-fields.ts';
import { firstMismatch, type WrittenFields } from './written-values.ts';

/** Checks a change of a resource, and records its expected state. */
export function checkWrite(expectations: Expectations, event: Event): Failure[] {
  const { operation } = event;
  const method = operation.method;
  if (method === 'DELETE') {
    return checkDelete(expectations, event);
  }
  if (!succeeded(event)) {
    return [];
  }
  const failures: Failure[] = [];
  // A response in another form provides no more information than no response.
  const shown = hasQuery(event) ? undefined : expectations.returnedResource(event);
  for (const entity of event.created) {
    const read = entity.slot.read;
    if (!read || entity.address === undefined) {
      continue;
    }
    const check = 'read-after-create';
    const written = writtenFields(expectations, event, read, shown?.value, undefined);
    if (shown) {
      failures.push(...checkEcho(expectations, event, check, shown.value, undefined));
    }
    expectations.states.set(entity.address, {
      read,
      state: 'alive',
      since: event.n,
      lastWrite: { n: event.n, check, written },
      ...(shown &&
        returnsWholeResource(expectations, event, read) && { lastValue: { n: event.n, value: shown.value } }),
    });
  }
  if (event.created.length > 0 || (method !== 'PATCH' && method !== 'PUT')) {
    return failures;
  }
  const read = expectations.readAt(operation.path);
  if (!read) {
    return failures;
  }
  const check = 'read-after-update';
  const previous = expectations.states.get(event.target);
  const before = previous?.lastValue?.value;
  if (shown) {
    failures.push(...checkEcho(expectations, event, check, shown.value, before));
  }
  const next: ResourceState = {
    read,
    state: 'alive',
    since: previous?.since ?? event.n,
    lastWrite: { n: event.n, check, written: writtenFields(expectations, event, read, shown?.value, before) },
  };
  const sent = sentFieldsOf(expectations, event);
  if (method === 'PATCH' && previous?.lastValue && before && sent) {
    const stableFields = [...expectations.writes.stableFields(read)].filter(
      (name) => !sent.touched.has(name),
    );
    const fields = Object.fromEntries(stableFields.map((name) => [name, before[name] ?? null]));
    const unpatched = { n: event.n, before: previous.lastValue.n, fields };
    if (shown && returnsWholeResource(expectations, event, read)) {
      failures.push(...checkUnpatched(expectations, event, unpatched, shown.value));
    } else {
      next.unpatched = unpatched;
    }
  }
  if (shown && returnsWholeResource(expectations, event, read)) {
    next.lastValue = { n: event.n, value: shown.value };
  }
  expectations.states.set(event.target, next);
  return failures;
}

function checkDelete(expectations: Expectations, event: Event): Failure[] {
  const { operation, target, n } = event;
  const previous = expectations.states.get(target);
  const read = expectations.readAt(operation.path);
  const status = event.exchange.response?.status ?? 0;
  if (succeeded(event)) {
    // After 202, the resource may exist for some time.
    if (status === 202) {
      expectations.states.delete(target);
    } else if (read && previous?.state !== 'gone') {
      expectations.states.set(target, { read, state: 'gone', since: n });
    }
    return [];
  }
  // A precondition fails for a resource that does not exist (RFC 9110, 13.1.1).
  const isOther = [401, 412, 428, 429].includes(status);
  if (previous?.state !== 'gone' || GONE_STATUSES.has(status) || isOther) {
    return [];
  }
  return [
    resourceFailure(event, {
      check: 'idempotent-delete',
      message: `${operation.id} returned ${status} for a repeated request.`,
      expected: 'Deleting a deleted resource succeeds or returns 404 or 410 (RFC 9110, 9.2.2).',
      cause: `idempotent-delete: ${operation.id} ${status}`,
      involves: [previous.since],
    }),
  ];
}

/** Returns the fields that the next read must return: those of the response, and those sent that it does not declare. */
function writtenFields(
  expectations: Expectations,
  event: Event,
  read: Event['operation'],
  response: JsonObject | undefined,
  before: JsonObject | undefined,
): WrittenFields[] {
  const { shapes } = expectations.session.context.resources;
  const [readResponse] = shapes.successes(read);
  const part = readResponse && shapes.entity(readResponse.schema, '');
  if (!part) {
    return [];
  }
  const { schema } = part;
  const stableFields = expectations.writes.stableFields(read);
  const returned: WrittenFields = {
    sent: pick(response ?? {}, (name) => stableFields.has(name)),
    schema,
    mode: 'replace',
  };
  const sent = sentFieldsOf(expectations, event);
  // A response in another form shows nothing.
  if (!sent || (response === undefined && hasQuery(event))) {
    return [returned];
  }
  const [declared] = shapes.successes(event.operation);
  const shown = response && declared ? shapes.entity(declared.schema, '') : undefined;
  const declaredFields: ReadonlyMap<string, unknown> = shown ? shapes.fields(shown.schema) : new Map();
  const shared = sharedNames(expectations, event, schema);
  const fields = pick(sent.fields, (name) => shared.has(name) && !declaredFields.has(name));
  return [returned, { sent: fields, schema, mode: sent.mode, ...(before && { before }) }];
}

const pick = (value: JsonObject, predicate: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => predicate(name)));

/** Compares the response of a write with the values sent. */
function checkEcho(
  expectations: Expectations,
  event: Event,
  check: string,
  response: JsonObject,
  before: JsonObject | undefined,
): Failure[] {
  const { shapes } = expectations.session.context.resources;
  const [declared] = shapes.successes(event.operation);
  const part = declared && shapes.entity(declared.schema, '');
  const sent = sentFieldsOf(expectations, event);
  if (!part || !sent) {
    return [];
  }
  const shared = sharedNames(expectations, event, part.schema);
  const written = { sent: sent.fields, schema: part.schema, mode: sent.mode, ...(before && { before }) };
  const names = Object.keys(sent.fields).filter((name) => shared.has(name));
  const mismatch = firstMismatch(names, written, response, shapes);
  if (!mismatch) {
    return [];
  }
  const { operation } = event;
  return [
    resourceFailure(event, {
      check,
      message: `${operation.id} returned ${briefField(mismatch.right)} for ${mismatch.name}, but ${briefField(mismatch.left)} was sent.`,
      expected: `${mismatch.name} has the same schema in the request and in the response, so the values are equal.`,
      cause: `${check}: ${mismatch.name} at ${operation.id}`,
      involves: [],
    }),
  ];
}

/** Returns whether a write returns the same schema as a read. */
function returnsWholeResource(expectations: Expectations, event: Event, read: Event['operation']): boolean {
  const { shapes } = expectations.session.context.resources;
  const [written] = shapes.successes(event.operation);
  const [shown] = shapes.successes(read);
  return written !== undefined && shown !== undefined && shapes.same(written.schema, shown.schema);
}
