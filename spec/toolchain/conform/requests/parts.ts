import type fc from 'fast-check';
import type { Body, Fault, Value } from '../plan/plan.ts';
import type { AnySchema } from '../schema/schema.ts';

/** The parts of a request of one operation: what a step has beside its operation and its caller. */
export interface Parts {
  /** By name, before percent-encoding. */
  path: Record<string, Value>;
  /** In order, before percent-encoding. */
  query: [name: string, value: Value][];
  headers: [name: string, value: Value][];
  body?: Body;
  fault?: Fault;
  /** Places that hold an invented value where one belongs that names something: `path petId`, `body /owner`. */
  madeUp: string[];
}

/** The parts of a request that is wrong in one way. */
export interface FaultyParts extends Parts {
  fault: Fault;
  /** The field at fault: a parameter's name, or names and indexes of the body joined by dots. */
  at: string;
}

/** Requests that are all wrong in one way. */
export interface Faulty {
  /** What is wrong, for people: `body title: maxLength`. */
  name: string;
  kind: Fault['kind'];
  /** The part of the request at fault. */
  in: Place['in'];
  /** Whether a server may also tell the fault of a value around the one at fault, or within it. */
  vague: boolean;
  parts: fc.Arbitrary<FaultyParts>;
}

/** A place in a request that a value is asked for. */
export interface Place {
  in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** The parameter's name, or that of the property; for items of a list, the property that holds the list. */
  name: string;
  /** In bodies: a JSON pointer with `*` for any item. Empty for parameters. */
  pointer: string;
  schema: AnySchema;
  /** The name of the component that says what the value is, if one does. */
  component?: string;
}

/** What is known of the values of a request before it is made. */
export interface Given {
  /** The values of parameters of the path that are known; the others are made up. */
  path: Record<string, Value>;
  /** Values for places that name something; undefined where there are none, so that they are left out or made up. */
  values?: (place: Place) => fc.Arbitrary<Value> | undefined;
}
