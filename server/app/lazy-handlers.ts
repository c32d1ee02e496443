import type { OperationTable } from '../../generated/operations.ts';
import type { AnyHandler } from './replay-check.ts';

/** Imports a module whose only export is a slice. */
type LoadModule = () => Promise<Readonly<Record<string, object>>>;

/** The tags of the operations of a table. */
type TagsOf<Table extends OperationTable> = Table[keyof Table]['tag'] & string;

/** The slice of a module. */
type SliceOf<Load> = Load extends () => Promise<infer Module> ? Module[keyof Module] : never;

/** What has the members of each of some types. */
type Merged<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer Intersection,
) => void
  ? Intersection
  : never;

/**
 * Returns handlers whose modules are loaded with the first request to one of their operations: a server starts without
 * those that nobody has requested yet, and does not keep them in memory. The compiler reports the operations that no
 * module has a handler of.
 *
 * @param modules the modules with the handlers of each tag, the ones of most requests first: the first one that has a
 *   handler of an operation serves it, and the ones before it are loaded to find it
 */
export function lazyHandlers<
  Table extends OperationTable,
  Modules extends Readonly<Record<TagsOf<Table>, readonly LoadModule[]>>,
>(table: Table, modules: Modules): Merged<SliceOf<Modules[keyof Modules][number]>> {
  const modulesOf: Readonly<Record<string, readonly LoadModule[]>> = modules;
  const handlers = Object.entries(table).map(([id, { tag }]): [string, AnyHandler] => {
    let found: AnyHandler | undefined;
    return [
      id,
      async (request, context) => {
        found ??= await findHandler(id, modulesOf[tag ?? ''] ?? []);
        return await found(request, context);
      },
    ];
  });
  // Each of these handlers has the parameters and the result of the one that it calls.
  return Object.fromEntries(handlers) as Merged<SliceOf<Modules[keyof Modules][number]>>;
}

async function findHandler(id: string, modules: readonly LoadModule[]): Promise<AnyHandler> {
  for (const load of modules) {
    for (const slice of Object.values(await load())) {
      const [, handler] = Object.entries(slice).find(([name]) => name === id) ?? [];
      if (handler !== undefined) {
        // The router calls the handler of an operation with the requests of this operation.
        return handler as AnyHandler;
      }
    }
  }
  throw new Error(`No module of the tag of ${id} has its handler. Add the module to its tag.`);
}
