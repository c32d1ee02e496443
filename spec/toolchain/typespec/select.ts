import { type Diagnostic, getNamespaceFullName } from '@typespec/compiler';
import type { OpenAPI3ServiceRecord } from '@typespec/openapi3';
import type { OpenApiDocument } from '../document.ts';

/** Service and version that a project selects. */
export interface Selection {
  service?: string;
  apiVersion?: string;
}

/** Document that was selected. */
export interface SelectedDocument {
  document: OpenApiDocument;
  diagnostics: readonly Diagnostic[];
}

type Rejection = { message: string };

/** Selects the document of one service, in the newest version by default, or returns why there is none. */
export function selectDocument(
  records: readonly OpenAPI3ServiceRecord[],
  selection: Selection,
): SelectedDocument | Rejection {
  const record = selectService(records, selection);
  const emitted = 'message' in record ? record : selectVersion(record, selection);
  if ('message' in emitted) {
    return emitted;
  }
  const { openapi } = emitted.document;
  return openapi.startsWith('3.1.')
    ? emitted
    : {
        message:
          `The contract emitted OpenAPI ${openapi}, but version 3.1 is required. ` +
          'Set "openapi-versions: [3.1.0]" under "@typespec/openapi3" in tspconfig.yaml.',
      };
}

function selectService(
  records: readonly OpenAPI3ServiceRecord[],
  { service }: Selection,
): OpenAPI3ServiceRecord | Rejection {
  const names = records.map((record) => getNamespaceFullName(record.service.type));
  const selected = records.filter((_record, index) => service === undefined || names[index] === service);
  const [record, ...others] = selected;
  if (records.length === 0) {
    return { message: 'The contract emitted no OpenAPI document. Fix the errors above first.' };
  }
  if (record === undefined) {
    return { message: `The contract has no service ${service}. Its services are ${names.join(', ')}.` };
  }
  return others.length === 0
    ? record
    : {
        message:
          `The contract has several services: ${names.join(', ')}. Select one with --service, ` +
          'or with "service" under "@colophon/toolkit" in the options of tspconfig.yaml.',
      };
}

function selectVersion(
  record: OpenAPI3ServiceRecord,
  { apiVersion }: Selection,
): SelectedDocument | Rejection {
  if (!record.versioned) {
    return apiVersion === undefined
      ? // The emitter's types do not state the version of the document, which is checked afterwards.
        { document: record.document as unknown as OpenApiDocument, diagnostics: record.diagnostics }
      : { message: `The service has no versions, so ${apiVersion} cannot be selected. Omit the version.` };
  }
  // In the order of the enum of the versions. The newest version is last.
  const version =
    apiVersion === undefined
      ? record.versions.at(-1)
      : record.versions.find((candidate) => candidate.version === apiVersion);
  return version
    ? { document: version.document as unknown as OpenApiDocument, diagnostics: version.diagnostics }
    : {
        message: `The service has no version ${apiVersion}. Its versions are ${record.versions.map((candidate) => candidate.version).join(', ')}.`,
      };
}
