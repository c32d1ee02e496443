import type { AllowedRanges } from '../../outgoing/addresses.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
import {
  type IntegrationAnswer,
  type IntegrationCall,
  IntegrationCallError,
  type IntegrationCallFailure,
  MAX_ANSWER_BYTES,
} from './calls.ts';
import {
  type CalledIntegration,
  createEnvironment,
  type EnvironmentServices,
  findCalled,
  type IntegrationEnvironment,
} from './environment.ts';

export interface CallServices extends EnvironmentServices {
  outgoing: { allow: AllowedRanges };
}

/**
 * Sends an event to an integration, and returns its answer. In development, the tunnel of its developer receives the
 * events of the owning organization, or of all organizations on request; otherwise its published script does.
 *
 * @throws IntegrationCallError if there is no complete answer
 */
export async function callIntegration(
  services: CallServices,
  call: IntegrationCall,
): Promise<IntegrationAnswer> {
  const called = await findCalled(services.database.query, call);
  if (!called) {
    throw new IntegrationCallError('unreachable', `The integration ${call.integration} does not exist.`);
  }
  const message = await encode(call, await createEnvironment(services, called));
  const tunnel = tunnelOf(called, call);
  if (tunnel === undefined) {
    throw new IntegrationCallError('unreachable', 'This server does not run scripts of integrations.');
  }
  return await callTunnel(services, tunnel, message, call);
}

/** Returns the URL of the developer that receives a call; undefined if the published script does. */
function tunnelOf({ row, installation }: CalledIntegration, call: IntegrationCall): string | undefined {
  const organization = installation?.organization ?? call.organization;
  return row.tunnelURL !== null && (row.tunnelAll === 1 || organization === row.organization)
    ? `${row.tunnelURL.replace(/\/+$/, '')}/v1`
    : undefined;
}

/** Encodes a call as the form that the runtime library of integrations reads. */
async function encode(
  { event, fetchBody }: IntegrationCall,
  environment: IntegrationEnvironment,
): Promise<{ contentType: string; body: Uint8Array }> {
  const form = new FormData();
  form.set('event', JSON.stringify(event));
  form.set('environment', JSON.stringify(environment));
  if (fetchBody) {
    form.set('fetch-body', new Blob([new Uint8Array(fetchBody)]));
  }
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? '',
    body: new Uint8Array(await encoded.arrayBuffer()),
  };
}

const TUNNEL_FAILURES: Partial<Record<OutgoingError['code'], IntegrationCallFailure>> = {
  timeout: 'timeout',
  'too-large': 'output',
  aborted: 'aborted',
};

async function callTunnel(
  { outgoing }: CallServices,
  address: string,
  message: { contentType: string; body: Uint8Array },
  { deadlineMs, signal, maxAnswerBytes = MAX_ANSWER_BYTES }: IntegrationCall,
): Promise<IntegrationAnswer> {
  await using fetcher = new Fetcher(outgoing.allow);
  const limits = { timeout: deadlineMs, maxBytes: maxAnswerBytes, ...(signal && { signal }) };
  try {
    return { ...(await fetcher.post(address, message, limits)), logs: [] };
  } catch (error) {
    if (error instanceof OutgoingError) {
      const reason = TUNNEL_FAILURES[error.code] ?? 'unreachable';
      throw new IntegrationCallError(reason, error.message, [], { cause: error });
    }
    throw error;
  }
}
