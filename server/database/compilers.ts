import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  SqliteQueryCompiler,
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

/** Returns the condition that replaces `in` and `not in` with an empty list; undefined for other operations. */
function conditionOfEmptyList({ operator, rightOperand }: BinaryOperationNode): string | undefined {
  if (!PrimitiveValueListNode.is(rightOperand) || rightOperand.values.length > 0) {
    return undefined;
  }
  // There is no other operator for lists.
  return OperatorNode.is(operator) && operator.operator === 'in' ? '1 = 0' : '1 = 1';
}

/** Compiles queries for SQLite. */
export class EmbeddedCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(replaceNul(parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const condition = conditionOfEmptyList(node);
    if (condition === undefined) {
      super.visitBinaryOperation(node);
    } else {
      this.append(condition);
    }
  }
}

/** Compiles queries for PostgreSQL. */
export class ServerCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(replaceNul(parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const condition = conditionOfEmptyList(node);
    if (condition === undefined) {
      super.visitBinaryOperation(node);
    } else {
      this.append(condition);
    }
  }
}
