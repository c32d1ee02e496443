// Generated from spec/main.tsp by `npm run generate`. Do not edit: change the contract and run the command.

/** What a router, a client and the tests need to know of one operation at run time. */
export interface OperationEntry {
  /** The HTTP method in lower case, as in the OpenAPI document. */
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';
  /** The path template, with parameters in braces. */
  readonly path: string;
  /** The status of its success, the lowest where it declares several. */
  readonly status: number;
  /** Its first tag: the group it belongs to. */
  readonly tag: string | null;
  /** Whether its success is one page of a list: a body with `items` and `next`. */
  readonly list: boolean;
  /** Whether a caller must authenticate. */
  readonly secured: boolean;
  /** Whether it takes a request body. */
  readonly body: false | 'optional' | 'required';
  /** The values that query parameters have when they are left out, by name. */
  readonly defaults: { readonly [parameter: string]: unknown };
}

/** The table of operations, by operation id. */
export interface OperationTable {
  readonly [operationId: string]: OperationEntry;
}

/** Every operation of the contract, by its operation id. */
export const operations = {
  listOrganizations: { method: 'get', path: '/v1/orgs', status: 200, tag: 'Organizations', list: true, secured: true, body: false, defaults: { limit: 50 } },
  getOrganization: { method: 'get', path: '/v1/orgs/{organizationId}', status: 200, tag: 'Organizations', list: false, secured: true, body: false, defaults: {} },
} as const satisfies OperationTable;
