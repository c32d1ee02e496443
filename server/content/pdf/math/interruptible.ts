/** Synchronous work with a time limit: the time to lay out nested commands can double at each level. */
import { createContext, Script } from 'node:vm';

const scope: { work?: () => unknown } = {};
const context = createContext(scope);
const script = new Script('work()');

/** Runs work; throws an error if it takes longer than a number of milliseconds. */
export function interruptible<Result>(work: () => Result, timeoutMs: number): Result {
  scope.work = work;
  try {
    // The script returns the result of `work`.
    return script.runInContext(context, { timeout: timeoutMs }) as Result;
  } finally {
    delete scope.work;
  }
}
