import {
  getPagingOperation,
  isList,
  type ModelProperty,
  type Operation,
  type PagingProperty,
  type Program,
  resolveEncodedName,
} from '@typespec/compiler';
import {
  getAllHttpServices,
  getHeaderFieldName,
  getQueryParamName,
  isBody,
  isBodyRoot,
  isHeader,
} from '@typespec/http';
import { resolveOperationId } from '@typespec/openapi';
import { type OpenApiDocument, operationsOf, type Paging } from '../document.ts';

/**
 * Adds `x-paging` to the operations with `@list`, since the emitter writes nothing for them: where a page has its
 * items, and how to request the next page. Lists with the shape of the toolkit (`items`, `next.page` and the parameter
 * `page`) need no description.
 */
export function describeLists(program: Program, document: OpenApiDocument): void {
  const [services] = getAllHttpServices(program);
  const lists = new Map(
    services
      .flatMap(({ operations }) => operations)
      .filter(({ operation }) => isList(program, operation))
      .flatMap(({ operation }): [string, Paging][] => {
        const paging = pagingOf(program, operation);
        return paging === undefined || isDefault(paging)
          ? []
          : [[resolveOperationId(program, operation), paging]];
      }),
  );
  for (const operation of operationsOf(document)) {
    const paging = lists.get(operation.operationId ?? '');
    if (paging !== undefined) {
      operation['x-paging'] = paging;
    }
  }
}

const isDefault = ({ items, cursor, parameter }: Paging): boolean =>
  items.join() === 'items' && cursor?.join() === 'next,page' && parameter === 'page';

function pagingOf(program: Program, operation: Operation): Paging | undefined {
  // The compiler reports its problems.
  const [paging] = getPagingOperation(program, operation);
  if (paging === undefined) {
    return undefined;
  }
  const { input, output } = paging;
  const items = bodyPath(program, output.pageItems);
  if (output.nextLink !== undefined) {
    return { items, link: bodyPath(program, output.nextLink) };
  }
  if (output.continuationToken !== undefined && input.continuationToken !== undefined) {
    const { property } = output.continuationToken;
    return {
      items,
      ...(isHeader(program, property)
        ? { cursorHeader: getHeaderFieldName(program, property) }
        : { cursor: bodyPath(program, output.continuationToken) }),
      ...parameterOf(program, input.continuationToken.property),
    };
  }
  const counted = input.offset ?? input.pageIndex;
  return counted === undefined
    ? { items }
    : {
        items,
        ...parameterOf(program, counted.property),
        unit: counted === input.offset ? 'items' : 'pages',
        ...firstOf(counted.property),
      };
}

/** Names of the properties that lead to a property of the body. */
function bodyPath(program: Program, { path }: PagingProperty): string[] {
  return path
    .filter((property) => !isBody(program, property) && !isBodyRoot(program, property))
    .map((property) => resolveEncodedName(program, property, 'application/json'));
}

function parameterOf(program: Program, property: ModelProperty): Pick<Paging, 'parameter' | 'in'> {
  return isHeader(program, property)
    ? { parameter: getHeaderFieldName(program, property), in: 'header' }
    : { parameter: getQueryParamName(program, property) ?? property.name };
}

/** The value of the parameter for the first page, if the contract has a default. */
function firstOf({ defaultValue }: ModelProperty): Pick<Paging, 'first'> {
  const first = defaultValue?.valueKind === 'NumericValue' ? defaultValue.value.asNumber() : null;
  return first === null ? {} : { first };
}
