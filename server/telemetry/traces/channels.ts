import type { TracingChannel } from 'node:diagnostics_channel';
import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  deliveries,
  gitRuns,
  integrationCalls,
  isolatedJobs,
  jobAttempts,
  statements,
  tasks,
} from '../../diagnostics/channels.ts';
import { listen, type Stop, stopAll } from '../subscriptions.ts';
import { contextOf, contexts, currentContext } from './context.ts';

/** Maximum length of the text of a statement in a span, in characters. */
export const MAX_TRACED_STATEMENT_CHARACTERS = 2000;

/** How a span begins. */
interface SpanStart {
  name: string;
  attributes?: Attributes;
  kind?: SpanKind;
  /** By default, the current context. */
  parent?: Context;
}

/**
 * Records spans of what the channels of this process publish. Jobs and deliveries of events continue the trace of the
 * request that caused them. Other work is recorded only as a part of a trace.
 *
 * @returns a function that ends this
 */
export function traceChannels(tracer: Tracer): Stop {
  const stops = [
    record(tracer, jobAttempts, {
      start: ({ kind, id, attempt, traceParent }) => ({
        name: `job ${kind}`,
        attributes: { 'colophon.job.id': id, 'colophon.job.kind': kind, 'colophon.job.attempt': attempt },
        kind: SpanKind.CONSUMER,
        parent: contextOf(traceParent),
      }),
      end: ({ outcome = 'failed' }) => ({
        attributes: { 'colophon.job.outcome': outcome },
        isFailed: outcome !== 'done' && outcome !== 'stopped',
      }),
    }),
    record(tracer, isolatedJobs, {
      start: ({ kind, id, traceParent }) => ({
        name: `isolated ${kind}`,
        attributes: { 'colophon.job.id': id, 'colophon.job.kind': kind },
        parent: contextOf(traceParent),
      }),
    }),
    record(tracer, deliveries, {
      start: ({ integration, type, traceParent }) => ({
        name: `deliver ${type}`,
        attributes: { 'colophon.integration': integration, 'colophon.event.type': type },
        kind: SpanKind.CONSUMER,
        parent: contextOf(traceParent),
      }),
      end: ({ outcome = 'failed' }) => ({
        attributes: { 'colophon.delivery.outcome': outcome },
        isFailed: outcome === 'failed',
      }),
    }),
    record(tracer, integrationCalls, {
      start: ({ integration, type }) =>
        partOfTrace({
          name: `call ${type}`,
          attributes: { 'colophon.integration': integration, 'colophon.event.type': type },
          kind: SpanKind.CLIENT,
        }),
    }),
    record(tracer, statements, {
      start: ({ sql }) =>
        partOfTrace({
          name: /^\w+/.exec(sql)?.[0] ?? 'statement',
          attributes: { 'db.query.text': sql.slice(0, MAX_TRACED_STATEMENT_CHARACTERS) },
          kind: SpanKind.CLIENT,
        }),
    }),
    record(tracer, tasks, {
      start: ({ task }) => partOfTrace({ name: `task ${task}`, attributes: { 'colophon.task': task } }),
      end: ({ waitedMs }) => ({ attributes: { 'colophon.task.wait_ms': waitedMs } }),
    }),
    record(tracer, gitRuns, {
      start: ({ command }) =>
        partOfTrace({ name: `git ${command}`, attributes: { 'process.executable.name': 'git' } }),
    }),
    traceOutgoing(tracer),
  ];
  return stopAll(stops);
}

/** Returns the start of a span if the current work is traced. */
const partOfTrace = (start: SpanStart): SpanStart | undefined =>
  trace.getSpanContext(currentContext()) && start;

interface Recorded<Event> {
  /** Returns undefined to record nothing. */
  start(event: Event): SpanStart | undefined;
  end?(event: Event): { attributes?: Attributes; isFailed?: boolean };
}

/** Records a span for each call that a channel traces. What the call does is a part of it. */
function record<Event extends object>(
  tracer: Tracer,
  channel: TracingChannel<unknown, Event>,
  { start, end }: Recorded<Event>,
): Stop {
  const spans = new WeakMap<Event, Span>();
  channel.start.bindStore(contexts, (event) => {
    const started = start(event);
    if (!started) {
      return currentContext();
    }
    const { name, attributes = {}, kind = SpanKind.INTERNAL, parent = currentContext() } = started;
    const span = tracer.startSpan(name, { kind, attributes }, parent);
    spans.set(event, span);
    return trace.setSpan(parent, span);
  });
  const ignore = () => undefined;
  const subscribers = {
    start: ignore,
    end: ignore,
    asyncStart: ignore,
    asyncEnd: (event: Event & { error?: unknown }) => {
      const span = spans.get(event);
      if (span) {
        const { attributes = {}, isFailed = 'error' in event } = end?.(event) ?? {};
        span.setAttributes(attributes);
        endSpan(span, isFailed, event.error);
      }
    },
    error: ignore,
  };
  channel.subscribe(subscribers);
  return () => {
    channel.unsubscribe(subscribers);
    channel.start.unbindStore(contexts);
  };
}

function endSpan(span: Span, isFailed: boolean, error?: unknown): void {
  if (error instanceof Error) {
    span.recordException(error);
  }
  if (isFailed) {
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** A request of undici, see https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
interface OutgoingRequest {
  origin: string;
  method: string;
}

/** Records requests to other servers, without their paths, which can contain secrets. */
function traceOutgoing(tracer: Tracer): Stop {
  const spans = new WeakMap<OutgoingRequest, Span>();
  return stopAll([
    listen<{ request: OutgoingRequest }>('undici:request:create', ({ request }) => {
      if (partOfTrace({ name: request.method })) {
        const attributes = { 'http.request.method': request.method, 'server.address': request.origin };
        const options = { kind: SpanKind.CLIENT, attributes };
        spans.set(request, tracer.startSpan(request.method, options, currentContext()));
      }
    }),
    listen<{ request: OutgoingRequest; response: { statusCode: number } }>(
      'undici:request:headers',
      ({ request, response: { statusCode } }) => {
        const span = spans.get(request);
        span?.setAttribute('http.response.status_code', statusCode);
        if (span) {
          endSpan(span, statusCode >= 400);
        }
      },
    ),
    listen<{ request: OutgoingRequest; error: unknown }>('undici:request:error', ({ request, error }) => {
      const span = spans.get(request);
      if (span?.isRecording()) {
        endSpan(span, true, error);
      }
    }),
  ]);
}
