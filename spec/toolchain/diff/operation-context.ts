import type { ReportChange, ReportLimitation } from './change.ts';
import type { FormReader } from './form-reader.ts';
import type { Direction } from './rule.ts';
import type { SchemaDiff } from './schema-diff.ts';

/** Context for comparing an operation. */
export interface OperationContext {
  base: FormReader;
  head: FormReader;
  schemas: SchemaDiff;
  report: ReportChange;
  limit: ReportLimitation;
  /** Direction of a part; reversed for webhooks and callbacks, which the server calls. */
  direction(role: Direction): Direction;
}
