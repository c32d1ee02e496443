import type { Json } from '../document.ts';
import type { Dialect } from './grammar.ts';

/** What a repair needs to know about the document. */
export interface RepairContext {
  dialect: Dialect;
  /** Reports a repaired member, or the object itself. */
  warn(step: string | undefined, message: string): void;
  /** Reports a member that cannot be repaired. */
  fail(step: string, message: string): void;
  /** Follows the reference of an object, if it is one. */
  target(value: Json): Json | undefined;
}
