import { isRecord } from './errors.ts';
import { listPages, type PageShape, type Query, queryOf } from './pages.ts';
import type { CallFormat, CallOptions, Client, Result, Styles } from './types.ts';

/** Untyped `Client['GET']`. */
export type AnyGet = (path: string, init: AnyInit) => Promise<Result<unknown>>;

export interface AnyInit {
  params?: { query?: Query };
  styles?: Styles | undefined;
  signal?: AbortSignal | undefined;
}

/** List to iterate over, without the types of its contract. */
export interface AnyList {
  get: AnyGet;
  path: string;
  init: AnyInit;
  shape: PageShape<unknown, unknown>;
}

/** Generated function of an operation that returns a page of a list. */
export type ListFunction<Input, Page, Item> = (
  client: Pick<Client<unknown>, 'call'>,
  input: Input,
  options?: CallOptions,
) => Promise<Page> & { readonly '~item'?: Item };

/** Item of a list: as the function declares it, or in `items`. */
export type ItemOf<Page, Item> = unknown extends Item
  ? Page extends { items: readonly (infer One)[] }
    ? One
    : unknown
  : Item;

/** Shape of the pages of a list, as the generated function passes it. See `x-paging` of the toolchain. */
interface PageFormat {
  items: readonly string[];
  cursor?: readonly string[];
  cursorHeader?: string;
  link?: readonly string[];
  parameter?: string;
  in?: 'header';
  unit?: 'items' | 'pages';
  first?: number;
}

/**
 * Returns the list of a generated function. The query that selects a page contains only what differs from the input of
 * the function.
 */
export function listOfFunction(
  client: Pick<Client<unknown>, 'call'>,
  list: ListFunction<object, unknown, unknown>,
  input: object,
  options: CallOptions,
): AnyList {
  let path = '';
  let format: CallFormat = {};
  let shape: PageShape<unknown, unknown> = listPages;
  return {
    get path() {
      return path;
    },
    init: options,
    shape: { items: (page) => shape.items(page), next: (page) => shape.next(page) },
    async get(_, { params }) {
      const caller: Pick<Client<unknown>, 'call'> = {
        call(method, template, own, callOptions, declared = {}) {
          [path, format] = [template, declared];
          shape = shapeOf(format, input);
          const changed = change(own, template, params?.query ?? {}, format);
          return client.call(method, path, changed, callOptions, { ...format, asResult: true });
        },
      };
      // The function returns what `call` returns: the result.
      return (await list(caller, input, options)) as Result<unknown>;
    },
  };
}

/** Location of the parameters that select a page, if they are in a property of the input. */
const locationOf = ({ pages, nested }: CallFormat): 'header' | 'query' | undefined =>
  isRecord(pages) && pages.in === 'header' ? 'header' : nested?.includes('query') ? 'query' : undefined;

function change(input: object, path: string, query: Query, format: CallFormat): object {
  const location = locationOf(format);
  if (location !== undefined) {
    return { ...input, [location]: { ...Object(valueAt(input, [location])), ...query } };
  }
  // The query of a link can have any names, also those of other parts of the input.
  const names = Object.keys(query).filter((name) => name !== 'body' && !path.includes(`{${name}}`));
  return { ...input, ...Object.fromEntries(names.map((name) => [name, query[name]])) };
}

function shapeOf(format: CallFormat, input: object): PageShape<unknown, unknown> {
  // The generated function has the type of the toolchain.
  const pages = format.pages as PageFormat | undefined;
  if (pages === undefined) {
    return listPages;
  }
  const { items, link, cursor, cursorHeader, parameter, unit, first = unit === 'pages' ? 1 : 0 } = pages;
  return {
    items(body) {
      const value = valueAt(body, items);
      return Array.isArray(value) ? value : undefined;
    },
    next({ body, response, query, count }) {
      if (link !== undefined) {
        const target = valueAt(body, link);
        return typeof target === 'string' && target !== '' ? queryOf(target, response) : undefined;
      }
      if (parameter === undefined) {
        return undefined;
      }
      if (unit !== undefined) {
        const location = locationOf(format);
        const initial = valueAt(input, location === undefined ? [parameter] : [location, parameter]);
        const current = Number(query[parameter] ?? initial ?? first);
        return count > 0 ? { [parameter]: current + (unit === 'items' ? count : 1) } : undefined;
      }
      const next =
        cursorHeader === undefined ? valueAt(body, cursor ?? []) : response.headers.get(cursorHeader);
      return next === undefined || next === null || next === '' ? undefined : { [parameter]: next };
    },
  };
}

/** Returns the value of nested properties. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) => (isRecord(part) && Object.hasOwn(part, name) ? part[name] : undefined),
    value,
  );
}
