import type { Contract } from '../contract/contract.ts';
import { schemasOf } from '../contract/schemas-of.ts';
import {
  type AnySchema,
  branchesOf,
  componentOf,
  type Schema,
  type SchemaSet,
  typesIn,
} from '../schema/schema.ts';
import type { Place } from './parts.ts';

const ID_NAME = /(^|[_\-.])(ids?|uuids?|guids?)$|[a-z0-9](Id|Ids|ID|IDs|Uuid|UUID)$/;
/** Opaque texts that a server hands out itself. */
const HANDED_OUT =
  /^(page|cursor|after|before|marker|next|(page|next|continuation)[_-]?token|starting[_-]?after|ending[_-]?before|if-(none-)?match)$/i;

/** Whether a value there names something which must exist, or which only the server knows. */
export function idShaped(contract: Contract, place: Place): boolean {
  const schemas = schemasOf(contract);
  const scalar = scalarOf(schemas, place.schema);
  if (!scalar) return false;
  if (place.in === 'path') return true;
  if (place.component !== undefined && pathComponents(contract).has(place.component)) return true;
  if (scalar.format === 'uuid' || ID_NAME.test(place.name)) return true;
  return place.in !== 'body' && scalar.type !== 'integer' && HANDED_OUT.test(place.name);
}

/** The schema of a text or an integer that may be any: undefined for other schemas, and for ones with few values. */
function scalarOf(schemas: SchemaSet, schema: AnySchema): Schema | undefined {
  const flat = schemas.flat(schema);
  if (flat.enum || 'const' in flat) return undefined;
  const branches = branchesOf(flat).filter((branch) => schemas.flat(branch).type !== 'null');
  const [only] = branches;
  if (branches.length > 0)
    return branches.length === 1 && only !== undefined ? scalarOf(schemas, only) : undefined;
  const types = typesIn(schemas, flat).filter((type) => type !== 'null');
  const [type] = types;
  if (types.length !== 1 || (type !== 'string' && type !== 'integer')) return undefined;
  return { ...flat, type };
}

const components = new WeakMap<Contract, ReadonlySet<string>>();

/** The components that say what parameters of paths are. */
function pathComponents(contract: Contract): ReadonlySet<string> {
  let known = components.get(contract);
  if (!known) {
    const parameters = contract.operations.flatMap((operation) => operation.parameters);
    const names = parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ schema }) => namedBy(schema))
      .filter((name) => name !== undefined);
    known = new Set(names);
    components.set(contract, known);
  }
  return known;
}

/** The component that a schema is, or is but for null. */
export function namedBy(schema: AnySchema): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  const own = componentOf(schema);
  if (own !== undefined) return own;
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return parts.map(namedBy).find((name) => name !== undefined);
}

/** The places of a body that name something, by the schema that stands there. */
export function placesIn(contract: Contract, body: AnySchema): Map<AnySchema, Place> {
  const schemas = schemasOf(contract);
  const found = new Map<AnySchema, Place>();
  const entered = new Set<AnySchema>();
  const enter = (schema: AnySchema | undefined, name: string, pointer: string): void => {
    if (schema === undefined || typeof schema === 'boolean' || entered.has(schema)) return;
    entered.add(schema);
    const component = namedBy(schema);
    const place: Place = { in: 'body', name, pointer, schema, ...(component !== undefined && { component }) };
    if (idShaped(contract, place)) {
      found.set(schema, place);
      return;
    }
    if (schema.$ref !== undefined) enter(schemas.target(schema.$ref), name, pointer);
    for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
      enter(part, name, pointer);
    enter(schema.items, name, `${pointer}/*`);
    enter(schema.additionalProperties, name, `${pointer}/*`);
    for (const [property, inner] of Object.entries(schema.properties ?? {}))
      enter(inner, property, `${pointer}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  };
  enter(body, '', '');
  return found;
}
