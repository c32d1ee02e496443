import type { Operation, Parameter } from '../../model/contract/contract.ts';
import { anonymous } from '../../model/plan/names.ts';
import type { Resources } from '../../model/plan/resources.ts';
import { WritableFields } from '../../model/plan/writes.ts';
import { SchemaArbitraries } from '../../model/schema/arbitraries.ts';
import { ifUsable, type SchemaSet } from '../../model/schema/schema.ts';
import type { PatchableField } from '../requests/json-patch.ts';
import { OperationRequests } from '../requests/requests.ts';
import { satisfiedSchemes } from '../wire/credentials.ts';

/** Returns whether a parameter has the place of a credential, which every request of the caller contains. */
const isCredential = ({ security }: Operation, { in: location, name }: Parameter): boolean =>
  satisfiedSchemes(security).some(({ kind, parameter }) => kind === location && parameter === name);

/** Shared request generators of the sessions of a run. */
export class RequestGenerators {
  readonly resources: Resources;
  readonly seed: number;
  /** Operations that are not tested, with the reason. */
  readonly untestable = new Map<string, string>();
  /** Operations with a request that was not sent, because it could change existing resources. */
  readonly withheld = new Set<string>();
  readonly #make: SchemaArbitraries;
  readonly #writes: WritableFields;
  readonly #requests = new Map<Operation, OperationRequests>();

  constructor(resources: Resources, schemas: SchemaSet, seed: number) {
    this.resources = resources;
    this.seed = seed;
    this.#make = new SchemaArbitraries(schemas);
    this.#writes = new WritableFields(resources);
  }

  of(operation: Operation): OperationRequests {
    let requests = this.#requests.get(operation);
    if (!requests) {
      requests = new OperationRequests(
        this.resources.contract,
        { ...operation, parameters: operation.parameters.filter((each) => !isCredential(operation, each)) },
        this.#make,
        this.#patchableFields(operation),
      );
      this.#requests.set(operation, requests);
    }
    return requests;
  }

  /** Returns the fields of the resource at the path of an operation that clients can write. */
  #patchableFields({ method, path }: Operation): PatchableField[] {
    const { contract, shapes } = this.resources;
    const read = contract.operations.find(
      (candidate) => candidate.method === 'GET' && anonymous(candidate.path) === anonymous(path),
    );
    const [response] = read ? shapes.successes(read) : [];
    if (method !== 'PATCH' || !read || !response) {
      return [];
    }
    const { required = [] } = shapes.flat(response.schema);
    const shown = shapes.fields(response.schema);
    return [...this.#writes.settable(read)].flatMap(([name, [schema]]) =>
      schema && shown.has(name) ? [{ name, schema, isRequired: required.includes(name) }] : [],
    );
  }

  /** Returns the number of pairs of value classes of two parameters; 0 if requests cannot be generated. */
  pairsOf(operation: Operation): number {
    return ifUsable(() => this.of(operation).pairs({ path: {} }).total) ?? 0;
  }
}
