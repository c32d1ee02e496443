import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** The context of the current work, with its span. It follows promises and callbacks. */
export const contexts = new AsyncLocalStorage<Context>();

const propagator = new W3CTraceContextPropagator();
const TRACE_PARENT = 'traceparent';

/** Returns the current context; the root context outside of a trace. */
export const currentContext = (): Context => contexts.getStore() ?? ROOT_CONTEXT;

/** Returns the identifiers of the current trace and span; undefined outside of a trace. */
export const currentSpan = (): SpanContext | undefined => trace.getSpanContext(currentContext());

/** Returns the context of a `traceparent`; the root context if it is invalid or missing. */
export const contextOf = (traceParent: string | null | undefined): Context =>
  propagator.extract(ROOT_CONTEXT, traceParent ?? undefined, {
    get: (text: string | undefined, key) => (key === TRACE_PARENT ? text : undefined),
    keys: () => [TRACE_PARENT],
  });

/** Returns the `traceparent` of the current context; undefined outside of a trace. */
export function readTraceParent(): string | undefined {
  const headers: { traceparent?: string } = {};
  propagator.inject(currentContext(), headers, {
    set: (carrier, key, value) => {
      if (key === TRACE_PARENT) {
        carrier.traceparent = value;
      }
    },
  });
  return headers.traceparent;
}
