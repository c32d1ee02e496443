import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { type OperationRow, operationRows } from '../../../spec/toolchain/generate/operation-table.ts';
import { formatProblem, generate, hasErrors, resolveProject } from '../../../spec/toolchain/main.ts';
import { callsProgram } from './calls.ts';
import {
  type Call,
  callOf,
  clientProblems,
  type GeneratedFunctions,
  generatedFunctions,
} from './client-side.ts';
import { decode } from './decode.ts';
import { type MockApi, type MockLibrary, pathOf, type Scenario, scenariosOf } from './mock-apis.ts';
import { type MockServer, startMockServer } from './mock-server.ts';
import { basePath, operationOf } from './operations.ts';
import { otherBody } from './other-bodies.ts';
import { isFollowed, itemsOf, pagingProblems } from './paging.ts';
import { type RawRequest, type RawResponse, rawRequest, sendRaw } from './raw-request.ts';
import { type ExpectedExchange, type RouterServer, startRouterServer } from './router-side.ts';
import { contentOfResponse } from './values.ts';

/** Results of the requests of a scenario, by side: how they differ from what is expected. */
export interface ScenarioResult {
  name: string;
  router: string[];
  client: string[];
}

/** Results of a specification. */
export interface SpecificationResult {
  /** Path of its folder: `encode/duration`. */
  name: string;
  generate: string[];
  types: string[];
  scenarios: ScenarioResult[];
}

const DEADLINE_MS = 60_000;

/**
 * Generates the files of a specification, and sends the requests of its scenarios to our router, and with the generated
 * functions to its mock API. Scenarios of other versions than the newest one have generated files of their own.
 */
export async function runSpecification(
  root: string,
  library: MockLibrary,
  name: string,
): Promise<SpecificationResult> {
  const result: SpecificationResult = { name, generate: [], types: [], scenarios: [] };
  const scenarios = Map.groupBy(await scenariosOf(root, name), versionOf);
  const end = performance.now() + DEADLINE_MS;
  for (const [version, selected] of scenarios) {
    const sides = await startSides(root, library, name, version);
    if ('problems' in sides) {
      result.generate.push(...sides.problems);
      result.types.push('It is not generated.');
      const results = selected.map((scenario) => ({ name: scenario.name, ...both('It is not generated.') }));
      result.scenarios.push(...results);
      continue;
    }
    for (const scenario of selected) {
      result.scenarios.push(
        performance.now() > end
          ? { name: scenario.name, ...both(`Not completed within ${DEADLINE_MS / 1000} seconds.`) }
          : await runScenario(sides, scenario),
      );
    }
    await sides.close();
  }
  return result;
}

/** Returns the version that the paths of a scenario name, if they do. */
const versionOf = ({ apis: [api] }: Scenario): string | undefined =>
  /\/api-version:([^/]+)/.exec(api === undefined ? '' : pathOf(api))?.[1];

/** Generates the files of a version, and starts both sides. */
async function startSides(
  root: string,
  library: MockLibrary,
  name: string,
  apiVersion: string | undefined,
): Promise<Sides | { problems: string[] }> {
  const generated = join('generated', name, apiVersion ?? '');
  const contract = join('specs', name, 'main.tsp');
  const { document, problems } = await generate(
    resolveProject({ root, contract, generated, ...(apiVersion !== undefined && { apiVersion }) }),
  );
  if (document === undefined || hasErrors(problems)) {
    return { problems: problems.filter(({ severity }) => severity === 'error').map(formatProblem) };
  }
  const { rows } = operationRows(document, 'warning');
  const functions = await generatedFunctions(join(root, generated, 'functions.ts'));
  const base = basePath(document, String(document.info.version));
  const mock = await startMockServer(root, library);
  const router = await startRouter(document, rows, base);
  const calls: Call[] = [];
  return {
    ...{ root, document, base, library, mock, router, functions, calls },
    async close() {
      mock.close();
      if (typeof router !== 'string') {
        router.close();
      }
      await writeFile(join(root, generated, 'calls.ts'), callsProgram(calls));
    },
  };
}

const both = (problem: string) => ({ router: [problem], client: [problem] });

async function startRouter(
  document: OpenApiDocument,
  rows: ReadonlyMap<string, OperationRow>,
  base: string,
): Promise<RouterServer | string> {
  try {
    return await startRouterServer(document, rows, base);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Sides {
  root: string;
  document: OpenApiDocument;
  base: string;
  library: MockLibrary;
  mock: MockServer;
  /** Why it cannot be created, if so. */
  router: RouterServer | string;
  functions: GeneratedFunctions;
  /** Calls of the scenarios. Each scenario adds its own. */
  calls: Call[];
  /** Stops the servers, and writes the calls as a program. */
  close(): Promise<void>;
}

async function runScenario(sides: Sides, scenario: Scenario): Promise<ScenarioResult> {
  const result: ScenarioResult = { name: scenario.name, router: [], client: [] };
  const exchanges: Exchange[] = [];
  for (const api of scenario.apis) {
    const exchange = await exchangeOf(sides, scenario, api);
    if (typeof exchange === 'string') {
      result.router.push(exchange);
      result.client.push(exchange);
    } else {
      exchanges.push(exchange);
    }
  }
  const [first] = exchanges;
  const list = first?.matched && callOf(sides.functions, first.matched);
  const pages = list?.one.pages;
  if (list !== undefined && isFollowed(pages)) {
    const items = exchanges.flatMap(({ response }) => itemsOf(pages, contentOfResponse(response)));
    sides.mock.serve(...scenario.apis);
    result.client.push(...(await attempt(pagingProblems(sides.mock, sides.base, list, items))));
  }
  for (const { api, request, matched } of exchanges) {
    if (matched !== undefined) {
      await runExchange(sides, api, matched, result);
      continue;
    }
    const problem = `No operation has the method and path ${request.method} ${request.path}.`;
    result.router.push(problem);
    // The client follows the links to pages.
    if (!isFollowed(pages)) {
      result.client.push(problem);
    }
  }
  return result;
}

async function runExchange(
  { mock, router, base, functions, calls }: Sides,
  api: MockApi,
  exchange: ExpectedExchange,
  result: ScenarioResult,
): Promise<void> {
  const problems = typeof router === 'string' ? [router] : await attempt(router.problems(exchange));
  result.router.push(...problems);
  const call = callOf(functions, exchange);
  if (call === undefined) {
    result.client.push('There is no generated function.');
    return;
  }
  // A request that is invalid on purpose, or that our router rejects as invalid, need not compile.
  if (exchange.response.status !== 400 && !problems.some((problem) => problem.includes('received 400'))) {
    calls.push(call);
  }
  mock.serve(api);
  result.client.push(...(await attempt(clientProblems(mock, base, call, exchange))));
}

/** A request that the mock API accepted, with its response, and as one of an operation. */
interface Exchange {
  api: MockApi;
  request: RawRequest;
  response: RawResponse;
  matched: ExpectedExchange | undefined;
}

/** Sends a request to its mock API, which returns the expected response, and reads its values. */
async function exchangeOf(
  { root, document, base, library, mock }: Sides,
  { name }: Scenario,
  api: MockApi,
): Promise<Exchange | string> {
  const request = rawRequest(api, library, mock, otherBody(root, name));
  mock.serve(api);
  const response = await sendRaw(mock.baseUrl, request);
  const problem = mock.problem();
  if (problem !== undefined || response.status !== api.response.status) {
    return `The mock API rejects its own request (${response.status}): ${problem}`;
  }
  const matched = request.path.startsWith(base)
    ? operationOf(document, request, request.path.slice(base.length) || '/')
    : undefined;
  return {
    ...{ api, request, response },
    matched: matched && { matched, request, values: decode(document, matched, request), response },
  };
}

async function attempt(problems: Promise<string[]>): Promise<string[]> {
  try {
    return await problems;
  } catch (error) {
    return [error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error)];
  }
}
