import type { Operation } from '../../../model/contract/contract.ts';
import { anonymous } from '../../../model/plan/names.ts';
import { randomOf, seedOf } from '../../../model/sample/draw.ts';
import type { Engine } from '../engine.ts';
import { type Event, succeeded } from '../event.ts';
import type { RequestOptions } from '../request-options.ts';
import { repeatAt } from './life-cycles.ts';
import type { Scope } from './scope.ts';

/** Maximum number of requests in a sequence, without those that create the resources it needs. */
const MAX_SEQUENCE_REQUESTS = 12;

/**
 * Sends a few random requests on related resources in a new session.
 *
 * @param number number of the sequence
 */
export async function sequence(engine: Engine, scope: Scope, number: number): Promise<void> {
  const random = randomOf(seedOf(engine.options.seed, `sequence ${number}`));
  const any = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const testable = engine.resources.contract.operations.filter(
    (operation) => engine.isTestable(operation) && scope.tested.has(operation.id),
  );
  const theme = any(testable);
  if (!theme) {
    return;
  }
  const related = testable.filter((operation) => areRelated(theme, operation));
  const factory = engine.session(`sequence ${number}`);
  const length = 3 + Math.floor(random() * (MAX_SEQUENCE_REQUESTS - 2));
  let last: Event | undefined;
  for (let count = 0; count < length; count += 1) {
    const operation = any(random() < 0.85 ? related : testable) ?? theme;
    if (!engine.isTestable(operation)) {
      continue;
    }
    engine.update('sequences', operation.id);
    const repeated = last && random() < 0.5 ? followUp(testable, last, random) : undefined;
    if (repeated && last) {
      await repeatAt(factory, repeated, last);
      last = undefined;
      continue;
    }
    const options: RequestOptions =
      random() < 0.7
        ? { parts: (requests, inputs) => requests.valid(inputs), includeOptional: random() < 0.5 }
        : {};
    const event = await factory.request(operation, options);
    last = event && operation.method !== 'GET' && succeeded(event) ? event : undefined;
  }
  await engine.close(factory);
}

/**
 * Returns whether two operations are related: one path is a prefix of the other, or both belong to the same collection.
 */
function areRelated(left: Operation, right: Operation): boolean {
  const [a, b] = [anonymous(left.path), anonymous(right.path)];
  const stem = (path: string) => path.replace(/(\/[^{}/]+)?(\/\{\})?$/, '');
  return a.startsWith(b) || b.startsWith(a) || stem(a) === stem(b);
}

/** Returns an operation that shows the effect of a change: a read, or a second deletion. */
function followUp(
  testable: readonly Operation[],
  { operation }: Event,
  random: () => number,
): Operation | undefined {
  const at = testable.filter((candidate) => anonymous(candidate.path) === anonymous(operation.path));
  const read = at.find(({ method }) => method === 'GET');
  if (operation.method !== 'DELETE') {
    return read;
  }
  // Actions on a deleted resource may restore it.
  const actions = testable.filter(
    ({ method, path, body }) =>
      method === 'POST' &&
      !body?.required &&
      path.startsWith(`${operation.path}/`) &&
      // Actions on descendants need further path parameters.
      !path.slice(operation.path.length).includes('{'),
  );
  const all = [read ?? operation, operation, ...actions];
  return all[Math.floor(random() * all.length)];
}
