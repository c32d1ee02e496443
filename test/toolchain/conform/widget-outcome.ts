import type { Context } from '../../../spec/toolchain/conform/report/context.ts';
import type { Finding, OperationCoverage, Outcome } from '../../../spec/toolchain/conform/report/finding.ts';
import { readResponse } from '../../../spec/toolchain/conform/wire/response.ts';
import type { Contract } from '../../../spec/toolchain/model/contract/contract.ts';
import type { Plan } from '../../../spec/toolchain/model/plan/plan.ts';

/** A contract of widgets, and the outcome of a run with one failure. */

export const contract: Contract = {
  title: 'Widgets & more',
  version: '2',
  components: {},
  operations: [
    {
      id: 'createWidget',
      method: 'POST',
      path: '/widgets',
      parameters: [],
      body: undefined,
      responses: {},
      security: [[{ name: 'token', kind: 'bearer' }]],
      deprecated: false,
    },
  ],
};
export const context: Context = {
  contract,
  url: 'http://127.0.0.1:1',
  curlArguments: [],
  command: 'colophon conform --seed 7',
};

const body = { mediaType: 'application/json', json: { title: '\u0000<]]>&"' }, references: [] };
export const plan: Plan = {
  title: 'create',
  steps: [{ operation: 'createWidget', caller: 'own', path: {}, query: [], headers: [], body }],
};
export const finding: Finding = {
  operation: 'createWidget',
  check: 'no-server-error',
  message: 'POST /widgets returned 500 for a valid request.',
  expected: 'Servers reject requests with 4xx.',
  cause: 'status 500 at createWidget',
  plan,
  exchanges: [
    {
      request: {
        method: 'POST',
        target: '/widgets',
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify(body.json),
        caller: 'own',
      },
      response: readResponse(
        'POST',
        500,
        { 'content-type': 'text/plain', 'set-cookie': 'secret=1' },
        Buffer.from('\u001b[31mbroken <b>'),
      ),
      milliseconds: 3,
    },
  ],
  seed: 7,
  otherOperations: ['updateWidget'],
  repeatable: true,
};
const covered = (operation: string, more: Partial<OperationCoverage> = {}): OperationCoverage => ({
  operation,
  method: 'GET',
  path: `/${operation}`,
  state: 'tested',
  statuses: {},
  missing: [],
  parameters: {},
  pairs: { tried: 0, total: 0 },
  inconclusive: 0,
  ...more,
});
export const outcome: Outcome = {
  findings: [finding],
  coverage: [
    covered('createWidget', {
      statuses: { 500: 1, 201: 12 },
      missing: ['202'],
      parameters: { limit: { valid: 3, invalid: 4 }, body: { valid: 1, invalid: 0 } },
      pairs: { tried: 3, total: 8 },
      inconclusive: 2,
    }),
    covered('getWidget', { statuses: { 200: 1 } }),
    covered('mergeWidgets', { state: 'not-implemented', statuses: { 501: 1 } }),
    covered('getPart', { state: 'not-tested', reason: 'no operation creates a part' }),
  ],
  seed: 7,
  end: 'requests',
  requests: 20,
  milliseconds: 1234,
  excludedChecks: ['allow-header'],
  limitations: ['getWidget: bodies of application/xml, which cannot be generated'],
  undeleted: ['DELETE /widgets/1'],
};
