import { isObject, type JsonObject } from '../../document.ts';
import { brief, difference } from './compare.ts';
import type { Event, Failure } from './event.ts';
import { succeeded } from './session.ts';
import type { Known, Watcher } from './watch.ts';

const GONE = new Set([404, 410]);
/** Fields by which a thing says that it is no more, though it can still be seen. */
const ENDED = /^(deleted|removed|archived|trashed|cancell?ed|inactive|disabled|revoked|expired|closed)/i;

type Change = {
  check: string;
  message: string;
  expected: string;
  cause: string;
  involves: readonly number[];
};

const failure = (event: Event, { check, message, expected, cause, involves }: Change): Failure => ({
  check,
  fault: { message, expected, cause },
  at: event.n,
  involves,
});

/** Whether a request has a query, which may ask for another form of the answer. */
const asksForm = ({ step }: Event): boolean => step.query.length > 0;

/** Judges a look at one thing by what was done to it before. */
export function judgeRead(watcher: Watcher, event: Event): Failure[] {
  const { operation, target, n } = event;
  const known = watcher.known.get(target);
  const status = event.exchange.answer?.status ?? 0;
  if (!succeeded(event)) {
    if (!known || known.state === 'gone' || !GONE.has(status)) return [];
    watcher.known.delete(target);
    const made = watcher.session.events[known.since];
    if (known.written === undefined && known.shown === undefined && known.found === undefined) return [];
    const check = known.written?.check ?? 'read-after-write';
    return [
      failure(event, {
        check,
        message: `${operation.method} ${operation.path} answers ${status} for what ${made?.operation.id ?? 'an operation'} had just answered.`,
        expected: `${made?.operation.id ?? 'The operation'} succeeded, so ${operation.id} shows what it wrote until it is deleted.`,
        cause: `${check}: ${operation.id} does not find it`,
        involves: [known.since, known.written?.n ?? known.found ?? known.since],
      }),
    ];
  }
  const shown = watcher.shown(event);
  if (!shown || watcher.readAt(operation.path) !== operation) return [];
  const { value } = shown;
  if (known?.state === 'gone') {
    if (isEnded(value)) return [];
    watcher.known.delete(target);
    const remover = watcher.session.events[known.since];
    return [
      failure(event, {
        check: 'delete-then-read',
        message: `${operation.method} ${operation.path} still answers ${status} after ${remover?.operation.id ?? 'DELETE'} had answered ${remover?.exchange.answer?.status ?? 'success'}.`,
        expected: 'What was deleted is not there any more: 404, or 410.',
        cause: `delete-then-read: ${operation.id}`,
        involves: [known.since],
      }),
    ];
  }
  if (asksForm(event)) {
    watcher.known.set(target, {
      ...(known ?? { read: operation, state: 'alive', since: n }),
      found: n,
    });
    return [];
  }
  const failures: Failure[] = [];
  if (known?.written) {
    const { n: writtenAt, check, fields } = known.written;
    const wrong = difference(Object.keys(fields), fields, value);
    if (wrong)
      failures.push(
        failure(event, {
          check,
          message: `${operation.id} shows ${wrong.name} as ${brief(wrong.other)}, where ${brief(wrong.one)} had been written.`,
          expected: `Nothing changed it in between, so ${operation.id} shows what ${idOf(watcher, writtenAt)} wrote.`,
          cause: `${check}: ${wrong.name} at ${operation.path}`,
          involves: [known.since, writtenAt],
        }),
      );
  }
  if (known?.kept && failures.length === 0) failures.push(...judgeKept(watcher, event, known.kept, value));
  watcher.known.set(target, {
    read: operation,
    state: 'alive',
    since: known?.since ?? n,
    shown: { n, value },
  });
  return failures;
}

/** Judges a change of one thing, and remembers what it promises. */
export function judgeWrite(watcher: Watcher, event: Event): Failure[] {
  const { operation } = event;
  const method = operation.method;
  if (method === 'DELETE') return judgeDelete(watcher, event);
  if (!succeeded(event)) return [];
  const failures: Failure[] = [];
  // An answer in another form says as little of what is there as none.
  const shown = asksForm(event) ? undefined : watcher.shown(event);
  for (const thing of event.made) {
    const read = thing.slot.read;
    if (!read || thing.address === undefined) continue;
    const check = 'read-after-write';
    const fields = promised(watcher, event, read, shown?.value);
    if (shown) failures.push(...judgeEcho(watcher, event, check, shown.value));
    watcher.known.set(thing.address, {
      read,
      state: 'alive',
      since: event.n,
      written: { n: event.n, check, fields },
      ...(shown && fullAnswer(watcher, event, read) && { shown: { n: event.n, value: shown.value } }),
    });
  }
  if (event.made.length > 0 || (method !== 'PATCH' && method !== 'PUT')) return failures;
  const read = watcher.readAt(operation.path);
  if (!read) return failures;
  const check = 'update-then-read';
  const known = watcher.known.get(event.target);
  if (shown) failures.push(...judgeEcho(watcher, event, check, shown.value));
  const next: Known = {
    read,
    state: 'alive',
    since: known?.since ?? event.n,
    written: { n: event.n, check, fields: promised(watcher, event, read, shown?.value) },
  };
  if (method === 'PATCH' && known?.shown && isObject(event.sent)) {
    const sent = event.sent;
    const lasting = [...watcher.writes.lasting(read)].filter((name) => !(name in sent));
    const before = known.shown.value;
    const fields = Object.fromEntries(lasting.map((name) => [name, before[name] ?? null]));
    const kept = { n: event.n, before: known.shown.n, fields };
    if (shown && fullAnswer(watcher, event, read))
      failures.push(...judgeKept(watcher, event, kept, shown.value));
    else next.kept = kept;
  }
  if (shown && fullAnswer(watcher, event, read)) next.shown = { n: event.n, value: shown.value };
  watcher.known.set(event.target, next);
  return failures;
}

function judgeDelete(watcher: Watcher, event: Event): Failure[] {
  const { operation, target, n } = event;
  const known = watcher.known.get(target);
  const read = watcher.readAt(operation.path);
  const status = event.exchange.answer?.status ?? 0;
  if (succeeded(event)) {
    // What is only taken on may still be there for a while.
    if (status === 202) watcher.known.delete(target);
    else if (read && known?.state !== 'gone') watcher.known.set(target, { read, state: 'gone', since: n });
    return [];
  }
  if (known?.state !== 'gone' || GONE.has(status) || status === 401 || status === 429) return [];
  return [
    failure(event, {
      check: 'idempotent-delete',
      message: `${operation.id} answers ${status} when it comes a second time.`,
      expected: 'To delete what is gone is a success, or 404 or 410 (RFC 9110, 9.2.2).',
      cause: `idempotent-delete: ${operation.id} ${status}`,
      involves: [known.since],
    }),
  ];
}

/** The fields that the next look has to show: those of the answer, or those that were sent where there is none. */
function promised(
  watcher: Watcher,
  event: Event,
  read: Event['operation'],
  answer: JsonObject | undefined,
): JsonObject {
  const lasting = watcher.writes.lasting(read);
  if (answer) {
    const { shapes } = watcher.session.ground.resources;
    const declared = shapes.successes(event.operation)[0];
    const names = declared ? shapes.fields(shapes.thing(declared.schema, '')?.schema ?? {}) : new Map();
    return pick(answer, (name) => lasting.has(name) && (name in answer || names.has(name)));
  }
  const [shows] = watcher.session.ground.resources.shapes.successes(read);
  if (!isObject(event.sent) || !shows) return {};
  const part = watcher.session.ground.resources.shapes.thing(shows.schema, '');
  const same = part ? watcher.writes.alike(event.operation, part.schema) : new Set<string>();
  return pick(event.sent, (name) => same.has(name));
}

const pick = (value: JsonObject, wanted: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => wanted(name)));

/** Judges the answer of a write by what was sent. */
function judgeEcho(watcher: Watcher, event: Event, check: string, answer: JsonObject): Failure[] {
  const { shapes } = watcher.session.ground.resources;
  const [declared] = shapes.successes(event.operation);
  const part = declared && shapes.thing(declared.schema, '');
  if (!part || !isObject(event.sent)) return [];
  const same = watcher.writes.alike(event.operation, part.schema);
  const wrong = difference(
    Object.keys(event.sent).filter((name) => same.has(name)),
    event.sent,
    answer,
  );
  if (!wrong) return [];
  const { operation } = event;
  return [
    failure(event, {
      check,
      message: `${operation.id} answers ${wrong.name} as ${brief(wrong.other)}, where ${brief(wrong.one)} was sent.`,
      expected: `${wrong.name} has the same schema in the request and in the answer, so it is what was sent.`,
      cause: `${check}: ${wrong.name} at ${operation.id}`,
      involves: [],
    }),
  ];
}

function judgeKept(
  watcher: Watcher,
  event: Event,
  kept: NonNullable<Known['kept']>,
  after: JsonObject,
): Failure[] {
  const wrong = difference(Object.keys(kept.fields), kept.fields, after);
  if (!wrong) return [];
  const patch = watcher.session.events[kept.n];
  const changed = { name: wrong.name, before: wrong.one ?? null, patch: kept.n };
  const found = [
    failure(event, {
      check: 'patch-leaves-others',
      message: `${patch?.operation.id ?? 'PATCH'} changed ${wrong.name}, which was not sent, from ${brief(wrong.one)} to ${brief(wrong.other)}.`,
      expected: 'A PATCH changes what it names and leaves all else as it is (RFC 5789, RFC 7396).',
      cause: `patch-leaves-others: ${wrong.name} at ${patch?.operation.id ?? event.operation.id}`,
      involves: [kept.before, kept.n],
    }),
  ];
  return found.map((one) => ({ ...one, changed }));
}

/** Whether a write answers the same as a look does. */
function fullAnswer(watcher: Watcher, event: Event, read: Event['operation']): boolean {
  const { shapes } = watcher.session.ground.resources;
  const [written] = shapes.successes(event.operation);
  const [shown] = shapes.successes(read);
  return written !== undefined && shown !== undefined && shapes.same(written.schema, shown.schema);
}

function isEnded(value: JsonObject): boolean {
  return Object.entries(value).some(([name, field]) => {
    if (ENDED.test(name)) return field !== null && field !== false && field !== '';
    return /^(status|state|lifecycle)$/i.test(name) && typeof field === 'string' && ENDED.test(field);
  });
}

const idOf = (watcher: Watcher, n: number) => watcher.session.events[n]?.operation.id ?? 'the write';
