import { isObject } from '../../document.ts';
import type { Contract, Operation } from '../../model/contract/contract.ts';
import { ALL_WITHHELD } from '../../model/plan/effects.ts';
import type { Coverage, OperationCoverage } from '../report/finding.ts';
import { pairsIn } from '../requests/covering.ts';
import type { Event } from './event.ts';
import type { RequestGenerators } from './request-generators.ts';

/** Counts the tested values and responses of each operation. */
export class CoverageCount {
  readonly #rows = new Map<string, OperationCoverage>();
  /** Rejection of a valid request of each operation, with as few invented values as possible. */
  readonly #rejections = new Map<string, Rejection>();
  /** Tried pairs of value classes by operation. */
  readonly #pairs = new Map<string, Set<string>>();

  constructor(contract: Contract) {
    for (const operation of contract.operations) {
      this.#rows.set(operation.id, emptyRow(operation));
    }
  }

  /** Counts one exchange. */
  record({ operation, step, exchange, inventedFields, draw }: Event): void {
    const row = this.#rows.get(operation.id);
    // An undeclared method tests the path, not the operation.
    if (!row || step.fault?.kind === 'method') {
      return;
    }
    const status = exchange.response ? String(exchange.response.status) : 'none';
    row.statuses[status] = (row.statuses[status] ?? 0) + 1;
    if (exchange.response?.status !== 501) {
      row.state = 'tested';
    } else if (row.state === 'not-tested') {
      row.state = 'not-implemented';
    }
    if (step.caller !== 'own') {
      return;
    }
    const known = this.#rejections.get(operation.id);
    if (!step.fault && (!known || inventedFields.length <= known.inventedFields.length)) {
      this.#rejections.set(operation.id, { status, text: messageOf(exchange), inventedFields });
    }
    if (exchange.response && draw?.value.choice) {
      const tried = this.#pairs.get(operation.id) ?? new Set();
      this.#pairs.set(operation.id, tried);
      for (const pair of pairsIn(draw.value.choice)) {
        tried.add(pair);
      }
    }
    const faultLocation = locationOfFault(step.fault?.name);
    const sent = new Set([
      ...Object.keys(step.path),
      ...step.query.map(([name]) => name),
      ...step.headers.map(([name]) => name),
    ]);
    for (const { name, in: location } of operation.parameters) {
      const key = faultLocation === `${location} ${name}` ? 'invalid' : 'valid';
      const isSent = [...sent].some((text) => text === name || text.startsWith(`${name}[`));
      const counted = key === 'invalid' || (isSent && !inventedFields.includes(`${location} ${name}`));
      if (counted) {
        count(row, name, key);
      }
    }
    if (operation.body && (step.body || faultLocation === 'body')) {
      count(row, 'body', faultLocation === 'body' ? 'invalid' : 'valid');
    }
  }

  /** Returns whether a request of an operation returned 2xx. */
  hasSucceeded(operation: string): boolean {
    return Object.keys(this.#rows.get(operation)?.statuses ?? {}).some((status) => status.startsWith('2'));
  }

  /** Counts a rejection for a reason that the contract does not specify. */
  countInconclusive(operation: string): void {
    const row = this.#rows.get(operation);
    if (row) {
      row.inconclusive += 1;
    }
  }

  result(contract: Contract, tested: ReadonlySet<string>, generators: RequestGenerators): Coverage {
    const { untestable, withheld } = generators;
    return contract.operations.flatMap((operation) => {
      const row = this.#rows.get(operation.id);
      if (!row || (!tested.has(operation.id) && row.state === 'not-tested')) {
        return [];
      }
      const returnedStatuses = Object.keys(row.statuses);
      row.missing = Object.keys(operation.responses).filter(
        (status) =>
          /^2/.test(status) &&
          !returnedStatuses.some((text) => (status === '2XX' ? text.startsWith('2') : text === status)),
      );
      const tried = this.#pairs.get(operation.id)?.size ?? 0;
      // Values of identifiers that became available add pairs.
      row.pairs = { tried, total: Math.max(tried, generators.pairsOf(operation)) };
      if (row.state !== 'not-tested') {
        const rejection = this.#rejections.get(operation.id);
        const hasSucceeded = Object.keys(row.statuses).some((status) => /^[123]/.test(status));
        return [hasSucceeded || !rejection ? row : { ...row, reason: reasonOf(rejection) }];
      }
      const reason =
        untestable.get(operation.id) ??
        (withheld.has(operation.id) ? ALL_WITHHELD : 'The run ended before this operation was tested.');
      return [{ ...row, reason }];
    });
  }
}

interface Rejection {
  status: string;
  text: string;
  inventedFields: readonly string[];
}

/** Maximum length of a server's message in a reason. */
const MAX_MESSAGE_CHARACTERS = 200;

/** Returns the message of an error, in the usual members of JSON errors or as text. */
function messageOf({ response }: Event['exchange']): string {
  const json = response?.json;
  const error = isObject(json) && isObject(json.error) ? json.error : json;
  const members = isObject(error) ? [error.message, error.detail, error.title, error.error] : [error];
  const text = members.find((member) => typeof member === 'string') ?? '';
  return text.slice(0, MAX_MESSAGE_CHARACTERS);
}

/** Returns why an operation had no success, from the last rejection of a valid request with the fewest invented values. */
function reasonOf({ status, text, inventedFields }: Rejection): string {
  const response = `${status === 'none' ? 'no response' : status}${text === '' ? '' : `: ${text}`}`;
  return inventedFields.length === 0
    ? response
    : `${response} (with invented values: ${inventedFields.join(', ').slice(0, MAX_MESSAGE_CHARACTERS)})`;
}

function emptyRow({ id, method, path, parameters, body }: Operation): OperationCoverage {
  const names = [...parameters.map(({ name }) => name), ...(body ? ['body'] : [])];
  return {
    operation: id,
    method,
    path,
    state: 'not-tested',
    statuses: {},
    missing: [],
    parameters: Object.fromEntries(names.map((name) => [name, { valid: 0, invalid: 0 }])),
    pairs: { tried: 0, total: 0 },
    inconclusive: 0,
  };
}

function count(row: OperationCoverage, name: string, key: 'valid' | 'invalid'): void {
  const counts = row.parameters[name] ?? { valid: 0, invalid: 0 };
  counts[key] += 1;
  row.parameters[name] = counts;
}

/**
 * Returns the location of a fault by its name: `query limit` for `query limit: maximum`, `body` for `body title: type`.
 */
function locationOfFault(name: string | undefined): string | undefined {
  if (name === undefined) {
    return undefined;
  }
  if (name.startsWith('body')) {
    return 'body';
  }
  return /^((?:path|query|header|cookie) [^:]+):/.exec(name)?.[1];
}
