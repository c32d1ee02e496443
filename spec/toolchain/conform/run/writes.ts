import { isObject, type JsonObject } from '../../document.ts';
import { brief, difference } from './compare.ts';
import type { Event, Failure } from './event.ts';
import { succeeded } from './event.ts';
import { checkUnpatched } from './reads.ts';
import { GONE_STATUSES, hasQuery, resourceFailure } from './resource-failure.ts';
import type { ResourceState, SessionChecker } from './session-checker.ts';

/** Checks a change of a resource, and records its expected state. */
export function checkWrite(checker: SessionChecker, event: Event): Failure[] {
  const { operation } = event;
  const method = operation.method;
  if (method === 'DELETE') {
    return checkDelete(checker, event);
  }
  if (!succeeded(event)) {
    return [];
  }
  const failures: Failure[] = [];
  // A response in another form provides no more information than no response.
  const shown = hasQuery(event) ? undefined : checker.returnedResource(event);
  for (const entity of event.created) {
    const read = entity.slot.read;
    if (!read || entity.address === undefined) {
      continue;
    }
    const check = 'read-after-create';
    const fields = expectedFields(checker, event, read, shown?.value);
    if (shown) {
      failures.push(...checkEcho(checker, event, check, shown.value));
    }
    checker.states.set(entity.address, {
      read,
      state: 'alive',
      since: event.n,
      lastWrite: { n: event.n, check, fields },
      ...(shown &&
        returnsWholeResource(checker, event, read) && { lastValue: { n: event.n, value: shown.value } }),
    });
  }
  if (event.created.length > 0 || (method !== 'PATCH' && method !== 'PUT')) {
    return failures;
  }
  const read = checker.readAt(operation.path);
  if (!read) {
    return failures;
  }
  const check = 'read-after-update';
  const previous = checker.states.get(event.target);
  if (shown) {
    failures.push(...checkEcho(checker, event, check, shown.value));
  }
  const next: ResourceState = {
    read,
    state: 'alive',
    since: previous?.since ?? event.n,
    lastWrite: { n: event.n, check, fields: expectedFields(checker, event, read, shown?.value) },
  };
  if (method === 'PATCH' && previous?.lastValue && isObject(event.sent)) {
    const sent = event.sent;
    const stableFields = [...checker.writes.stableFields(read)].filter((name) => !(name in sent));
    const before = previous.lastValue.value;
    const fields = Object.fromEntries(stableFields.map((name) => [name, before[name] ?? null]));
    const unpatched = { n: event.n, before: previous.lastValue.n, fields };
    if (shown && returnsWholeResource(checker, event, read)) {
      failures.push(...checkUnpatched(checker, event, unpatched, shown.value));
    } else {
      next.unpatched = unpatched;
    }
  }
  if (shown && returnsWholeResource(checker, event, read)) {
    next.lastValue = { n: event.n, value: shown.value };
  }
  checker.states.set(event.target, next);
  return failures;
}

function checkDelete(checker: SessionChecker, event: Event): Failure[] {
  const { operation, target, n } = event;
  const previous = checker.states.get(target);
  const read = checker.readAt(operation.path);
  const status = event.exchange.response?.status ?? 0;
  if (succeeded(event)) {
    // After 202, the resource may exist for some time.
    if (status === 202) {
      checker.states.delete(target);
    } else if (read && previous?.state !== 'gone') {
      checker.states.set(target, { read, state: 'gone', since: n });
    }
    return [];
  }
  if (previous?.state !== 'gone' || GONE_STATUSES.has(status) || status === 401 || status === 429) {
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

/** Returns the fields that the next read must return: those of the response, or those sent if it has no body. */
function expectedFields(
  checker: SessionChecker,
  event: Event,
  read: Event['operation'],
  response: JsonObject | undefined,
): JsonObject {
  const stableFields = checker.writes.stableFields(read);
  if (response) {
    const { shapes } = checker.session.context.resources;
    const declared = shapes.successes(event.operation)[0];
    const names = declared ? shapes.fields(shapes.entity(declared.schema, '')?.schema ?? {}) : new Map();
    return pick(response, (name) => stableFields.has(name) && (name in response || names.has(name)));
  }
  const [readResponse] = checker.session.context.resources.shapes.successes(read);
  if (!isObject(event.sent) || !readResponse) {
    return {};
  }
  const part = checker.session.context.resources.shapes.entity(readResponse.schema, '');
  const same = part ? checker.writes.sharedFields(event.operation, part.schema) : new Set<string>();
  return pick(event.sent, (name) => same.has(name));
}

const pick = (value: JsonObject, predicate: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => predicate(name)));

/** Compares the response of a write with the values sent. */
function checkEcho(checker: SessionChecker, event: Event, check: string, response: JsonObject): Failure[] {
  const { shapes } = checker.session.context.resources;
  const [declared] = shapes.successes(event.operation);
  const part = declared && shapes.entity(declared.schema, '');
  if (!part || !isObject(event.sent)) {
    return [];
  }
  const same = checker.writes.sharedFields(event.operation, part.schema);
  const mismatch = difference(
    Object.keys(event.sent).filter((name) => same.has(name)),
    event.sent,
    response,
  );
  if (!mismatch) {
    return [];
  }
  const { operation } = event;
  return [
    resourceFailure(event, {
      check,
      message: `${operation.id} returned ${brief(mismatch.right)} for ${mismatch.name}, but ${brief(mismatch.left)} was sent.`,
      expected: `${mismatch.name} has the same schema in the request and in the response, so the values are equal.`,
      cause: `${check}: ${mismatch.name} at ${operation.id}`,
      involves: [],
    }),
  ];
}

/** Returns whether a write returns the same schema as a read. */
function returnsWholeResource(checker: SessionChecker, event: Event, read: Event['operation']): boolean {
  const { shapes } = checker.session.context.resources;
  const [written] = shapes.successes(event.operation);
  const [shown] = shapes.successes(read);
  return written !== undefined && shown !== undefined && shapes.same(written.schema, shown.schema);
}
