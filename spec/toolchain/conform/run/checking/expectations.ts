import type { JsonObject } from '../../../document.ts';
import type { Operation } from '../../../model/contract/contract.ts';
import { anonymous } from '../../../model/plan/names.ts';
import { WritableFields } from '../../../model/plan/writes.ts';
import type { Event } from '../event.ts';
import { objectAt } from '../resolve.ts';
import type { SessionHistory } from '../session-history.ts';
import type { WrittenFields } from './written-values.ts';

/** Expected state of the resource at a path. */
export interface ResourceState {
  /** Operation that reads it. */
  read: Operation;
  state: 'alive' | 'gone';
  /** Event that caused this state. */
  since: number;
  /** Event of a successful read without a later change, regardless of its result. */
  lastRead?: number;
  /** Value last returned, without a later change. */
  lastValue?: { n: number; value: JsonObject };
  /** Fields that the next read must return. */
  lastWrite?: { n: number; check: 'read-after-create' | 'read-after-update'; written: WrittenFields[] };
  /** Fields that a patch omitted, until the next read returns them. */
  unpatched?: { n: number; before: number; fields: JsonObject };
}

const writesOf = new WeakMap<object, WritableFields>();

/** Expected states of the resources of a session, which its requests determine. */
export class Expectations {
  readonly session: SessionHistory;
  readonly states = new Map<string, ResourceState>();
  readonly writes: WritableFields;
  /** Paths of successful deletions by the second user, with the event. */
  readonly foreignDeletions = new Map<string, number>();

  constructor(session: SessionHistory) {
    this.session = session;
    const { resources } = session.context;
    const writes = writesOf.get(resources) ?? new WritableFields(resources);
    writesOf.set(resources, writes);
    this.writes = writes;
  }

  /** Forgets all expectations. */
  forget(): void {
    this.states.clear();
    this.foreignDeletions.clear();
  }

  /** Returns the operation that reads the resource at a path. */
  readAt(path: string): Operation | undefined {
    const { resources } = this.session.context;
    const key = anonymous(path);
    const list = resources.lists.some(({ operation }) => anonymous(operation.path) === key);
    return list
      ? undefined
      : resources.contract.operations.find(
          (candidate) => candidate.method === 'GET' && anonymous(candidate.path) === key,
        );
  }

  /** Returns the resource in a response, and its location. */
  returnedResource(event: Event): { at: string; value: JsonObject } | undefined {
    const { resources } = this.session.context;
    const status = String(event.exchange.response?.status);
    const responses = resources.shapes.successes(event.operation);
    const response = responses.find((candidate) => candidate.status === status) ?? responses[0];
    const part = response && resources.shapes.entity(response.schema, '');
    const value = part && objectAt(event.exchange.response?.json, part.at);
    return part && value ? { at: part.at, value } : undefined;
  }
}
