import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span that a collector received. */
export interface CollectedSpan {
  /** Name of the process that recorded it. */
  process: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  attributes: Record<string, unknown>;
}

/** An OpenTelemetry collector that keeps what it receives. */
export interface TraceCollector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans: CollectedSpan[];
  close(): Promise<void>;
}

/** Starts a collector on loopback (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (req, res) => {
    if (req.method === 'POST' && req.url === '/v1/traces') {
      // The exporter sends this format.
      spans.push(...spansOf((await json(req)) as ExportedTraces));
    }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
}

interface ExportedTraces {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        attributes: Attribute[];
      }[];
    }[];
  }[];
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansOf = ({ resourceSpans }: ExportedTraces): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ parentSpanId, attributes, traceId, spanId, name }) => ({
        process: String(valuesOf(resource.attributes)['process.role']),
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        name,
        attributes: valuesOf(attributes),
      })),
    ),
  );
