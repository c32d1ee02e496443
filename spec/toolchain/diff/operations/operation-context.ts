import type { ReportChange, ReportLimitation } from '../change.ts';
import type { FormReader } from '../form/form-reader.ts';
import type { Direction } from '../rules/rule.ts';
import type { SchemaDiff } from '../schemas/schema-diff.ts';

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
