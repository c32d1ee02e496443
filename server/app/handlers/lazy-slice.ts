import type { Slice } from '../../platform/kit/slice.ts';
import type { AnyHandler } from '../replay-check.ts';

/**
 * Returns handlers whose modules are loaded with the first request to one of them: a server starts without those of
 * operations that nobody has requested yet, and does not keep them in memory.
 *
 * @param load imports the slice
 * @param ids the operation IDs of the slice. The compiler reports those that are missing or unknown.
 */
export function lazySlice<Part extends Slice, Id extends keyof Part & string>(
  load: () => Promise<Part>,
  ids: readonly Id[],
): Pick<Part, Id> {
  let loaded: Part | undefined;
  const handlerOf =
    (id: Id): AnyHandler =>
    async (request, context) => {
      loaded ??= await load();
      // The router calls the handler of an operation with the requests of this operation.
      return await (loaded[id] as AnyHandler)(request, context);
    };
  // Each of these handlers has the parameters and the result of the one that it calls.
  return Object.fromEntries(ids.map((id) => [id, handlerOf(id)])) as unknown as Pick<Part, Id>;
}
