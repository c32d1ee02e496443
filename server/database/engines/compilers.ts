import {
  BinaryOperationNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

/*
 * Kysely's compilers with two changes:
 *
 * - NUL characters in parameters are replaced by U+FFFD, as CommonMark requires for documents (section 2.3). PostgreSQL
 *   rejects text with NUL, and SQLite truncates it in some functions.
 * - `in` with an empty list is false, and `not in` is true. PostgreSQL rejects `in ()`. Kysely's plugin for this copies
 *   every query.
 */

function replaceNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
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
    super.addParameter(replaceNul(parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    super.visitBinaryOperation(withoutEmptyList(node));
  }
}

/** Compiles queries for PostgreSQL. */
export class ServerCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(replaceNul(parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    super.visitBinaryOperation(withoutEmptyList(node));
  }
}
