import { type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import type { RequestHandler } from 'express';
import { provideTraceParent } from '../../diagnostics/trace-parent.ts';
import { traceChannels } from './channels.ts';
import { contextOf, contexts, currentSpan, readTraceParent } from './context.ts';
import { createProvider, type Environment } from './provider.ts';

/** Maximum time to send the last spans when the process stops. */
export const TRACING_STOP_TIMEOUT_MS = 3000;

/** The traces of a process. */
export interface Tracing {
  /** Records a span for each request, which continues the trace of its header `traceparent`. */
  traceRequests: RequestHandler;
  /** Returns the fields of log lines that identify the current trace and span. */
  logFields(): { traceId?: string; spanId?: string };
  /** Sends the last spans. Never rejects. */
  stop(): Promise<void>;
}

/**
 * Records what this process does as traces of OpenTelemetry.
 *
 * @param name name of the process, such as `server`
 * @param processor receives the spans instead of a collector
 */
export function startTracing(name: string, environment: Environment, processor?: SpanProcessor): Tracing {
  const provider = createProvider(name, environment, processor);
  const tracer = provider.getTracer('colophon');
  const stopChannels = traceChannels(tracer);
  provideTraceParent(readTraceParent);
  return {
    traceRequests: requestTracer(tracer),
    logFields: () => {
      const { traceId, spanId } = currentSpan() ?? {};
      return traceId === undefined || spanId === undefined ? {} : { traceId, spanId };
    },
    stop: async () => {
      stopChannels();
      provideTraceParent(() => undefined);
      let timer: NodeJS.Timeout | undefined;
      const expired = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, TRACING_STOP_TIMEOUT_MS);
      });
      // A collector that does not respond must not prevent the stop.
      await Promise.race([provider.shutdown().catch(() => undefined), expired]);
      clearTimeout(timer);
    },
  };
}

const requestTracer =
  (tracer: Tracer): RequestHandler =>
  (req, res, next) => {
    const { method, path } = req;
    const parent = contextOf(req.get('traceparent'));
    const attributes = { 'http.request.method': method, 'url.path': path };
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    res.once('close', () => endRequest(span, method, res));
    contexts.run(trace.setSpan(parent, span), next);
  };

function endRequest(span: Span, method: string, res: Parameters<RequestHandler>[1]): void {
  const { statusCode, locals } = res;
  // The router sets it.
  const { operationId } = locals as { operationId?: string };
  if (operationId !== undefined) {
    span.updateName(`${method} ${operationId}`).setAttribute('colophon.operation', operationId);
  }
  span.setAttribute('http.response.status_code', statusCode);
  if (statusCode >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
