import type { Contract, Operation, Parameter } from '../contract/contract.ts';
import { joinedWords } from './names.ts';
import type { Part, Shapes } from './shapes.ts';

/** Operation that returns a list. */
export interface List {
  operation: Operation;
  /** Location of the list in the response, and schema of its items. */
  items: Part;
  /** Pagination; undefined if none is recognized. */
  paging: Paging | undefined;
}

/** Pagination of a list. */
export interface Paging {
  /** Style: by a cursor of the last response, by the number of the first item, or by the number of the page. */
  style: 'cursor' | 'offset' | 'page';
  /** Query parameter that selects the page. */
  parameter: string;
  /** Query parameter of the page size; undefined if there is none. */
  limit: string | undefined;
  /** Possible locations of the next cursor: JSON pointers into the response, or `header:link`. Only for cursors. */
  next: readonly string[];
}

const CURSORS =
  /^(cursor|pagecursor|next|after|pageafter|startingafter|pagetoken|nextpagetoken|continuationtoken|continue|marker|token|starttoken)$/;
const LIMITS = /^(limit|pagelimit|perpage|pagesize|size|maxresults|count|maxitems|take|top|first|max)$/;
const PAGES = /^(page|pagenumber|pageno|p)$/;
const OFFSET_PARAMETER = /^(offset|pageoffset|skip|start|startindex|from)$/;
const NEXT_FIELDS =
  /^(next|nextcursor|nextpage|nextpagetoken|nexttoken|cursor|endcursor|continuationtoken|nextlink|after|marker)$/;
const PAGING_CONTAINER = /^(next|page|paging|pagination|pageinfo|meta|metadata|links|cursors)$/;

/** Returns the lists of a contract. */
export function findLists(contract: Contract, shapes: Shapes): List[] {
  return contract.operations.flatMap((operation) => {
    // A path that ends with a parameter refers to one entity, even if its response contains lists.
    if (operation.method !== 'GET' || operation.path.endsWith('}')) {
      return [];
    }
    const response = shapes.successes(operation)[0];
    const items = response && shapes.items(response.schema);
    return items ? [{ operation, items, paging: pagingOf(operation, shapes) }] : [];
  });
}

function pagingOf(operation: Operation, shapes: Shapes): Paging | undefined {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query');
  const named = (pattern: RegExp) => query.find(({ name }) => pattern.test(joinedWords(name)));
  const limit = named(LIMITS)?.name;
  const numeric = (parameter: Parameter) =>
    shapes.types(parameter.schema).every((type) => type === 'integer' || type === 'number');
  const page = named(PAGES);
  const next = cursorLocations(operation, shapes);
  const cursor = named(CURSORS) ?? (page && !numeric(page) ? page : undefined);
  if (cursor && next.length > 0) {
    return { style: 'cursor', parameter: cursor.name, limit, next };
  }
  const offset = named(OFFSET_PARAMETER);
  if (offset && numeric(offset)) {
    return { style: 'offset', parameter: offset.name, limit, next: [] };
  }
  if (page && numeric(page)) {
    return { style: 'page', parameter: page.name, limit, next: [] };
  }
  return undefined;
}

/** Returns possible locations of the next cursor: at most one level deep, or in a `Link` header (RFC 8288). */
function cursorLocations(operation: Operation, shapes: Shapes): string[] {
  const pointers: string[] = [];
  const [response] = shapes.successes(operation);
  for (const [name, field] of response ? shapes.fields(response.schema) : []) {
    const inner = shapes.fields(field);
    if (inner.size === 0) {
      if (NEXT_FIELDS.test(joinedWords(name)) && !shapes.types(field).includes('boolean')) {
        pointers.push(`/${name}`);
      }
      continue;
    }
    if (!PAGING_CONTAINER.test(joinedWords(name))) {
      continue;
    }
    for (const [within, value] of inner) {
      const named =
        NEXT_FIELDS.test(joinedWords(within)) ||
        (joinedWords(name) === 'next' && !/^(limit|total|count)/.test(within));
      if (named && !shapes.types(value).includes('boolean')) {
        // Links of HAL and JSON:API can be objects with the address.
        const isLink = shapes.fields(value).has('href');
        pointers.push(`/${name}/${within}`, ...(isLink ? [`/${name}/${within}/href`] : []));
      }
    }
  }
  const linked = Object.entries(operation.responses).some(
    ([status, { headers }]) => /^2/.test(status) && 'link' in headers,
  );
  return linked ? [...pointers, 'header:link'] : pointers;
}
