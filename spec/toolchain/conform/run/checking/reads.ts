import type { JsonObject } from '../../../document.ts';
import type { Event, Failure } from '../event.ts';
import { succeeded } from '../event.ts';
import { briefField, difference } from './compare.ts';
import type { Expectations, ResourceState } from './expectations.ts';
import { GONE_STATUSES, hasQuery, resourceFailure } from './resource-failure.ts';
import { firstMismatch } from './written-values.ts';

/** Fields and states of a resource that is deleted but still readable. */
const ENDED_STATES =
  /^(deleted|removed|archived|trashed|cancell?ed|inactive|disabled|revoked|expired|closed)/i;

/** Checks a read of a resource against earlier requests. */
export function checkRead(expectations: Expectations, event: Event): Failure[] {
  const { operation, target, n } = event;
  const previous = expectations.states.get(target);
  if (!succeeded(event)) {
    return previous ? checkFailedRead(expectations, event, previous) : [];
  }
  const shown = expectations.returnedResource(event);
  if (!shown || expectations.readAt(operation.path) !== operation) {
    return [];
  }
  const { value } = shown;
  if (previous?.state === 'gone') {
    return checkReadAfterDelete(expectations, event, previous, value);
  }
  if (hasQuery(event)) {
    expectations.states.set(target, {
      ...(previous ?? { read: operation, state: 'alive', since: n }),
      lastRead: n,
    });
    return [];
  }
  const failures = previous ? checkWritten(expectations, event, previous, value) : [];
  if (previous?.unpatched && failures.length === 0) {
    failures.push(...checkUnpatched(expectations, event, previous.unpatched, value));
  }
  expectations.states.set(target, {
    read: operation,
    state: 'alive',
    since: previous?.since ?? n,
    lastValue: { n, value },
  });
  return failures;
}

/** Checks that a resource is not missing before it is deleted. */
function checkFailedRead(expectations: Expectations, event: Event, previous: ResourceState): Failure[] {
  const { operation, target } = event;
  const status = event.exchange.response?.status ?? 0;
  if (previous.state === 'gone' || !GONE_STATUSES.has(status)) {
    return [];
  }
  expectations.states.delete(target);
  const creation = expectations.session.events[previous.since];
  if (
    previous.lastWrite === undefined &&
    previous.lastValue === undefined &&
    previous.lastRead === undefined
  ) {
    return [];
  }
  const check = previous.lastWrite?.check ?? 'read-after-create';
  return [
    resourceFailure(event, {
      check,
      message: `${operation.method} ${operation.path} returned ${status} for a resource that ${creation?.operation.id ?? 'an operation'} had just returned.`,
      expected: `${creation?.operation.id ?? 'The operation'} succeeded, so ${operation.id} returns the resource until it is deleted.`,
      cause: `${check}: ${operation.id} does not return it`,
      involves: [previous.since, previous.lastWrite?.n ?? previous.lastRead ?? previous.since],
    }),
  ];
}

/** Checks that a deleted resource is not returned, except as deleted. */
function checkReadAfterDelete(
  expectations: Expectations,
  event: Event,
  previous: ResourceState,
  value: JsonObject,
): Failure[] {
  const { operation, target } = event;
  if (hasEndedState(value)) {
    return [];
  }
  expectations.states.delete(target);
  const remover = expectations.session.events[previous.since];
  return [
    resourceFailure(event, {
      check: 'read-after-delete',
      message: `${operation.method} ${operation.path} still returned ${event.exchange.response?.status} after ${remover?.operation.id ?? 'DELETE'} had returned ${remover?.exchange.response?.status ?? 'success'}.`,
      expected: 'Reading a deleted resource returns 404 or 410.',
      cause: `read-after-delete: ${operation.id}`,
      involves: [previous.since],
    }),
  ];
}

/** Checks that a read returns what the last write of the resource wrote. */
function checkWritten(
  expectations: Expectations,
  event: Event,
  { lastWrite, since }: ResourceState,
  value: JsonObject,
): Failure[] {
  const { operation } = event;
  const { shapes } = expectations.session.context.resources;
  const mismatch = lastWrite?.written
    .map((written) => firstMismatch(Object.keys(written.sent), written, value, shapes))
    .find((difference) => difference !== undefined);
  if (!lastWrite || !mismatch) {
    return [];
  }
  const { n: writtenAt, check } = lastWrite;
  return [
    resourceFailure(event, {
      check,
      message: `${operation.id} returned ${briefField(mismatch.right)} for ${mismatch.name}, but ${briefField(mismatch.left)} was written.`,
      expected: `Without a change in between, ${operation.id} returns what ${idOf(expectations, writtenAt)} wrote.`,
      cause: `${check}: ${mismatch.name} at ${operation.path}`,
      involves: [since, writtenAt],
    }),
  ];
}

/** Checks that a patch left the fields unchanged that it omitted. */
export function checkUnpatched(
  expectations: Expectations,
  event: Event,
  unpatched: NonNullable<ResourceState['unpatched']>,
  after: JsonObject,
): Failure[] {
  const mismatch = difference(Object.keys(unpatched.fields), unpatched.fields, after);
  if (!mismatch) {
    return [];
  }
  const patch = expectations.session.events[unpatched.n];
  const changed = { name: mismatch.name, before: mismatch.left ?? null, patch: unpatched.n };
  return [
    {
      ...resourceFailure(event, {
        check: 'patch-preserves-omitted',
        message: `${patch?.operation.id ?? 'PATCH'} changed ${mismatch.name}, which was omitted, from ${briefField(mismatch.left)} to ${briefField(mismatch.right)}.`,
        expected: 'A PATCH does not change omitted fields (RFC 5789, RFC 7396).',
        cause: `patch-preserves-omitted: ${mismatch.name} at ${patch?.operation.id ?? event.operation.id}`,
        involves: [unpatched.before, unpatched.n],
      }),
      changed,
    },
  ];
}

function hasEndedState(value: JsonObject): boolean {
  return Object.entries(value).some(([name, field]) => {
    if (ENDED_STATES.test(name)) {
      return field !== null && field !== false && field !== '';
    }
    return /^(status|state|lifecycle)$/i.test(name) && typeof field === 'string' && ENDED_STATES.test(field);
  });
}

const idOf = (expectations: Expectations, n: number) =>
  expectations.session.events[n]?.operation.id ?? 'the write';
