// What the mock APIs of TypeSpec's scenarios consist of, as far as it is read here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A body. Its content can depend on the address of the server. */
export interface MockBody {
  contentType: string;
  rawContent: string | Buffer | { serialize(config: Address): string } | undefined;
}

/** The parts of a form. */
export interface MockForm {
  kind: 'multipart';
  contentType: string;
  parts?: Record<string, unknown>;
  files?: { fieldname: string; originalname: string; buffer: Buffer; mimetype: string }[];
}

/** A response. Values of headers can depend on the address of the server. */
export interface MockResponse {
  status: number;
  headers?: Record<string, unknown>;
  body?: MockBody;
}

/** A request that a scenario expects, and its response. */
export interface MockApi {
  uri: string;
  method: string;
  request?: {
    query?: Record<string, unknown>;
    pathParams?: Record<string, unknown>;
    headers?: Record<string, unknown>;
    body?: MockBody | MockForm;
  };
  response: MockResponse;
  /** Verifies a request, and returns its response; throws for another request than the expected one. */
  handler?: (request: MockRequest) => MockResponse | Promise<MockResponse>;
}

/** A scenario, which consists of one or several requests. */
export interface Scenario {
  /** Name in the coverage reports of TypeSpec: `Encode_Duration_Query_iso8601`. */
  name: string;
  apis: readonly MockApi[];
}

/** Base URL of the server, without a path. */
export interface Address {
  baseUrl: string;
}

/** A request with functions that throw if it differs from the expected one. */
export interface MockRequest {
  headers: Record<string, unknown>;
  query: Record<string, unknown>;
  expect: {
    rawBodyEquals(body: string | Buffer | undefined): void;
    coercedBodyEquals(body: unknown): void;
    xmlBodyEquals(body: string): void;
    containsHeader(name: string, value: string): void;
    containsQueryParam(name: string, value: string): void;
    deepEqual(actual: unknown, expected: unknown): void;
  };
}

/** The library of the mock APIs. */
export interface MockLibrary {
  /** Creates the request that handlers receive from that of Express. */
  MockRequest: new (
    request: object,
  ) => MockRequest;
  expandDyns<Value>(value: Value, config: Address): Value;
}

/** Loads the library of the mock APIs. */
export async function mockLibrary(root: string): Promise<MockLibrary> {
  return await import(packageFile(root, 'spec-api/dist/index.js'));
}

/** Loads the scenarios of a specification; none if it has no mock API. */
export async function scenariosOf(root: string, specification: string): Promise<Scenario[]> {
  const path = `http-specs/dist/specs/${specification}/mockapi.js`;
  if (!existsSync(join(root, 'node_modules/@typespec', path))) {
    return [];
  }
  const module: { Scenarios: Record<string, { apis: readonly MockApi[] }> } = await import(
    packageFile(root, path)
  );
  return Object.entries(module.Scenarios).map(([name, { apis }]) => ({ name, apis }));
}

const packageFile = (root: string, path: string) =>
  pathToFileURL(join(root, 'node_modules/@typespec', path)).href;

/** Returns the content of a body. */
export function contentOf({ rawContent }: MockBody, address: Address): string | Buffer | undefined {
  return typeof rawContent === 'string' || Buffer.isBuffer(rawContent)
    ? rawContent
    : rawContent?.serialize(address);
}

/** Returns the path of a request, without its query. Mock APIs write it as a route of Express. */
export function pathOf({ uri, request }: MockApi): string {
  const values = Object.entries(request?.pathParams ?? {});
  return values
    .reduce((path, [name, value]) => path.replaceAll(`:${name}`, String(value)), uri)
    .replaceAll('\\:', ':');
}
