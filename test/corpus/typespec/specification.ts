import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenApiDocument } from '../../../spec/toolchain/document.ts';
import { formatProblem, generate, hasErrors, resolveProject } from '../../../spec/toolchain/main.ts';
import { type OperationRow, operationRows } from '../../../spec/toolchain/operation-table.ts';
import { callsProgram } from './calls.ts';
import {
  type Call,
  callOf,
  clientProblems,
  type GeneratedFunctions,
  generatedFunctions,
} from './client-side.ts';
import { decode } from './decode.ts';
import { type MockApi, type MockLibrary, type Scenario, scenariosOf } from './mock-apis.ts';
import { type MockServer, startMockServer } from './mock-server.ts';
import { basePath, operationOf } from './operations.ts';
import { otherBody } from './other-bodies.ts';
import { rawRequest, sendRaw } from './raw-request.ts';
import { type ExpectedExchange, type RouterServer, startRouterServer } from './router-side.ts';

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
 * functions to its mock API.
 */
export async function runSpecification(
  root: string,
  library: MockLibrary,
  name: string,
): Promise<SpecificationResult> {
  const result: SpecificationResult = { name, generate: [], types: [], scenarios: [] };
  const generated = join('generated', name);
  const { document, problems } = await generate(
    resolveProject({ root, contract: join('specs', name, 'main.tsp'), generated }),
  );
  const scenarios = await scenariosOf(root, name);
  if (document === undefined || hasErrors(problems)) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    result.generate.push(...errors.map(formatProblem));
    result.types.push('It is not generated.');
    result.scenarios.push(
      ...scenarios.map((scenario) => ({ name: scenario.name, ...both('It is not generated.') })),
    );
    return result;
  }
  const { rows } = operationRows(document, 'warning');
  const functions = await generatedFunctions(join(root, generated, 'functions.ts'));
  const base = basePath(document, String(document.info.version));
  const mock = await startMockServer(root, library);
  const router = await startRouter(document, rows, base);
  const calls: Call[] = [];
  const sides = { root, document, base, library, mock, router, functions, calls };
  const end = performance.now() + DEADLINE_MS;
  for (const scenario of scenarios) {
    result.scenarios.push(
      performance.now() > end
        ? { name: scenario.name, ...both(`Not completed within ${DEADLINE_MS / 1000} seconds.`) }
        : await runScenario(sides, scenario),
    );
  }
  mock.close();
  if (typeof router !== 'string') {
    router.close();
  }
  await writeFile(join(root, generated, 'calls.ts'), callsProgram(calls));
  return result;
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
  /** Calls of the scenarios, to which each one adds its own. */
  calls: Call[];
}

async function runScenario(sides: Sides, scenario: Scenario): Promise<ScenarioResult> {
  const result: ScenarioResult = { name: scenario.name, router: [], client: [] };
  for (const api of scenario.apis) {
    const prepared = await prepare(sides, scenario, api);
    if (typeof prepared === 'string') {
      result.router.push(prepared);
      result.client.push(prepared);
      continue;
    }
    const { mock, router, base, functions, calls } = sides;
    result.router.push(...(typeof router === 'string' ? [router] : await attempt(router.problems(prepared))));
    const call = callOf(functions, prepared);
    if (call === undefined) {
      result.client.push('There is no generated function.');
    } else {
      // An invalid request need not compile.
      if (prepared.response.status !== 400) {
        calls.push(call);
      }
      mock.serve(api);
      result.client.push(...(await attempt(clientProblems(mock, base, call, prepared))));
    }
  }
  return result;
}

/** Sends a request to its mock API, whose response is the expected one, and reads its values. */
async function prepare(
  { root, document, base, library, mock }: Sides,
  { name }: Scenario,
  api: MockApi,
): Promise<ExpectedExchange | string> {
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
  return matched === undefined
    ? `No operation has the method and path ${request.method} ${request.path}.`
    : { matched, request, values: decode(document, matched, request), response };
}

async function attempt(problems: Promise<string[]>): Promise<string[]> {
  try {
    return await problems;
  } catch (error) {
    return [error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error)];
  }
}
