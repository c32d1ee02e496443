import { isObject, type JsonObject } from '../../document.ts';
import { brief, difference } from './compare.ts';
import type { Event, Failure } from './event.ts';
import { succeeded } from './session.ts';
import type { ResourceState, Watcher } from './watch.ts';

const GONE_STATUSES = new Set([404, 410]);
/** Fields and states of a resource that is deleted but still readable. */
const ENDED_STATES =
  /^(deleted|removed|archived|trashed|cancell?ed|inactive|disabled|revoked|expired|closed)/i;

type ChangeViolation = {
  check: string;
  message: string;
  expected: string;
  cause: string;
  involves: readonly number[];
};

const failure = (event: Event, { check, message, expected, cause, involves }: ChangeViolation): Failure => ({
  check,
  fault: { message, expected, cause },
  at: event.n,
  involves,
});

/** Returns whether a request has a query, which may select another form of the response. */
const hasQuery = ({ step }: Event): boolean => step.query.length > 0;

/** Checks a read of a resource against earlier requests. */
export function checkRead(watcher: Watcher, event: Event): Failure[] {
  const { operation, target, n } = event;
  const previous = watcher.states.get(target);
  const status = event.exchange.answer?.status ?? 0;
  if (!succeeded(event)) {
    if (!previous || previous.state === 'gone' || !GONE_STATUSES.has(status)) {
      return [];
    }
    watcher.states.delete(target);
    const made = watcher.session.events[previous.since];
    if (previous.written === undefined && previous.shown === undefined && previous.found === undefined) {
      return [];
    }
    const check = previous.written?.check ?? 'read-after-write';
    return [
      failure(event, {
        check,
        message: `${operation.method} ${operation.path} returned ${status} for a resource that ${made?.operation.id ?? 'an operation'} had just returned.`,
        expected: `${made?.operation.id ?? 'The operation'} succeeded, so ${operation.id} returns the resource until it is deleted.`,
        cause: `${check}: ${operation.id} does not find it`,
        involves: [previous.since, previous.written?.n ?? previous.found ?? previous.since],
      }),
    ];
  }
  const shown = watcher.shown(event);
  if (!shown || watcher.readAt(operation.path) !== operation) {
    return [];
  }
  const { value } = shown;
  if (previous?.state === 'gone') {
    if (hasEndedState(value)) {
      return [];
    }
    watcher.states.delete(target);
    const remover = watcher.session.events[previous.since];
    return [
      failure(event, {
        check: 'delete-then-read',
        message: `${operation.method} ${operation.path} still returned ${status} after ${remover?.operation.id ?? 'DELETE'} had returned ${remover?.exchange.answer?.status ?? 'success'}.`,
        expected: 'Reading a deleted resource returns 404 or 410.',
        cause: `delete-then-read: ${operation.id}`,
        involves: [previous.since],
      }),
    ];
  }
  if (hasQuery(event)) {
    watcher.states.set(target, {
      ...(previous ?? { read: operation, state: 'alive', since: n }),
      found: n,
    });
    return [];
  }
  const failures: Failure[] = [];
  if (previous?.written) {
    const { n: writtenAt, check, fields } = previous.written;
    const mismatch = difference(Object.keys(fields), fields, value);
    if (mismatch) {
      failures.push(
        failure(event, {
          check,
          message: `${operation.id} returned ${brief(mismatch.right)} for ${mismatch.name}, but ${brief(mismatch.left)} was written.`,
          expected: `Without a change in between, ${operation.id} returns what ${idOf(watcher, writtenAt)} wrote.`,
          cause: `${check}: ${mismatch.name} at ${operation.path}`,
          involves: [previous.since, writtenAt],
        }),
      );
    }
  }
  if (previous?.kept && failures.length === 0) {
    failures.push(...checkUnpatched(watcher, event, previous.kept, value));
  }
  watcher.states.set(target, {
    read: operation,
    state: 'alive',
    since: previous?.since ?? n,
    shown: { n, value },
  });
  return failures;
}

/** Checks a change of a resource, and records its expected state. */
export function checkWrite(watcher: Watcher, event: Event): Failure[] {
  const { operation } = event;
  const method = operation.method;
  if (method === 'DELETE') {
    return checkDelete(watcher, event);
  }
  if (!succeeded(event)) {
    return [];
  }
  const failures: Failure[] = [];
  // A response in another form provides no more information than no response.
  const shown = hasQuery(event) ? undefined : watcher.shown(event);
  for (const entity of event.made) {
    const read = entity.slot.read;
    if (!read || entity.address === undefined) {
      continue;
    }
    const check = 'read-after-write';
    const fields = expectedFields(watcher, event, read, shown?.value);
    if (shown) {
      failures.push(...checkEcho(watcher, event, check, shown.value));
    }
    watcher.states.set(entity.address, {
      read,
      state: 'alive',
      since: event.n,
      written: { n: event.n, check, fields },
      ...(shown &&
        returnsWholeResource(watcher, event, read) && { shown: { n: event.n, value: shown.value } }),
    });
  }
  if (event.made.length > 0 || (method !== 'PATCH' && method !== 'PUT')) {
    return failures;
  }
  const read = watcher.readAt(operation.path);
  if (!read) {
    return failures;
  }
  const check = 'update-then-read';
  const previous = watcher.states.get(event.target);
  if (shown) {
    failures.push(...checkEcho(watcher, event, check, shown.value));
  }
  const next: ResourceState = {
    read,
    state: 'alive',
    since: previous?.since ?? event.n,
    written: { n: event.n, check, fields: expectedFields(watcher, event, read, shown?.value) },
  };
  if (method === 'PATCH' && previous?.shown && isObject(event.sent)) {
    const sent = event.sent;
    const lasting = [...watcher.writes.lasting(read)].filter((name) => !(name in sent));
    const before = previous.shown.value;
    const fields = Object.fromEntries(lasting.map((name) => [name, before[name] ?? null]));
    const kept = { n: event.n, before: previous.shown.n, fields };
    if (shown && returnsWholeResource(watcher, event, read)) {
      failures.push(...checkUnpatched(watcher, event, kept, shown.value));
    } else {
      next.kept = kept;
    }
  }
  if (shown && returnsWholeResource(watcher, event, read)) {
    next.shown = { n: event.n, value: shown.value };
  }
  watcher.states.set(event.target, next);
  return failures;
}

function checkDelete(watcher: Watcher, event: Event): Failure[] {
  const { operation, target, n } = event;
  const previous = watcher.states.get(target);
  const read = watcher.readAt(operation.path);
  const status = event.exchange.answer?.status ?? 0;
  if (succeeded(event)) {
    // After 202, the resource may exist for some time.
    if (status === 202) {
      watcher.states.delete(target);
    } else if (read && previous?.state !== 'gone') {
      watcher.states.set(target, { read, state: 'gone', since: n });
    }
    return [];
  }
  if (previous?.state !== 'gone' || GONE_STATUSES.has(status) || status === 401 || status === 429) {
    return [];
  }
  return [
    failure(event, {
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
  watcher: Watcher,
  event: Event,
  read: Event['operation'],
  answer: JsonObject | undefined,
): JsonObject {
  const lasting = watcher.writes.lasting(read);
  if (answer) {
    const { shapes } = watcher.session.ground.resources;
    const declared = shapes.successes(event.operation)[0];
    const names = declared ? shapes.fields(shapes.entity(declared.schema, '')?.schema ?? {}) : new Map();
    return pick(answer, (name) => lasting.has(name) && (name in answer || names.has(name)));
  }
  const [shows] = watcher.session.ground.resources.shapes.successes(read);
  if (!isObject(event.sent) || !shows) {
    return {};
  }
  const part = watcher.session.ground.resources.shapes.entity(shows.schema, '');
  const same = part ? watcher.writes.alike(event.operation, part.schema) : new Set<string>();
  return pick(event.sent, (name) => same.has(name));
}

const pick = (value: JsonObject, predicate: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => predicate(name)));

/** Compares the response of a write with the values sent. */
function checkEcho(watcher: Watcher, event: Event, check: string, answer: JsonObject): Failure[] {
  const { shapes } = watcher.session.ground.resources;
  const [declared] = shapes.successes(event.operation);
  const part = declared && shapes.entity(declared.schema, '');
  if (!part || !isObject(event.sent)) {
    return [];
  }
  const same = watcher.writes.alike(event.operation, part.schema);
  const mismatch = difference(
    Object.keys(event.sent).filter((name) => same.has(name)),
    event.sent,
    answer,
  );
  if (!mismatch) {
    return [];
  }
  const { operation } = event;
  return [
    failure(event, {
      check,
      message: `${operation.id} returned ${brief(mismatch.right)} for ${mismatch.name}, but ${brief(mismatch.left)} was sent.`,
      expected: `${mismatch.name} has the same schema in the request and in the response, so the values are equal.`,
      cause: `${check}: ${mismatch.name} at ${operation.id}`,
      involves: [],
    }),
  ];
}

function checkUnpatched(
  watcher: Watcher,
  event: Event,
  kept: NonNullable<ResourceState['kept']>,
  after: JsonObject,
): Failure[] {
  const mismatch = difference(Object.keys(kept.fields), kept.fields, after);
  if (!mismatch) {
    return [];
  }
  const patch = watcher.session.events[kept.n];
  const changed = { name: mismatch.name, before: mismatch.left ?? null, patch: kept.n };
  const found = [
    failure(event, {
      check: 'patch-leaves-others',
      message: `${patch?.operation.id ?? 'PATCH'} changed ${mismatch.name}, which was omitted, from ${brief(mismatch.left)} to ${brief(mismatch.right)}.`,
      expected: 'A PATCH does not change omitted fields (RFC 5789, RFC 7396).',
      cause: `patch-leaves-others: ${mismatch.name} at ${patch?.operation.id ?? event.operation.id}`,
      involves: [kept.before, kept.n],
    }),
  ];
  return found.map((one) => ({ ...one, changed }));
}

/** Returns whether a write returns the same schema as a read. */
function returnsWholeResource(watcher: Watcher, event: Event, read: Event['operation']): boolean {
  const { shapes } = watcher.session.ground.resources;
  const [written] = shapes.successes(event.operation);
  const [shown] = shapes.successes(read);
  return written !== undefined && shown !== undefined && shapes.same(written.schema, shown.schema);
}

function hasEndedState(value: JsonObject): boolean {
  return Object.entries(value).some(([name, field]) => {
    if (ENDED_STATES.test(name)) {
      return field !== null && field !== false && field !== '';
    }
    return /^(status|state|lifecycle)$/i.test(name) && typeof field === 'string' && ENDED_STATES.test(field);
  });
}

const idOf = (watcher: Watcher, n: number) => watcher.session.events[n]?.operation.id ?? 'the write';
