import type fc from 'fast-check';
import type { Body, Fault, Value } from '../../model/plan/plan.ts';
import type { AnySchema } from '../../model/schema/schema.ts';
import type { Choice } from './covering.ts';
import type { SerializedParameter } from './parameters.ts';

/** The parts of a request: the data of a step apart from its operation and caller. */
export interface Parts {
  /** Values by name, before percent-encoding. */
  path: Record<string, Value>;
  /** In order, before percent-encoding. */
  query: [name: string, value: Value][];
  headers: [name: string, value: Value][];
  body?: Body;
  fault?: Fault;
  /** Fields with an invented identifier: `path petId`, `body /owner`. */
  inventedFields: string[];
  /** Chosen class of each parameter, of a request that tests pairs of them. */
  choice?: Choice;
}

/** A serialized parameter with its invented fields. */
export interface Piece {
  serialized: SerializedParameter;
  inventedFields: string[];
}
/** A serialized body, if any. */
export interface BodyPiece {
  body?: Body;
  headers?: [name: string, value: Value][];
  inventedFields: string[];
}

/** The parts of a request with one fault. */
export interface FaultyParts extends Parts {
  fault: Fault;
  /** The invalid field: a parameter's name, or names and indexes of the body joined by dots. */
  at: string;
}

/** Requests with the same fault. */
export interface Faulty {
  /** Description of the fault: `body title: maxLength`. */
  name: string;
  kind: Fault['kind'];
  /** The invalid part of the request. */
  in: FieldLocation['in'];
  /** Whether a server may report the fault for a parent or child of the invalid value. */
  isImprecise: boolean;
  parts: fc.Arbitrary<FaultyParts>;
}

/** Requests with the same value at a limit of its schema. */
export interface Edge {
  /** Description of the value: `body title: maxLength`. */
  name: string;
  /** The part of the request with the value. */
  in: FieldLocation['in'];
  /** The limit: a keyword of the schema, or a description such as `unicode`. */
  keyword: string;
  parts: fc.Arbitrary<Parts>;
}

/** The location of a value in a request. */
export interface FieldLocation {
  in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** Name of the parameter or property; for items of a list, that of the list. */
  name: string;
  /** JSON Pointer in the body, with `*` for any item. Empty for parameters. */
  pointer: string;
  schema: AnySchema;
  /** Name of the component that defines the value, if any. */
  component?: string;
  /** Value of the `type` next to an `id`, if it states what kind of entity this identifies. */
  type?: string;
}

/** Values to use in a request. */
export interface RequestInputs {
  /** Values of path parameters. Others are invented. */
  path: Record<string, Value>;
  /** Returns values for an identifier field; undefined if there are none, so that it is omitted or invented. */
  values?: (location: FieldLocation) => fc.Arbitrary<Value> | undefined;
}
