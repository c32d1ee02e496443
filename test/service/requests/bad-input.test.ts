import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../generated/operations.ts';
import { readContract } from '../../../server/platform/kit/contract-document.ts';
import {
  type Edge,
  type Faulty,
  type FaultyParts,
  OperationRequests,
  type Parts,
} from '../../../spec/toolchain/conform/requests/requests.ts';
import { readContract as readForRequests } from '../../../spec/toolchain/model/contract/read.ts';
import { schemasOf } from '../../../spec/toolchain/model/contract/schemas-of.ts';
import { SchemaArbitraries } from '../../../spec/toolchain/model/schema/arbitraries.ts';
import { urlPath } from '../../../spec/toolchain/model/schema/urls.ts';
import { documentOf } from '../../../spec/toolchain/source.ts';
import { digestOf } from '../../support/database/digest.ts';
import { isFirstEngine } from '../../support/database/engines.ts';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import { fillPath, type PathValues, requestOf, type WireRequest } from '../../support/http/requests.ts';
import { Wire, type WireResponse } from '../../support/http/wire.ts';
import { SMALL_REPOSITORY, TestResources } from '../../support/resources.ts';
import { runs } from '../../support/seed.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const allOperations = Object.entries(operations).map(([id, operation]) => ({
  id,
  ...operation,
  named: operation.path.includes('{'),
}));

const contract = readContract();
const described = readForRequests(documentOf('generated/openapi.json', contract));
const schemas = schemasOf(described);

let server: TestServer;
let git: GitServer;
let wire: Wire;
let resources: TestResources;
let foreign: TestResources;
/** Resources that requests may change and delete. */
let scratch: TestResources;

beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitServer()]);
  wire = new Wire(server.url);
  const repository = await git.createRepository(SMALL_REPOSITORY);
  resources = await TestResources.inNewOrganization(server, server.admin, repository);
  scratch = await TestResources.inNewOrganization(server, server.admin, repository);
  foreign = await TestResources.inNewOrganization(server, await server.person('Outsider'), repository);
});
afterAll(async () => {
  wire.close();
  await Promise.all([server.stop(), git.close()]);
});

// The server reports U+0000 before any other error, so only requests that test it contain it.
const make = new SchemaArbitraries(schemas, {
  text: (text) => !text.includes('\0'),
  // Has a rule that the contract cannot express.
  components: { ImageData: fc.constant(btoa('<svg></svg>')) },
});
const operationOf = (id: string) => {
  const operation = described.operations.find((item) => item.id === id);
  if (!operation) {
    throw new Error(`The contract has no operation ${id}.`);
  }
  return operation;
};
const requestsOf = (id: string, arbitraries = make) =>
  new OperationRequests(described, operationOf(id), arbitraries);

const show = ({ method, target, body }: WireRequest, { status, text }: WireResponse) =>
  `${method} ${target.slice(0, 300)} ${String(body ?? '').slice(0, 500)}\nanswered ${status} ${text.slice(0, 500)}`;

interface Detail {
  in: string;
  path: string;
  message: string;
}

/** A single object, since schemas are compiled by identity. */
const ERROR = { $ref: '#/components/schemas/Error' };

/** Expects an error body of the contract. */
function expectRefusal(request: WireRequest, response: WireResponse, status: number): Detail[] {
  expect(response.status, show(request, response)).toBe(status);
  expect(make.schemas.accepts(ERROR, response.json), show(request, response)).toBe(true);
  // Was just validated against the schema.
  const { error } = response.json as { error: { code: number; requestId: string; details?: Detail[] } };
  expect(error.code).toBe(status);
  expect(error.requestId).toBe(response.headers['x-request-id']);
  return error.details ?? [];
}

/** Whether a reported error is the expected one. */
function names(reported: Detail, { in: part, isImprecise }: Faulty, path: string): boolean {
  if (reported.in !== part) {
    return false;
  }
  // Names in a path are truncated and may contain the separators of paths.
  const [expectedPath, reportedPath] = [path, reported.path].map((text) =>
    text.slice(0, 100).replaceAll(/[/~]/g, '.'),
  );
  if (expectedPath === reportedPath) {
    return true;
  }
  // For a repeated parameter, the invalid value may be reported instead.
  if (
    part !== 'body' &&
    /^\.\d+$/.test(reportedPath?.slice(expectedPath?.length) ?? '') &&
    reportedPath?.startsWith(expectedPath ?? '')
  ) {
    return true;
  }
  return (
    isImprecise &&
    (reportedPath === '' ||
      expectedPath === '' ||
      `${expectedPath}.`.startsWith(`${reportedPath}.`) ||
      `${reportedPath}.`.startsWith(`${expectedPath}.`))
  );
}

/** Checks a property of requests, a few of them at a time. */
async function all<Case>(cases: readonly Case[], run: (item: Case) => Promise<void>): Promise<void> {
  const left = cases.values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of left) {
      await run(item).catch((failure: unknown) => failures.push(failure));
    }
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  if (failures.length > 0) {
    throw failures.length === 1
      ? failures[0]
      : new AggregateError(failures, failures.map(String).join('\n\n'));
  }
}

/**
 * Registers a check that the tests of a group write nothing. A failure names the tables; to find the operation, run
 * the tests individually (`-t`).
 *
 * @param prepare creates the resources of the tests' paths
 */
function writesNothing(prepare: () => Promise<unknown>): void {
  let before: Record<string, string>;
  beforeAll(async () => {
    await prepare();
    before = await digestOf(server.database);
  });
  afterAll(async () => expect(await digestOf(server.database)).toEqual(before));
}

/** Path values of operations, by operation id. */
async function pathsOf(
  named: readonly (typeof allOperations)[number][],
  inPath: TestResources,
): Promise<Map<string, PathValues>> {
  const paths = new Map<string, PathValues>();
  for (const { id, path } of named) {
    paths.set(id, await inPath.pathValues(path));
  }
  return paths;
}

/**
 * Selects what to test of faults or edges of an operation. Operations share parameters, such as `limit`: each fault or
 * edge of such a parameter is tested with the first operation, and every other operation is tested with one of them.
 */
class SharedParameters {
  readonly #tested = new Set<string>();
  #turn = 0;

  select<Item extends Pick<Edge, 'name' | 'in'>>(items: readonly Item[]): Item[] {
    const ofParameters = Map.groupBy(items, parameterOf);
    return [...ofParameters].flatMap(([parameter, ofParameter]) => {
      if (parameter === undefined) {
        return ofParameter;
      }
      this.#turn += 1;
      const chosen = ofParameter[this.#turn % ofParameter.length];
      const selected = ofParameter.filter((item) => item === chosen || !this.#tested.has(item.name));
      for (const { name } of selected) {
        this.#tested.add(name);
      }
      return selected;
    });
  }
}

/** Returns the parameter of a fault or edge, such as `query limit`; undefined for bodies. */
function parameterOf({ name, in: part }: Pick<Edge, 'name' | 'in'>): string | undefined {
  const [parameter, problem] = name.split(': ');
  if (part === 'body') {
    return undefined;
  }
  return problem === 'unknown' ? 'undeclared' : parameter;
}

// The contract rejects these requests before any query.
describe.runIf(isFirstEngine)('an invalid request', () => {
  const shared = new SharedParameters();
  let paths: Map<string, PathValues>;
  writesNothing(async () => {
    paths = await pathsOf(allOperations, resources);
  });

  test.each(allOperations)('of $id is rejected with the invalid field', async (operation) => {
    const described = operationOf(operation.id);
    const faults = requestsOf(operation.id).faulty({ path: paths.get(operation.id) ?? {} });
    const cases = shared.select(faults);
    await all(cases, async (variant) => {
      const rejected = async (parts: FaultyParts) => {
        const request = requestOf(described, parts);
        const response = await wire.send(request, server.admin.token);
        const details = expectRefusal(request, response, variant.kind === 'media-type' ? 415 : 400);
        if (variant.kind !== 'media-type') {
          expect(
            details.some((reported) => names(reported, variant, parts.at)),
            `${variant.name}: ${parts.at}\n${show(request, response)}`,
          ).toBe(true);
        }
      };
      await fc.assert(fc.asyncProperty(variant.parts, rejected), { numRuns: runs(1) });
    });
  });
});

describe.runIf(isFirstEngine)('a body', () => {
  const withBody = allOperations.filter(({ body }) => body !== false);
  const type = { 'content-type': 'application/json' };
  let paths: Map<string, PathValues>;
  writesNothing(async () => {
    paths = await pathsOf(withBody, resources);
  });
  const send = async (operation: (typeof allOperations)[number], body: string) => {
    const target = fillPath(operation.path, paths.get(operation.id) ?? {});
    const request = { method: operation.method.toUpperCase(), target, headers: type, body };
    return { request, response: await wire.send(request, server.admin.token) };
  };

  test.each(withBody)(
    'of $id is rejected if it is too deep, sets a prototype or contains U+0000',
    async (operation) => {
      for (const body of [
        '['.repeat(20_000) + ']'.repeat(20_000),
        `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
        '{"__proto__":{"title":"Forged"}}',
        '{"title":"\\u0000"}',
        '{"\\u0000":1}',
      ]) {
        const { request, response } = await send(operation, body);
        expect(expectRefusal(request, response, 400)).toMatchObject([{ in: 'body' }]);
      }
    },
  );

  test('is rejected one byte above the limit, and accepted at the limit', async () => {
    for (const operation of withBody.slice(0, 2)) {
      const limit = contract.paths[operation.path]?.[operation.method]?.['x-max-body-bytes'] ?? 1_048_576;
      const body = (bytes: number) => `{"unknown":"${'a'.repeat(bytes - 14)}"}`;
      const over = await send(operation, body(limit + 1));
      expectRefusal({ ...over.request, body: '' }, over.response, 413);
      const full = await send(operation, body(limit));
      expectRefusal({ ...full.request, body: '' }, full.response, 400);
    }
  });
});

/** URLs of a port without a listening server. */
const unreachableUrl = urlPath().map((path) => `http://127.0.0.1:1${path}`);

/** Operations with values that reach the database in one text, or not at all, so that no engine distinguishes them. */
const WITHOUT_STORED_VALUES = [
  'publishIntegration',
  'renderIntegrationComponent',
  'replaceSiteCustomization',
];
const distinguished = allOperations.filter(({ id }) => isFirstEngine || !WITHOUT_STORED_VALUES.includes(id));

/** Whether engines may store or find a value differently: not if it is a flag, a member of an enum, or missing. */
const isDistinguished = ({ keyword }: Edge) =>
  isFirstEngine || !/^(?:enum .*|true|false|absent|null)$/.test(keyword);

describe('a request with random valid values', () => {
  const shared = new SharedParameters();

  test.each(distinguished)('of $id never causes a 500', async (operation) => {
    const pool = [...new Set([...(await resources.ids()), ...(await foreign.ids()), 'nowhere'])];
    const arbitraries = new SchemaArbitraries(schemas, {
      components: {
        Identifier: fc.constantFrom(...pool),
        GitUrl: unreachableUrl,
      },
    });
    const described = operationOf(operation.id);
    let path: PathValues | undefined;
    const sent = async (parts: Parts) => {
      path ??= await (operation.method === 'get' ? resources : scratch).pathValues(operation.path);
      const request = requestOf(described, { ...parts, path });
      const response = await wire.send(request, server.admin.token);
      if (response.status >= 400) {
        expectRefusal(request, response, Math.min(response.status, 499));
      }
      if (!isUsedUp(operation, response)) {
        return;
      }
      path = undefined;
      scratch = scratch.fresh();
    };
    const requests = requestsOf(operation.id, arbitraries);
    // The values of the path are filled in when a request is sent.
    const later = Object.fromEntries(described.parameters.map(({ name }) => [name, 'later']));
    const values = () => fc.constantFrom(...pool);
    const edges = shared.select(requests.edges({ path: later, values }).filter(isDistinguished));
    if (isFirstEngine || edges.length === 0) {
      await fc.assert(fc.asyncProperty(requests.valid({ path: later, values }), sent), {
        numRuns: runs(isFirstEngine ? 3 : 1),
      });
    }
    for (const { parts } of edges) {
      await fc.assert(fc.asyncProperty(parts, sent), { numRuns: runs(1) });
    }
  });
});

/** Whether the resource of a request may be deleted or used up: the next request names another one. */
const isUsedUp = ({ id, method }: (typeof allOperations)[number], { status }: WireResponse) =>
  method !== 'get' &&
  (method === 'delete' || /^(?:merge|transfer|move)/.test(id) || status === 404 || status === 409);
