import type { JsonText } from '../../json.ts';

type StoredVisibility = 'private' | 'public';

type StoredProcessingState = 'pending' | 'progress' | 'complete';

type StoredProcessErrorCode = 'FETCH_TIMEOUT' | 'FETCH_ERROR' | 'PARSE_ERROR';

/** An OpenAPI specification with its source and processing state. */
export interface OpenAPISpecsTable {
  id: string;
  organization: string;
  /** Unique in the organization. */
  slug: string;
  visibility: StoredVisibility;
  /** URL of the source; null if it was uploaded as text. */
  sourceURL: string | null;
  /** The uploaded text, until it is processed. */
  sourceText: string | null;
  /** Number of the source. Results for earlier sources are discarded. */
  generation: number;
  processingState: StoredProcessingState;
  /** The latest valid version. */
  lastVersion: string | null;
  lastProcessedAt: string | null;
  lastProcessErrorCode: StoredProcessErrorCode | null;
  createdAt: string;
  updatedAt: string;
}

/** An immutable version of a specification. */
export interface OpenAPISpecVersionsTable {
  id: string;
  organization: string;
  spec: string;
  /** Hash of the text. */
  hash: string;
  format: 'json' | 'yaml';
  /** The original text. */
  text: string;
  /** The parsed document. */
  document: JsonText<Record<string, unknown>>;
  createdAt: string;
}
