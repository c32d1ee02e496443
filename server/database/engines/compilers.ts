import {
  BinaryOperationNode,
  type LimitNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import type { Engine } from '../engine.ts';

/*
 * Kysely's compilers with four changes:
 *
 * - NUL characters in parameters are replaced by U+FFFD, as CommonMark requires for documents (section 2.3). PostgreSQL
 *   rejects text with NUL, and SQLite truncates it in some functions.
 * - A list as one parameter, which SQLite does not have, is JSON there.
 * - `in` with an empty list is false, and `not in` is true. PostgreSQL rejects `in ()`. Kysely's plugin for this copies
 *   every query.
 * - On SQLite, a limit is part of the text: for the sort of an unknown number of rows, SQLite allocates a buffer that
 *   costs more than a point read.
 */

/** Returns the value that a statement binds for a parameter. */
export function storedValue(engine: Engine, value: unknown): unknown {
  if (typeof value === 'string') {
    return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  }
  return engine === 'sqlite' && Array.isArray(value) ? JSON.stringify(value) : value;
}

const ONE = ValueNode.createImmediate(1);
const EQUALS = OperatorNode.create('=');
const ALWAYS = BinaryOperationNode.create(ONE, EQUALS, ONE);
const NEVER = BinaryOperationNode.create(ONE, EQUALS, ValueNode.createImmediate(0));

function withoutEmptyList(node: BinaryOperationNode): BinaryOperationNode {
  const { operator, rightOperand } = node;
  if (!PrimitiveValueListNode.is(rightOperand) || rightOperand.values.length > 0) {
    return node;
  }
  // There is no other operator for lists.
  return OperatorNode.is(operator) && operator.operator === 'in' ? NEVER : ALWAYS;
}

/** Compiles queries for SQLite. */
export class EmbeddedCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storedValue('sqlite', parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    super.visitBinaryOperation(withoutEmptyList(node));
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) {
      this.append(`limit ${limit.value}`);
    } else {
      super.visitLimit(node);
    }
  }
}

/** Compiles queries for PostgreSQL. */
export class ServerCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storedValue('postgres', parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    super.visitBinaryOperation(withoutEmptyList(node));
  }
}
