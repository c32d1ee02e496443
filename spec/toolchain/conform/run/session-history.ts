import type { Resources } from '../../model/plan/resources.ts';
import type { SchemaSet } from '../../model/schema/schema.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Entity } from './entities/entity.ts';
import type { Event } from './event.ts';

/** The requests of a session, the entities that they created, and the contract. */
export interface SessionHistory {
  readonly context: {
    readonly resources: Resources;
    readonly schemas: SchemaSet;
    /** Names of skipped checks. */
    readonly excludedChecks: ReadonlySet<string>;
  };
  readonly events: readonly Event[];
  readonly entities: readonly Entity[];
  /** Number of the first event since the server last stopped. The resources of earlier ones may be others now. */
  readonly firstValidEvent: number;
  /** Returns the exchange of a step. */
  readonly earlier: (step: number) => Exchange | undefined;
}
