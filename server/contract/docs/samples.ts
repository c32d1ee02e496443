import type { OpenApiDocument } from '../document.ts';
import { clientSample } from './client-sample.ts';
import { curlSample } from './curl-sample.ts';
import type { OperationReference } from './reference.ts';

/** An example of a call. */
export interface Sample {
  label: string;
  source: string;
}

/** Creates the samples of an operation: curl, the generated client, and those that the contract declares. */
export function samplesOf(document: OpenApiDocument, operation: OperationReference): Sample[] {
  return [
    { label: 'curl', source: curlSample(document, operation) },
    // Functions are named after the operation id. Clients cannot call an operation that is not served.
    ...(operation.isNamed ? [{ label: 'TypeScript', source: clientSample(document, operation) }] : []),
    ...operation.samples,
  ];
}
