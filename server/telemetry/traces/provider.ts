import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { Sampler, SpanProcessor } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Creates the provider of tracers, which sends spans to a collector. It is configured with the standard variables of
 * OpenTelemetry (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/): the exporter reads
 * those of the collector.
 *
 * @param name name of the process, such as `server`
 */
export function createProvider(
  name: string,
  environment: Environment,
  processor: SpanProcessor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() }),
): TracerProvider {
  const named = resourceFromAttributes({ 'service.name': 'colophon', 'process.role': name });
  // Attributes of the environment, such as another name of the service, replace those before them.
  const resource = defaultResource()
    .merge(named)
    .merge(detectResources({ detectors: [envDetector] }));
  return new TracerProvider({ resource, sampler: samplerOf(environment), spanProcessors: [processor] });
}

/** Creates the sampler that `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG` specify. */
export function samplerOf({
  OTEL_TRACES_SAMPLER: name,
  OTEL_TRACES_SAMPLER_ARG: argument,
}: Environment): Sampler {
  const ratio = Number(argument ?? 1);
  const isRatio = ratio >= 0 && ratio <= 1;
  const sampled = new TraceIdRatioBasedSampler(isRatio ? ratio : 1);
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return sampled;
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: sampled });
    default:
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
}
