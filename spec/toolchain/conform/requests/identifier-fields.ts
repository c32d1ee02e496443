import { escapeToken } from '../../../../server/contract/json-values.ts';
import type { Contract } from '../../model/contract/contract.ts';
import { schemasOf } from '../../model/contract/schemas-of.ts';
import {
  type AnySchema,
  branchesOf,
  componentOf,
  type Schema,
  type SchemaSet,
  typesIn,
} from '../../model/schema/schema.ts';
import type { FieldLocation } from './parts.ts';

const ID_NAME = /(^|[_\-.])(ids?|uuids?|guids?)$|[a-z0-9](Id|Ids|ID|IDs|Uuid|UUID)$/;
/** Names of opaque values issued by a server. */
const ISSUED_VALUE_NAME =
  /^(page|cursor|after|before|marker|next|(page|next|continuation)[_-]?token|starting[_-]?after|ending[_-]?before|if-(none-)?match)$/i;

/** Returns whether a field is the precondition that a resource still has a version (RFC 9110, 13.1.1). */
export const isVersionPrecondition = ({ in: location, name }: Pick<FieldLocation, 'in' | 'name'>): boolean =>
  location === 'header' && name.toLowerCase() === 'if-match';

/** Returns whether a field identifies an existing resource, or contains an opaque value issued by the server. */
export function isIdentifier(contract: Contract, location: FieldLocation): boolean {
  const schemas = schemasOf(contract);
  const scalar = scalarOf(schemas, location.schema);
  if (!scalar) {
    return false;
  }
  if (location.in === 'path') {
    return true;
  }
  if (location.component !== undefined && pathComponents(contract).has(location.component)) {
    return true;
  }
  if (scalar.format === 'uuid' || ID_NAME.test(location.name)) {
    return true;
  }
  return location.in !== 'body' && scalar.type !== 'integer' && ISSUED_VALUE_NAME.test(location.name);
}

/** Returns the schema of an arbitrary string or integer; undefined for other schemas and fixed values. */
function scalarOf(schemas: SchemaSet, schema: AnySchema): Schema | undefined {
  const flat = schemas.flat(schema);
  if (flat.enum || 'const' in flat) {
    return undefined;
  }
  const branches = branchesOf(flat).filter((branch) => schemas.flat(branch).type !== 'null');
  const [only] = branches;
  if (branches.length > 0) {
    return branches.length === 1 && only !== undefined ? scalarOf(schemas, only) : undefined;
  }
  const types = typesIn(schemas, flat).filter((type) => type !== 'null');
  const [type] = types;
  if (types.length !== 1 || (type !== 'string' && type !== 'integer')) {
    return undefined;
  }
  return { ...flat, type };
}

const components = new WeakMap<Contract, ReadonlySet<string>>();

/** Returns the components that define path parameters. */
function pathComponents(contract: Contract): ReadonlySet<string> {
  let cached = components.get(contract);
  if (!cached) {
    const parameters = contract.operations.flatMap((operation) => operation.parameters);
    const names = parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ schema }) => componentName(schema))
      .filter((name) => name !== undefined);
    cached = new Set(names);
    components.set(contract, cached);
  }
  return cached;
}

/** Returns the name of the component that a schema refers to, also if it is nullable. */
export function componentName(schema: AnySchema): string | undefined {
  if (typeof schema === 'boolean') {
    return undefined;
  }
  const component = componentOf(schema);
  if (component !== undefined) {
    return component;
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return parts.map(componentName).find((name) => name !== undefined);
}

/** Returns the types of entities that a reference with `type` and `id` identifies: `site-section`. */
function typesOf(schemas: SchemaSet, { properties: { type } = {} }: Schema): string[] {
  const { const: only, enum: values = [only] } = type === undefined ? {} : schemas.flat(type);
  return values.filter((value) => typeof value === 'string');
}

/** Returns the identifier fields of a body by their schema: several if a `type` next to it states what it identifies. */
export function identifierFields(contract: Contract, body: AnySchema): Map<AnySchema, FieldLocation[]> {
  const schemas = schemasOf(contract);
  const fields = new Map<AnySchema, FieldLocation[]>();
  const visited = new Set<AnySchema>();
  const visit = (
    schema: AnySchema | undefined,
    name: string,
    pointer: string,
    types: readonly string[] = [],
  ): void => {
    if (schema === undefined || typeof schema === 'boolean' || visited.has(schema)) {
      return;
    }
    visited.add(schema);
    const component = componentName(schema);
    const location: FieldLocation = {
      in: 'body',
      name,
      pointer,
      schema,
      ...(component !== undefined && { component }),
    };
    if (isIdentifier(contract, location)) {
      const typed = types.map((type) => ({ ...location, name: `${type}-${name}`, type }));
      fields.set(schema, typed.length > 0 ? typed : [location]);
      return;
    }
    if (schema.$ref !== undefined) {
      visit(schemas.target(schema.$ref), name, pointer);
    }
    for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      visit(part, name, pointer);
    }
    visit(schema.items, name, `${pointer}/*`);
    visit(schema.additionalProperties, name, `${pointer}/*`);
    for (const [property, inner] of Object.entries(schema.properties ?? {})) {
      const types = property === 'id' ? typesOf(schemas, schema) : [];
      visit(inner, property, `${pointer}/${escapeToken(property)}`, types);
    }
  };
  visit(body, '', '');
  return fields;
}
