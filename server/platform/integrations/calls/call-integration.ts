import type { FileStores } from '../../../content/store/blobs.ts';
import { integrationCalls } from '../../../diagnostics/channels.ts';
import type { AllowedRanges } from '../../../outgoing/addresses.ts';
import { OutgoingError } from '../../../outgoing/errors.ts';
import { Fetcher, type PostedMessage } from '../../../outgoing/fetch.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { callScript } from './call-script.ts';
import {
  type IntegrationCall,
  IntegrationCallError,
  type IntegrationCallFailure,
  type IntegrationResponse,
  type LogEntry,
  MAX_INTEGRATION_RESPONSE_BYTES,
} from './calls.ts';
import {
  type CalledIntegration,
  createEnvironment,
  type EnvironmentServices,
  findCalled,
  type IntegrationEnvironment,
} from './environment.ts';
import type { CallPayload, CallRecorder } from './recorder.ts';

export interface CallServices extends EnvironmentServices, FileStores {
  outgoing: { allow: AllowedRanges };
  sandbox: Sandbox;
  calls: CallRecorder;
}

/**
 * Sends an event to an integration, and returns its response. In development, the tunnel of its developer receives the
 * events of the owning organization, or of all organizations on request; otherwise its published script does.
 *
 * @throws IntegrationCallError if there is no complete response
 */
export async function callIntegration(
  services: CallServices,
  call: IntegrationCall,
): Promise<IntegrationResponse> {
  const { integration, event } = call;
  return await integrationCalls.tracePromise(() => sendCall(services, call), {
    integration,
    type: event.type,
  });
}

async function sendCall(services: CallServices, call: IntegrationCall): Promise<IntegrationResponse> {
  const called = await findCalled(services.database.query, call);
  if (!called) {
    throw new IntegrationCallError('unreachable', `The integration ${call.integration} does not exist.`);
  }
  const message = await encode(call, await createEnvironment(services, called));
  const tunnel = tunnelOf(called, call);
  const { event } = call;
  const record = isAwaited(event) ? recorderOf(services, called, event) : () => {};
  try {
    const response =
      tunnel === undefined
        ? await callScript(services, called, message, { ...call, awaitsBackground: !isAwaited(event) })
        : await callTunnel(services, tunnel, message, call);
    record(response.status < 500, response.logs);
    return response;
  } catch (error) {
    // A busy integration did not receive the call.
    if (error instanceof IntegrationCallError && error.reason !== 'busy') {
      const timestamp = services.clock().toISOString();
      record(false, [...error.logs, { message: error.message, timestamp, level: 'error' }]);
    }
    throw error;
  }
}

/** Creates the function that records the end of a call. Events that are delivered have records already. */
const recorderOf =
  ({ calls }: CallServices, { row, installation }: CalledIntegration, event: CallPayload) =>
  (isSuccess: boolean, logs: readonly LogEntry[]): void =>
    calls.record({
      integration: row.name,
      installation: installation?.id,
      organization: installation?.organization ?? row.organization,
      event,
      state: isSuccess ? 'success' : 'failed',
      logs,
    });

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
): Promise<PostedMessage> {
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

/** Events with a sender that waits for the response: background work of a script does not delay it. */
const AWAITED_EVENTS: ReadonlySet<string> = new Set([
  'fetch',
  'fetch_published_script',
  'fetch_visitor_authentication',
  'ui_render',
] satisfies CallPayload['type'][]);

const isAwaited = (event: IntegrationCall['event']): event is CallPayload => AWAITED_EVENTS.has(event.type);

const TUNNEL_FAILURES: Partial<Record<OutgoingError['code'], IntegrationCallFailure>> = {
  timeout: 'timeout',
  'too-large': 'output',
  aborted: 'aborted',
};

async function callTunnel(
  { outgoing }: CallServices,
  address: string,
  message: PostedMessage,
  { deadlineMs, signal, maxResponseBytes = MAX_INTEGRATION_RESPONSE_BYTES }: IntegrationCall,
): Promise<IntegrationResponse> {
  await using fetcher = new Fetcher(outgoing.allow);
  const limits = { timeout: deadlineMs, maxBytes: maxResponseBytes, ...(signal && { signal }) };
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
